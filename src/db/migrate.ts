import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transaction } from "./commit.ts";
import type { Db, Pool } from "./db.ts";

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

/**
 * Runs the files that are new, in one transaction, and returns their names. A locked row, not an advisory lock, keeps
 * two starts apart. A file that was changed after it ran, or that this version does not know, is refused. Files may take
 * long, and so may the wait for another start: the pool should have no limit for statements.
 */
export async function migrate(pool: Pool, migrations: readonly Migration[] = readMigrations()): Promise<string[]> {
  await createTable(pool);
  return transaction(pool, async (tx) => {
    await tx`select name from migrations where name = 'lock' order by name for no key update`;
    const done = await appliedMigrations(tx);
    refuseChanged(migrations, done);
    const fresh = migrations.filter(({ name }) => !done.some((d) => d.name === name));
    for (const { name, checksum, sql } of fresh) {
      await tx.unsafe(sql);
      await tx`insert into migrations values (${name}, ${checksum}, now())`;
    }
    return fresh.map(({ name }) => name);
  });
}

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
