import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Migration, migrate, readMigrations } from "../../src/db/migrate.ts";
import { testDatabase } from "../support/engine.ts";
import { emptyDatabase, testDir, until } from "../support/storage.ts";

const { db: admin, url } = await testDatabase();
const empty = () => emptyDatabase(admin, url);
const migration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
});
const ONE = migration("0001_one.sql", "create table one (n int); insert into one values (1);");
const TWO = migration("0002_two.sql", "create table two (n int); insert into two select n + 1 from one;");

test("files that are new run once, in the order of their names, and are noted with the time", async () => {
  const { db } = await empty();
  assert.deepEqual(await migrate(db, [ONE]), ["0001_one.sql"]);
  assert.deepEqual(await migrate(db, [ONE, TWO]), ["0002_two.sql"]);
  assert.deepEqual(await migrate(db, [ONE, TWO]), []);
  assert.deepEqual([...(await db`select n from two`)], [{ n: 2 }]);
  const noted = await db`select name, checksum, applied_at is not null as dated from migrations where name <> 'lock'`;
  assert.deepEqual(
    [...noted],
    [ONE, TWO].map(({ name, checksum }) => ({ name, checksum, dated: true })),
  );
});

test("several processes that migrate at once run each file once, and none of them fails", async () => {
  for (let round = 0; round < 3; round += 1) {
    const { open } = await empty();
    const done = await Promise.all(Array.from({ length: 6 }, () => migrate(open({ max: 2 }))));
    assert.deepEqual(
      done.flat().sort(),
      readMigrations().map(({ name }) => name),
    );
  }
});

test("a process that meets another in the middle of the very first step waits for it, and does not fail", async () => {
  const { open } = await empty();
  const [other, own] = [open({ max: 1 }), open({ max: 1 })];
  const made = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const first = other.begin(async (tx) => {
    await tx`create schema laurel`;
    made.resolve();
    await goOn.promise;
  });
  await made.promise;
  const second = migrate(own, [ONE]);
  await until("the second waits", async () => {
    const [{ count }] = await admin<[{ count: number }]>`
      select count(*) from pg_locks where not granted and pid in (
        select pid from pg_stat_activity where datname = ${own.options.database})`;
    return count > 0;
  });
  goOn.resolve();
  await first;
  assert.deepEqual(await second, ["0001_one.sql"]);
});

test("a file that was changed after it ran is refused, and nothing new runs", async () => {
  const { db } = await empty();
  await migrate(db, [ONE]);
  const changed = migration(ONE.name, `${ONE.sql} -- changed`);
  await assert.rejects(migrate(db, [changed, TWO]), /0001_one\.sql was changed after it ran/);
  assert.deepEqual([...(await db`select to_regclass('laurel.two') as two`)], [{ two: null }]);
});

test("a database with a migration that this version does not know is refused", async () => {
  const { db } = await empty();
  await migrate(db, [ONE, TWO]);
  await assert.rejects(migrate(db, [ONE]), /0002_two\.sql, which this version of Laurel does not know/);
});

test("a migration that fails leaves nothing of itself nor of those that ran with it", async () => {
  const { db } = await empty();
  await migrate(db, [ONE]);
  const bad = migration("0003_bad.sql", "create table three (n int); select 1 / 0;");
  await assert.rejects(migrate(db, [ONE, TWO, bad]), /division by zero/);
  const tables = await db`select to_regclass('laurel.two') as two, to_regclass('laurel.three') as three`;
  assert.deepEqual([...tables], [{ two: null, three: null }]);
  assert.deepEqual(await migrate(db, [ONE, TWO]), ["0002_two.sql"], "corrected, it runs");
});

test("the files are found in a folder with any name, in order, and other files are left alone", () => {
  const dir = join(testDir(), "app [1] {a,b} *");
  fs.mkdirSync(dir);
  fs.writeFileSync(join(dir, "0002_b.sql"), "select 2;");
  fs.writeFileSync(join(dir, "0001_a.sql"), "select 1;");
  fs.writeFileSync(join(dir, "notes.md"), "not SQL");
  assert.deepEqual(readMigrations(dir), [migration("0001_a.sql", "select 1;"), migration("0002_b.sql", "select 2;")]);
  assert.ok(readMigrations().length > 0);
});
