import { ApiError, notFound } from "../core/errors.ts";
import type { FilterFields } from "../core/filters/filter.ts";
import { apiErrorOf, type Db } from "./db.ts";
import { type FilterQuery, whereOf } from "./filters.ts";

export type Page = { limit?: number; page?: number; order?: string };
type Table = {
  table: string;
  object: string;
  columns: readonly string[];
  sortable: readonly string[];
  /** What the list can be filtered by. */
  fields?: FilterFields;
};
/** A list without filters needs no time. */
type ListQuery = Page &
  ((FilterQuery & { now: string }) | { filters?: never; created_at?: never; updated_at?: never; now?: never });
type Values = Record<string, unknown>;

/**
 * The queries of a plain table keyed by (project_id, id). Write the next one by hand.
 * Only `columns` ever reach SQL, whatever the caller passes.
 */
export function crudStore<Row extends { id: string }>({ table, object, columns, sortable, fields = {} }: Table) {
  const own = (values: Values) =>
    Object.fromEntries(columns.filter((c) => values[c] !== undefined).map((c) => [c, values[c]])) as Record<
      string,
      string
    >;

  // A duplicate is told with the name of the object.
  const named = (error: unknown): never => {
    throw apiErrorOf(error, object) ?? error;
  };

  return {
    insert: async (db: Db, row: Values): Promise<Row> => {
      const [saved] = await db<Row[]>`insert into ${db(table)} ${db(own(row))} returning *`.catch(named);
      return saved!;
    },
    get: async (db: Db, projectId: string, id: string): Promise<Row> => {
      const [found] = await db<Row[]>`select * from ${db(table)} where project_id = ${projectId} and id = ${id}`;
      if (!found) throw notFound(object, id);
      return found;
    },
    /** Without a `limit` the whole list, for the lists of the interface that have no pages. */
    list: async (db: Db, projectId: string, query: ListQuery = {}) => {
      const where = query.now === undefined ? db`true` : whereOf(db, query, { fields, now: query.now });
      const [rows, counts] = await Promise.all([
        db<Row[]>`
          select * from ${db(table)} where project_id = ${projectId} and ${where} ${pageSql(db, query, sortable)}`,
        db<{ total: number }[]>`
          select count(*) as total from ${db(table)} where project_id = ${projectId} and ${where}`,
      ]);
      return { rows, total: counts[0]!.total };
    },
    /** All rows, or those with these ids: what the catalog snapshot reads. */
    load: (db: Db, projectId: string, ids: readonly string[] | null) =>
      db<Row[]>`
        select * from ${db(table)} where project_id = ${projectId} and ${ids === null ? db`true` : db`id = any(${ids})`}`,
    /** The caller always sets something, `updated_at` at least, so an empty body is an update too. */
    update: async (db: Db, projectId: string, id: string, patch: Values & { updated_at: string }): Promise<Row> => {
      const [saved] = await db<Row[]>`
        update ${db(table)} set ${db(own(patch))} where project_id = ${projectId} and id = ${id} returning *`.catch(
        named,
      );
      if (!saved) throw notFound(object, id);
      return saved;
    },
    remove: async (db: Db, projectId: string, id: string): Promise<void> => {
      const gone = await db`delete from ${db(table)} where project_id = ${projectId} and id = ${id}`;
      if (gone.count === 0) throw notFound(object, id);
    },
  };
}

const LIMIT = 10;

/** `order by … limit … offset …`. The id breaks ties, so that no row is on two pages. */
export function pageSql(db: Db, query: Page, sortable: readonly string[]) {
  const { page = 1, order = "-created_at" } = query;
  const limit = query.limit ?? (query.page === undefined ? undefined : LIMIT);
  const column = order.replace(/^-/, "");
  if (!sortable.includes(column)) throw new ApiError("invalid_query_params", { details: `Unknown order ${order}` });
  const direction = order.startsWith("-") ? db`desc` : db`asc`;
  const pages = limit === undefined ? db`` : db`limit ${limit} offset ${(page - 1) * limit}`;
  return db`order by ${db(column)} ${direction}, id ${direction} ${pages}`;
}
