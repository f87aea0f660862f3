import assert from "node:assert/strict";
import { test } from "node:test";
import { namedBy } from "../../src/db/records.ts";
import { together } from "../../src/db/together.ts";
import { testDatabase } from "../support/engine.ts";

const { db } = await testDatabase();

test("of statements that were sent together the first failure is told, whichever is heard of first", async () => {
  const first = Promise.withResolvers<never>();
  const second = Promise.reject(new Error("what follows"));
  const told = assert.rejects(together([Promise.resolve(1), first.promise, second]), /the reason/);
  await second.catch(() => {});
  first.reject(new Error("the reason"));
  await told;
  assert.deepEqual(await together([1, Promise.resolve("two"), null]), [1, "two", null]);
});

test("in a transaction the statement that failed is told, not those that the server refuses after it", async () => {
  const sent = db.begin((tx) => {
    const [failing, refused] = [tx`select 1 / 0`.execute(), tx`select 1 as one`.execute()];
    // Its own handler makes it the last to be heard of.
    const last = failing.catch((error) => refused.catch(() => {}).then(() => Promise.reject(error)));
    return together([last, refused]);
  });
  await assert.rejects(sent, { code: "22012" });
});

test("rows are found by whichever name is given, and by none when none is", async () => {
  await db`create table named (id text, source_id text)`;
  await db`insert into named values ('a', '1'), ('b', '2'), ('c', null)`;
  const found = async (lists: Record<string, string[]>) =>
    (await db<{ id: string }[]>`select id from named where ${namedBy(db, lists)} order by id`).map(({ id }) => id);
  assert.deepEqual(await found({ id: ["a"], source_id: ["2"] }), ["a", "b"]);
  assert.deepEqual(await found({ id: [], source_id: ["2", "9"] }), ["b"]);
  assert.deepEqual(await found({ id: ["c", "a"], source_id: [] }), ["a", "c"]);
  assert.deepEqual(await found({ id: [], source_id: [] }), []);
});

test("what only follows from another failure is not told, wherever it stands", async () => {
  const follows = Object.assign(new Error("current transaction is aborted"), { code: "25P02" });
  const [reason, later] = [new Error("the reason"), new Error("later")];
  const rejected = (error: Error) => Promise.reject(error);
  await assert.rejects(together([rejected(follows), rejected(reason), rejected(later)]), reason);
  await assert.rejects(together([together([rejected(follows)]), together([rejected(reason)])]), reason);
  await assert.rejects(together([rejected(follows)]), follows);
});
