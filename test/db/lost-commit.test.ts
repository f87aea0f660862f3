import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import { type Answer, refusal, success } from "../../src/core/answer.ts";
import { createLanes, type Flow } from "../../src/db/batches/batch.ts";
import { commit, commitWith } from "../../src/db/batches/commit.ts";
import type { Pool } from "../../src/db/db.ts";
import { answerAll, type Claim, claimKeys } from "../../src/idempotency/claim.ts";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { startProxy, type TcpProxy, until } from "../support/storage.ts";

const { db, url, open } = await testDatabase();
await db`create table done (n integer)`;

/** When the connection is lost, and whether the server can be reached afterwards. */
type Cut = {
  when: string;
  from: "client" | "server";
  sign: string;
  stays: "reachable" | "away";
  /** How many rows the one attempt leaves before anybody repeats it. */
  rows: 0 | 1;
};
const CUTS: Cut[] = [
  { when: "in the middle of the transaction", from: "client", sign: "insert into", stays: "reachable", rows: 1 },
  { when: "before COMMIT arrives", from: "client", sign: "commit\0", stays: "reachable", rows: 1 },
  { when: "after COMMIT, before its answer", from: "server", sign: "COMMIT\0", stays: "reachable", rows: 1 },
  {
    when: "before COMMIT arrives, and the server stays away",
    from: "client",
    sign: "commit\0",
    stays: "away",
    rows: 0,
  },
  { when: "after COMMIT, and the server stays away", from: "server", sign: "COMMIT\0", stays: "away", rows: 1 },
];

/** Cuts one connection at the sign. `cut` says whether that happened. */
async function proxyThatCuts({ from, sign, stays }: Cut): Promise<{ proxy: TcpProxy; cut(): boolean }> {
  const proxy = await startProxy(url);
  let armed = true;
  proxy.watch = (sender, chunk) => {
    if (!armed || sender !== from || !chunk.includes(sign)) return false;
    armed = false;
    if (stays === "away") proxy.mode = "away";
    return true;
  };
  return { proxy, cut: () => !armed };
}

const { id: projectId } = await testProject(db);
let count = 0;
const nextNumber = () => ++count;
type Command = { n: number; claim: Claim | null; request_id: string };
const storing: Flow<Command, Answer> = {
  name: "store",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  run: async (tx, projectId, commands) => {
    const { fresh, stored } = await claimKeys(tx, projectId, commands);
    await tx`insert into done select * from unnest(${fresh.map(({ n }) => n)}::int[])`;
    const answers = new Map(fresh.map((command) => [command, success({ n: command.n })]));
    return answerAll(tx, projectId, { commands, answers, stored });
  },
};
const rowsOf = async (n: number) => (await db`select n from done where n = ${n}`).length;

for (const cut of CUTS) {
  for (const key of [null, "the key"]) {
    const keyed = key === null ? "without a key" : "with a key";
    const answered = cut.stays === "reachable" ? "answered with success" : "answered 503 outcome_unknown";

    test(`lanes, ${keyed}: the connection is lost ${cut.when}: stored once at most, ${answered}`, async () => {
      const { proxy, cut: wasCut } = await proxyThatCuts(cut);
      const n = nextNumber();
      const claim = key && {
        caller_id: "app k",
        key: `${key} ${n}`,
        input_hash: "h",
        sealed_with: null,
        received_at: NOW,
      };
      const command: Command = { n, claim: claim || null, request_id: `v-${n}` };
      const submit = createLanes(open({ max: 2 }, proxy.url), { lanes: 1, report: () => {} });
      const answer = await submit(storing, projectId, command);
      assert.ok(wasCut());
      assert.equal(await rowsOf(n), cut.rows);
      if (cut.stays === "reachable") return assert.deepEqual(answer, success({ n }));
      assert.deepEqual([answer.status, JSON.parse(answer.body).key], [503, "outcome_unknown"]);
      if (!key) return;

      proxy.mode = "open";
      let repeated = answer;
      await until("a repeat is answered", async () => {
        repeated = await submit(storing, projectId, command);
        return repeated.status !== 503;
      });
      assert.deepEqual(repeated, cut.rows === 1 ? { ...success({ n }), replayed: true } : success({ n }));
      assert.equal(await rowsOf(n), 1);
    });

    test(`HTTP, ${keyed}: the connection is lost ${cut.when}: stored once at most, ${answered}`, async () => {
      const project = await testProject(db);
      const { proxy, cut: wasCut } = await proxyThatCuts(cut);
      const { call } = await testEngine(open({ max: 3 }, proxy.url), project);
      const headers: Record<string, string> = key ? { "idempotency-key": key } : {};
      const send = () => call("POST /v1/categories", { name: "Summer", hierarchy: 1 }, headers);
      const reply = await send();
      assert.ok(wasCut());
      const rows = () => db<{ id: string }[]>`select id from categories where project_id = ${project.id}`;
      assert.equal((await rows()).length, cut.rows);
      if (cut.stays === "reachable") {
        assert.equal(reply.status, 200);
        assert.equal(reply.body.id, (await rows())[0]!.id, "the answer tells of the row that is stored");
        return;
      }
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [503, 503, "outcome_unknown"]);
      assert.equal(reply.headers["retry-after"], "1");
      if (!key) return;

      proxy.mode = "open";
      let repeated = reply;
      await until("a repeat is answered", async () => {
        repeated = await send();
        return repeated.status !== 503;
      });
      assert.equal(repeated.status, 200);
      assert.equal(repeated.headers["idempotent-replayed"], cut.rows === 1 ? "true" : undefined);
      assert.deepEqual(
        (await rows()).map(({ id }) => id),
        [repeated.body.id],
      );
      const again = await send();
      assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [repeated.text, "true"]);
      const [revision] = await db`select catalog_revision as n from tenants where project_id = ${project.id}`;
      assert.equal(revision!.n, 1, "the catalog's revision was raised once");
    });
  }
}

for (const from of ["client", "server"] as const)
  test(`COMMIT is in one message with the writes, and the ${from}'s piece is lost: stored once, answered with success`, async () => {
    const proxy = await startProxy(url);
    const submit = createLanes(open({ max: 1 }, proxy.url), { lanes: 1, report: () => {} });
    let last: Buffer | null = null;
    const flow: Flow<number, number> = {
      name: "with commit",
      failed: () => -1,
      run: async (tx, _, [n]) => {
        await tx`select 1`;
        // From here on the next piece of the client is its last one.
        if (last === null && isArmed) last = Buffer.alloc(0);
        return commitWith(tx, [n!], () => tx`insert into done values (${n!})`.then(() => {}));
      },
    };
    let [isArmed, isCut] = [false, false];
    // A statement is described when its connection sees it first: then COMMIT waits.
    for (let warm = 0; warm < 2; warm += 1) await submit(flow, "p", nextNumber());
    proxy.watch = (sender, chunk) => {
      if (last === null || isCut || sender !== from) return false;
      if (from === "server" && !chunk.includes("COMMIT\0")) return false;
      isCut = true;
      return true;
    };
    isArmed = true;
    const n = nextNumber();
    assert.equal(await submit(flow, "p", n), n);
    assert.ok(isCut);
    assert.equal(await rowsOf(n), 1);
  });

/** Uses the one connection of the pool for somebody else's transaction, from its first statement to its commit. */
const somebodyElse = (pool: Pool, n: number, between: () => Promise<unknown>) =>
  commit(pool, async (tx) => {
    await tx`insert into done values (${n})`;
    await between();
  });

test("a transaction that lost its connection runs nothing on the next one, not even in somebody else's", async () => {
  const proxy = await startProxy(url);
  const pool = open({ max: 1 }, proxy.url);
  const [lost, other] = [nextNumber(), nextNumber()];
  const isGone = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const outcome = commit(pool, async (tx) => {
    await tx`insert into done values (${lost})`;
    proxy.cutAll();
    isGone.resolve();
    await goOn.promise;
    const late = tx`insert into done values (${lost})`.then(
      () => "it ran",
      (error) => error.code,
    );
    ended.resolve(late);
    await late;
  });
  await isGone.promise;
  assert.equal((await outcome).kind, "aborted");
  const theirs = await somebodyElse(pool, other, async () => {
    goOn.resolve();
    assert.equal(await ended.promise, "CONNECTION_CLOSED");
  });
  assert.equal(theirs.kind, "committed");
  assert.deepEqual([await rowsOf(lost), await rowsOf(other)], [0, 1]);
});

test("BEGIN keeps its connection also behind a full pipeline of other statements", async () => {
  const pool = open({ max: 1 });
  await pool`select 1`;
  // The driver pipelines a hundred statements on a connection; BEGIN comes just before, at and after the end.
  for (const count of [99, 100, 101]) {
    const n = nextNumber();
    const reads = Array.from({ length: count }, () => pool`select 1`.execute());
    const outcome = await commit(pool, (tx) => tx`insert into done values (${n})`);
    await Promise.all(reads);
    assert.equal(outcome.kind, "committed", `behind ${count} statements`);
    assert.equal(await rowsOf(n), 1);
  }
});

test("a session that the server ends in the middle of a statement: the next statement does not hear of it", async () => {
  const pool = open({ max: 1 });
  const [{ pid }] = await pool<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const sleeping = pool`select pg_sleep(5)`.execute();
  sleeping.catch(() => {});
  await until(
    "it sleeps",
    async () => (await db`select 1 from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`).length === 1,
  );
  await db`select pg_terminate_backend(${pid}::int)`;
  await assert.rejects(sleeping);
  assert.equal((await pool`select 1`).length, 1);
});

test("a server that ends the session in the middle of a transaction: it is run again and stored once", async () => {
  const pool = open({ max: 1 });
  const n = nextNumber();
  let runs = 0;
  const submit = createLanes(pool, { lanes: 1, report: () => {} });
  const flow: Flow<number, string> = {
    name: "killed",
    failed: (_, key) => key,
    run: async (tx) => {
      runs += 1;
      await tx`insert into done values (${n})`;
      const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
      if (runs === 1) {
        await db`select pg_terminate_backend(${pid}::int)`;
        await tx`select pg_sleep(5)`;
      }
      return ["stored"];
    },
  };
  assert.equal(await submit(flow, "p", 1), "stored");
  assert.equal(runs, 2);
  assert.equal(await rowsOf(n), 1);
});

test("a server that goes while the driver asks for its types ends no process: an unhandled rejection fails this file", async () => {
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(new URL(url).port), "127.0.0.1");
    const leave = () => {
      server.close();
      for (const socket of [client, upstream]) socket.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", leave).on("close", leave);
    client.on("data", (chunk) => (chunk.includes("typcategory") ? leave() : upstream.write(chunk)));
    upstream.on("data", (chunk) => client.write(chunk));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const pool = open({ max: 1 }, url.replace(/:\d+\//, `:${port}/`));
  await assert.rejects(
    pool`select 1`.then((rows) => rows),
    /ECONNREFUSED/,
  );
  // A rejection that nobody handles is told at the end of a turn.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
});
