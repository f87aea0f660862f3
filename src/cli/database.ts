import { type Config, ConfigError } from "../config.ts";
import { openDb, type Pool } from "../db/db.ts";
import { runningUrl, startEmbedded } from "../db/embedded.ts";
import { migrate, readMigrations, renumberEvents } from "../db/migrate.ts";
import { VERSION } from "../version.ts";
import { checkDataDir } from "./data-dir.ts";
import { showProgress } from "./print/progress.ts";

const SERVER_MIN = 150_000;

export type Database = { url: string; embedded: boolean; stop(): Promise<void> };

/** The server that the configuration names, or the embedded one that runs; null: none does. */
export const databaseUrl = ({ DATABASE_URL, LAUREL_DATA_DIR }: Config): string | null =>
  DATABASE_URL ?? runningUrl(LAUREL_DATA_DIR);

/** The database of the configuration: as above, or the embedded one started now. */
async function openDatabase(config: Config): Promise<Database> {
  const url = databaseUrl(config);
  if (url !== null) return { url, embedded: config.DATABASE_URL === null, stop: async () => {} };
  return startDatabase(config);
}

/** The same, but the embedded one must be ours: a second server on one data directory is refused. */
export async function startDatabase(config: Config, signal?: AbortSignal): Promise<Database> {
  if (config.DATABASE_URL !== null) return { url: config.DATABASE_URL, embedded: false, stop: async () => {} };
  checkDataDir(config);
  const report = (message: string, lost?: unknown) => {
    console.error(
      JSON.stringify({ level: lost ? "fatal" : "error", msg: message, ...(lost ? { err: `${lost}` } : {}) }),
    );
    // Without a database there is nothing to serve: whoever looks after this process starts it anew.
    if (lost) process.exit(1);
  };
  const { socketUrl: url, stop } = await startEmbedded(config.LAUREL_DATA_DIR, [], report, {
    ...(signal && { signal }),
    creating: () => console.error(`Creating the database in ${config.LAUREL_DATA_DIR}…`),
  });
  return { url, embedded: true, stop };
}

/** Brings the database to this version. A role that may not do that is told what it needs. */
export async function migrateDatabase(db: Pool): Promise<string[]> {
  try {
    const progress = (name: string, done: number, all: number) => showProgress(name)(done, all);
    const lockHeld = (tries: number) => {
      if (tries === 1 || tries % 10 === 0)
        console.error("A migration waits for a lock that another transaction holds; it is tried again.");
    };
    const ran = await migrate(db, readMigrations(), { progress, lockHeld, version: VERSION });
    await renumberEvents(db);
    return ran;
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    const [who] = await db<{ role: string; database: string; schema: boolean }[]>`
      select quote_ident(current_user) as role, quote_ident(current_database()) as database,
        exists (select from pg_namespace where nspname = 'laurel') as schema`;
    const { role, database, schema } = who!;
    throw new ConfigError(
      schema
        ? `The role ${role} needs to own the schema laurel: alter schema laurel owner to ${role};`
        : `The role ${role} needs CREATE on the database: grant create on database ${database} to ${role};`,
    );
  }
}

/** Gives a command one connection with no limit of time, and closes everything afterwards. */
export async function withDatabase<T>(config: Config, run: (db: Pool) => Promise<T>): Promise<T> {
  const database = await openDatabase(config);
  const db = openDb(database.url, { max: 2, statementTimeoutMs: 0 });
  try {
    await checkServer(db);
    return await run(db);
  } catch (error) {
    // No such table: `search_path` names the schema, so it can only be that.
    if ((error as { code?: string }).code === "42P01")
      throw new ConfigError("The database does not have the tables of this version. Run `laurel migrate` first.");
    throw error;
  } finally {
    await db.end({ timeout: 5 });
    await database.stop();
  }
}

/** Says clearly why a server cannot be used, before anything else fails in a way that does not. */
export async function checkServer(db: Pool): Promise<void> {
  let server: { version: number; path: string; role: string };
  try {
    const [row] = await db<(typeof server)[]>`
      select current_setting('server_version_num')::int as version, current_setting('search_path') as path,
        current_user as role`;
    server = row!;
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new ConfigError(`The database cannot be reached: ${message || code}. Check DATABASE_URL.`);
  }
  if (server.version < SERVER_MIN)
    throw new ConfigError(
      `The database is PostgreSQL ${Math.floor(server.version / 10_000)}; Laurel needs 15 or newer.`,
    );
  // A pooler that leaves out what a connection asks for would send every statement to another schema.
  if (server.path !== "laurel")
    throw new ConfigError(
      `Connections use the schema ${server.path} and not laurel: a pooler in between leaves out what Laurel asks for. ` +
        `Give the role what the connection cannot: alter role "${server.role}" set search_path = laurel.`,
    );
}
