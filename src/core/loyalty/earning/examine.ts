import type { CardState } from "../card/card.ts";
import { costOf, type PurchaseFacts } from "../card/purchase.ts";
import { isInWindow } from "../card/window.ts";
import { type Bases, decideRules, type EarningMembership, pointsOf } from "./earning.ts";
import type { Earning, EarningEffect, EarningRule } from "./earning-rule.ts";
import type { Occurrence } from "./triggers.ts";

/** What would start a rule, and what its earnings are decided on and counted from. */
export type Supposed = { occurrence: Occurrence; holds(earning: Earning): boolean; bases: Bases };
/** What a rule would give: points into wallets, and benefits by id. */
export type Estimate = { rule: EarningRule; points: ReadonlyMap<string, number>; benefits: readonly string[] };

/** What each rule would give, if what is supposed happened. A rule that would give nothing is left out. */
export function estimatesOf(
  membership: Omit<EarningMembership, "holds">,
  {
    supposedOf,
    takes,
    when,
  }: {
    /** Null: nothing that would start the rule is supposed. */
    supposedOf(rule: EarningRule): Supposed | null;
    /** Whether the member has a card of a wallet, or a benefit can be given. */
    takes(id: string): boolean;
    when: { now: string; zone: string };
  },
): Estimate[] {
  return membership.rules.flatMap((rule) => {
    const supposed = supposedOf(rule);
    if (!supposed) return [];
    const { occurrence, holds, bases } = supposed;
    const [decision] = decideRules({ ...membership, rules: [rule], holds }, occurrence, when);
    const effects = decision?.earning?.effects ?? [];
    const benefits = effects.flatMap((one) => (one.type === "INCENTIVE" ? one.incentive.id : [])).filter(takes);
    const points = pointsIn(effects, bases, takes);
    return points.size + benefits.length > 0 ? [{ rule, points, benefits: [...new Set(benefits)] }] : [];
  });
}

function pointsIn(
  effects: readonly EarningEffect[],
  bases: Bases,
  takes: (id: string) => boolean,
): Map<string, number> {
  const points = new Map<string, number>();
  for (const effect of effects) {
    const given = pointsOf(effect, bases);
    if (!given || given.points <= 0 || !takes(given.card_definition_id)) continue;
    points.set(given.card_definition_id, added(points.get(given.card_definition_id) ?? 0, given.points));
  }
  return points;
}

/** No more than JSON readers take. */
export const added = (one: number, other: number): number => Math.min(one + other, Number.MAX_SAFE_INTEGER);

/** Why a reward cannot be had. */
export type Reason =
  | { reason: "insufficient_balance"; details: { required: number; available: number; missing: number } }
  | { reason: "no_target_card"; details: { card_definition_id: string } }
  | { reason: "out_of_stock" | "reward_inactive"; details: Readonly<Record<string, never>> };

/** What a reward would cost, and why it cannot be had. Null: no cost fits, or the member has no card to pay it with. */
export function offerOf(facts: PurchaseFacts): { card: CardState; points: number; reasons: Reason[] } | null {
  const { program, reward, stock, cardOf, now, zone } = facts;
  const price = costOf(facts)?.spending[0];
  const payer = price && cardOf(price.card_definition_id);
  if (!payer) return null;
  const { points } = price;
  const available = payer.card.account.sums.available;
  const target = reward.digital?.loyalty_card_points?.card_definition_id;
  const reasons: Reason[] = [];
  // Contract is silent: what is not open at this moment is called inactive. It has no reason for limits of use or of
  // spending: those of the reward are shown beside it, and a purchase says it.
  if (!isInWindow(program, now, zone) || !isInWindow(reward, now, zone))
    reasons.push({ reason: "reward_inactive", details: {} });
  if (stock !== null && stock < 1) reasons.push({ reason: "out_of_stock", details: {} });
  if (target !== undefined && cardOf(target) === null)
    reasons.push({ reason: "no_target_card", details: { card_definition_id: target } });
  if (available < points)
    reasons.push({
      reason: "insufficient_balance",
      details: { required: points, available, missing: points - available },
    });
  return { card: payer.card, points, reasons };
}
