import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transaction } from "./commit.ts";
import type { Db, Pool, Tx } from "./db.ts";

export type Migration = { name: string; checksum: string; sql: string };
type Done = { name: string; checksum: string };

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
type Options = { progress?: MigrationProgress };

/** A migration of many rows. It is run again and again, each time in a transaction of its own, until it finds no row. */
const isInChunks = ({ name }: Migration): boolean => name.endsWith(".chunks.sql");
/** The first line of such a file counts the rows that are left: `-- left: select count(*) from …`. */
const LEFT = /^-- left: (.+)$/m;

/**
 * Runs the files that are new, and returns their names. Plain files run in one transaction, up to the next file in chunks. A
 * locked row, not an advisory lock, keeps two starts apart. A file that was changed after it ran, or that this version does
 * not know, is refused. Files may take long, and so may the wait for another start: the pool should have no limit for
 * statements.
 */
export async function migrate(
  pool: Pool,
  migrations: readonly Migration[] = readMigrations(),
  { progress = () => {} }: Options = {},
): Promise<string[]> {
  await createTable(pool);
  const ran: string[] = [];
  for (;;) {
    const { names, chunks } = await runPlain(pool, migrations);
    ran.push(...names);
    if (!chunks) return ran;
    if (await runChunks(pool, chunks, progress)) ran.push(chunks.name);
  }
}

/** Runs the new files up to the next one in chunks, which it returns. */
const runPlain = (pool: Pool, migrations: readonly Migration[]) =>
  transaction(pool, async (tx) => {
    const done = await lockMigrations(tx);
    refuseChanged(migrations, done);
    const fresh = migrations.filter(({ name }) => !done.some((d) => d.name === name));
    const end = fresh.findIndex(isInChunks);
    const plain = end === -1 ? fresh : fresh.slice(0, end);
    for (const migration of plain) {
      await tx.unsafe(migration.sql);
      await markDone(tx, migration);
    }
    return { names: plain.map(({ name }) => name), chunks: end === -1 ? null : fresh[end]! };
  });

/**
 * Converts all rows, and says whether this start was the one that ended it. Nothing but the rows says how far it is: a file in
 * chunks picks rows that are not converted yet, and ends with a statement that returns how many it has converted. So it goes on
 * after a kill where it was, and two starts may take turns.
 */
async function runChunks(pool: Pool, migration: Migration, progress: MigrationProgress): Promise<boolean> {
  const [left] = await pool.unsafe<{ count: number }[]>(LEFT.exec(migration.sql)![1]!);
  for (let done = 0; ; ) {
    const rows = await transaction(pool, async (tx) => {
      if ((await lockMigrations(tx)).some(({ name }) => name === migration.name)) return null;
      const results = await tx.unsafe(migration.sql);
      const last = (Array.isArray(results[0]) ? results.at(-1) : results) as unknown as readonly { rows: number }[];
      const { rows } = last[0]!;
      if (rows === 0) await markDone(tx, migration);
      return rows;
    });
    if (!rows) return rows === 0;
    done += rows;
    progress(migration.name, Math.min(done, left!.count), left!.count);
  }
}

async function lockMigrations(tx: Tx): Promise<readonly Done[]> {
  await tx`select name from migrations where name = 'lock' order by name for no key update`;
  return appliedMigrations(tx);
}

const markDone = (tx: Tx, { name, checksum }: Migration) =>
  tx`insert into migrations values (${name}, ${checksum}, now())`;

/** `if not exists` still fails when another process is making the same at this moment; the next time it is there. */
async function createTable(pool: Pool, attempts = 5): Promise<void> {
  try {
    await pool`create schema if not exists laurel`;
    await pool`create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz)`;
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
  db<Done[]>`select name, checksum from migrations where name <> 'lock' order by name`;

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
