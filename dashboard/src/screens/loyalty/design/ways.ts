import type { BodyOf } from "../../../api/op.ts";
import type { createEarningRule, EarningRule, LoyaltyReward, updateReward } from "../../../api/operations.gen.ts";
import { tiersIn } from "./parts.ts";

// Ways of earning and prices as fields of a form, and back. What the fields cannot show is kept as it is.

type Earning = EarningRule["earnings"][number];
type Effect = Earning["effects"][number];
type EarningBody = BodyOf<typeof createEarningRule>["earnings"][number] & { id?: string };
type Cost = LoyaltyReward["costs"][number];
type CostBody = NonNullable<BodyOf<typeof updateReward>["costs"]>[number];
type TierRules = Earning["tier_rules"];

/** Whose it is: everybody's, or that of members in one of these tiers. */
type Whose = { key: number; tiers: string[] };
export type EarningValue = Whose & {
  /** So many points, so many for each amount of the order, or something else. */
  gives: "points" | "amount" | "kept";
  points: number | null;
  /** In 1/100. */
  every: number | null;
  wallet: string;
  from: Earning | null;
};
export type CostValue = Whose & { points: number | null; wallet: string; from: Cost | null };

export const newEarning = (key: number, wallet: string): EarningValue => ({
  ...{ key, tiers: [], gives: "amount", points: 1, every: 100, wallet, from: null },
});
/** Only an order has an amount. */
export const fitting = (value: EarningValue, isOrder: boolean): EarningValue =>
  isOrder || value.gives !== "amount" ? value : { ...value, gives: "points", points: 10, every: null };
export const newCost = (key: number, wallet: string): CostValue => ({
  key,
  tiers: [],
  points: 100,
  wallet,
  from: null,
});

const rateOf = ({ points_proportional }: Effect) =>
  points_proportional?.order?.total_amount ?? points_proportional?.order?.amount;

export function earningValueOf(from: Earning, key: number): EarningValue {
  const [effect] = from.effects;
  const base = { key, tiers: tiersIn(from.tier_rules), from };
  const rate = effect && rateOf(effect);
  if (effect?.points && from.effects.length === 1) {
    const { value: points, card_definition_id: wallet } = effect.points;
    return { ...base, gives: "points", points, every: null, wallet };
  }
  if (effect?.points_proportional && rate && from.effects.length === 1) {
    const wallet = effect.points_proportional.card_definition_id;
    return { ...base, gives: "amount", points: rate.value, every: rate.every, wallet };
  }
  return { ...base, gives: "kept", points: null, every: null, wallet: "" };
}

/** Rules that name tiers of another structure stay as they are, unless somebody changed the tiers. */
function tierRulesOf(tiers: readonly string[], old: TierRules | undefined, structureId: string | null): TierRules {
  if (old && tiersIn(old).join() === tiers.join()) return old;
  if (tiers.length === 0 || structureId === null) return { type: "NO_REQUIREMENTS" };
  return { type: "ANY_OF", any_of: [{ tier_structure_id: structureId, tier_ids: [...tiers] }] };
}

const NEW_RATE = { calculation_type: "POST_DISCOUNT_ORDER_AMOUNT" } as const;

function effectOf({ gives, points, every, wallet, from }: EarningValue): EarningBody["effects"][number] {
  const old = from?.effects[0];
  const [value, card_definition_id] = [points ?? 0, wallet];
  if (gives === "points") return { type: "POINTS", points: { ...old?.points, value, card_definition_id } };
  const { order, ...rest } = old?.points_proportional ?? { ...NEW_RATE, order: undefined };
  const rate = { every: every ?? 0, value };
  return {
    type: "POINTS_PROPORTIONAL",
    points_proportional: {
      ...rest,
      card_definition_id,
      order: order?.amount ? { amount: rate } : { total_amount: rate },
    },
  };
}

export function earningBodyOf(value: EarningValue, structureId: string | null): EarningBody {
  const { from, tiers, gives } = value;
  const tier_rules = tierRulesOf(tiers, from?.tier_rules, structureId);
  if (from && gives === "kept") return { ...from, tier_rules };
  return { ...(from && { id: from.id, name: from.name, rules: from.rules }), tier_rules, effects: [effectOf(value)] };
}

export function costValueOf(from: Cost, key: number): CostValue {
  const [{ points, card_definition_id }] = from.spending as [Cost["spending"][number]];
  return { key, tiers: tiersIn(from.tier_rules), points, wallet: card_definition_id, from };
}

export const costBodyOf = ({ points, wallet, tiers, from }: CostValue, structureId: string | null): CostBody => ({
  ...from,
  tier_rules: tierRulesOf(tiers, from?.tier_rules, structureId),
  spending: [{ ...from?.spending[0], points: points ?? 0, card_definition_id: wallet }],
});
