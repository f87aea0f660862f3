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
  const redeemables = decisions.flatMap(({ decided }) => decided.map(promised));
  return { ...(totals && { total_amount: totals.total_amount, discount: totals.total_discount_amount }), redeemables };
}

function promised({ candidate, outcome }: Decision["decided"][number]): PromisedPrice["redeemables"][number] {
  const promise: Record<string, unknown> = { object: candidate.object, id: candidate.id, status: outcome.status };
  if (outcome.status !== "APPLICABLE") return promise;
  const { order, gift, loyalty_card } = outcome.result;
  if (order) promise.discount = totalsOf(order).total_applied_discount_amount;
  if (gift) promise.credits = gift.credits;
  if (loyalty_card) promise.points = loyalty_card.points;
  return promise;
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

const redeemableKey = ({ object, id }: PromisedPrice["redeemables"][number]): string => `${object} ${id}`;
const printedValue = (value: unknown): string => (value === undefined ? "none" : String(value));

/** What of a promise would be different now, in words, and the redeemable of `now` that it is about, if any is. */
export function differenceIn(
  promised: PromisedPrice,
  now: PromisedPrice,
): { says: string; index: number | null } | null {
  if (isSamePromise(promised, now)) return null;
  const before = new Map(promised.redeemables.map((redeemable) => [redeemableKey(redeemable), redeemable]));
  const found = now.redeemables.findIndex(
    (redeemable) => !isSamePromise(before.get(redeemableKey(redeemable)) ?? null, redeemable),
  );
  const index = found === -1 ? null : found;
  if (promised.total_amount !== now.total_amount) {
    const [was, is] = [printedValue(promised.total_amount), printedValue(now.total_amount)];
    return { says: `The validation promised a total of ${was}, it would now be ${is}`, index };
  }
  const differs = (what: string, was: unknown, is: unknown) => ({
    says: `The total is the one that the validation promised, but not the ${what}: promised ${printedValue(was)}, now ${printedValue(is)}`,
    index,
  });
  if (index !== null) {
    const is = now.redeemables[index]!;
    const was = before.get(redeemableKey(is));
    if (!was) return { says: `The validation promised nothing of ${redeemableKey(is)}`, index };
    const field = ["status", "discount", "credits", "points"].find((name) => was[name] !== is[name])!;
    return differs(`${field} of ${redeemableKey(is)}`, was[field], is[field]);
  }
  const missing = promised.redeemables.find(
    (redeemable) => !now.redeemables.some((other) => redeemableKey(other) === redeemableKey(redeemable)),
  );
  if (missing)
    return { says: `The validation promised it with ${redeemableKey(missing)}, which is left out now`, index };
  if (promised.discount !== now.discount) return differs("discount", promised.discount, now.discount);
  return { says: "The validation promised it with the redeemables in another order", index };
}
