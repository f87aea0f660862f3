import { localDate } from "../../time/calendar.ts";
import { isRoom } from "../earning/earn.ts";
import { cancelLots, expireLots } from "./advance.ts";
import { afterwards } from "./afterwards.ts";
import { type CardState, type Change, noChange } from "./card.ts";
import { activate, credit, debit, refusedMove, type World } from "./moves.ts";

/** Credits points by hand, or takes some away. They do not wait, and no limit counts them. Zero is nothing. */
export function adjust(
  card: CardState,
  world: World,
  { points, reason }: { points: number; reason: string | null },
): Change {
  if (points === 0) return noChange(card);
  const { sums } = card.account;
  if (points > 0) {
    if (isRoom(card, points)) return afterwards(credit(card, world, { kind: "addition", points, reason }), world);
    const rejection = { reason: "CARD_POINTS_LIMIT_EXCEEDED", details: { limit: Number.MAX_SAFE_INTEGER } };
    return refusedMove(card, world, { kind: "addition", points, reason, rejection });
  }
  const isCovered = sums.allows_negative
    ? sums.subtracted - points <= Number.MAX_SAFE_INTEGER
    : -points <= sums.available;
  if (isCovered) return afterwards(debit(card, world, { kind: "removal", points: -points, reason }), world);
  const rejection = { reason: "NOT_ENOUGH_BALANCE", details: null };
  return refusedMove(card, world, { kind: "removal", points, reason, rejection });
}

/** What is done with a bucket by hand, or why it cannot be. That the bucket exists is known. */
export type Handled<F extends string> = { change: Change; fault: null } | { change: null; fault: F };
export type PendingFault =
  | "pending_points_not_enabled"
  | "invalid_pending_points_bucket_status"
  | "invalid_pending_points_bucket_date";

/** Makes what waits in a bucket available now, or cancels it. */
export function settlePending(
  card: CardState,
  world: World,
  { bucketId, how }: { bucketId: string; how: "activate" | "cancel" },
): Handled<PendingFault> {
  if (world.wallet.pending_points.type === "IMMEDIATE") return { change: null, fault: "pending_points_not_enabled" };
  const lots = card.lots.filter(({ pot, bucket_id }) => pot === "pending" && bucket_id === bucketId);
  if (lots.length === 0) return { change: null, fault: "invalid_pending_points_bucket_status" };
  const today = localDate(world.now, world.zone).toString();
  if (lots[0]!.bucket_date! <= today) return { change: null, fault: "invalid_pending_points_bucket_date" };
  const change =
    how === "activate"
      ? afterwards(activate(card, world, { lots, reason: "Manual points activation", isTimed: false }), world)
      : cancelLots(card, world, { lots, reason: "Manual points cancellation" });
  return { change, fault: null };
}

export type ExpireFault = "points_expiration_not_enabled" | "invalid_points_bucket_status";

// Contract is silent: points of a bucket expire by settings of their own where the wallet's points do not.
/** Lets the points of a bucket expire now. */
export function expireBucket(
  card: CardState,
  world: World,
  { bucketId, reason }: { bucketId: string; reason: string | null },
): Handled<ExpireFault> {
  const lots = card.lots.filter(({ pot, bucket_id }) => pot === "available" && bucket_id === bucketId);
  const isEnabled = world.wallet.points_expiration.type !== "NO_EXPIRATION" || lots.some((lot) => lot.expiration);
  if (!isEnabled) return { change: null, fault: "points_expiration_not_enabled" };
  if (lots.length === 0) return { change: null, fault: "invalid_points_bucket_status" };
  return { change: expireLots(card, world, { lots, kind: "manual_expiration", reason }), fault: null };
}
