import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "../../../src/db/db.ts";
import { type Citus, placeOf, startCitus } from "../lab/citus.ts";
import { figuresOf, inSeconds, type Lab, percentile, until } from "../lab/lab.ts";
import { headersOf, laurel, laurelMachine, type Machine, tellDoctor } from "../lab/laurel.ts";
import { type Client, createClient, ok, type Reply, startLoad } from "../lab/load.ts";
import { createPostgres } from "../lab/postgres.ts";
import { freePorts } from "../lab/processes.ts";
import { audit, createLedger, type Ledger, openShop, redeeming, settle } from "../lab/shop.ts";

const CLIENTS = 6;
const PAUSE_MS = 10;
const MOVES = 4;
const BETWEEN_MS = 3_000;

const DOWN_MS = 20_000;
const AROUND_MS = 3_000;
/** So many answers say something. */
const ENOUGH = 20;
/** What a worker takes to answer the requests that it has begun. */
const BEGUN_MS = 1_000;
/** LAUREL_REQUEST_TIMEOUT_MS, and what a busy machine takes to send an answer. */
const IN_TIME_MS = 15_000 + 2_000;
const [REDEEMERS, PROJECT_TRIES, NUMBERS] = [3, 50, 1_000_000];

const CODES = 100;
const MEASURED_CLIENTS = 32;
const MEASURED_MS = 8_000;
const LONE = 60;
const TURNS = 3;

const redeemingOne = (n: number) => ({
  line: "POST /v1/redemptions",
  key: `measured ${n}`,
  body: { redeemables: [{ object: "voucher", id: `CODE-${n % CODES}` }], order: { amount: 5000 } },
});

/** What one project can do at most, and what a lone request takes. */
async function measure(clients: readonly Client[], next: () => number) {
  let done = 0;
  const began = performance.now();
  const one = async (client: Client) => {
    const { status, text } = await client.send(redeemingOne(next()));
    if (status !== 200) throw new Error(`a redemption answered ${status}: ${text}`);
    done += 1;
  };
  const load = startLoad(clients, { pauseMs: 0, one });
  await wait(MEASURED_MS);
  await load.stop();
  const perSecond = (done * 1000) / (performance.now() - began);
  const lone: number[] = [];
  for (let n = 0; n < LONE; n += 1) {
    const at = performance.now();
    await one(clients[0]!);
    lone.push(performance.now() - at);
  }
  return { perSecond, loneMs: percentile(lone, 0.5) };
}

/** The same redemptions on one PostgreSQL and on the cluster, in turns: all of it shares the cores of this machine. */
async function compare(lab: Lab, spread: Machine): Promise<void> {
  const folder = join(lab.dir, "plain");
  fs.mkdirSync(folder);
  const settings = { max_connections: "200", shared_buffers: "256MB", fsync: "off", full_page_writes: "off" };
  const plain = await createPostgres(lab, folder, settings);
  plain.start();
  const [port] = await freePorts(1);
  const alone = laurelMachine(lab, { name: "laurel-plain", port: port!, databaseUrl: plain.url });
  await alone.up();
  const sides = [alone, spread].map((machine) => ({
    clients: Array.from({ length: MEASURED_CLIENTS }, () => createClient(machine.url, headersOf(lab, machine))),
    rates: [] as number[],
    lone: [] as number[],
  }));
  let count = 0;
  for (const { clients } of sides)
    for (let n = 0; n < CODES; n += 1)
      await ok(clients[0]!, `POST /v1/vouchers/CODE-${n}`, {
        type: "DISCOUNT_VOUCHER",
        discount: { type: "AMOUNT", amount_off: 100 },
        redemption: { quantity: null },
      });
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (const { clients, rates, lone } of sides) {
      const { perSecond, loneMs } = await measure(clients, () => ++count);
      // The first turn is for compilers and plans.
      if (turn > 0) rates.push(perSecond);
      if (turn > 0) lone.push(loneMs);
    }
  for (const [n, name] of ["one PostgreSQL", "the cluster"].entries()) {
    const { rates, lone, clients } = sides[n]!;
    lab.figure(`redemptions per second of one project on ${name}`, Math.round(percentile(rates, 0.5)));
    lab.figure(`a lone redemption on ${name}, in milliseconds`, Math.round(percentile(lone, 0.5)));
    for (const client of clients) client.close();
  }
  await alone.down();
}

/** A project moves to another machine and back again while its codes are redeemed. Then one of the machines is lost. */
export async function run(lab: Lab, { rounds = MOVES }: { rounds?: number } = {}): Promise<void> {
  const citus = await startCitus(lab);
  const { url } = citus;
  lab.say(laurel(["migrate", "--distribute"], url).trim().split("\n").at(-1)!);
  const [port] = await freePorts(1);
  const machine = laurelMachine(lab, { name: "laurel-1", port: port!, databaseUrl: url });
  await machine.up();
  await compare(lab, machine);
  await move(lab, machine, citus, rounds);
  await loseWorker(lab, machine, citus);
  tellDoctor(lab, url);
}

async function move(lab: Lab, machine: Machine, { admin, workers }: Citus, rounds: number): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, () => createClient(machine.url, headersOf(lab, machine)));
  await openShop(clients[0]!);
  const [project] = await admin<{ id: string }[]>`select project_id as id from laurel.vouchers where code = 'CODE'`;

  const ledger = createLedger();
  const [took, others]: [number[], string[]] = [[], []];
  let unavailable = 0;
  const note = ({ status, text, headers, sentAt, doneAt }: Reply) => {
    if (status === 200) return void took.push(doneAt - sentAt);
    if (status === 503 && headers["retry-after"] !== undefined) unavailable += 1;
    else others.push(`${status} ${text.slice(0, 200)}`);
  };
  const load = startLoad(clients, {
    pauseMs: PAUSE_MS,
    one: async (client) => {
      const n = ledger.next();
      const reply = await client.send(redeeming(n));
      ledger.note(n, reply);
      note(reply);
    },
  });
  const moves: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    await wait(BETWEEN_MS);
    const from = await placeOf(admin, project!.id);
    const to = workers.find((one) => one !== from.port)!;
    const began = performance.now();
    await admin`
      select citus_move_shard_placement(${from.shard}::bigint, '127.0.0.1', ${from.port}::int, '127.0.0.1', ${to}::int,
        shard_transfer_mode => 'force_logical')`;
    moves.push(performance.now() - began);
    if ((await placeOf(admin, project!.id)).port !== to) throw new Error("the project did not move");
    lab.say(`the project moved from ${from.port} to ${to}`);
  }
  await wait(BETWEEN_MS);
  await load.stop();
  const refusals = await settle(clients[0]!, ledger);
  for (const line of [...others, ...refusals].slice(0, 10)) lab.say(line);
  lab.figure("moves to another machine", moves.length, { is: rounds });
  lab.figure("seconds of a move (p50)", inSeconds(percentile(moves, 0.5)));
  lab.figure("redemptions", took.length, { atLeast: 100 });
  lab.figure("slowest redemption, in seconds", inSeconds(Math.max(...took)));
  lab.figure("answers 503 with Retry-After", unavailable);
  lab.figure("other refusals", others.length, { is: 0 });
  lab.figure("repeated writes that were refused", refusals.length, { is: 0 });
  await audit(lab, clients[0]!, ledger, admin);
  for (const client of clients) client.close();
}

type Kind = "redemptions" | "configuration";
/** A project of its own on one of the machines, with those who redeem there and one who configures. */
type Shop = {
  clients: readonly Client[];
  ledger: Ledger;
  replies: { kind: Kind; reply: Reply }[];
  stop(): Promise<void>;
};

async function openShopOn(
  lab: Lab,
  { machine, admin, port, after }: { machine: Machine; admin: Pool; port: number; after: number },
): Promise<Shop> {
  const management = createClient(machine.url, headersOf(lab, machine, "management"));
  let headers: Record<string, string> | undefined;
  for (let n = 0; headers === undefined && n < PROJECT_TRIES; n += 1) {
    const { id, server_side_key: key } = await ok<{
      id: string;
      server_side_key: { app_id: string; app_token: string };
    }>(management, "POST /management/v1/projects", {
      ...{ name: `Shop ${after + n}`, timezone: "UTC", currency: "EUR", case_sensitive_codes: true },
    });
    if ((await placeOf(admin, id)).port === port) headers = { "X-App-Id": key.app_id, "X-App-Token": key.app_token };
  }
  management.close();
  if (!headers) throw new Error(`no project came to the machine at ${port}`);
  const clients = Array.from({ length: REDEEMERS + 1 }, () => createClient(machine.url, headers));
  await openShop(clients[0]!);
  const [ledger, replies]: [Ledger, Shop["replies"]] = [createLedger(after), []];
  const { stop } = startLoad(clients, {
    pauseMs: PAUSE_MS,
    one: async (client, at) => {
      const n = ledger.next();
      if (at === REDEEMERS) {
        const body = { name: `Category ${n}`, hierarchy: 1 };
        return replies.push({
          kind: "configuration",
          reply: await client.send({ line: "POST /v1/categories", body, key: `category ${n}` }),
        });
      }
      const reply = await client.send(redeeming(n));
      ledger.note(n, reply);
      return replies.push({ kind: "redemptions", reply });
    },
  });
  return { clients, ledger, replies, stop };
}

/** A worker goes and comes back: only the projects that have their rows there are stopped meanwhile. */
async function loseWorker(lab: Lab, machine: Machine, { admin, workers, crash, revive }: Citus): Promise<void> {
  const [lost, kept] = await Promise.all(
    workers.map((port, at) => openShopOn(lab, { machine, admin, port, after: (at + 1) * NUMBERS })),
  );
  await wait(AROUND_MS);
  const downAt = performance.now();
  crash(workers[0]!);
  lab.say(`the worker at ${workers[0]} is down`);
  await wait(DOWN_MS);
  const upAt = performance.now();
  revive();
  await until("the lost project is served again", () => lastOf(lost!).every(({ sentAt }) => sentAt > upAt));
  const backAfter = Math.min(...lastOf(lost!).map(({ doneAt }) => doneAt)) - upAt;
  lab.say(`it is back, and its project as well after ${inSeconds(backAfter)} s`);
  await wait(AROUND_MS);
  for (const shop of [lost!, kept!]) await shop.stop();

  const isDown = ({ sentAt, doneAt }: Reply) => sentAt > downAt + BEGUN_MS && doneAt < upAt;
  for (const kind of ["redemptions", "configuration"] as const) {
    const during = (shop: Shop) => shop.replies.filter((one) => one.kind === kind).map(({ reply }) => reply);
    const ownDone = during(lost!).filter((reply) => reply.status === 200 && isDown(reply));
    const [others, refused] = [during(kept!), during(kept!).filter(({ status }) => status !== 200)];
    for (const { status, text } of refused.slice(0, 5)) lab.say(`other project, ${kind}: ${status} ${text}`);
    lab.figure(`worker down: ${kind} of its project that were done`, ownDone.length, { is: 0 });
    lab.figure(`worker down: ${kind} of another project`, others.filter(isDown).length, { atLeast: ENOUGH });
    lab.figure(`worker down: ${kind} of another project that were refused`, refused.length, { is: 0 });
    const slowest = Math.max(...others.map(({ sentAt, doneAt }) => doneAt - sentAt));
    lab.figure(`worker down: slowest of the ${kind} of another project, in seconds`, inSeconds(slowest), { atMost: 5 });
  }
  const own = lost!.replies.map(({ reply }) => reply).filter(({ status }) => status !== 200);
  const bare = own.filter(({ status, headers }) => status !== 503 || headers["retry-after"] === undefined);
  const late = own.filter(({ sentAt, doneAt }) => doneAt - sentAt > IN_TIME_MS);
  for (const { status, text } of bare.slice(0, 5)) lab.say(`its project: ${status} ${text.slice(0, 200)}`);
  lab.figure("worker down: requests of its project that were refused", own.length, { atLeast: 1 });
  lab.figure("worker down: of these not 503 with Retry-After", bare.length, { is: 0 });
  lab.figure("worker down: of these after the time limit", late.length, { is: 0 });
  lab.figure("worker back: its project is served after, in seconds", inSeconds(backAfter), { atMost: 10 });
  for (const [name, { clients, ledger }] of Object.entries({ "its project": lost!, "another project": kept! })) {
    const refusals = await settle(clients[0]!, ledger);
    const told = figuresOf(lab, name);
    told.figure("repeated writes that were refused", refusals.length, { is: 0 });
    await audit(told, clients[0]!, ledger, admin);
    for (const client of clients) client.close();
  }
}

/** The latest success of each kind, where there is one. */
const lastOf = ({ replies }: Shop): Reply[] =>
  (["redemptions", "configuration"] as const).flatMap(
    (kind) => replies.findLast((one) => one.kind === kind && one.reply.status === 200)?.reply ?? [],
  );
