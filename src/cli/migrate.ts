import type { Config } from "../config.ts";
import { migrateDatabase, withDatabase } from "./database.ts";

export async function migrateCommand(config: Config): Promise<void> {
  const done = await withDatabase(config, migrateDatabase);
  for (const name of done) console.log(`applied ${name}`);
  console.log(done.length === 0 ? "The database is up to date." : `Applied ${done.length} migrations.`);
}
