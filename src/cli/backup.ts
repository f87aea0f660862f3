import type { Config } from "../config.ts";
import { readBackup, writeBackup } from "../db/backup.ts";
import { now } from "../sources.ts";
import { withDatabase } from "./database.ts";

const progress = (table: string, rows: number) => console.error(`${table}: ${rows} rows`);

export async function backupCommand(config: Config, file: string): Promise<void> {
  const rows = await withDatabase(config, (db) => writeBackup(db, { file, now: now(), progress }));
  console.log(`Wrote ${rows} rows to ${file}. It holds hashes of secrets and signing keys: keep it safe.`);
}

export async function restoreCommand(config: Config, file: string): Promise<void> {
  const rows = await withDatabase(config, (db) => readBackup(db, { file, progress }));
  console.log(`Restored ${rows} rows from ${file}.`);
}
