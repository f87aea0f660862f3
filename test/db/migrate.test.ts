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

const MANY = migration("0001_many.sql", "create table many (id int primary key, n int, twice int);");
const CHUNKS = migration(
  "0002_twice.chunks.sql",
  `-- left: select count(*) from many where twice is null
with chunk as (select id from many where twice is null order by id limit 10),
  changed as (update many set twice = 2 * n from chunk where many.id = chunk.id returning 1)
select count(*)::int as rows from changed`,
);
const AFTER = migration("0003_after.sql", "alter table many alter twice set not null;");

test("a migration in chunks commits each of them, goes on after a failure, and the files behind it wait for it", async () => {
  const { db } = await empty();
  await migrate(db, [MANY]);
  await db`insert into many select id, case id when 25 then 2000000000 else id end from generate_series(1, 35) as id`;
  await assert.rejects(migrate(db, [MANY, CHUNKS, AFTER]), /integer out of range/);
  const converted = () => db`select count(*)::int as rows, sum(twice)::int as sum from many where twice is not null`;
  assert.deepEqual([...(await converted())], [{ rows: 20, sum: 420 }], "two chunks are kept, the third is not");
  await db`update many set n = 25 where id = 25`;
  const seen: [string, number, number][] = [];
  const ran = await migrate(db, [MANY, CHUNKS, AFTER], { progress: (...step) => seen.push(step) });
  assert.deepEqual(ran, [CHUNKS.name, AFTER.name]);
  assert.deepEqual(seen, [
    [CHUNKS.name, 10, 15],
    [CHUNKS.name, 15, 15],
  ]);
  assert.deepEqual([...(await converted())], [{ rows: 35, sum: 35 * 36 }], "each row is converted once");
  assert.deepEqual(await migrate(db, [MANY, CHUNKS, AFTER]), []);
});

test("two starts take turns at the chunks, and each file is noted by one of them", async () => {
  const { db, open } = await empty();
  await migrate(db, [MANY]);
  await db`insert into many select id, id from generate_series(1, 95) as id`;
  const ran = await Promise.all([0, 1, 2].map(() => migrate(open({ max: 1 }), [MANY, CHUNKS, AFTER])));
  assert.deepEqual(ran.flat().sort(), [CHUNKS.name, AFTER.name]);
  const [sum] = await db`select sum(twice)::int as sum, count(*)::int as rows from many`;
  assert.deepEqual(sum, { rows: 95, sum: 95 * 96 });
});

const ROWS = migration("0093_rows.sql", "create table rows (id int primary key, n int);");
const WIDER = migration("0094_wider.sql", "alter table rows add column more text;");
const INDEXED = migration("0095_indexed.concurrently.sql", "create index concurrently rows_by_n on rows (n);");

test("a file that waits for a lock gives up soon, lets writers through, and is tried until it gets it", async () => {
  const { db, open } = await empty();
  await migrate(db, [ROWS]);
  const reader = open({ max: 1 });
  const isRead = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const reading = reader.begin(async (tx) => {
    await tx`select count(*) from rows`;
    isRead.resolve();
    await goOn.promise;
  });
  await isRead.promise;
  const tries: number[] = [];
  let written = 0;
  const migrating = migrate(open({ max: 2 }), [ROWS, WIDER], { lockHeld: (n) => tries.push(n) });
  await until("it was tried three times", async () => {
    // Each waits behind the lock that is asked for, for a second at most.
    await db`insert into rows values (${++written}, 1)`;
    return tries.length >= 3;
  });
  assert.deepEqual([...(await db`select 1 from migrations where name = ${WIDER.name}`)], []);
  goOn.resolve();
  await reading;
  assert.deepEqual(await migrating, [WIDER.name]);
  assert.deepEqual(
    [...(await db`select count(*)::int as rows, count(more)::int as more from rows`)],
    [{ rows: written, more: 0 }],
  );
});

test("files that expand run each in a transaction of its own: what is done stays done", async () => {
  const { db } = await empty();
  const bad = migration("0095_bad.sql", "select 1 / 0;");
  await assert.rejects(migrate(db, [ROWS, WIDER, bad]), /division by zero/);
  assert.deepEqual(await migrate(db, [ROWS, WIDER]), []);
});

test("an index is made while others write, beside a transaction, and one that was left half made is made anew", async () => {
  const { db, open } = await empty();
  await migrate(db, [ROWS]);
  await db`insert into rows select id, id % 7 from generate_series(1, 1000) as id`;
  // A unique index that cannot be: PostgreSQL leaves it behind, not valid.
  const unique = migration(INDEXED.name, "create unique index concurrently rows_by_n on rows (n);");
  await assert.rejects(migrate(db, [ROWS, unique]), /could not create unique index/);
  const validity = () =>
    db`select indisvalid as valid from pg_index where indexrelid = to_regclass('laurel.rows_by_n')`;
  assert.deepEqual([...(await validity())], [{ valid: false }]);
  const ran = await Promise.all([0, 1, 2].map(() => migrate(open({ max: 2 }), [ROWS, INDEXED])));
  assert.deepEqual(ran.flat(), [INDEXED.name], "one of several starts made it");
  assert.deepEqual([...(await validity())], [{ valid: true }]);
  await assert.rejects(
    migrate(open({ max: 1 }), [ROWS, INDEXED, migration("0096_i.concurrently.sql", INDEXED.sql)]),
    /two connections/,
  );
});

test("a version starts on what a newer one has added, and not on what that one has taken away", async () => {
  const { db } = await empty();
  const gone = migration("0095_gone.sql", "-- contract: since 0.4\nalter table rows drop column more;");
  await migrate(db, [ROWS, WIDER]);
  assert.deepEqual(
    await migrate(db, [ROWS], { version: "0.3.0" }),
    [],
    "it does not know the second file, and runs on",
  );
  await migrate(db, [ROWS, WIDER, gone]);
  assert.deepEqual(await migrate(db, [ROWS, WIDER], { version: "0.4.1" }), []);
  assert.deepEqual(await migrate(db, [ROWS, WIDER], { version: "1.0.0" }), []);
  await assert.rejects(migrate(db, [ROWS, WIDER], { version: "0.3.9" }), /0095_gone\.sql, which this version/);
});
