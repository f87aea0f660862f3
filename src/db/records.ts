import assert from "node:assert/strict";
import { LRUCache } from "lru-cache";
import type { Db, Fragment, Pool, Tx } from "./db.ts";

/**
 * The row of a project, to select beside a set of parameters. Without it such a statement names no row that is stored, and a
 * database which is spread over machines by project would gather the rows on the wrong one. Callers of management
 * operations belong to no project, so they have no row.
 */
export const tenantOf = (db: Db, projectId: string): Fragment =>
  projectId === ""
    ? db`(select ''::text as project_id) p`
    : db`(select project_id from tenants where project_id = ${projectId}) p`;

/** Inserts have few texts: one for each table and the fields that its rows have. */
const insertTexts = new LRUCache<string, TemplateStringsArray>({ max: 1_000 });

/** The text around the project and the rows. Made of a list of columns each time, an insert takes the driver 60 us. */
function insertText(table: string, columns: readonly string[]): TemplateStringsArray {
  const key = `${table} ${columns.join()}`;
  const known = insertTexts.get(key);
  if (known) return known;
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const names = columns.map(quoted);
  const texts = [
    `(project_id, ${names.join()})
    select p.project_id, ${names.map((name) => `r.${name}`).join()} from `,
    `
      cross join json_populate_recordset(null::${quoted(table)}, `,
    "::text::json) r",
  ];
  const text = Object.assign(texts, { raw: texts });
  insertTexts.set(key, text);
  return text;
}

/**
 * The columns and the rows of an insert: every row has the fields of the first. They are one parameter, parsed once:
 * `(jsonb_populate_record(…)).*` reads a row again for each of its columns, twenty times the work.
 */
export function insertOf(db: Db, table: string, projectId: string, rows: readonly object[]): Fragment {
  const columns = Object.keys(rows[0]!).filter((name) => name !== "project_id");
  return db(insertText(table, columns), tenantOf(db, projectId), JSON.stringify(rows));
}

/** The order that the database has texts in: its locale is C. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const SEPARATOR = "\u001e";

/**
 * Long texts as a set of rows, for `rows from (…)` beside the short columns. JSON holds no control characters, so it is
 * split at one: inside another JSON every quotation mark of it would be escaped here, and all of it read twice there.
 */
export function textsOf(db: Db, texts: readonly string[]): Fragment {
  assert(!texts.some((text) => text.includes(SEPARATOR)), "a text holds the character that parts them");
  // Each comes after a separator, so that one which is empty counts: the first piece is what is before all of them.
  const joined = texts.map((text) => SEPARATOR + text).join("");
  return db`unnest((string_to_array(${joined}::text, chr(30)))[2:])`;
}

/** What `idsWith` looks into for very many values at once. */
const LOOKED_UP = ["products", "skus", "vouchers"];

/**
 * Makes statistics anew where a table has grown since they were made: the planner believes that it is small, and would compare every
 * row with every value, or read all of a project by the wrong index. The server does so within a minute or so; whoever looks up many
 * does not wait for that. Not in a transaction: what is locked by it would keep other projects waiting until that ends.
 */
export async function renewStatistics(db: Pool): Promise<void> {
  const old = await db<{ table: string }[]>`
    select relname as table from pg_class where oid in (select to_regclass(x.name) from unnest(${LOOKED_UP}::text[]) as x (name))
      and pg_stat_get_mod_since_analyze(oid) > 500 + 0.15 * greatest(reltuples, 0)`;
  for (const { table } of old) await db`analyze ${db(table)}`;
}

/**
 * The ids of rows that have one of these values in a column with an index, each looked up for itself. Who looks up very many calls
 * `renewStatistics` first.
 */
export async function idsWith(
  db: Db,
  { table, column, projectId }: { table: string; column: string; projectId: string },
  values: readonly string[],
): Promise<string[]> {
  if (values.length === 0) return [];
  const rows = await db<{ id: string }[]>`
    select t.id from unnest((select ${values}::text[])) as x (value) cross join lateral (
      select id from ${db(table)} where project_id = ${projectId} and ${db(column)} = x.value and deleted_at is null
      offset 0) as t`;
  return rows.map(({ id }) => id);
}

/** Tables whose rows a shop names by source ids, and which have a bin. */
type SourceTable = "products" | "skus";

/** The rows that are there, by source id, locked. */
export async function lockBySource<R extends object>(
  tx: Tx,
  { table, projectId }: { table: SourceTable; projectId: string },
  sourceIds: readonly string[],
): Promise<R[]> {
  const ids = await idsWith(tx, { table, column: "source_id", projectId }, sourceIds);
  if (ids.length === 0) return [];
  return tx<R[]>`
    select * from ${tx(table)} where project_id = ${projectId} and id = any(${ids}) and deleted_at is null
    order by id for no key update`;
}

/** Inserts new rows and says how many: who has a source id that was taken meanwhile is left out. */
export async function insertUntaken(
  tx: Tx,
  { table, projectId }: { table: SourceTable; projectId: string },
  rows: readonly { source_id: string | null }[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = rows.toSorted((a, b) => compareTexts(a.source_id ?? "", b.source_id ?? ""));
  const { count } = await tx`
    insert into ${tx(table)} ${insertOf(tx, table, projectId, sorted)}
    on conflict (project_id, source_id) where deleted_at is null do nothing`;
  return count;
}

/**
 * Rows that have one of these values in its column. A column without values is left out: nothing is in an empty list, and
 * from what never holds the planner concludes that any partial index has the answer, and reads all of one.
 */
export function namedBy(db: Db, lists: Readonly<Record<string, readonly string[]>>): Fragment {
  const used = Object.entries(lists).filter(([, values]) => values.length > 0);
  if (used.length === 0) return db`false`;
  return db`(${used.map(([column, values], n) => db`${n > 0 ? db`or` : db``} ${db(column)} = any((select ${values}::text[])::text[])`)})`;
}

/**
 * Reserves so many moments of a project, a microsecond apart and not before `now`, and returns the first of them. The table holds
 * the last one that was given. Who needs many takes them in a transaction of its own: others wait for the row until it ends.
 */
export async function takeMoments(
  tx: Tx,
  table: "redeemable_stamps" | "customer_stamps",
  projectId: string,
  { now, count }: { now: string; count: number },
): Promise<string> {
  // In UTC a moment and an interval have one sum, whatever the session's zone: some databases take no other here.
  const [row] = await tx<{ first_at: string }[]>`
    insert into ${tx(table)} as s (project_id, last_at)
    values (${projectId}, ${now}::timestamptz + ${count - 1}::bigint * interval '1 microsecond')
    on conflict (project_id) do update set last_at = greatest(excluded.last_at,
      (s.last_at at time zone 'UTC' + ${count}::bigint * interval '1 microsecond') at time zone 'UTC')
    returning (last_at at time zone 'UTC' - ${count - 1}::bigint * interval '1 microsecond') at time zone 'UTC' as first_at`;
  return row!.first_at;
}
