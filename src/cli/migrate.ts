import { type Config, ConfigError } from "../config.ts";
import { distribute, NotDistributable } from "../db/spread/distribute.ts";
import { migrateDatabase, withDatabase } from "./database.ts";

/** With `isSpread` the tables are spread over the machines of a Citus cluster. Later migrations do that with what they make. */
export async function migrateCommand(config: Config, isSpread: boolean): Promise<void> {
  await withDatabase(config, async (db) => {
    const done = await migrateDatabase(db);
    for (const name of done) console.log(`applied ${name}`);
    console.log(done.length === 0 ? "The database is up to date." : `Applied ${done.length} migrations.`);
    if (!isSpread) return;
    const tables = await distribute(db, (name) => console.log(`distributed ${name}`)).catch((error) => {
      throw error instanceof NotDistributable ? new ConfigError(error.message) : error;
    });
    console.log(
      tables.length === 0 ? "All tables are distributed." : `Distributed ${tables.length} tables. Restart the servers.`,
    );
  });
}
