import { eventRowOf } from "../core/ids.ts";
import type { Db, Fragment } from "./db.ts";

/**
 * Events one by one, of the rows `r` that the condition finds: a row has the first in its own columns and the others in
 * `also` (`src/events/fold.ts`). What an order tells names no code and no campaign, also where the row does, so the condition
 * on either is repeated of the result. In the order of `row_id, place` a page reads no more rows than it shows.
 */
export const unfolded = (db: Db, rows: Fragment): Fragment => db`(
  select r.id as row_id, place, r.group_id, r.customer_id, r.created_at, r.transaction_id,
    case when place = 0 then r.id else r.id || lpad(to_hex(place), 2, '0') end as id,
    case when place = 0 then r.kind else r.also[place] end as kind,
    case when place = 0 then r.payload else r.also_payloads[least(place, cardinality(r.also_payloads))] end as payload,
    case when r.also[place] like 'customer.order.%' then null else r.voucher_id end as voucher_id,
    case when r.also[place] like 'customer.order.%' then null else r.campaign_id end as campaign_id
  from events r cross join lateral (select generate_series(0, coalesce(cardinality(r.also), 0)) as place) p
  where ${rows})`;

/** The events behind this one in a list, in the order of ids or against it. The row's id is what an index knows. */
export const behindEvent = (db: Db, id: string, falls: boolean): Fragment =>
  falls ? db`row_id <= ${eventRowOf(id)} and id < ${id}` : db`row_id >= ${eventRowOf(id)} and id > ${id}`;
