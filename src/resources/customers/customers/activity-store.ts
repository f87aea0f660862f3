import { ApiError } from "../../../core/errors.ts";
import { toInstant } from "../../../core/filters/filter.ts";
import { eventRowOf, shownEventId, storedEventId } from "../../../core/ids.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import { behindEvent, unfolded } from "../../../db/unfolded.ts";
import type { CustomerActivity, CustomerActivityQuery } from "./schema.ts";

type EventRow = {
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  created_at: string;
  group_id: string;
};
type Query = Omit<CustomerActivityQuery, "category"> & {
  kinds?: readonly string[];
  starting_after?: string;
  product_id?: string;
};

const LIMIT = 10;

/**
 * What is told of a customer: what was recorded, and the validations, of which one row is kept and no event. Their ids
 * are made in the same way, so that all of them sort as they were made.
 */
const activityEntries = (db: Db, projectId: string, customerId: string): Fragment => db`(
  select row_id, place, id, kind, payload, created_at, group_id, campaign_id
  from ${unfolded(db, db`r.project_id = ${projectId} and r.customer_id = ${customerId}`)} as e
  union all
  select replace(id, 'valid_', 'ev_'), 0, replace(id, 'valid_', 'ev_'), 'customer.validation.' || case when valid then 'succeeded' else 'failed' end,
    json_build_object('customer', jsonb_build_object('id', customer_id, 'object', 'customer'),
      'validation', jsonb_build_object('id', id, 'valid', valid, 'redeemables', (
        select coalesce(jsonb_agg(jsonb_build_object('object', r -> 'object', 'id', r -> 'id', 'status', r -> 'status')), '[]')
        from json_array_elements(promise -> 'redeemables') r))),
    created_at, group_id, campaign_id
  from validations where project_id = ${projectId} and customer_id = ${customerId} and group_id is not null) as entries`;

/** What is recorded of a customer, read on from an entry. A page of very large entries has fewer of them. */
export async function listActivity(db: Db, projectId: string, customerId: string, query: Query) {
  const { limit = LIMIT, starting_after_id: id } = query;
  if (id !== undefined) await requireEntry(db, projectId, { customerId, id });
  return firstRows(entriesAsked(db, projectId, customerId, { ...query, limit: limit + 1 }), limit);
}

/** The same for a list that does not tell whether there are more: its pages are always whole. */
export async function listWholeActivity(db: Db, projectId: string, customerId: string, query: Query) {
  const { starting_after_id: id } = query;
  if (id !== undefined) await requireEntry(db, projectId, { customerId, id });
  return [...(await entriesAsked(db, projectId, customerId, query))];
}

/** Ids sort as they were made. */
function entriesAsked(db: Db, projectId: string, customerId: string, query: Query) {
  const { limit = LIMIT, order = "-created_at", starting_after_id, starting_after } = query;
  const falls = order.startsWith("-");
  const behind = behindEvent(db, storedEventId(starting_after_id ?? ""), falls);
  const moment = starting_after === undefined ? "" : toInstant(starting_after);
  const later = falls ? db`created_at < ${moment}` : db`created_at > ${moment}`;
  return db<EventRow[]>`
    select id, kind, payload, created_at, group_id from ${activityEntries(db, projectId, customerId)}
    where ${activitiesWhere(db, projectId, query)}
      and ${starting_after_id === undefined ? db`true` : behind}
      and ${starting_after === undefined ? db`true` : later}
    order by ${falls ? db`row_id desc, place desc` : db`row_id, place`} limit ${limit}`;
}

/** How many entries there are, on whatever pages. */
export async function countActivity(db: Db, projectId: string, customerId: string, query: Query): Promise<number> {
  const [row] = await db<[{ total: number }]>`
    select count(*) as total from ${activityEntries(db, projectId, customerId)} where ${activitiesWhere(db, projectId, query)}`;
  return row.total;
}

function activitiesWhere(db: Db, projectId: string, query: Query): Fragment {
  const { start_date, end_date, campaign_id, campaign_type, type, kinds, product_id } = query;
  return db`${start_date === undefined ? db`true` : db`created_at >= ${toInstant(start_date)}`}
      and ${end_date === undefined ? db`true` : db`created_at <= ${toInstant(end_date)}`}
      and ${campaign_id === undefined ? db`true` : db`campaign_id = ${campaign_id}`}
      and ${
        campaign_type === undefined
          ? db`true`
          : db`campaign_id in (select c.id from campaigns c
              where c.project_id = ${projectId} and c.campaign_type = ${campaign_type})`
      }
      and ${product_id === undefined ? db`true` : db`payload ->> 'product_id' = ${product_id}`}
      and ${type === undefined ? db`true` : db`kind = ${type}`}
      and ${kinds === undefined ? db`true` : db`kind = any(${kinds})`}`;
}

async function requireEntry(db: Db, projectId: string, { customerId, id }: { customerId: string; id: string }) {
  const stored = storedEventId(id);
  const [found] = await db`
    select 1 from ${activityEntries(db, projectId, customerId)} where row_id = ${eventRowOf(stored)} and id = ${stored}`;
  if (!found)
    throw new ApiError("invalid_query_params", { details: `Property .starting_after_id names no entry: ${id}` });
}

export const viewActivity =
  (customerId: string) =>
  ({ kind, payload, ...row }: EventRow): CustomerActivity => ({
    id: shownEventId(row.id),
    type: kind,
    data: dataOf(customerId, payload),
    created_at: row.created_at,
    group_id: row.group_id,
  });

/** The event records the id and status of an order; the list adds its customer. */
function dataOf(customerId: string, payload: EventRow["payload"]): EventRow["payload"] {
  const { order_id, status, ...rest } = payload;
  if (order_id === undefined) return payload;
  const customer = { id: customerId, object: "customer" };
  return { customer, order: { id: order_id, status, object: "order" }, ...rest };
}
