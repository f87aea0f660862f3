import type { SpendingFault } from "../earning/limits.ts";
import type { Reward, RewardCost } from "../program/reward.ts";
import type { LoyaltyStatus } from "../program/status.ts";
import { type MemberUses, useFault } from "../program/uses.ts";
import { tierRulesHold } from "../tiers/rules.ts";
import type { CardState } from "./card.ts";
import type { World } from "./moves.ts";
import { cardSpendingFault } from "./spend.ts";
import { isInWindow, type Window } from "./window.ts";

/** What a purchase is decided on. The program, the member, the reward and its assignment exist. */
export type PurchaseFacts = {
  program: Window & { status: LoyaltyStatus };
  member: { status: LoyaltyStatus; uses: MemberUses };
  reward: Reward;
  /** Null: unlimited. */
  stock: number | null;
  tierIn(tierStructureId: string): string | null;
  holds(cost: RewardCost): boolean;
  /** The member's card of a definition, with its settings; null: there is none. */
  cardOf(cardDefinitionId: string): { card: CardState; world: World } | null;
  now: string;
  zone: string;
};

/** The first cost whose rules hold. Too few points are no reason to look further. */
export const costOf = ({
  reward,
  tierIn,
  holds,
}: Pick<PurchaseFacts, "reward" | "tierIn" | "holds">): RewardCost | null =>
  reward.costs.find((cost) => tierRulesHold(cost.tier_rules, tierIn) && holds(cost)) ?? null;

const firstSpending = (facts: PurchaseFacts) => costOf(facts)!.spending[0]!;
const payerOf = (facts: PurchaseFacts) => facts.cardOf(firstSpending(facts).card_definition_id)!;
const isInRewardWindow = (one: Window, { now, zone }: PurchaseFacts) => isInWindow(one, now, zone);
const limitFault = ({ member, reward, now, zone }: PurchaseFacts) =>
  useFault(member.uses, reward.id, { limits: reward.purchase_limits, now, zone });
const spendingKey = (facts: PurchaseFacts): SpendingFault["key"] | null => {
  const { card, world } = payerOf(facts);
  return cardSpendingFault(card, world, firstSpending(facts).points)?.key ?? null;
};
const target = ({ digital }: Reward): string | null =>
  digital?.type === "LOYALTY_CARD_POINTS" ? digital.loyalty_card_points!.card_definition_id : null;

/** What is checked, in this order. Each check may rely on those before it. */
const CHECKS = [
  ["non_active_program", ({ program }) => program.status !== "ACTIVE"],
  ["program_outside_validity_window", (facts) => !isInRewardWindow(facts.program, facts)],
  ["non_active_member", ({ member }) => member.status !== "ACTIVE"],
  ["non_active_reward", ({ reward }) => reward.status !== "ACTIVE"],
  ["reward_outside_validity_window", (facts) => !isInRewardWindow(facts.reward, facts)],
  ["reward_out_of_stock", ({ stock }) => stock !== null && stock < 1],
  ["reward_purchase_cooldown", (facts) => limitFault(facts) === "cooldown"],
  ["reward_purchase_limit_exceeded", (facts) => limitFault(facts) === "frequency"],
  ["no_matching_reward_cost", (facts) => costOf(facts) === null],
  ["no_card_for_cost", (facts) => facts.cardOf(firstSpending(facts).card_definition_id) === null],
  ["no_target_card", ({ reward, cardOf }) => target(reward) !== null && cardOf(target(reward)!) === null],
  ["transaction_spending_limit_exceeded", (facts) => spendingKey(facts) === "transaction_spending_limit_exceeded"],
  ["global_spending_limit_exceeded", (facts) => spendingKey(facts) === "global_spending_limit_exceeded"],
  ["insufficient_card_balance", (facts) => payerOf(facts).card.account.sums.available < firstSpending(facts).points],
] as const satisfies readonly (readonly [string, (facts: PurchaseFacts) => boolean])[];
export type PurchaseFault = (typeof CHECKS)[number][0];

/** Why a reward cannot be purchased, or null. Below zero no card is spent, whatever it allows otherwise. */
export const purchaseFault = (facts: PurchaseFacts): PurchaseFault | null =>
  CHECKS.find(([, fails]) => fails(facts))?.[0] ?? null;
