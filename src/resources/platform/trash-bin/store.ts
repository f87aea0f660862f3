import { ApiError, notFound } from "../../../core/errors.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import { insertOf } from "../../../db/records.ts";
import type { BinEntry, BinKind, BinList, BinQuery } from "./schema.ts";

export type BinEntryRow = {
  project_id: string;
  id: string;
  resource_type: BinKind;
  resource_id: string;
  resource_name: string;
  resource_parent_id: string | null;
  created_at: string;
};

const FIELDS = { id: "string", resource_type: "enum", resource_name: "string", resource_id: "string" } as const;
const PAGE_LIMIT = 10;

const view = ({ project_id: _, ...row }: BinEntryRow): BinEntry => ({
  ...row,
  deleted_by_user_id: null,
  object: row.resource_type,
});

/** Newest first unless another order is asked for. Ids grow with time. */
export async function listBinEntries(db: Db, projectId: string, query: BinQuery & { now: string }): Promise<BinList> {
  const { limit = PAGE_LIMIT, order = "-id", starting_after_id: last, now, filters } = query;
  const isDown = order === "-id";
  if (last !== undefined) await requireEntry(db, projectId, last);
  const after = last === undefined ? db`true` : isDown ? db`id < ${last}` : db`id > ${last}`;
  const where = whereOf(db, filters ? { filters } : {}, { fields: FIELDS, now });
  const entries = db<BinEntryRow[]>`
    select * from trash_bin_entries where project_id = ${projectId} and ${after} and ${where}
    order by id ${isDown ? db`desc` : db`asc`} limit ${limit + 1}`;
  const { rows, has_more } = await firstRows(entries, limit);
  const data = rows.map(view);
  const next = has_more ? { more_starting_after: data.at(-1)!.id } : {};
  return { object: "list", data_ref: "data", data, total: data.length, has_more, ...next };
}

async function requireEntry(db: Db, projectId: string, id: string): Promise<void> {
  const rows = await db`select 1 from trash_bin_entries where project_id = ${projectId} and id = ${id}`;
  if (rows.length > 0) return;
  throw new ApiError("invalid_query_params", {
    details: `Property .starting_after_id names no entry of the bin: ${id}`,
  });
}

export const insertBinEntries = (tx: Tx, projectId: string, rows: readonly BinEntryRow[]) =>
  tx`insert into trash_bin_entries ${insertOf(tx, "trash_bin_entries", projectId, rows)}`;

export async function lockBinEntry(tx: Tx, projectId: string, id: string): Promise<BinEntryRow> {
  const [row] = await tx<BinEntryRow[]>`
    select * from trash_bin_entries where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound("trash_bin_entry", id);
  return row;
}

export const removeBinEntry = (tx: Tx, projectId: string, id: string) =>
  tx`delete from trash_bin_entries where project_id = ${projectId} and id = ${id}`;

/** The entries of what belongs to something that is deleted for good. */
export const removeBinEntriesBelow = (tx: Tx, projectId: string, parentId: string) =>
  tx`delete from trash_bin_entries where project_id = ${projectId} and resource_parent_id = ${parentId}`;
