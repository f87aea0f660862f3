import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { transaction } from "./batches/commit.ts";
import { type Db, isLockHeld, isPassing, type Pool, type Tx } from "./db.ts";
import { distributeNew, madeLocally } from "./spread/distribute.ts";
import { isSpreadOut } from "./spread/nodes.ts";

export type Migration = { name: string; checksum: string; sql: string };
/** `runs_from` is the oldest version that runs on what it made; null: only versions that have the file do. */
type Done = { name: string; checksum: string; runs_from?: string | null };

/** The migrations of this version of Laurel, in order. */
export const readMigrations = (dir = join(import.meta.dirname, "../../migrations")): Migration[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(dir, name), "utf8");
      return { name, checksum: createHash("sha256").update(sql).digest("hex"), sql };
    });

/** Told how many rows of a long migration are done. */
export type MigrationProgress = (name: string, done: number, all: number) => void;
type Options = {
  progress?: MigrationProgress;
  /** Told that somebody held a lock for too long, and that it is tried again. */
  lockHeld?: (tries: number) => void;
  /** Of Laurel. */
  version?: string;
};

/** Files after this one expand first and contract later: the version before runs on while they do, and afterwards. */
export const LAST_TO_CONTRACT = "0092_told_entries.sql";
const isExpanding = ({ name }: Pick<Migration, "name">): boolean => name > LAST_TO_CONTRACT;
/** A file that takes away what no version uses since the one it names: `-- contract: since 0.4`. */
export const CONTRACT = /^-- contract: since (\d+\.\d+)$/m;
const ANY_VERSION = "0.0";
const runsFrom = (migration: Migration): string | null =>
  isExpanding(migration) ? (CONTRACT.exec(migration.sql)?.[1] ?? ANY_VERSION) : null;

/** A migration of many rows. It is run again and again, each time in a transaction of its own, until it finds no row. */
const isInChunks = ({ name }: Migration): boolean => name.endsWith(".chunks.sql");
/** The first line of such a file counts the rows that are left: `-- left: select count(*) from …`. */
const LEFT = /^-- left: (.+)$/m;
/** One statement that cannot run in a transaction: an index that is made or dropped while others write. */
const isConcurrent = ({ name }: Migration): boolean => name.endsWith(".concurrently.sql");
const INDEX = /^(?:create (?:unique )?index concurrently (\w+)|drop index concurrently)\b/im;

/** Whoever waits for a lock of a whole table keeps all others waiting. So it gives up soon, lets them through, and tries again. */
const LOCK_MS = 1_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_TRIES_MAX = 150;

/**
 * Runs the files that are new, and returns their names. Each runs in a transaction of its own; those up to `LAST_TO_CONTRACT` run
 * in one, up to the next file in chunks. A locked row, not an advisory lock, keeps two starts apart. A file that was changed after
 * it ran is refused, and so is one that this version does not know, unless it was made so that this version runs on. Files
 * may take long, and so may the wait for another start: the pool should have no limit for statements.
 */
export async function migrate(
  pool: Pool,
  migrations: readonly Migration[] = readMigrations(),
  { progress = () => {}, lockHeld = () => {}, version = ANY_VERSION }: Options = {},
): Promise<string[]> {
  await createTable(pool);
  const isSpread = await isSpreadOut(pool);
  const files = isSpread ? migrations.map((file) => ({ ...file, sql: madeLocally(file.sql) })) : migrations;
  const ran: string[] = [];
  for (;;) {
    const { names, next } = await patiently(pool, (tx) => runPlain(tx, files, version), lockHeld);
    ran.push(...names);
    // Before the next file, which may count on it: also where a run before was ended in between.
    if (isSpread) await distributeNew(pool);
    if (!next) {
      if (names.length === 0) return ran;
    } else if (
      isConcurrent(next) ? await runConcurrently(pool, next) : await runChunks(pool, next, { progress, lockHeld })
    )
      ran.push(next.name);
  }
}

/** Runs one transaction, again and again while somebody holds a lock that it needs. */
async function patiently<T>(pool: Pool, run: (tx: Tx) => Promise<T>, lockHeld: (tries: number) => void): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction(pool, run, { isWorthAgain: (error) => isPassing(error) && !isLockHeld(error) });
    } catch (error) {
      if (!isLockHeld(error)) throw error;
      if (tries === LOCK_TRIES_MAX)
        throw new Error("A table could not be changed: another transaction holds it. End that one, and start again.");
      lockHeld(tries);
      await wait(LOCK_PAUSE_MS);
    }
  }
}

/** Runs the new files up to the next one that is not plain, or one alone, and returns that next one where it is its turn. */
async function runPlain(tx: Tx, migrations: readonly Migration[], version: string) {
  const done = await lockMigrations(tx);
  const unknown = addedByNewer(migrations, done, version);
  refuseChanged(
    migrations,
    done.filter((one) => !unknown.includes(one)),
  );
  const fresh = migrations.filter(({ name }) => !done.some((d) => d.name === name));
  const end = fresh.findIndex((migration) => isInChunks(migration) || isConcurrent(migration));
  const plain = end === -1 ? fresh : fresh.slice(0, end);
  const together = plain.filter((migration) => !isExpanding(migration));
  const now = together.length > 0 ? together : plain.slice(0, 1);
  await limitLocks(tx);
  for (const migration of now) {
    await tx.unsafe(migration.sql);
    await markDone(tx, migration);
  }
  return { names: now.map(({ name }) => name), next: now.length === plain.length && end !== -1 ? fresh[end]! : null };
}

/** Behind the wait for another start, which may take as long as that one does. */
const limitLocks = (tx: Tx) =>
  tx`select set_config('lock_timeout', ${`${LOCK_MS}`}, true), set_config('statement_timeout', '0', true)`;

/**
 * Converts all rows, and says whether this start was the one that ended it. Nothing but the rows says how far it is: a file in
 * chunks picks rows that are not converted yet, and ends with a statement that returns how many it has converted. So it goes on
 * after a kill where it was, and two starts may take turns.
 */
async function runChunks(
  pool: Pool,
  migration: Migration,
  { progress, lockHeld }: Required<Pick<Options, "progress" | "lockHeld">>,
): Promise<boolean> {
  const [left] = await pool.unsafe<{ count: number }[]>(LEFT.exec(migration.sql)![1]!);
  const runOne = async (tx: Tx) => {
    if ((await lockMigrations(tx)).some(({ name }) => name === migration.name)) return null;
    await limitLocks(tx);
    const results = await tx.unsafe(migration.sql);
    const last = (Array.isArray(results[0]) ? results.at(-1) : results) as unknown as readonly { rows: number }[];
    const { rows } = last[0]!;
    if (rows === 0) await markDone(tx, migration);
    return rows;
  };
  for (let done = 0; ; ) {
    const rows = await patiently(pool, runOne, lockHeld);
    if (!rows) return rows === 0;
    done += rows;
    progress(migration.name, Math.min(done, left!.count), left!.count);
  }
}

/** Runs a file that cannot run in a transaction, beside one that keeps other starts away. Says whether this start did it. */
async function runConcurrently(pool: Pool, migration: Migration): Promise<boolean> {
  if (pool.options.max < 2) throw new Error(`${migration.name} needs a pool of two connections.`);
  const index = INDEX.exec(migration.sql)?.[1];
  return transaction(pool, async (tx) => {
    if ((await lockMigrations(tx)).some(({ name }) => name === migration.name)) return false;
    // What an attempt before has left is not whole, and nobody uses it.
    const left =
      index === undefined
        ? []
        : await tx`
            select 1 from pg_index i join pg_class c on c.oid = i.indexrelid
            where c.relname = ${index} and c.relnamespace = 'laurel'::regnamespace and not i.indisvalid`;
    // The last statement before the wait, and one without rows: a portal that is open would keep a snapshot, and the index waits
    // for all that are older than itself.
    await tx`set local idle_in_transaction_session_timeout = 0`;
    if (left.length > 0) await pool.unsafe(`drop index concurrently ${index}`);
    await pool.unsafe(migration.sql);
    await markDone(tx, migration);
    return true;
  });
}

async function lockMigrations(tx: Tx): Promise<readonly Done[]> {
  await tx`select name from migrations where name = 'lock' order by name for no key update`;
  return appliedMigrations(tx);
}

const markDone = (tx: Tx, migration: Migration) =>
  tx`insert into migrations (name, checksum, applied_at, runs_from)
    values (${migration.name}, ${migration.checksum}, now(), ${runsFrom(migration)})`;

/** `if not exists` still fails when another process is making the same at this moment; the next time it is there. */
async function createTable(pool: Pool, attempts = 5): Promise<void> {
  try {
    await pool`create schema if not exists laurel`;
    await pool`create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz)`;
    const [table] = await pool`
      select 1 from pg_attribute where attrelid = 'laurel.migrations'::regclass and attname = 'runs_from'`;
    if (!table) await pool`alter table migrations add column if not exists runs_from text`;
    await pool`insert into migrations (name, checksum) values ('lock', '') on conflict do nothing`;
  } catch (error) {
    const isRace = /^(23505|42710|42P06|42P07)$/.test((error as { code?: string }).code ?? "");
    if (!isRace || attempts === 1) throw error;
    await createTable(pool, attempts - 1);
  }
}

/**
 * Gives events new numbers whose own are from another cluster of databases, where a dump of it was restored: nobody would be
 * shown them until the numbers of this one have come so far. Says how many there were.
 */
export async function renumberEvents(db: Db): Promise<number> {
  let count = 0;
  for (const { id } of await db<{ id: string }[]>`select id from projects order by id`)
    count += (
      await db`
        update events set transaction_id = default
        where project_id = ${id} and transaction_id > pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
    ).count;
  return count;
}

export const appliedMigrations = (db: Db) =>
  // As JSON: a database that an older version made has no such column yet.
  db<Done[]>`
    select name, checksum, to_jsonb(m) ->> 'runs_from' as runs_from from migrations m where name <> 'lock' order by name`;

const partsOf = (version: string): number[] => version.split(".").map(Number);
const isBefore = (version: string, other: string): boolean => {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [partsOf(version), partsOf(other)];
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
};

/** What a newer version has done to the schema, and this one runs on with. */
export function addedByNewer(
  migrations: readonly Migration[],
  done: readonly Done[],
  version: string,
): readonly Done[] {
  const known = new Set(migrations.map(({ name }) => name));
  return done.filter(({ name, runs_from }) => !known.has(name) && runs_from != null && !isBefore(version, runs_from));
}

export function refuseChanged(migrations: readonly Migration[], done: readonly Done[]): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  for (const { name, checksum } of done) {
    if (!known.has(name))
      throw new Error(
        `The database has the migration ${name}, which this version of Laurel does not know. Update Laurel.`,
      );
    if (known.get(name) !== checksum)
      throw new Error(`The migration ${name} was changed after it ran. Restore the file; put changes into a new one.`);
  }
}
