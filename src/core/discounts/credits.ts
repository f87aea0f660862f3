import { sum } from "../money/amounts.ts";
import { discountItems, discountOrder, nextStep, type Order, payable } from "../order/order.ts";
import { type Exchange, pointsFor, worthOf } from "../redeem/reward.ts";
import { AMOUNT_PER_LINE } from "./amount-discount.ts";
import { type Discounted, itemDiscounts, type UsedUnits } from "./items.ts";
import { type ApplicableTo, selectTargets } from "./targets.ts";

export type CreditsStep = { order: Order; credits: number; targets: readonly Discounted[] };

/** Pays with gift credits: what is asked for, up to what is left to pay; only that leaves the card. */
export function payWithCredits(order: Order, credits: number): CreditsStep {
  const before = nextStep(order);
  const after = discountOrder(before, credits);
  return { order: after, credits: after.applied_discount_amount, targets: [] };
}

/**
 * The same for the lines that the card is for. It is an amount off each of them, with the credits as the limit over all:
 * so every limit of the rules holds for a card as for a discount.
 */
export function payItemsWithCredits(
  order: Order,
  credits: number,
  { applicableTo, usedUnits }: { applicableTo: ApplicableTo; usedUnits: UsedUnits },
): CreditsStep {
  const before = nextStep(order);
  const targets = itemDiscounts(before, selectTargets(before, applicableTo, new Set()), {
    way: AMOUNT_PER_LINE,
    valueOf: () => credits,
    priceOf: () => null,
    amountLimit: null,
    aggregatedAmountLimit: credits,
    unitLimitFactor: 1,
    ofInitialAmount: false,
    usedUnits,
  });
  return { order: discountItems(before, targets), credits: sum(targets.map(({ amount }) => amount)), targets };
}

/**
 * Pays with points. 200 points at 20 for 100 are 40.00, which is 4,000. When less is left to pay, only as many points
 * are used as it takes: 3,950 left need 197.5 and use 198.
 */
export function payStepWithPoints(order: Order, points: number, exchange: Exchange) {
  const before = nextStep(order);
  const worth = worthOf(points, exchange);
  const left = payable(before);
  if (worth <= left) return { order: discountOrder(before, worth), points };
  return { order: discountOrder(before, left), points: Math.min(points, pointsFor(left, exchange) ?? points) };
}
