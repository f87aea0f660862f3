import { POINT_MOVES, REDEMPTION_EVENTS } from "../../core/rollups/metrics.ts";
import type { Db, Fragment } from "../db.ts";

const hourOf = (db: Db, at: Fragment): Fragment => db`
  date_bin('1 hour', ${at}, '2000-01-01'::timestamptz + p.zone_minutes * interval '1 minute')`;

/**
 * Redemptions `r` that the condition finds, as they are counted: see `CountedRedemption`. `p` is the position of their project. A
 * rollback counts what its redemption gave, with a minus, on its own day.
 */
export const countedRedemptions = (db: Db, rows: Fragment): Fragment => db`(
  select r.project_id, r.id, ${hourOf(db, db`r.created_at`)} as hour, (r.created_at at time zone p.zone)::date as day,
    case when r.result = 'FAILURE' then 'refusal' when r.object = 'redemption' then 'redemption' else 'rollback' end as result,
    r.campaign_id, r.customer_id, coalesce(r.parent_id, r.id) as stack,
    case when r.related_object_type = 'promotion_tier' then r.related_object_id end as tier_id,
    case when r.related_object_type = 'voucher' then r.related_object_id end as voucher_id,
    coalesce(o.channel, r.channel) ->> 'channel_type' as channel, coalesce(s.segment_ids, '{}') as segment_ids,
    sign * coalesce(x.discount_amount - x.gift_amount, 0) as discount, sign * coalesce(x.gift_amount, 0) as gift_credits,
    sign * case when x.kind = 'points' then abs(coalesce(o.amount, r.amount, 0)) else 0 end as points_spent,
    sign * coalesce(x.order_amount, 0) as revenue
  from redemptions r join rollup_positions p on p.project_id = r.project_id
  left join redemptions o on o.project_id = r.project_id and o.id = r.redemption_id
  left join redemption_segments s on s.project_id = r.project_id and s.redemption_id = coalesce(r.redemption_id, r.id)
  cross join lateral (select case when r.object = 'redemption' then 1 else -1 end as sign) as y
  left join lateral json_to_record(case when r.object = 'redemption' then r.effect else o.effect end)
    as x (kind text, order_amount bigint, discount_amount bigint, gift_amount bigint) on true
  where ${rows} and r.related_object_type is distinct from 'redemption'
    and (r.result = 'SUCCESS' or r.object = 'redemption'))`;

/** Entries of points `e` that the condition finds, as they are counted: see `CountedEntry`. */
export const countedEntries = (db: Db, rows: Fragment): Fragment => {
  const moves = Object.entries(POINT_MOVES).map(([kind, move]) => ({ kind, ...move }));
  return db`(
  select e.project_id, e.id, ${hourOf(db, db`e.created_at`)} as hour, (e.created_at at time zone p.zone)::date as day,
    e.campaign_id, m.metric, m.sign * e.amount as points
  from ledger_entries e join rollup_positions p on p.project_id = e.project_id
  join json_to_recordset(${JSON.stringify(moves)}::text::json) as m (kind text, metric text, sign integer) on m.kind = e.kind
  where ${rows} and e.is_points and e.amount <> 0)`;
};

/** The redemptions that events in the rows `r` tell of. */
export const toldRedemptions = (db: Db, rows: Fragment): Fragment => {
  const kinds = Object.keys(REDEMPTION_EVENTS);
  return db`(
  select r.project_id, t.payload ->> t.field as redemption_id
  from events r cross join lateral (
    select case when place = 0 then r.payload else r.also_payloads[least(place, cardinality(r.also_payloads))] end as payload,
      ${JSON.stringify(REDEMPTION_EVENTS)}::text::json ->> (case when place = 0 then r.kind else r.also[place] end) as field
    from generate_series(0, coalesce(cardinality(r.also), 0)) as place) as t
  where ${rows} and (r.kind = any(${kinds}) or r.also && ${kinds}) and t.field is not null)`;
};

/** Redemptions that are stored, and that the follower has still to come to. */
export const comingRedemptions = (db: Db, rows: Fragment, waiting: Fragment): Fragment => db`(
  select project_id, redemption_id from ${toldRedemptions(db, rows)} as told
  union select w.project_id, w.redemption_id from rollup_waiting w where ${waiting})`;
