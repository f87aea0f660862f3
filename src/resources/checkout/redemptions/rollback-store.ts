import { type EffectKept, wholeEffect } from "../../../core/redeem/effect-kept.ts";
import type { RedemptionRow } from "../../../core/rows/redemption.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import { updateEach } from "../../../db/each-row.ts";

/** A redemption, and whose its order is: who is locked before the order. */
export type Undoable = RedemptionRow & { order_customer_id: string | null };

/** Redemptions by their ids, and the parts of those that are stacks. */
const undoable = (db: Db, ids: readonly string[]): Fragment => db`
  (r.object = 'redemption' and (r.id = any(${ids}) or r.parent_id = any(${ids})))`;

/** Those with these ids, and their parts. */
export async function findUndoable(db: Db, projectId: string, ids: readonly string[]): Promise<Undoable[]> {
  const rows = await db<(Omit<Undoable, "effect"> & { effect: EffectKept | null })[]>`
    select r.*, o.customer_id as order_customer_id
    from redemptions r left join orders o on o.project_id = r.project_id and o.id = r.order_id
    where r.project_id = ${projectId} and ${undoable(db, ids)} order by r.id`;
  return rows.map((row) => ({ ...row, effect: wholeEffect(row) }));
}

/** That none of them has something that is locked before codes: a tier, whose counters decide, or a reward, which came from a campaign. */
const allPlain = (db: Db, projectId: string, ids: readonly string[]): Fragment => db`
  not exists (
    select 1 from redemptions r where r.project_id = ${projectId} and ${undoable(db, ids)}
      and (r.related_object_type = 'promotion_tier' or r.effect ->> 'reward' is not null))`;

/** Lists of what is locked before redemptions, each for the statement that locks it. */
export type NamedInRedemptions = Record<"customers" | "orders" | "vouchers" | "campaigns" | "days" | "lots", Fragment>;

/**
 * What redemptions name never changes. Codes and what campaigns count are left out unless all are plain: something is locked
 * before them then.
 */
export function namedInRedemptions(db: Db, projectId: string, ids: readonly string[]): NamedInRedemptions {
  const asked = undoable(db, ids);
  const ofCodes = db`${asked} and r.status = 'SUCCEEDED' and r.related_object_type = 'voucher'
    and ${allPlain(db, projectId, ids)}`;
  const orders = db`array(select r.order_id from redemptions r where r.project_id = ${projectId} and ${asked})`;
  return {
    orders,
    customers: db`array(
      select r.customer_id from redemptions r where r.project_id = ${projectId} and ${asked} union all
      select o.customer_id from orders o where o.project_id = ${projectId} and o.id = any(${orders}))`,
    vouchers: db`array(
      select r.related_object_id from redemptions r where r.project_id = ${projectId} and ${ofCodes})`,
    campaigns: db`array(select r.campaign_id from redemptions r where r.project_id = ${projectId} and ${ofCodes})`,
    days: db`array(
      select s.value::date from redemptions r cross join lateral json_each_text(r.effect -> 'starts') as s
      where r.project_id = ${projectId} and ${ofCodes} and s.value <> '')`,
    lots: db`array(
      select l.value ->> 0 from redemptions r cross join lateral json_array_elements(r.effect -> 'lots') as l
      where r.project_id = ${projectId} and ${ofCodes})`,
  };
}

/**
 * Locks redemptions and the parts of stacks behind their codes. Unless all are plain it locks none: their codes are not locked
 * yet, and `lockStatuses` locks them later.
 */
export const lockUndoable = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx`
    select r.id from redemptions r where r.project_id = ${projectId} and ${undoable(tx, ids)}
      and ${allPlain(tx, projectId, ids)}
    order by r.id for no key update`.execute();

/** Locks redemptions behind their codes, and tells what became of them and of their orders. */
export const lockStatuses = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx<Pick<RedemptionRow, "id" | "status" | "order_shown">[]>`
    select id, status, order_shown from redemptions where project_id = ${projectId} and id = any(${ids})
    order by id for no key update`.execute();

/** Guarded: where one is gone or not a success any more, something is divided by zero, and the transaction fails. */
export async function markRolledBack(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const update = tx`
    update redemptions set status = substr('ROLLED_BACK', 1 / (case when status = 'SUCCEEDED' then 1 else 0 end))
    where project_id = ${projectId} and id = any(${ids})`;
  await updateEach(tx, projectId, ids.length, update);
}
