import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { commit } from "../../src/db/batches/commit.ts";
import { openDb, type Pool } from "../../src/db/db.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { type Reply, type TestProject, testEngine, testProject } from "../support/engine.ts";
import { startProxy, testDir, until } from "../support/storage.ts";

// A server of this file, because it is stopped, killed and frozen. Its port changes with each start; that of the
// proxy before it stays, as the address of a database does.
const pools: Pool[] = [];
const engines: { app: { close(): Promise<void> } }[] = [];
// Before the hooks of the helpers: the server and the proxy are needed until the engines are closed.
after(async () => {
  await Promise.all(engines.map(({ app }) => app.close()));
  await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
  await server.stop();
});
const dir = join(testDir(), "data");
let server: Embedded = await startEmbedded(dir);
const proxy = await startProxy(server.url);
const start = async (flags: string[] = []) => {
  server = await startEmbedded(dir, flags);
  proxy.target = server.url;
};
const open = (via = proxy.url, statementTimeoutMs = 5000, max = 3) => {
  const pool = openDb(via, { max, statementTimeoutMs });
  pools.push(pool);
  return pool;
};
const startEngine = async (...args: Parameters<typeof testEngine>) => {
  const engine = await testEngine(...args);
  engines.push(engine);
  return engine;
};
await migrate(open());
const project = await testProject(pools[0]!);
const { call } = await startEngine(open(), project);
const LIMIT_MS = 60_000; // Half of what a request of a test may take: something else has ended it.
/** The reply, which must come in bounded time. */
async function inTime(reply: Promise<Reply>): Promise<Reply> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS).unref();
  });
  return Promise.race([reply, late]);
}
function assertUnavailable({ status, body, headers }: Reply) {
  assert.deepEqual([status, body.code], [503, 503]);
  assert.ok(["overloaded", "outcome_unknown"].includes(body.key), body.key);
  assert.equal(headers["retry-after"], "1");
  assert.equal(body.request_id, headers["x-request-id"]);
}
const list = () => call("GET /v1/categories");
let made = 0;
const create = () => call("POST /v1/categories", { name: `Category ${++made}`, hierarchy: 1 });

test("while the database is stopped reads and writes are answered 503, and afterwards they work by themselves", async () => {
  assert.equal((await create()).status, 200);
  await server.stop();
  for (const reply of await Promise.all([list(), create(), list(), create()].map(inTime))) assertUnavailable(reply);
  await start();
  await until("a read works again", async () => (await inTime(list())).status === 200);
  await until("a write works again", async () => (await inTime(create())).status === 200);
});

test("a database killed under load: each request is answered in time, nothing acknowledged is lost or doubled", async () => {
  const acknowledged: string[] = [];
  let stop = false;
  // Each writer repeats a request with its key until it is answered, as a careful client does.
  const writer = async (id: number) => {
    for (let n = 0; !stop; n += 1) {
      const name = `Writer ${id} ${n}`;
      for (;;) {
        const headers = { "idempotency-key": name };
        const reply = await inTime(call("POST /v1/categories", { name, hierarchy: 1 }, headers));
        if (reply.status === 200) break;
        assertUnavailable(reply);
      }
      acknowledged.push(name);
    }
  };
  const writers = Promise.all(Array.from({ length: 6 }, (_, id) => writer(id)));
  const more = async (count: number) => {
    const enough = acknowledged.length + count;
    await until(`${count} more writes`, () => acknowledged.length >= enough);
  };
  await more(30);
  process.kill(server.pid, "SIGKILL");
  await server.stop();
  await start();
  await more(30);
  stop = true;
  await writers;
  const rows = await pools[0]!<{ name: string }[]>`select name from categories where name like 'Writer %'`;
  assert.deepEqual(rows.map(({ name }) => name).sort(), acknowledged.sort());
});

test("a database that hangs: answered 503 within the limits, and all is well when it goes on", async () => {
  const slow = await startProxy(server.url);
  const engine = await startEngine(open(slow.url), project);
  assert.equal((await engine.call("GET /v1/categories")).status, 200);
  slow.mode = "silent";
  // Both where a connection was open already and where it takes new ones and never answers them.
  const fresh = await startEngine(open(slow.url), project);
  const replies = await Promise.all([
    inTime(engine.call("GET /v1/categories")),
    inTime(engine.call("POST /v1/categories", { name: "Hangs", hierarchy: 1 })),
    inTime(fresh.call("GET /v1/categories")),
  ]);
  for (const reply of replies) assertUnavailable(reply);
  slow.mode = "open";
  slow.cutAll();
  for (const { call } of [engine, fresh])
    await until("it works again", async () => (await inTime(call("GET /v1/categories"))).status === 200);
});

test("connections that die without a word are given up by themselves, and replaced", async () => {
  const slow = await startProxy(server.url);
  const pool = open(slow.url, 300, 2);
  const { call } = await startEngine(pool, project);
  await Promise.all([call("GET /v1/categories"), call("GET /v1/categories"), call("GET /v1/categories")]);
  slow.freezeAll();
  await until("it works again", async () => (await inTime(call("GET /v1/categories"))).status === 200);
});

test("a statement that is sent while its connection is dying is not forgotten", async () => {
  const slow = await startProxy(server.url);
  const pool = open(slow.url, 200, 1);
  await pool`select 1`;
  slow.freezeAll();
  // Told of the failure, the next one is sent before the connection has come to its end.
  const next = pool`select 2`.catch(() => pool`select 3`);
  const ended = next.then(
    () => "answered",
    ({ code }) => code,
  );
  assert.match(await Promise.race([ended, wait(LIMIT_MS, "forgotten", { ref: false })]), /answered|CONNECTION_CLOSED/);
  await until("the pool works", async () => (await pool`select 4`.catch(() => [])).length === 1);
});

test("a database that hangs in the middle of a write: 503 outcome_unknown at the limit of the request", async () => {
  const slow = await startProxy(server.url);
  const other: TestProject = await testProject(pools[0]!);
  const { call } = await startEngine(open(slow.url, 2 * LIMIT_MS), other, { requestTimeoutMs: 500 });
  assert.equal((await call("GET /v1/categories")).status, 200);
  slow.watch = (from, chunk) => {
    if (from === "client" && chunk.includes("insert into")) slow.mode = "silent";
    return false;
  };
  const reply = await inTime(call("POST /v1/categories", { name: "Hangs", hierarchy: 1 }));
  assertUnavailable(reply);
  assert.equal(reply.body.key, "outcome_unknown");
  slow.watch = () => false;
  slow.mode = "open";
  slow.cutAll();
  await until("it works again", async () => (await inTime(call("GET /v1/categories"))).status === 200);
});

test("a crash undoes a transaction and gives its number to another: nobody is told that it was committed", async () => {
  await server.stop();
  await start(["wal_writer_delay=10s"]); // Nothing of the transaction is on the disk before its COMMIT.
  const [through, direct] = [open(proxy.url, 5000, 2), open(server.url)];
  await direct`create table numbered (n int)`;
  const isAsked = Promise.withResolvers<void>();
  proxy.watch = (from, chunk) => {
    if (from === "client" && chunk.includes("commit\0")) {
      proxy.freezeAll();
      isAsked.resolve();
    }
    return false;
  };
  let number = "";
  const outcome = commit(through, async (tx) => {
    await tx`insert into numbered values (1)`;
    const [row] = await tx<{ id: string }[]>`select pg_current_xact_id()::text as id`;
    number = row!.id;
  });
  await isAsked.promise;
  proxy.watch = () => false;
  const { pid } = server;
  process.kill(pid, "SIGKILL");
  await until("it is started again", () => server.pid !== pid);
  const given = async () => (await direct<{ id: string }[]>`select pg_current_xact_id()::text as id`)[0]!.id;
  await until("the number is given again", async () => BigInt(await given().catch(() => "0")) >= BigInt(number));
  const [after] = await direct`select pg_xact_status(${number}::xid8) as status, count(*) as rows from numbered`;
  assert.deepEqual({ ...after }, { status: "committed", rows: 0 }, "the number is another's now");
  proxy.cutAll();
  assert.equal((await outcome).kind, "unknown");
});
