import { type ErrorBody, errorBody } from "../errors.ts";
import { type Account, type Lot, type LotTags, type Moved, NO_TAGS, refund, type Touched } from "../ledger/account.ts";

/** What decides whether a redemption can be rolled back. */
export type RedemptionToUndo = {
  id: string;
  status: "SUCCEEDED" | "FAILED" | "ROLLED_BACK";
  /** The redemption of the stack that this redemption belongs to. */
  parent_id: string | null;
  /** Whether it is the redemption of a stack, which has others as its parts. */
  is_stack: boolean;
  customer_id: string | null;
  tracking_id: string | null;
  order: { id: string; source_id: string | null } | null;
};
/** What a request to roll back says of it. */
export type UndoAsked = {
  takes_stacks: boolean;
  /** Whom it names; null: nobody. */
  customer: { id: string; tracking_id: string | null; by: "customer" | "tracking_id" } | null;
  order: { id?: string | null | undefined; source_id?: string | null | undefined } | null;
};

/**
 * Why a rollback is refused, or null. A redemption that was rolled back already is not refused here: that is stored as a
 * failure.
 */
export function undoFault(redeemed: RedemptionToUndo, asked: UndoAsked): ErrorBody | null {
  const refuse = (
    key: "invalid_redemption" | "invalid_redemption_parent" | "invalid_customer" | "invalid_order",
    details: string,
  ) => errorBody(key, { details, resource_id: redeemed.id, resource_type: "redemption" });
  if (redeemed.parent_id !== null)
    return refuse(
      "invalid_redemption_parent",
      "You can rollback only a redemption that does not have parent redemption.",
    );
  if (redeemed.is_stack && !asked.takes_stacks)
    return refuse(
      "invalid_redemption",
      "You can rollback only a single redemption. Use different endpoint for stacked redemption.",
    );
  if (redeemed.status === "FAILED")
    return refuse("invalid_redemption", "You can rollback only a redemption that succeeded.");
  if (asked.customer && !isRedeemedBy(redeemed, asked.customer))
    return refuse("invalid_customer", "Customer is not related with redemption.");
  const { id, source_id } = asked.order ?? {};
  if ((id && id !== redeemed.order?.id) || (source_id && source_id !== redeemed.order?.source_id))
    return refuse("invalid_order", "Order is not related with redemption.");
  return null;
}

/** A guest who was tracked, and became a customer after the redemption, is still who redeemed. */
function isRedeemedBy(
  { customer_id, tracking_id }: RedemptionToUndo,
  asked: NonNullable<UndoAsked["customer"]>,
): boolean {
  if (asked.id === customer_id) return true;
  return asked.by === "tracking_id" && asked.tracking_id !== null && asked.tracking_id === tracking_id;
}

export type Returned = {
  amount: number;
  /** What the redemption took, of which lots. */
  from: Touched;
  /** The lots of the account that are known, also those that nothing is left of. */
  lots: ReadonlyMap<string, Lot>;
  now: string;
  /** The new lot for what has no lot to go back to. It ends at midnight when any of it came from an expired lot, else never. */
  fresh: { id: string; expires_at: string; created_at: string } & Partial<LotTags>;
};

/**
 * Gives credits or points back into the lots that they came from. A debt is paid first. What came from a lot that is over
 * by now would be lost in it at once: it goes into a fresh one, which lasts until the end of the day.
 */
export function giveBack(account: Account, { amount, from, lots, now, fresh }: Returned): Moved & { lots: Lot[] } {
  let left = Math.max(0, amount - Math.max(0, -account.sums.available));
  let late = 0;
  const back: [string, number][] = [];
  for (const [id, taken] of from.toReversed()) {
    const part = Math.min(left, -taken);
    const lot = lots.get(id);
    if (part === 0 || !lot) continue;
    left -= part;
    if (isOver(lot, now)) late += part;
    else back.push([id, -part]);
  }
  const made: Lot = {
    ...NO_TAGS,
    ...(late > 0 ? fresh : { id: fresh.id, created_at: fresh.created_at, expires_at: null }),
    activates_at: null,
    pot: "available",
    amount: left + late,
    remaining: 0,
  };
  if (made.amount > 0) back.push([made.id, -made.amount]);
  const moved = refund(account, { amount, from: back.toReversed(), gone: [...lots.values(), made] });
  const touched = new Set(moved.entry.lots.map(([id]) => id));
  return { ...moved, lots: moved.account.lots.filter(({ id }) => touched.has(id)) };
}

const isOver = ({ expires_at }: Lot, now: string): boolean =>
  expires_at !== null && Temporal.Instant.compare(expires_at, now) <= 0;
