import { totalsOf } from "../order/order.ts";
import type { Decision } from "./decide.ts";

/** What a decision promises: what the cart costs, and what each redeemable takes off it. */
export type PromisedPrice = {
  total_amount?: number;
  discount?: number;
  redeemables: readonly Readonly<Record<string, unknown>>[];
};

export function promiseOf(decisions: readonly Decision[]): PromisedPrice {
  const [first] = decisions;
  const totals = first?.order && totalsOf(first.order);
  const redeemables = decisions.flatMap(({ decided }) =>
    decided.map(({ candidate, outcome }) => ({
      object: candidate.object,
      id: candidate.id,
      status: outcome.status,
      ...(outcome.status === "APPLICABLE" && {
        ...(outcome.result.order && { discount: totalsOf(outcome.result.order).total_applied_discount_amount }),
        ...(outcome.result.gift && { credits: outcome.result.gift.credits }),
        ...(outcome.result.loyalty_card && { points: outcome.result.loyalty_card.points }),
      }),
    })),
  );
  return { ...(totals && { total_amount: totals.total_amount, discount: totals.total_discount_amount }), redeemables };
}

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, own]) => [key, canonical(own)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

/** Whether two promises are the same, in whatever order their fields come out of the database. */
export const isSamePromise = (one: unknown, other: unknown): boolean =>
  JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));
