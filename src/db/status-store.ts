import { notFound } from "../core/errors.ts";
import type { FilterFields } from "../core/filters/filter.ts";
import { crudStore } from "./crud-store.ts";
import { type CursorAsked, type CursorKind, type CursorPage, cursorPage } from "./cursor.ts";
import type { Db } from "./db.ts";

type Table = {
  table: string;
  object: string;
  columns: readonly string[];
  /** The prefix of its cursors. */
  cursor: CursorKind["prefix"];
  sortable: readonly string[];
  fields: FilterFields;
};

/**
 * The queries of a table whose rows have a status, of which DELETED means gone: they stay for what happened with them,
 * and nothing reads them. Lists are those of v2.
 */
export function statusStore<Row extends { id: string }>({ table, object, columns, cursor, sortable, fields }: Table) {
  const { insert, update } = crudStore<Row>({ table, object, columns, sortable });
  return {
    insert,
    /** Updates a row that was read before, in a transaction that keeps others from deleting it. */
    update,
    get: async (db: Db, projectId: string, id: string): Promise<Row> => {
      const [found] = await db<Row[]>`
        select * from ${db(table)} where project_id = ${projectId} and id = ${id} and status <> 'DELETED'`;
      if (!found) throw notFound(object, id);
      return found;
    },
    list: (
      db: Db,
      of: { project: { id: string; secret: string }; now: string },
      asked: CursorAsked,
    ): Promise<CursorPage<Row>> =>
      cursorPage<Row>(
        db,
        of,
        {
          prefix: cursor,
          from: (db) => db`${db(table)}`,
          where: (db) => db`project_id = ${of.project.id} and status <> 'DELETED'`,
          sortable,
          fields,
        },
        asked,
      ),
    /** All rows, or those with these ids: what the catalog snapshot reads. */
    load: (db: Db, projectId: string, ids: readonly string[] | null) =>
      db<Row[]>`
        select * from ${db(table)} where project_id = ${projectId} and status <> 'DELETED'
          and ${ids === null ? db`true` : db`id = any(${ids})`}`,
  };
}
