import { type Order, type OrderItem, totalsOf, type ZeroDiscounts } from "../order/order.ts";
import type { StackingSettings } from "../stacking/settings.ts";
import { type Settled, walkStack } from "../stacking/walk.ts";
import { spend } from "../steps.ts";
import { type Failure, failsAnyway, judge } from "./judge.ts";
import type { Candidate, Redeemable } from "./redeemable.ts";
import type { Applied, Running, Situation } from "./situation.ts";

export type Decided = Settled<Candidate, Running, Applied, Failure>;
export type Decision = {
  valid: boolean;
  /** Every candidate, in the order in which it was taken. */
  decided: readonly Decided[];
  /** The cart after all that applied, with what this request took off it; null when nothing applied. */
  order: Order | null;
};

/** Percent of what, by category. */
export const calculationOf =
  (settings: StackingSettings) =>
  (categoryId: string | null): StackingSettings["discount_calculation_mode"] => {
    if (categoryId !== null && settings.initial_amount_mode_categories.includes(categoryId)) return "INITIAL_AMOUNT";
    if (categoryId !== null && settings.discounted_amount_mode_categories.includes(categoryId))
      return "DISCOUNTED_AMOUNT";
    return settings.discount_calculation_mode;
  };

/** For each line that one step of a stack hands on to the next. */
const LINE_STEPS = 1;

/** Takes the redeemables of a request together: which apply, which do not and why, and what the cart costs then. */
export function decide(
  candidates: readonly Candidate[],
  order: Order | null,
  { settings, situation }: { settings: StackingSettings; situation: Omit<Situation, "calculation"> },
): Decision {
  const within: Situation = { ...situation, calculation: calculationOf(settings) };
  const initial: Running = { order, blocked: new Set(), applied: [] };
  const { outcomes, state } = walkStack<Candidate, Running, Applied, Failure>(candidates, settings, {
    initial,
    judge: {
      standsAlone: (candidate, running) => !("error" in judge(candidate, running, within)),
      failsAnyway: (candidate) => failsAnyway(candidate, within),
      try: (candidate, running) => {
        const judged = judge(candidate, running, within);
        if ("error" in judged) return { failure: judged };
        spend(within.steps, LINE_STEPS * (judged.order?.items.length ?? 0));
        const next = advance(running, candidate as Redeemable, {
          judged,
          once: settings.redeemables_products_application_mode === "ONCE",
        });
        return { state: next, result: judged, hasEffect: judged.hasEffect };
      },
    },
  });
  const applied = outcomes.filter(({ outcome }) => outcome.status === "APPLICABLE").length;
  const failed = outcomes.some(({ outcome }) => outcome.status === "INAPPLICABLE");
  const valid = applied > 0 && (settings.redeemables_application_mode === "PARTIAL" || !failed);
  return { valid, decided: outcomes, order: valid && state.order !== null ? sinceStart(state.order, order) : null };
}

function advance(
  running: Running,
  redeemable: Redeemable,
  { judged, once }: { judged: Applied; once: boolean },
): Running {
  const { order, gift, units } = judged;
  const blocked = new Set(running.blocked);
  if (once)
    for (const [i, item] of (order?.items ?? []).entries()) if (item.applied_discount_amount > 0) blocked.add(i);
  const own = {
    campaign_id: redeemable.campaign_id,
    order_amount: running.order?.amount ?? 0,
    discount_amount: order ? totalsOf(order).total_applied_discount_amount : 0,
    gift_amount: gift?.credits ?? 0,
    ...(units && { units }),
  };
  return { order: order ?? running.order, blocked, applied: [...running.applied, own] };
}

/** What one step applied becomes what the whole request applied: the difference to the cart it began with. */
function sinceStart(after: Order, before: Order | null): Order {
  const order: Order = {
    ...after,
    applied_discount_amount: after.discount_amount - (before?.discount_amount ?? 0),
    items: after.items.map((item, i) => {
      const first = before?.items[i];
      const amount = (item.amount ?? 0) - (first?.amount ?? 0);
      const quantity = item.quantity - (first?.quantity ?? 0);
      const line: OrderItem = {
        ...item,
        applied_discount_amount: item.discount_amount - (first?.discount_amount ?? 0),
        applied_discount_quantity: item.discount_quantity - (first?.discount_quantity ?? 0),
        applied_quantity: quantity,
        applied_quantity_amount: quantity === 0 ? 0 : amount,
      };
      if (item.zero_discounts) line.applied_zero_discounts = zerosSince(item, first);
      return line;
    }),
  };
  if (after.zero_discounts) order.applied_zero_discounts = zerosSince(after, before);
  return order;
}

const zerosSince = (after: ZeroDiscounts, before: ZeroDiscounts | null | undefined): number =>
  (after.zero_discounts ?? 0) - (before?.zero_discounts ?? 0);
