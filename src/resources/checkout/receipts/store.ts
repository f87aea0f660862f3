import { ApiError, notFound } from "../../../core/errors.ts";
import type { ReceiptKept } from "../../../core/redeem/receipt-kept.ts";
import type { OrderRow } from "../../../core/rows/order.ts";
import type { RedemptionRow } from "../../../core/rows/redemption.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { tenantOf } from "../../../db/records.ts";

/** A redemption that has a receipt, and its order as it is now where it shows that, as JSON. */
export type ReceiptRow = Omit<RedemptionRow, "receipt"> & {
  receipt: Exclude<ReceiptKept, false>;
  order_now: OrderRow | null;
};
/** A piece of configuration by the hash of its text. */
export type FragmentRow = { hash: string; text: string };

/** Stores what is not there yet, and returns the hashes of what was: somebody else has committed it. */
export async function insertFragments(tx: Tx, projectId: string, rows: readonly FragmentRow[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const made = await tx<{ hash: string }[]>`
    insert into config_fragments (project_id, hash, body)
    select p.project_id, x.hash, x.body::json from ${tenantOf(tx, projectId)}
      cross join unnest(${rows.map((r) => r.hash)}::text[], ${rows.map((r) => r.text)}::text[]) as x (hash, body)
    order by x.hash
    on conflict do nothing returning hash`;
  const own = new Set(made.map(({ hash }) => hash));
  return rows.flatMap(({ hash }) => (own.has(hash) ? [] : [hash]));
}

/** The redemption with its receipt; one of a stack has that of the whole. */
export async function getReceipt(db: Db, projectId: string, redemptionId: string): Promise<ReceiptRow> {
  const [row] = await db<(Omit<ReceiptRow, "receipt"> & { receipt: ReceiptKept })[]>`
    select r.*, (select to_json(o) from orders o
        where o.project_id = ${projectId} and o.id = r.order_id and r.order_shown is null) as order_now
    from redemptions r
    where r.project_id = ${projectId} and r.receipt is not null and r.id in (${redemptionId},
      (select parent_id from redemptions where project_id = ${projectId} and id = ${redemptionId}))`;
  if (!row) throw notFound("redemption", redemptionId);
  const { receipt } = row;
  if (receipt === false)
    throw new ApiError("receipt_erased", {
      details: `The receipt of ${redemptionId} was erased together with its customer`,
      resource_id: redemptionId,
      resource_type: "redemption",
    });
  return { ...row, receipt };
}

export const loadFragments = (db: Db, projectId: string, hashes: readonly string[]) =>
  db<FragmentRow[]>`
    select hash, body::text as text from config_fragments
    where project_id = ${projectId} and hash = any(${hashes}) order by hash`;
