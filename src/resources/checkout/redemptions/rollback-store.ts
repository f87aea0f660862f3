import type { RedemptionRow } from "../../../core/rows/redemption.ts";
import type { Db, Tx } from "../../../db/db.ts";

/** A redemption, and whose its order is: who is locked before the order. */
export type Undoable = RedemptionRow & { order_customer_id: string | null };

/** The redemptions with these ids, and the parts of those that are stacks. */
export const findUndoable = (db: Db, projectId: string, ids: readonly string[]) =>
  db<Undoable[]>`
    select r.*, o.customer_id as order_customer_id
    from redemptions r left join orders o on o.project_id = r.project_id and o.id = r.order_id
    where r.project_id = ${projectId} and r.object = 'redemption' and (r.id = any(${ids}) or r.parent_id = any(${ids}))
    order by r.id`;

/** Locks redemptions, after all else that a rollback changes, and tells what became of them and of their orders. */
export const lockStatuses = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx<Pick<RedemptionRow, "id" | "status" | "order_shown">[]>`
    select id, status, order_shown from redemptions where project_id = ${projectId} and id = any(${ids})
    order by id for no key update`.execute();

/** Guarded: where one is not a success any more, something is divided by zero, and the transaction fails. */
export async function markRolledBack(tx: Tx, projectId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { count } = await tx`
    update redemptions set status = substr('ROLLED_BACK', 1 / (case when status = 'SUCCEEDED' then 1 else 0 end))
    where project_id = ${projectId} and id = any(${ids})`;
  return count;
}
