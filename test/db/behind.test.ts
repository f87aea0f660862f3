import assert from "node:assert/strict";
import { test } from "node:test";
import { createBehind, type Write } from "../../src/db/batches/behind.ts";
import type { Db } from "../../src/db/db.ts";
import { testDatabase } from "../support/engine.ts";

const { db, open } = await testDatabase();
await db`create table behind (n int primary key, xid text not null default pg_current_xact_id()::text)`;
const pool = open({ max: 1 });
const insert =
  (n: number): Write =>
  async (tx) =>
    void (await tx`insert into behind (n) values (${n}) on conflict do nothing`);
const rows = async (...asked: number[]) => [
  ...(await db<{ n: number; xid: string }[]>`select n, xid from behind where n = any(${asked}) order by n`),
];
const numbers = async (...asked: number[]) => (await rows(...asked)).map(({ n }) => n);

test("what is added is written later, and `end` waits for it", async () => {
  const behind = createBehind(pool, { report: assert.fail });
  const gate = Promise.withResolvers<void>();
  await behind.add("p", 1, async (tx) => {
    await gate.promise;
    await insert(1)(tx);
  });
  assert.deepEqual(await numbers(1), []);
  gate.resolve();
  await behind.end();
  assert.deepEqual(await numbers(1), [1]);
});

test("without room it holds when it is written", async () => {
  const behind = createBehind(pool, { waitingMax: 2, report: assert.fail });
  const gate = Promise.withResolvers<void>();
  const held: Write = async (tx) => {
    await gate.promise;
    await insert(10)(tx);
  };
  await behind.add("p", 2, held);
  let isWritten = false;
  const third = behind.add("p", 1, insert(11)).then(() => {
    isWritten = true;
  });
  await db`select 1`;
  assert.equal(isWritten, false);
  gate.resolve();
  await third;
  assert.deepEqual(await numbers(10, 11), [10, 11]);
  // There is room again.
  await behind.add("p", 2, insert(12));
  await behind.end();
});

test("while a record of a project is older than 100 ms, more of that project hold when they are written", async () => {
  const clock = { now: 0 };
  const behind = createBehind(pool, { now: () => clock.now, report: assert.fail });
  const gate = Promise.withResolvers<void>();
  const held: Write = async (tx) => {
    await gate.promise;
    await insert(70)(tx);
  };
  await behind.add("p", 1, held);
  clock.now = 100;
  await behind.add("p", 1, insert(71));
  clock.now = 101;
  let isWritten = false;
  const late = behind.add("p", 1, insert(72)).then(() => {
    isWritten = true;
  });
  await behind.add("q", 1, insert(73));
  await db`select 1`;
  assert.equal(isWritten, false);
  gate.resolve();
  await late;
  assert.deepEqual(await numbers(70, 71, 72), [70, 71, 72]);
  // Nothing is late any more.
  const again = Promise.withResolvers<void>();
  await behind.add("p", 1, () => again.promise);
  again.resolve();
  await behind.end();
});

test("`end` gives up a database that takes nothing, says how many records are lost, and leaves it alone", async () => {
  const reported: string[] = [];
  const behind = createBehind(pool, { report: (error) => void reported.push((error as Error).message) });
  let tries = 0;
  const away: Write = async () => {
    tries += 1;
    throw Object.assign(new Error("the database is away"), { code: "ECONNREFUSED" });
  };
  await behind.add("p", 3, away);
  await behind.add("q", 1, away);
  await behind.end(1);
  assert.deepEqual(reported, ["4 records were not written: the database did not take them in 1 ms"]);
  // What was under way comes to its end, and is the last.
  await behind.end();
  const last = tries;
  await db`select 1`;
  assert.deepEqual([tries, reported.length], [last, 1]);
});

test("what comes while a transaction is under way is written with the next, all of a project in one", async () => {
  const behind = createBehind(pool, { report: assert.fail });
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await behind.add("p", 1, async (tx) => {
    begun.resolve();
    await gate.promise;
    await insert(20)(tx);
  });
  await begun.promise;
  for (const n of [21, 22]) await behind.add("p", 1, insert(n));
  await behind.add("q", 1, insert(23));
  gate.resolve();
  await behind.end();
  const [first, ...others] = (await rows(20, 21, 22, 23)).map(({ xid }) => xid);
  assert.equal(others[0], others[1]);
  assert.equal(new Set([first, ...others]).size, 3);
});

test("what fails for a reason that passes is tried until it is written", async () => {
  const behind = createBehind(pool, { report: assert.fail });
  let tries = 0;
  await behind.add("p", 1, async (tx) => {
    tries += 1;
    if (tries <= 5) throw Object.assign(new Error("deadlock"), { code: "40P01" });
    await insert(30)(tx);
  });
  await behind.end();
  assert.deepEqual([tries, await numbers(30)], [6, [30]]);
});

test("what can never be written is reported and dropped, alone", async () => {
  const reported: string[] = [];
  const behind = createBehind(pool, { report: (error) => void reported.push((error as Error).message) });
  const gate = Promise.withResolvers<void>();
  await behind.add("p", 1, () => gate.promise);
  for (const n of [40, 41]) await behind.add("p", 1, insert(n));
  await behind.add("p", 1, async (tx) => void (await tx`insert into behind values ('no number')`));
  await behind.add("p", 1, insert(42));
  gate.resolve();
  await behind.end();
  assert.deepEqual(await numbers(40, 41, 42), [40, 41, 42]);
  assert.equal(reported.length, 1);
  assert.match(reported[0]!, /invalid input syntax/);
});

test("a project whose rows somebody holds keeps no other project waiting", async () => {
  const behind = createBehind(pool, { report: assert.fail });
  const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = db.begin(async (tx) => {
    await insert(50)(tx);
    held.resolve();
    await gate.promise;
  });
  await held.promise;
  const others = Promise.withResolvers<void>();
  await behind.add("p", 1, insert(50));
  await behind.add("q", 1, async (tx) => {
    await insert(51)(tx);
    others.resolve();
  });
  await others.promise;
  gate.resolve();
  await holder;
  await behind.end();
  assert.deepEqual(await numbers(50, 51), [50, 51]);
});

test("one statement is sent without a transaction when it waits alone, and is tried again as one", async () => {
  const texts: string[] = [];
  const watched = open({ max: 1, onQuery: (text: string) => texts.push(text.trim().split(" ")[0]!) });
  await watched`select 1`;
  texts.length = 0;
  const behind = createBehind(watched, { report: assert.fail });
  let tries = 0;
  const alone = async (on: Db) => {
    tries += 1;
    if (tries === 1) throw Object.assign(new Error("the connection went"), { code: "CONNECTION_CLOSED" });
    await on`insert into behind (n) values (60) on conflict do nothing`;
  };
  await behind.add("p", 1, () => assert.fail("no transaction"), { alone });
  await behind.end();
  assert.deepEqual([tries, await numbers(60), texts], [2, [60], ["insert"]]);
  const gate = Promise.withResolvers<void>();
  await behind.add("p", 1, () => gate.promise);
  // Both wait for the first, so they go together.
  for (const n of [61, 62]) await behind.add("p", 1, insert(n), { alone: () => assert.fail("not alone") });
  gate.resolve();
  await behind.end();
  assert.deepEqual(await numbers(61, 62), [61, 62]);
  assert.ok(texts.includes("begin"));
});
