import type { Db, Fragment } from "./db.ts";

/**
 * Rows of one project as a set to select from, with the columns of their table. One parameter, parsed once:
 * `(jsonb_populate_record(…)).*` reads a row again for each of its columns, twenty times the work.
 */
export const recordsOf = (db: Db, table: string, project_id: string, rows: readonly object[]): Fragment =>
  db`json_populate_recordset(null::${db(table)}, ${JSON.stringify(rows.map((row) => ({ ...row, project_id })))}::text::json)`;
