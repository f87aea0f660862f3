import { type Db, openDb, type Pool } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { distribute } from "../../src/db/spread/distribute.ts";

/** The machines of a Citus cluster that the tests run on, the coordinator first; none: they run on one PostgreSQL. */
export const NODES: readonly string[] = (process.env.TEST_NODES ?? "").split(",").filter((url) => url !== "");

/** The option of a test that cannot hold on Citus, for a reason that is not one of a statement in `src`. */
export const skipOnCitus = (reason: string) => (NODES.length > 0 ? { skip: `on Citus: ${reason}` } : {});
/** The option of a test that needs a cluster. */
export const onCitusOnly = NODES.length === 0 ? { skip: "needs a Citus cluster: npm run test:citus" } : {};

const databaseOf = (url: string, name: string) => url.replace(/\w+$/, name);
const NO_LIMIT = { max: 1, statementTimeoutMs: 0 };

/** Runs something in the database of that name on each machine, at the same time. */
async function onNodes<T>(name: string, run: (db: Pool, url: string) => Promise<T>): Promise<T[]> {
  return Promise.all(
    NODES.map(async (url) => {
      const db = openDb(databaseOf(url, name), NO_LIMIT);
      try {
        return await run(db, url);
      } finally {
        await db.end();
      }
    }),
  );
}

const WAITS = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/** What a statement counts in the database, on all machines together. */
export async function countOnNodes(db: Db, statement: string): Promise<number> {
  if (NODES.length === 0) return (await db.unsafe<{ count: number }[]>(statement))[0]!.count;
  const [row] = await db<{ count: number }[]>`
    select sum(result::bigint)::bigint as count from run_command_on_all_nodes(${statement}) where success`;
  return row!.count;
}

/** How many wait for a lock in the database, on whichever machine. */
export const lockWaits = (db: Db): Promise<number> => countOnNodes(db, WAITS);

/** The same database on every machine, which is how they find it. */
export const createOnNodes = (name: string, template: string) =>
  onNodes("postgres", (db) => db`create database ${db(name)} template ${db(template)} strategy file_copy`);
export const dropOnNodes = (name: string) =>
  onNodes("postgres", (db) => db`drop database if exists ${db(name)} with (force)`);

/** A database on every machine, of which the first one knows the others. It has no tables. */
export async function createCluster(name: string): Promise<string> {
  await dropOnNodes(name);
  // Sorted by bytes, and with the letters of all alphabets, as the embedded one.
  await onNodes("postgres", (db) => db`create database ${db(name)} template template0 locale 'C.UTF-8'`);
  await onNodes(name, (db) => db`create extension citus`);
  const [coordinator, ...workers] = NODES.map((url) => new URL(url));
  const db = openDb(databaseOf(NODES[0]!, name), NO_LIMIT);
  await db`select citus_set_coordinator_host(${coordinator!.hostname}, ${Number(coordinator!.port)}::int)`;
  for (const { hostname, port } of workers) await db`select citus_add_node(${hostname}, ${Number(port)}::int)`;
  await db.end();
  return databaseOf(NODES[0]!, name);
}

/** Makes the database that each test file copies, and closes it: while somebody is connected, nobody can copy it. */
export async function createTemplate(): Promise<void> {
  await onNodes("postgres", (db) => db`update pg_database set datallowconn = true where datname = 'template'`);
  const url = await createCluster("template");
  const db = openDb(url, { max: 2, statementTimeoutMs: 0 });
  await migrate(db);
  await distribute(db);
  await db.end();
  await closeOnNodes("template");
}

/** Lets nobody into a database any more, so that it can be copied: Citus itself is connected to each. */
export const closeOnNodes = (name: string) =>
  onNodes("postgres", async (admin) => {
    await admin`update pg_database set datallowconn = false where datname = ${name}`;
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    for (;;) {
      const left = await admin`select 1 from pg_stat_activity where datname = ${name}`;
      if (left.length === 0) return;
    }
  });
