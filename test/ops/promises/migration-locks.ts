import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { openDb } from "../../../src/db/db.ts";
import { type Migration, migrate } from "../../../src/db/migrate.ts";
import { inSeconds, type Lab, percentile, until } from "../lab/lab.ts";
import { openAdmin, startDatabase } from "../lab/laurel.ts";

const WRITERS = 4;
const READER_MS = 6_000;
const WATCH_MS = 20;

const migration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
});
/** It takes away what no version uses since the one it names. */
const contract = (name: string, sql: string): Migration => migration(name, `-- contract: since 0.4\n${sql}`);
const TABLE = migration(
  "0093_large.sql",
  "create table large (project_id text not null, id bigint not null, n bigint not null default 0, primary key (project_id, id));",
);
/** The kinds of change that the lint of migrations lets pass for a table that is there. */
const CHANGES = [
  migration(
    "0094_column.sql",
    "alter table large add column label text, add column count int not null default 0, add column old text;",
  ),
  migration("0095_check.sql", "alter table large add constraint large_n check (n >= 0) not valid;"),
  migration("0096_valid.sql", "alter table large validate constraint large_n;"),
  migration(
    "0097_label.chunks.sql",
    `-- left: select count(*) from large where label is null
with chunk as (select id from large where project_id = 'p' and label is null order by id limit 20000),
  changed as (update large set label = 'label ' || large.id from chunk where project_id = 'p' and large.id = chunk.id returning 1)
select count(*)::int as rows from changed`,
  ),
  migration("0098_index.concurrently.sql", "create index concurrently large_by_label on large (project_id, label);"),
  migration("0099_unindex.concurrently.sql", "drop index concurrently large_by_label;"),
  migration("0100_default.sql", "alter table large alter column old set default '';"),
  migration("0101_present.sql", "alter table large add constraint large_label check (label is not null) not valid;"),
  migration("0102_present_valid.sql", "alter table large validate constraint large_label;"),
  // The check is what spares reading all rows, so it goes in the next file.
  contract("0103_not_null.sql", "alter table large alter column label set not null;"),
  contract("0104_no_check.sql", "alter table large drop constraint large_label;"),
  migration(
    "0105_one_label.concurrently.sql",
    "create unique index concurrently large_one_label on large (project_id, label);",
  ),
  migration(
    "0106_one_label.sql",
    "alter table large add constraint large_one_label unique using index large_one_label;",
  ),
  migration(
    "0107_notes.sql",
    "create table notes (project_id text not null, id bigint not null, primary key (project_id, id), foreign key (project_id, id) references large);",
  ),
  contract("0108_no_default.sql", "alter table large alter column count drop default;"),
  contract("0109_no_column.sql", "alter table large drop column old;"),
  contract("0110_no_unique.sql", "alter table large drop constraint large_one_label;"),
  // It takes a lock of the table that it refers to as well.
  contract("0111_no_notes.sql", "drop table notes;"),
];

/** Migrates a large table under writers and beside a long reader, and watches who holds it and who waits. */
export async function run(lab: Lab, { rows = 1_000_000 }: { rows?: number }): Promise<void> {
  const database = await startDatabase(lab, ["max_wal_size=4GB"]);
  const admin = openAdmin(lab, database.url);
  await migrate(openAdmin(lab, database.url), [TABLE]);
  await admin`insert into large (project_id, id) select 'p', id from generate_series(1, ${rows}::bigint) as id`;
  await admin`analyze large`;
  lab.say(`${rows} rows`);

  const held: number[] = [];
  const waits: number[] = [];
  let [isOver, written, failed] = [false, 0, 0];
  const watcher = watchLocks(database.url, () => isOver, held);
  const writers = Array.from({ length: WRITERS }, async (_, at) => {
    const db = openDb(database.url, { max: 1, statementTimeoutMs: 0 });
    for (let n = at + 1; !isOver; n = ((n + 7919) % rows) + 1) {
      const began = performance.now();
      await db`update large set n = n + 1 where project_id = 'p' and id = ${n}`.then(
        () => (written += 1),
        () => (failed += 1),
      );
      waits.push(performance.now() - began);
      await wait(5);
    }
    await db.end();
  });
  // A report, a backup: it holds the table, so that nobody changes it meanwhile.
  // A run that fails says why by itself.
  for (const one of [watcher, ...writers]) one.catch(() => {});
  const isRead = Promise.withResolvers<void>();
  const reader = openDb(database.url, { max: 1, statementTimeoutMs: 0 });
  const reading = reader.begin(async (tx) => {
    await tx`select sum(n) from large`;
    isRead.resolve();
    await wait(READER_MS);
  });
  reading.catch(isRead.reject);
  await isRead.promise;
  const tries: number[] = [];
  const began = performance.now();
  const pool = openDb(database.url, { max: 2, statementTimeoutMs: 0 });
  const ran = await migrate(pool, [TABLE, ...CHANGES], { lockHeld: (n) => tries.push(n) }).finally(() => {
    isOver = true;
  });
  const took = performance.now() - began;
  lab.say(`${ran.length} migrations in ${inSeconds(took)} s, ${tries.length} times a lock was given up`);
  await Promise.all([reading, watcher, ...writers]);
  await Promise.all([reader.end(), pool.end()]);
  const [left] = await admin<{ count: number }[]>`select count(*) from large where label is null or count <> 0`;
  lab.figure("rows", rows);
  lab.figure("migrations", ran.length, { is: CHANGES.length });
  lab.figure("rows that are not converted", left!.count, { is: 0 });
  lab.figure("all of them took, s", inSeconds(took));
  lab.figure("locks that were given up and asked for again", tries.length, { atLeast: 1 });
  lab.figure("table locked for writers, longest, ms", Math.round(Math.max(0, ...held)), { atMost: 1000 });
  lab.figure("writes meanwhile", written, { atLeast: 100 });
  lab.figure("writes that failed", failed, { is: 0 });
  lab.figure("write, p50, ms", Math.round(percentile(waits, 0.5)));
  lab.figure("write, longest wait, ms", Math.round(Math.max(...waits)), { atMost: 5000 });
}

/** Looks all the time which lock that keeps writers out is held, and notes how long each was. */
async function watchLocks(url: string, isOver: () => boolean, held: number[]): Promise<void> {
  const db = openDb(url, { max: 1 });
  const since = new Map<string, number>();
  await until(
    "the migrations are done",
    async () => {
      const rows = await db<{ owner: string }[]>`
        select virtualtransaction as owner from pg_locks
        where relation = 'laurel.large'::regclass and granted
          and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;
      const now = performance.now();
      for (const { owner } of rows) if (!since.has(owner)) since.set(owner, now);
      for (const [owner, from] of since)
        if (!rows.some((row) => row.owner === owner)) {
          held.push(now - from);
          since.delete(owner);
        }
      await wait(WATCH_MS);
      return isOver();
    },
    3_600_000,
  );
  await db.end();
}
