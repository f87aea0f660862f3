import { discountItems, discountOrder, nextStep, type Order, payable, subtotalOf } from "../order/order.ts";
import { pointsFor, worthOf } from "../redeem/reward.ts";
import { type ApplicableTo, selectTargets, type Target } from "./targets.ts";

export type CreditsStep = { order: Order; credits: number; targets: readonly Target[] };

/** Pays with gift credits: what is asked for, up to what is left to pay; only that leaves the card. */
export function payWithCredits(order: Order, credits: number): CreditsStep {
  const before = nextStep(order);
  const after = discountOrder(before, credits);
  return { order: after, credits: after.applied_discount_amount, targets: [] };
}

/** The same for the lines that the card is for, in the order in which they stand in the cart. */
export function payItemsWithCredits(order: Order, credits: number, applicableTo: ApplicableTo): CreditsStep {
  const before = nextStep(order);
  const targets = selectTargets(before, applicableTo, new Set());
  let left = Math.min(credits, payable(before));
  const discounts = targets.map(({ entry, index }) => {
    const amount = Math.min(left, subtotalOf(before.items[index]!), entry.amount_limit ?? Number.MAX_SAFE_INTEGER);
    left -= amount;
    return { index, amount, quantity: 0 };
  });
  const used = discounts.reduce((all, { amount }) => all + amount, 0);
  return { order: discountItems(before, discounts), credits: used, targets };
}

/** What points buy: `points_ratio` points are worth `exchange_ratio` major units. */
export type Exchange = { points_ratio: number; exchange_ratio: number };

/**
 * Pays with points. 200 points at 20 for 100 are 40.00, which is 4,000. When less is left to pay, only as many points
 * are used as it takes: 3,950 left need 197.5 and use 198.
 */
export function payWithPoints(order: Order, points: number, exchange: Exchange) {
  const before = nextStep(order);
  const worth = worthOf(points, exchange);
  const left = payable(before);
  if (worth <= left) return { order: discountOrder(before, worth), points };
  return { order: discountOrder(before, left), points: Math.min(points, pointsFor(left, exchange) ?? points) };
}
