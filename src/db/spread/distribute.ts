import { transaction } from "../batches/commit.ts";
import type { Db, Pool, Tx } from "../db.ts";
import { isSpreadOut } from "./nodes.ts";

// A database that is spread over machines by project (Citus, ADR 0064). What a project owns is on one machine. What says which projects
// there are and who may call is on every machine, so that whoever looks it up stays on one.

/** Tables that stay where Laurel connects to: no row of a project is ever read beside them. */
const LOCAL = ["migrations", "limit_counts", "foreign_keys_put_away"];
/** Read with every request, for any project: by who calls. */
const OF_CREDENTIALS = ["keys", "oauth_tokens", "user_projects"];
/** The first table of the one group that all tenant tables are in. */
const FIRST = "tenants";

export class NotDistributable extends Error {}

type Place = "reference" | "distributed";
type Table = {
  name: string;
  place: Place;
  /** What it is by now. */
  is: "local" | Place | "elsewhere";
};

/** Every table that has a place, with where it should be and where it is: the directory first, then the first of the group. */
async function tablesOf(db: Db): Promise<Table[]> {
  const rows = await db<Table[]>`
    with first as (select colocationid from pg_dist_partition where logicalrelid = to_regclass(${`laurel.${FIRST}`}))
    select c.relname as name,
      case when a.attname is null or c.relname = any(${OF_CREDENTIALS}) then 'reference' else 'distributed' end as place,
      case when d.logicalrelid is null then 'local'
        -- Citus notes some local tables as well: those that refer to a reference table.
        when d.partmethod = 'n' and d.repmodel = 't' then 'reference'
        when d.partmethod = 'n' then 'local'
        when d.colocationid = (select colocationid from first)
          and column_to_column_name(d.logicalrelid, d.partkey) = 'project_id' then 'distributed'
        else 'elsewhere' end as is
    from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and a.attnotnull
    left join pg_dist_partition d on d.logicalrelid = c.oid
    where c.relnamespace = 'laurel'::regnamespace and c.relkind = 'r' and c.relname <> all(${LOCAL})
    order by 2 desc, c.relname <> ${FIRST}, c.relname`;
  return [...rows];
}

/**
 * Spreads the tables over the machines, and returns the names of those that were not. Foreign keys are put away first, and come back
 * when both of their tables are in their places; until then they are noted in a table, so that it may be ended and run again.
 */
export async function distribute(pool: Pool, progress: (table: string) => void = () => {}): Promise<string[]> {
  await requireCitus(pool);
  return transaction(pool, async (tx) => {
    // The row that keeps two migrations apart. The work is done beside it, in many small transactions: one could not hold the locks of all.
    await tx`select name from migrations where name = 'lock' order by name for no key update`;
    await tx`set local idle_in_transaction_session_timeout = 0`;
    return spreadTables(pool, progress);
  });
}

async function spreadTables(pool: Pool, progress: (table: string) => void): Promise<string[]> {
  const fresh = (await tablesOf(pool)).filter(({ is, place }) => is !== place);
  const misplaced = fresh.find(({ is }) => is !== "local");
  if (misplaced) throw new NotDistributable(`The table ${misplaced.name} is spread in a way that is not Laurel's.`);
  const [noted] = await pool`select to_regclass('laurel.foreign_keys_put_away') as there`;
  if (fresh.length === 0 && noted!.there === null) return [];
  await pool`
    create table if not exists foreign_keys_put_away (of_table text, name text, definition text, primary key (of_table, name))`;
  await transaction(pool, (tx) =>
    putKeysAway(
      tx,
      fresh.map(({ name }) => name),
    ),
  );
  for (const { name, place } of fresh)
    await transaction(pool, async (tx) => {
      if (place === "reference") await tx`select create_reference_table(${name}::regclass)`;
      else {
        const beside = name === FIRST ? "none" : FIRST;
        await tx`select create_distributed_table(${name}::regclass, 'project_id', colocate_with => ${beside})`;
      }
      progress(name);
    });
  await bringKeysBack(pool);
  await pool`drop table foreign_keys_put_away`;
  return fresh.map(({ name }) => name);
}

/** The foreign keys of tables, and those of others that refer to them. */
async function putKeysAway(tx: Tx, tables: readonly string[]): Promise<void> {
  const keys = await tx<{ of_table: string; name: string; definition: string }[]>`
    select r.relname as of_table, f.conname as name, pg_get_constraintdef(f.oid) as definition
    from pg_constraint f join pg_class r on r.oid = f.conrelid join pg_class t on t.oid = f.confrelid
    where f.contype = 'f' and r.relnamespace = 'laurel'::regnamespace
      and (r.relname = any(${tables as string[]}) or t.relname = any(${tables as string[]}))
    order by 1, 2`;
  for (const key of keys) {
    await tx`insert into foreign_keys_put_away ${tx(key)}`;
    await tx`alter table ${tx(key.of_table)} drop constraint ${tx(key.name)}`;
  }
}

async function bringKeysBack(pool: Pool): Promise<void> {
  const keys = await pool<{ of_table: string; name: string; definition: string }[]>`
    select of_table, name, definition from foreign_keys_put_away order by of_table, name`;
  for (const { of_table, name, definition } of keys)
    await transaction(pool, async (tx) => {
      await tx`alter table ${tx(of_table)} add constraint ${tx(name)} ${tx.unsafe(definition)}`;
      await tx`delete from foreign_keys_put_away where of_table = ${of_table} and name = ${name}`;
    });
}

async function requireCitus(db: Db): Promise<void> {
  const how = "See docs/guides/citus.md.";
  const [extension] = await db`select 1 from pg_extension where extname = 'citus'`;
  if (!extension) throw new NotDistributable(`The database has no Citus, so its tables stay on one machine. ${how}`);
  const [node] = await db<{ coordinator: boolean; workers: number }[]>`
    select exists (select from pg_dist_node where groupid = 0) as coordinator,
      (select count(*) from pg_dist_node where groupid <> 0 and shouldhaveshards) as workers`;
  if (node!.workers === 0)
    throw new NotDistributable(`This database knows no workers: citus_add_node adds one. ${how}`);
  const [here] = await db<{ group: number }[]>`select groupid as group from pg_dist_local_group`;
  if (!node!.coordinator || here!.group !== 0)
    throw new NotDistributable(
      `This is not a coordinator that its workers know: citus_set_coordinator_host makes it one. ${how}`,
    );
}

/** After migrations: tables that are new go where those before them are. On one machine nothing happens. */
export async function distributeNew(pool: Pool): Promise<string[]> {
  return (await isSpreadOut(pool)) ? distribute(pool) : [];
}

/** What is not where it should be, as sentences; null: all is on one machine. */
export async function distributionFaults(db: Db): Promise<string[] | null> {
  if (!(await isSpreadOut(db))) return null;
  const tables = (await tablesOf(db)).filter(({ is, place }) => is !== place);
  const [keys] = await db`select to_regclass('laurel.foreign_keys_put_away') as there`;
  const zones = await db<{ zone: string }[]>`
    select distinct result as zone from run_command_on_all_nodes('select current_setting(''TimeZone'')')`;
  return [
    ...tables.map(
      ({ name, place }) => `${name} is not ${place === "reference" ? "on every machine" : "spread by project"}`,
    ),
    ...(keys!.there === null ? [] : ["foreign keys are put away: run `laurel migrate --distribute` again"]),
    ...zones
      .filter(({ zone }) => !/^(?:Etc\/)?(?:UTC|GMT)$/.test(zone))
      .map(({ zone }) => `a machine has the time zone ${zone} and not UTC`),
  ];
}

/** A new table may refer to one that is spread: so it is made as on one machine, and finds its place afterwards. */
export const madeLocally = (sql: string): string =>
  sql.replace(/^create (?:unlogged )?table [\s\S]*?;$/gm, (statement) =>
    [`set local citus.enable_ddl_propagation = off;`, statement, `set local citus.enable_ddl_propagation = on;`].join(
      "\n",
    ),
  );
