import { type Static, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Choice, Nullable, strict } from "../../shapes.ts";
import type { Window } from "../card/window.ts";
import { CostRuleGroup, type RuleGroup, requireRuleGroup } from "../earning/rule-group.ts";
import type { UseLimits } from "../earning/use-limits.ts";
import { parseTierRules, TierRules, TierRulesSent } from "../tiers/rules.ts";
import { type Digital, digitalOf, type Material, MaterialSent, parseDigital, parseMaterial } from "./material.ts";
import { idOf, maybe, Name } from "./shape.ts";
import type { LoyaltyStatus } from "./status.ts";

const digital = digitalOf(["DISCOUNT_COUPONS", "GIFT_VOUCHERS", "LOYALTY_CARD_POINTS"]);
export const RewardType = Choice(["MATERIAL", "DIGITAL"]);
export const Digitals = digital.stored;
export const rewardConfigsSent = maybe({ material: MaterialSent, digital: digital.sent });
const Sent = strict(rewardConfigsSent);
type ConfigsSent = Static<typeof Sent>;

const spending = {
  points: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  card_definition_id: idOf("lcdef"),
};
/** What a reward costs those who fulfil the rules. The first cost whose rules hold is the price. */
export const RewardCost = strict({
  id: Type.String(),
  rules: Type.Optional(CostRuleGroup),
  tier_rules: TierRules,
  spending: Type.Array(strict({ id: Type.String(), name: Nullable(Type.String()), ...spending })),
});
export type RewardCost = {
  id: string;
  rules?: RuleGroup;
  tier_rules: TierRules;
  /** Exactly one. */
  spending: { id: string; name: string | null; points: number; card_definition_id: string }[];
};
const SpendingSent = strict({
  id: Type.Optional(idOf("lrspn")),
  name: Type.Optional(Nullable(Name)),
  ...spending,
});
export const CostsSent = Type.Array(
  strict({
    id: Type.Optional(idOf("lrcst")),
    rules: Type.Optional(Nullable(CostRuleGroup)),
    tier_rules: Type.Optional(Nullable(TierRulesSent)),
    spending: Type.Array(SpendingSent, { minItems: 1, maxItems: 1 }),
  }),
  { minItems: 1, maxItems: 10 },
);
export type CostsSent = Static<typeof CostsSent>;
export const RewardRefunds = strict({ type: Choice(["NONE", "REFUNDABLE"]) });

export type Reward = Window & {
  id: string;
  name: string;
  type: "MATERIAL" | "DIGITAL";
  status: LoyaltyStatus;
  /** Of a reward of type MATERIAL; else null. */
  material: Material | null;
  digital: Digital | null;
  refunds: Static<typeof RewardRefunds>;
  costs: RewardCost[];
  purchase_limits: UseLimits;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

/** What is handed out, as it is stored. */
export function parseRewardConfig(
  type: Reward["type"],
  { material, digital }: ConfigsSent,
): Pick<Reward, "material" | "digital"> {
  const [own, other] = type === "MATERIAL" ? (["material", "digital"] as const) : (["digital", "material"] as const);
  const given = { material, digital };
  if (given[other] != null) throw invalid(`Payload must NOT have additional property '${other}' when type is ${type}`);
  if (given[own] == null) throw invalid(`Payload must have required property '${own}'`);
  return type === "MATERIAL"
    ? { material: parseMaterial(material!, ".material"), digital: null }
    : { material: null, digital: parseDigital(digital!, ".digital") };
}

/** The costs as they are stored. Those without an id are new. */
export const parseCosts = (sent: CostsSent, newId: (prefix: "lrcst" | "lrspn") => string): RewardCost[] =>
  sent.map(({ id, rules, tier_rules, spending }, n) => {
    const path = `.costs[${n}]`;
    if (rules) requireRuleGroup(rules, { path: `${path}.rules`, trigger: null });
    return {
      id: id ?? newId("lrcst"),
      ...(rules && { rules }),
      tier_rules: parseTierRules(tier_rules, `${path}.tier_rules`),
      spending: spending.map((one) => ({ ...one, id: one.id ?? newId("lrspn"), name: one.name ?? null })),
    };
  });

/** The card definitions that it costs points of, or gives points of. */
export const walletsOfReward = ({ costs, digital }: Pick<Reward, "costs" | "digital">): string[] => [
  ...new Set([
    ...costs.flatMap(({ spending }) => spending.map(({ card_definition_id }) => card_definition_id)),
    ...(digital?.loyalty_card_points ? [digital.loyalty_card_points.card_definition_id] : []),
  ]),
];
