import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { seeded } from "../../src/demo/requests.ts";
import {
  databasePid,
  eventually,
  headersIn,
  laurel,
  type Served,
  serve,
  tempDir,
  workersOf,
} from "../support/child.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { okOf } from "../support/shop.ts";
import { startProxy } from "../support/storage.ts";
import { credits, inParallel, voucher } from "../support/two-servers.ts";

// Something is killed in the middle of a burst of writes, and everything is asked again with its key: what was
// acknowledged is there, nothing is there twice, and no request hangs. FAULT_ROUNDS raises the number of kills.
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 1);
const SEED = Number(process.env.FAULT_SEED ?? 1);
const CLIENTS = 8;

type Answer = { status: number; text: string };

test(`${ROUNDS} kills of the server, its database or both under load: nothing acknowledged is lost, nothing doubled`, async (t) => {
  t.diagnostic(`FAULT_SEED=${SEED} FAULT_ROUNDS=${ROUNDS}`);
  const { integer, pick } = seeded(SEED);
  const dir = tempDir();
  const env = { LAUREL_DATA_DIR: dir, LAUREL_DEMO: "off" };
  let server: Served = await serve(env);
  const headers = headersIn(join(dir, "credentials/app.headers"));
  const send = async (name: string): Promise<Answer> => {
    const reply = await fetch(`${server.url}/v1/categories`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "idempotency-key": name },
      body: JSON.stringify({ name, hierarchy: 1 }),
      signal: AbortSignal.timeout(600_000),
    });
    return { status: reply.status, text: await reply.text() };
  };

  const acknowledged = new Map<string, string>();
  let sent = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const unknown: string[] = [];
    let killed = false;
    const client = async () => {
      while (!killed) {
        const name = `category ${++sent}`;
        const answer = await send(name).catch(() => null);
        if (answer?.status === 200) acknowledged.set(name, answer.text);
        else unknown.push(name);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    const enough = sent + integer(20, 300);
    await eventually(() => sent >= enough, "so many requests are sent");
    const victim = pick(["server", "database", "both"] as const);
    const database = databasePid(dir);
    if (victim !== "server" && database) process.kill(database, "SIGKILL");
    const gone = victim !== "database" && server.stop("SIGKILL");
    // Nobody asks a server that is not there, in a circle, until the last of its processes is gone.
    killed = true;
    await Promise.all([gone, ...clients]);
    if (victim !== "database") server = await serve(env);
    await eventually(
      async () => (await fetch(`${server.url}/health/ready`).catch(() => null))?.status === 200,
      "ready again",
    );
    for (const name of unknown) {
      let answer: Answer | null = null;
      await eventually(async () => {
        answer = await send(name).catch(() => null);
        return answer !== null && answer.status < 500;
      }, `an answer for ${name} after ${victim} was killed`);
      assert.equal(answer!.status, 200, `${name} after ${victim} was killed: ${answer!.text}`);
      acknowledged.set(name, answer!.text);
    }
  }
  const { data, total } = (await (await fetch(`${server.url}/v1/categories`, { headers })).json()) as {
    data: { name: string }[];
    total: number;
  };
  assert.equal(total, sent);
  assert.deepEqual(new Set(data.map(({ name }) => name)), new Set(acknowledged.keys()));
  for (const [name, text] of acknowledged) assert.equal((await send(name)).text, text, `${name} is answered as before`);
  assert.equal((await server.stop()).code, 0);
});

const REDEEMED = ["CODE", "CARD"];
/** Each takes one unit of the code and one credit of the card, with an order of its own. */
const redeeming = (n: number) => ({
  redeemables: [voucher("CODE"), credits("CARD", 1)],
  order: { source_id: `order ${n}`, amount: 1000 },
  customer: { source_id: `cust ${n % 7}` },
});
const BALANCE = 1_000_000;

/** Every redemption is there once: in the counters, in the balance, in the list and on its order. */
async function assertOnce(get: (path: string) => Promise<any>, sent: number, texts: ReadonlyMap<string, string>) {
  const code = await get("/v1/vouchers/CODE");
  const card = await get("/v1/vouchers/CARD");
  assert.deepEqual(
    [code.redemption.redeemed_quantity, card.redemption.redeemed_quantity, BALANCE - card.gift.balance],
    [sent, sent, sent],
    "nothing that was acknowledged is lost, and nothing happened twice",
  );
  assert.equal(new Set([...texts.values()].map((text) => JSON.parse(text).parent_redemption.id)).size, sent);
  for (const [name, text] of texts) {
    const { order, parent_redemption } = JSON.parse(text);
    const stored = await get(`/v1/orders/${encodeURIComponent(order.source_id)}`);
    assert.deepEqual(Object.keys(stored.redemptions), [parent_redemption.id], name);
  }
}

/** Below those that the system gives out: while the server is down, no connection of another test takes it. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer().once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

test(`${ROUNDS} kills under redemptions: nothing acknowledged is lost, nothing is spent twice`, async (t) => {
  t.diagnostic(`FAULT_SEED=${SEED} FAULT_ROUNDS=${ROUNDS}`);
  const { integer, pick } = seeded(SEED + 1);
  const dir = tempDir();
  // A port of its own: one that the system chooses is given up when both processes are gone for a moment.
  const env = { LAUREL_DATA_DIR: dir, LAUREL_DEMO: "off", LAUREL_PROCESSES: "2", PORT: String(await freePort()) };
  let server: Served = await serve(env);
  const headers = { ...headersIn(join(dir, "credentials/app.headers")), "content-type": "application/json" };
  const call = async (path: string, body?: unknown, key?: string): Promise<Answer> => {
    const reply = await fetch(`${server.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: key === undefined ? headers : { ...headers, "idempotency-key": key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(600_000),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const get = async (path: string) => JSON.parse((await call(path)).text);
  const discount = { type: "AMOUNT", amount_off: 1 };
  for (const [code, body] of [
    ["CODE", { discount, redemption: { quantity: 10_000_000 } }],
    ["CARD", { type: "GIFT_VOUCHER", gift: { amount: BALANCE, balance: BALANCE } }],
  ] as const)
    assert.equal((await call(`/v1/vouchers/${code}`, body)).status, 200);
  const send = (n: number) => call("/v1/redemptions", redeeming(n), `key ${n}`);

  const acknowledged = new Map<string, string>();
  const note = (n: number, text: string) => {
    const before = acknowledged.get(`key ${n}`);
    assert.ok(before === undefined || before === text, `key ${n} is answered as before`);
    acknowledged.set(`key ${n}`, text);
  };
  let sent = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const unknown: number[] = [];
    let killed = false;
    const client = async () => {
      while (!killed) {
        const n = ++sent;
        const answer = await send(n).catch(() => null);
        if (answer?.status === 200) note(n, answer.text);
        else unknown.push(n);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    const enough = sent + integer(20, 200);
    await eventually(() => sent >= enough, "so many requests are sent");
    const victim = pick(["worker", "server", "database", "both"] as const);
    const database = databasePid(dir);
    const worker = pick(workersOf(server.pid));
    if ((victim === "database" || victim === "both") && database) process.kill(database, "SIGKILL");
    if (victim === "worker" && worker) process.kill(worker, "SIGKILL");
    const gone = (victim === "server" || victim === "both") && server.stop("SIGKILL");
    killed = true;
    await Promise.all([gone, ...clients]);
    if (victim === "server" || victim === "both") server = await serve(env);
    for (const n of unknown)
      await eventually(async () => {
        const answer = await send(n).catch(() => null);
        // The session of a process that was killed may hold the key for a moment.
        if (answer === null || answer.status >= 500 || answer.text.includes("idempotency_in_progress")) return false;
        assert.equal(answer.status, 200, `${n} after ${victim} was killed: ${answer.text}`);
        note(n, answer.text);
        return true;
      }, `an answer for ${n} after ${victim} was killed`);
  }
  t.diagnostic(`${sent} redemptions`);
  await assertOnce(get, sent, acknowledged);
  for (const [name, text] of [...acknowledged].slice(-50))
    assert.equal((await send(Number(name.slice(4)))).text, text, `${name} is answered as before`);
  await server.stop();
  const doctor = await laurel(["doctor"], { LAUREL_DATA_DIR: dir });
  assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
});

test("connections are cut between COMMIT and its answer: redemptions happen once", async (t) => {
  const cuts = Math.max(5, ROUNDS);
  // Many of them share one COMMIT.
  const calls = cuts * 16;
  const { db, url, open } = await testDatabase();
  const project = await testProject(db);
  const proxy = await startProxy(url);
  const { call } = await testEngine(open({ max: 4 }, proxy.url), project, { hot: open({ max: 3 }, proxy.url) });
  const direct = await testEngine(db, project);
  const ok = okOf(direct.call);
  await ok("POST /v1/vouchers/CODE", { discount: { type: "AMOUNT", amount_off: 1 } });
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: BALANCE, balance: BALANCE } });
  const { integer } = seeded(SEED + 2);
  let [left, until] = [cuts, 3];
  proxy.watch = (sender, chunk) => {
    // What the database answers to COMMIT is lost with its connection; now and then COMMIT itself is.
    const isCommit = chunk.includes(sender === "server" ? "COMMIT\0" : "commit\0");
    if (!isCommit || left === 0 || --until > 0) return false;
    [left, until] = [left - 1, integer(1, 4)];
    return true;
  };
  const texts = new Map<string, string>();
  let again = 0;
  await inParallel(
    calls,
    async (n) => {
      const send = () => call("POST /v1/redemptions", redeeming(n), { "idempotency-key": `key ${n}` });
      let reply = await send();
      for (; reply.status >= 500; reply = await send()) {
        again += 1;
        await wait(5);
      }
      assert.equal(reply.status, 200, reply.text);
      texts.set(`key ${n}`, reply.text);
    },
    { clients: CLIENTS },
  );
  t.diagnostic(`${cuts - left} connections cut, ${again} repeats`);
  assert.equal(left, 0);
  assert.deepEqual(
    await Promise.all(
      REDEEMED.map(async (name) => (await ok(`GET /v1/vouchers/${name}`)).redemption.redeemed_quantity),
    ),
    [calls, calls],
  );
  await assertOnce((path) => ok(`GET ${path}`), calls, texts);
});
