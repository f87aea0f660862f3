import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "../../../src/db/db.ts";
import { inSeconds, type Lab, until } from "../lab/lab.ts";
import { headersOf, laurel, laurelMachine, openAdmin, startDatabase, tellDoctor } from "../lab/laurel.ts";
import { type Client, createClient, ok, type Reply } from "../lab/load.ts";
import { createNetwork, HUB } from "../lab/network.ts";
import { type Pipe, startPipe } from "../lab/pipe.ts";

const ROUNDS = 50;
const SESSIONS = 10;
const CODES = 20_000;
const PORT = 3000;
/** LAUREL_REQUEST_TIMEOUT_MS, and what a busy machine takes to send an answer. */
const IN_TIME_MS = 15_000 + 2_000;
const DARK_MS = 8_000;
const MINUTE_MS = 60_000;
/** A tick comes up to 40 s late: in four minutes a job runs at least three times, at most five times, and doubled at least six. */
const JOB_MINUTES = 4;

type Shop = { lab: Lab; clients: readonly [Client, Client]; management: readonly [Client, Client]; projectId: string };
const voucherType = { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } };
const isValid = ({ status, text }: Reply): boolean => status === 200 && JSON.parse(text).valid === true;
const validation = (code: string) => ({
  line: "POST /v1/validations",
  body: { redeemables: [{ object: "voucher", id: code }], order: { amount: 1000 } },
});

/** What one machine was told to change, the other one knows with its next request. */
async function catalogHolds({ lab, clients }: Shop): Promise<void> {
  const campaign = await ok(clients[0], "POST /v1/campaigns", { name: "catalog", voucher: voucherType });
  await ok(clients[0], `POST /v1/campaigns/${campaign.id}/vouchers/CATALOG`, {});
  let stale = 0;
  for (let n = 0; n < ROUNDS; n += 1) {
    const [here, there] = n % 2 === 0 ? clients : clients.toReversed();
    await ok(here!, `POST /v1/campaigns/${campaign.id}/disable`);
    if (isValid(await there!.send(validation("CATALOG")))) stale += 1;
    await ok(there!, `POST /v1/campaigns/${campaign.id}/enable`);
    if (!isValid(await here!.send(validation("CATALOG")))) stale += 1;
  }
  lab.figure("changes of the catalog", ROUNDS * 2);
  lab.figure("answers of the other machine that knew an old one", stale, { is: 0 });
}

/** Keys, tokens and sessions that end on one machine are of no use on the other. */
async function credentialsEnd({ lab, clients, management, projectId }: Shop): Promise<void> {
  let [refusedBefore, acceptedAfter] = [0, 0];
  const ends = async (use: () => Promise<Reply>, end: () => Promise<unknown>) => {
    if ((await use()).status !== 200) refusedBefore += 1;
    await end();
    if ((await use()).status !== 401) acceptedAfter += 1;
  };
  const list = { line: "GET /v1/categories" };
  for (let n = 0; n < ROUNDS; n += 1) {
    const [here, there] = n % 2 === 0 ? [0, 1] : [1, 0];
    const keys = `/management/v1/projects/${projectId}/keys`;
    const key = await ok<{ id: string; secret: string }>(management[here!]!, `POST ${keys}`, {
      kind: "app",
      name: `key ${n}`,
    });
    const pair = { "X-App-Id": key.id, "X-App-Token": key.secret };
    await ends(
      () => clients[there!]!.send({ ...list, headers: pair }),
      () => ok(management[here!]!, `POST ${keys}/${key.id}/disable`),
    );
    const form = { grant_type: "client_credentials", scope: "api" };
    const issued = await clients[here!]!.send({ line: "POST /v1/oauth/token", form });
    const { access_token } = JSON.parse(issued.text) as { access_token: string };
    const bearer = { "X-App-Id": "", "X-App-Token": "", authorization: `Bearer ${access_token}` };
    await ends(
      () => clients[there!]!.send({ ...list, headers: bearer }),
      () => clients[here!]!.send({ line: "POST /v1/oauth/token/revoke", form: { access_token } }),
    );
  }
  lab.figure("keys and tokens", ROUNDS * 2);
  lab.figure("good ones that the other machine refused", refusedBefore, { is: 0 });
  lab.figure("ended ones that the other machine took", acceptedAfter, { is: 0 });
}

const [EMAIL, PASSWORD] = ["ann@shop.example", "correct horse battery staple"];

/** Who signs out on one machine is signed out on the other. */
async function sessionsEnd({ lab }: Shop, urls: readonly string[], databaseUrl: string): Promise<void> {
  laurel(["user", "create", "--email", EMAIL, "--owner"], databaseUrl);
  laurel(["user", "password", EMAIL], databaseUrl, `${PASSWORD}\n`);
  const [here, there] = urls.map((url) => createClient(url, {})) as [Client, Client];
  let [refusedBefore, acceptedAfter] = [0, 0];
  for (let n = 0; n < SESSIONS; n += 1) {
    const line = "/management/v1/session";
    const signedIn = await here.send({ line: `POST ${line}`, body: { email: EMAIL, password: PASSWORD } });
    if (signedIn.status !== 200) throw new Error(`nobody can sign in: ${signedIn.status} ${signedIn.text}`);
    const cookie = String(signedIn.headers["set-cookie"]).split(";")[0]!;
    const headers = { cookie, "x-laurel-csrf": JSON.parse(signedIn.text).csrf_token as string };
    if ((await there.send({ line: `GET ${line}`, headers })).status !== 200) refusedBefore += 1;
    await here.send({ line: `DELETE ${line}`, headers });
    if ((await there.send({ line: `GET ${line}`, headers })).status !== 401) acceptedAfter += 1;
  }
  lab.figure("sessions of a user", SESSIONS);
  lab.figure("live ones that the other machine refused", refusedBefore, { is: 0 });
  lab.figure("ended ones that the other machine knew", acceptedAfter, { is: 0 });
  for (const client of [here, there]) client.close();
}

/** Codes are made once, though both machines look for work; jobs of a minute run once in it. */
async function jobsRunOnce({ lab, clients }: Shop, urls: readonly string[], db: Pool): Promise<void> {
  const runs = async () => {
    const all = await Promise.all(urls.map(runsOfMinuteJob));
    return all.reduce((sum, one) => sum + one, 0);
  };
  const [began, ranBefore] = [performance.now(), await runs()];
  const campaigns = await Promise.all(
    clients.map((client, at) =>
      ok(client, "POST /v1/campaigns", {
        name: `codes ${at}`,
        voucher: voucherType,
        vouchers_count: CODES,
        type: "STATIC",
      }),
    ),
  );
  const countOf = async (id: string) => {
    const [row] = await db<{ count: number }[]>`select count(*) from vouchers where campaign_id = ${id}`;
    return row!.count;
  };
  await until(
    "all codes are made",
    async () => (await Promise.all(campaigns.map(({ id }) => countOf(id)))).every((count) => count >= CODES),
    300_000,
  );
  // A machine that was late would make some more.
  const elapsed = performance.now() - began + MINUTE_MS;
  const minutes = Math.max(JOB_MINUTES, Math.ceil(elapsed / MINUTE_MS));
  await wait(began + minutes * MINUTE_MS - performance.now());
  const ran = (await runs()) - ranBefore;
  const counts = await Promise.all(campaigns.map(({ id }) => countOf(id)));
  lab.figure("codes asked for", CODES * 2);
  lab.figure(
    "codes made",
    counts.reduce((sum, one) => sum + one, 0),
    { is: CODES * 2 },
  );
  lab.figure("minutes meanwhile", minutes);
  lab.figure("runs of a job of every minute, both machines", ran, { atMost: minutes + 1, atLeast: minutes - 1 });
}

async function runsOfMinuteJob(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^laurel_job_duration_seconds_count\{.*job="compact-tallies".*\} (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** The second machine loses its database; meanwhile the first one changes the catalog and ends a key. */
async function isRightAfterwards({ lab, clients, management, projectId }: Shop, pipe: Pipe): Promise<void> {
  const late: number[] = [];
  let [bare, wrong] = [0, 0];
  const backAfter: number[] = [];
  const keys = `/management/v1/projects/${projectId}/keys`;
  for (const mode of ["closed", "silent"] as const) {
    const campaign = await ok(clients[0], "POST /v1/campaigns", { name: `dark ${mode}`, voucher: voucherType });
    const code = `DARK-${mode}`;
    await ok(clients[0], `POST /v1/campaigns/${campaign.id}/vouchers/${code}`, {});
    const key = await ok<{ id: string; secret: string }>(management[0], `POST ${keys}`, { kind: "app", name: mode });
    const use = { line: "GET /v1/categories", headers: { "X-App-Id": key.id, "X-App-Token": key.secret } };
    if (!isValid(await clients[1].send(validation(code))) || (await clients[1].send(use)).status !== 200) wrong += 1;
    pipe.set(mode);
    await ok(clients[0], `POST /v1/campaigns/${campaign.id}/disable`);
    await ok(management[0], `POST ${keys}/${key.id}/disable`);
    for (const end = performance.now() + DARK_MS; performance.now() < end; await wait(100)) {
      const reply = await clients[1].send(validation(code));
      if (reply.doneAt - reply.sentAt > IN_TIME_MS) late.push(reply.doneAt - reply.sentAt);
      if (reply.status !== 503 || reply.headers["retry-after"] === undefined) bare += 1;
    }
    pipe.set("open");
    const mended = performance.now();
    let first = await clients[1].send(validation(code));
    while (first.status === 503) {
      await wait(20);
      first = await clients[1].send(validation(code));
    }
    backAfter.push(performance.now() - mended);
    if (isValid(first)) wrong += 1;
    if ((await clients[1].send(use)).status !== 401) wrong += 1;
    lab.say(`the way to the database was ${mode}; back after ${inSeconds(backAfter.at(-1)!)} s`);
  }
  lab.figure("without its database: answers that were not 503 with Retry-After", bare, { is: 0 });
  lab.figure("without its database: answers after the time limit", late.length, { is: 0 });
  lab.figure("with it again: wrong answers", wrong, { is: 0 });
  lab.figure("with it again: first answer after, s", inSeconds(Math.max(...backAfter)), { atMost: 5 });
}

/** Two machines, each with a network of its own, on one database. */
export async function run(lab: Lab): Promise<void> {
  const hosts = createNetwork(lab, ["m1", "m2"]);
  const database = await startDatabase(lab);
  const pipes: Pipe[] = [];
  const machines = [];
  for (const [at, { address, prefix }] of hosts.entries()) {
    const port = 5432 + at;
    pipes.push(await startPipe(lab, { host: HUB, port }, database.url));
    const databaseUrl = database.url.replace(/@[^/]+\//, `@${HUB}:${port}/`);
    machines.push(
      laurelMachine(lab, {
        name: `laurel-${at + 1}`,
        host: address,
        port: PORT,
        databaseUrl,
        prefix,
        env: { LAUREL_METRICS: "on" },
      }),
    );
  }
  for (const machine of machines) await machine.up();
  const [app, own] = [headersOf(lab, machines[0]!), headersOf(lab, machines[0]!, "management")];
  const urls = machines.map(({ url }) => url);
  const clients = urls.map((url) => createClient(url, app)) as [Client, Client];
  const management = urls.map((url) => createClient(url, own)) as [Client, Client];
  const { data, projects } = await ok<{ data?: { id: string }[]; projects?: { id: string }[] }>(
    management[0],
    "GET /management/v1/projects",
  );
  const shop: Shop = { lab, clients, management, projectId: (data ?? projects)![0]!.id };
  lab.say("two machines on one database");
  await catalogHolds(shop);
  lab.say("the catalog holds");
  await credentialsEnd(shop);
  lab.say("keys and tokens end");
  await sessionsEnd(shop, urls, database.url);
  lab.say("sessions end");
  await isRightAfterwards(shop, pipes[1]!);
  await jobsRunOnce(shop, urls, openAdmin(lab, database.url));
  for (const client of [...clients, ...management]) client.close();
  tellDoctor(lab, database.url);
}
