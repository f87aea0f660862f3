import { ApiError } from "../../core/errors.ts";
import { toInstant } from "../../core/filters/filter.ts";
import type { Db } from "../../db/db.ts";
import type { CustomerActivity, CustomerActivityQuery } from "./schema.ts";

type EventRow = {
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  created_at: string;
  group_id: string;
};
type Query = Omit<CustomerActivityQuery, "category"> & { kinds?: readonly string[] };

const LIMIT = 10;

/** What is recorded of a customer, read on from an entry. Ids sort as they were made. */
export async function listActivity(db: Db, projectId: string, customerId: string, query: Query) {
  const { limit = LIMIT, order = "-created_at", starting_after_id, start_date, end_date } = query;
  const { campaign_id, type, kinds } = query;
  if (starting_after_id !== undefined) await requireEntry(db, projectId, { customerId, id: starting_after_id });
  const falls = order.startsWith("-");
  const cursor = falls ? db`id < ${starting_after_id ?? ""}` : db`id > ${starting_after_id ?? ""}`;
  const rows = await db<EventRow[]>`
    select id, kind, payload, created_at, group_id from events
    where project_id = ${projectId} and customer_id = ${customerId}
      and ${starting_after_id === undefined ? db`true` : cursor}
      and ${start_date === undefined ? db`true` : db`created_at >= ${toInstant(start_date)}`}
      and ${end_date === undefined ? db`true` : db`created_at <= ${toInstant(end_date)}`}
      and ${campaign_id === undefined ? db`true` : db`campaign_id = ${campaign_id}`}
      and ${type === undefined ? db`true` : db`kind = ${type}`}
      and ${kinds === undefined ? db`true` : db`kind = any(${kinds})`}
    order by id ${falls ? db`desc` : db`asc`} limit ${limit + 1}`;
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

async function requireEntry(db: Db, projectId: string, { customerId, id }: { customerId: string; id: string }) {
  const [found] = await db`
    select 1 from events where project_id = ${projectId} and customer_id = ${customerId} and id = ${id}`;
  if (!found)
    throw new ApiError("invalid_query_params", { details: `Property .starting_after_id names no entry: ${id}` });
}

export const viewActivity = ({ kind, payload, ...row }: EventRow): CustomerActivity => ({
  id: row.id,
  type: kind,
  data: payload,
  created_at: row.created_at,
  group_id: row.group_id,
});
