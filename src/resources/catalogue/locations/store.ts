import { toInstant } from "../../../core/filters/filter.ts";
import { crudStore, pageSql } from "../../../db/crud-store.ts";
import type { Db } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { Location, type LocationList, type LocationQuery } from "./schema.ts";

export type LocationRow = Omit<Location, "object"> & { project_id: string };

const SORTABLE = ["created_at", "updated_at"];
const FIELDS = { name: "string", created_at: "date", updated_at: "date" } as const;
const PAGE_LIMIT = 10;

export const locations = crudStore<LocationRow>({
  table: "locations",
  object: "location",
  columns: columnsOf(Location),
  sortable: SORTABLE,
});

export const view = ({ project_id: _, ...row }: LocationRow): Location => ({ ...row, object: "location" });

/** Newest first unless another order is asked for. `total` counts all that fit the filters, on whatever page. */
export async function listLocations(
  db: Db,
  projectId: string,
  { limit = PAGE_LIMIT, order = "-created_at", end_date, filters, now }: LocationQuery & { now: string },
): Promise<LocationList> {
  const where = whereOf(db, filters ? { filters } : {}, { fields: FIELDS, now });
  const before = end_date === undefined ? db`true` : db`created_at < ${toInstant(end_date)}`;
  const [found, counts] = await Promise.all([
    db<LocationRow[]>`
      select * from locations where project_id = ${projectId} and ${where} and ${before}
      ${pageSql(db, { limit: limit + 1, order }, SORTABLE)}`,
    db<{ total: number }[]>`select count(*) as total from locations where project_id = ${projectId} and ${where}`,
  ]);
  const data = found.slice(0, limit).map(view);
  return { object: "list", data_ref: "data", data, total: counts[0]!.total, has_more: found.length > limit };
}
