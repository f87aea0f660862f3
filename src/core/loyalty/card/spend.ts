import { Decimal } from "decimal.js";
import type { Lot } from "../../ledger/account.ts";
import { isBefore } from "../../time/calendar.ts";
import { isRoom } from "../earning/earn.ts";
import { countInPeriod, type Rejection, type SpendingFault, spendingFault, spendingRoom } from "../earning/limits.ts";
import { cancelLots } from "./advance.ts";
import { afterwards } from "./afterwards.ts";
import { andThen, type CardState, type Change, noChange } from "./card.ts";
import {
  credit,
  debit,
  refusedMove,
  refusedSpending,
  slide,
  type TransactionDetails,
  track,
  type World,
} from "./moves.ts";

const spendingOf = ({ account }: CardState, { wallet, now, zone }: World) => ({
  limits: wallet.spending_limits,
  spentInAll: account.sums.spent,
  spent: account.spent,
  now,
  zone,
});

/** Why so many points of a card may not be spent by its limits, or null. */
export const cardSpendingFault = (card: CardState, world: World, points: number): SpendingFault | null =>
  spendingFault(spendingOf(card, world), points);

type Spent = TransactionDetails & { kind: "reward_spend" | "order_spend"; points: number };

/** Spends points. That they may be spent was decided. */
export function spendPoints(card: CardState, world: World, spent: Spent): Change {
  const { wallet, now, zone } = world;
  const count = countInPeriod(card.account.spent, spent.points, { limits: wallet.spending_limits, now, zone });
  const before = slide({ ...card, account: { ...card.account, spent: count } }, world, { kind: "spending" });
  return afterwards(
    andThen(before, (after) => debit(after, world, spent)),
    world,
  );
}

/** Points that were bought with others. They do not wait, and no limit counts them. */
export function purchasePoints(
  card: CardState,
  world: World,
  { points, ...told }: TransactionDetails & { points: number },
): Change {
  return isRoom(card, points)
    ? afterwards(credit(card, world, { ...told, kind: "purchase", points }), world)
    : refusedMove(card, world, { ...told, kind: "purchase", points, rejection: FULL });
}
export const FULL: Rejection = { reason: "CARD_POINTS_LIMIT_EXCEEDED", details: { limit: Number.MAX_SAFE_INTEGER } };

/** Points that were spent come back, and expire counted from now on. */
export const returnPoints = (
  card: CardState,
  world: World,
  { points, ...told }: TransactionDetails & { points: number },
): Change =>
  isRoom(card, points)
    ? afterwards(credit(card, world, { ...told, kind: "return", points }), world)
    : refusedMove(card, world, { ...told, kind: "return", points, rejection: FULL });

/** Takes back points that were bought: as many as there are, or below zero where the card allows it. */
export function reversePurchase(
  card: CardState,
  world: World,
  { points, ...told }: TransactionDetails & { points: number },
): Change {
  const { available, allows_negative } = card.account.sums;
  const taken = allows_negative ? points : Math.min(points, Math.max(0, available));
  if (taken === 0) return noChange(card);
  return afterwards(debit(card, world, { ...told, kind: "purchase_reversal", points: taken }), world);
}

// Paying an order.

export type PaymentLimit =
  | { type: "CARD_BALANCE" }
  | { type: "POINTS_LIMIT"; points_limit: { max: number } }
  | { type: "AMOUNT_LIMIT"; amount_limit: { max: number } };
export type Payment = { amount: number; points_spent: number; metadata: Readonly<Record<string, number>> };
export type PaymentFault = "zero_card_balance" | "insufficient_card_balance" | "invalid_exchange_ratio";

/**
 * What a card pays: as much money as its points are worth, within what is asked for and what limits leave. The ratio is
 * points for one minor unit of money. 1000 points at 0.5 pay at most 2000; 50 cost 25 points.
 */
export function paymentOf(
  card: CardState,
  world: World,
  { ratio, limit }: { ratio: number; limit: PaymentLimit },
): Payment | { fault: PaymentFault } {
  const { available } = card.account.sums;
  if (available <= 0) return { fault: "zero_card_balance" };
  if (!Number.isFinite(ratio) || ratio <= 0) return { fault: "invalid_exchange_ratio" };
  const asked = limit.type === "POINTS_LIMIT" ? limit.points_limit.max : Number.POSITIVE_INFINITY;
  const points = Math.min(available, asked, spendingRoom(spendingOf(card, world)));
  const worth = new Decimal(points).div(ratio).floor();
  const most = limit.type === "AMOUNT_LIMIT" ? limit.amount_limit.max : Number.MAX_SAFE_INTEGER;
  const amount = Decimal.min(worth, most).toNumber();
  if (amount === 0) return { fault: "insufficient_card_balance" };
  // A division that was rounded must not ask for a point more than there is.
  const points_spent = Math.min(points, new Decimal(amount).times(ratio).ceil().toNumber());
  const metadata: Record<string, number> =
    limit.type === "POINTS_LIMIT"
      ? { points_limit: limit.points_limit.max }
      : limit.type === "AMOUNT_LIMIT"
        ? { amount_limit: limit.amount_limit.max }
        : {};
  return { amount, points_spent, metadata };
}

/** Why a payment does not settle, or null: no more is paid than is left to pay. */
export const settlementFault = (amount: number, { total, paid }: { total: number; paid: number }): Rejection | null =>
  amount > total - paid ? { reason: "PAYMENT_EXCEEDS_ORDER_TOTAL_AMOUNT", details: null } : null;

/** Points are spent on an order, or locked and unlocked again when the payment does not settle. */
export const payOrder = (
  card: CardState,
  world: World,
  { rejection, ...told }: TransactionDetails & { points: number; rejection: Rejection | null },
): Change =>
  rejection
    ? refusedSpending(card, world, { ...told, kind: "order_spend", rejection })
    : spendPoints(card, world, { ...told, kind: "order_spend" });

// An order that was cancelled.

/** What an order did to a card: everything that it earned, also what is spent by now, and the points that paid it. */
export type OrderOnCard = { order_id: string; lots: readonly Lot[]; paid: number };

/** Takes back what an order earned and gives back what was paid for it, as far as the card says. Once for each order. */
export function cancelOrder(card: CardState, world: World, order: OrderOnCard): Change {
  const { spent_points, earned_points } = world.wallet.refunds;
  const [revokes] = earned_points.methods;
  const told = { reason: "Order canceled", order_id: order.order_id, details: { order: { id: order.order_id } } };
  // Contract is silent about parts of an order: only a whole one is refunded.
  const isReturned = order.paid > 0 && spent_points.methods[0]?.mode === "REFUND_ALL";
  // What was paid comes back first: an order that earned 100 and was paid with them leaves nothing, however often it is
  // paid and cancelled. The other way round there would be nothing to revoke, and 100 to give back each time.
  const returned = isReturned ? returnPoints(card, world, { ...told, points: order.paid }) : noChange(card);
  return revokes ? andThen(returned, (after) => revoke(after, world, { order, revokes })) : returned;
}

function revoke(
  card: CardState,
  world: World,
  { order, revokes }: { order: OrderOnCard; revokes: World["wallet"]["refunds"]["earned_points"]["methods"][number] },
): Change {
  const waits = card.lots.filter((lot) => lot.pot === "pending" && lot.order_id === order.order_id);
  const buckets = [...Map.groupBy(waits, ({ bucket_id }) => bucket_id).values()];
  const cancelled = buckets.reduce(
    (change, lots) => andThen(change, (after) => cancelLots(after, world, { lots, reason: "Order canceled" })),
    noChange(card),
  );
  if (revokes.type === "REVOKE_FROM_PENDING") return cancelled;
  const credited = order.lots.filter(({ pot }) => pot === "available");
  const earned = credited.reduce((sum, { amount }) => sum + amount, 0);
  const { available } = card.account.sums;
  const points = revokes.mode === "REVOKE_BELOW_ZERO" ? earned : Math.min(earned, Math.max(0, available));
  if (points === 0) return cancelled;
  const told = { reason: "Order canceled", order_id: order.order_id, details: { order: { id: order.order_id } } };
  return andThen(cancelled, (after) => {
    const taken = debit(after, world, { ...told, kind: "revocation", points });
    return afterwards(
      andThen(taken, (less) => untrack(less, world, { points, credited })),
      world,
    );
  });
}

/** What was earned in the tracking period and is taken back does not count for the tier any more. */
export function untrack(
  card: CardState,
  world: World,
  { points, credited }: { points: number; credited: readonly Lot[] },
) {
  const tracking = card.tier?.tracking;
  if (!tracking) return noChange(card);
  const within = credited.filter(
    ({ created_at }) => !isBefore(created_at, tracking.start_at) && isBefore(created_at, tracking.end_at),
  );
  const earned = within.reduce((sum, { amount }) => sum + amount, 0);
  return earned === 0 ? noChange(card) : track(card, world, { points: -Math.min(points, earned), isTimed: false });
}
