import { Decimal } from "decimal.js";
import type { Lot } from "../../ledger/account.ts";
import { type At, type ValidityFields, validityFault } from "../../time/validity.ts";
import { cancelLots } from "../card/advance.ts";
import { afterwards } from "../card/afterwards.ts";
import { andThen, type CardState, type Change, noChange } from "../card/card.ts";
import { debit, type World } from "../card/moves.ts";
import { untrack } from "../card/spend.ts";
import type { PointsExpiration } from "../card/wallet.ts";
import { type Bases, proportionalPoints } from "../earning/earning.ts";
import type { CalculationType, Proportional } from "../earning/proportional.ts";
import { type CampaignRuleStart, type Occurrence, startsCampaignRule } from "../earning/triggers.ts";
import type { TierEffect, TierMoveType, TierState } from "../tiers/state.ts";
import {
  type Calculation,
  type CampaignPendingPoints,
  type ExpirationRules,
  type Loyalty,
  type Mapping,
  mappedRatio,
  RATIOS,
  ratioGoods,
  ratioOf,
} from "./shapes.ts";
import { pendingPointsOf, pointsExpirationOf } from "./world.ts";

/** What decides whether a rule of a loyalty campaign is started, and when. */
export type CardRule = ValidityFields & CampaignRuleStart & { active: boolean };

/** When a program is open. */
export type ProgramWindow = { active: boolean } & Pick<ValidityFields, "start_date" | "expiration_date">;
const AT_ALL_HOURS = { validity_timeframe: null, validity_day_of_week: null, validity_hours: null };

export const isProgramOpen = ({ active, start_date, expiration_date }: ProgramWindow, when: At): boolean =>
  active && validityFault({ ...AT_ALL_HOURS, start_date, expiration_date }, when) === null;

/** Whether a rule is open. Dates that it does not have are those of its program. */
const isRuleOpen = (rule: CardRule, program: ProgramWindow, when: At): boolean =>
  rule.active &&
  validityFault(
    {
      start_date: rule.start_date ?? program.start_date,
      expiration_date: rule.expiration_date ?? program.expiration_date,
      validity_timeframe: rule.validity_timeframe,
      validity_day_of_week: rule.validity_day_of_week,
      validity_hours: rule.validity_hours,
    },
    when,
  ) === null;

/** The rules of a program that something starts. They do not depend on one another, and all of them give. */
export function rulesStarted<R extends CardRule>(
  rules: readonly R[],
  { program, occurrence, holds }: { program: ProgramWindow; occurrence: Occurrence; holds(rule: R): boolean },
  when: At,
): R[] {
  if (!isProgramOpen(program, when)) return [];
  return rules.filter((rule) => startsCampaignRule(rule, occurrence) && isRuleOpen(rule, program, when) && holds(rule));
}

/** The ways to count, in the words of the engine. */
const CALCULATIONS: Record<Calculation, CalculationType> = {
  ORDER_AMOUNT: "PRE_DISCOUNT_ORDER_AMOUNT",
  ORDER_TOTAL_AMOUNT: "POST_DISCOUNT_ORDER_AMOUNT",
  ORDER_METADATA: "ORDER_METADATA_VALUE",
  ORDER_ITEMS_QUANTITY: "ORDER_ITEMS_QUANTITY",
  ORDER_ITEMS_AMOUNT: "PRE_DISCOUNT_ORDER_ITEMS_AMOUNT",
  ORDER_ITEMS_SUBTOTAL_AMOUNT: "POST_DISCOUNT_ORDER_ITEMS_AMOUNT",
  CUSTOMER_METADATA: "CUSTOMER_METADATA_VALUE",
  CUSTOM_EVENT_METADATA: "CUSTOM_EVENT_METADATA_VALUE",
};

/** How many whole units of the ratio the event brings; fixed points are one unit. */
function ratioUnits(loyalty: Loyalty, bases: Bases): number {
  const ratio = ratioOf(loyalty);
  if (loyalty.type === "FIXED" || ratio === null) return 1;
  const [group, field] = RATIOS[loyalty.calculation_type];
  const { every, property } = ratio;
  const applicable_to = ratioGoods(ratio).map(({ object: type, id }) => ({ type, [type]: { id } }));
  const counted = { every, value: 1, ...(property !== undefined && { property }), applicable_to };
  const proportional = {
    calculation_type: CALCULATIONS[loyalty.calculation_type],
    card_definition_id: "",
    [group]: { [field]: counted },
  };
  return proportionalPoints(proportional as Proportional, bases);
}

type RulePointsFacts = {
  bases: Bases;
  /** What the tier of the holder makes of the rule. */
  mapping: Mapping | undefined;
  /** The value of a formula; null when it cannot be worked out. */
  formula(text: string): Decimal | null;
};

/**
 * The points of a rule, rounded down once: what a tier makes of the points for each unit is not rounded before. What a
 * formula leaves over is dropped, and without a value it counts what is fixed.
 */
export function rulePoints(loyalty: Loyalty, { bases, mapping, formula }: RulePointsFacts): number {
  const { points, points_formula } = ratioOf(loyalty) ?? (loyalty as Extract<Loyalty, { type: "FIXED" }>);
  const value = points_formula ? formula(points_formula) : null;
  const own = value === null ? points : countable(value.floor());
  return countable(new Decimal(ratioUnits(loyalty, bases)).times(mappedRatio(own, mapping)));
}

const countable = (value: Decimal): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, value.floor().toNumber() || 0));

/** What a card lives in while a rule gives: points may wait though those of other rules do not. */
export const worldOfRule = (world: World, pending: CampaignPendingPoints | null): World => ({
  ...world,
  wallet: { ...world.wallet, pending_points: pendingPointsOf(pending) },
});

/** When the points of a rule expire; null: as those of the card do. */
export const expirationOfRule = (rules: ExpirationRules | null): PointsExpiration | null =>
  rules && pointsExpirationOf(rules);

/** A move that has happened: the tier that was entered or kept, or the one that was left. */
export type TierMove = { transaction_id: string; type: TierMoveType; tier_id: string };

/** The moves between tiers that have happened to a card. One that waited and begins now was made before. */
export function tierMovesOf(before: TierState | null, effects: readonly TierEffect[]): TierMove[] {
  const waiting = new Map<string, Omit<TierMove, "transaction_id">>();
  if (before?.deferred) {
    const { transaction_id, tier_id } = before.deferred;
    waiting.set(transaction_id, { type: before.tier_id === null ? "JOINED" : "UPGRADED", tier_id });
  }
  return effects.flatMap((one): TierMove[] => {
    if (one.kind === "settled") {
      const begun = one.status === "APPROVED" ? waiting.get(one.id) : undefined;
      return begun ? [{ transaction_id: one.id, ...begun }] : [];
    }
    const { id: transaction_id, type, details, status } = one.transaction;
    const tier_id = details.tier_to ?? details.tier_from;
    if (tier_id === null) return [];
    if (status === "APPROVED") return [{ transaction_id, type, tier_id }];
    waiting.set(transaction_id, { type, tier_id });
    return [];
  });
}

/** What an order earned on a card since it was last returned, also what is spent by now, and how the return is told. */
export type EarnedByOrder = {
  order_id: string;
  lots: readonly Lot[];
  /** How much of a lot has expired: that is gone already. */
  expiredOf(lotId: string): number;
  reason: string;
};

/**
 * Takes back what an order earned: what waits is cancelled, and of the rest as much as there is, or all of it where the
 * card may owe. The entry says what was forgiven, also when nothing was left to take.
 */
export function takeBackEarned(
  card: CardState,
  world: World,
  { order_id, lots, expiredOf, reason }: EarnedByOrder,
): Change {
  const waits = card.lots.filter((lot) => lot.pot === "pending" && lot.order_id === order_id);
  const cancelled = waits.reduce(
    (change, lot) => andThen(change, (after) => cancelLots(after, world, { lots: [lot], reason })),
    noChange(card),
  );
  const credited = lots.filter(({ pot }) => pot === "available");
  const earned = credited.reduce((sum, { id, amount }) => sum + amount - expiredOf(id), 0);
  if (earned === 0) return cancelled;
  return andThen(cancelled, (after) => {
    const { available, allows_negative } = after.account.sums;
    const points = allows_negative ? earned : Math.min(earned, Math.max(0, available));
    const details = { forgiven: { points: earned - points }, returned_lots: credited.map(({ id }) => id) };
    const taken = debit(after, world, { kind: "taken_back", points, order_id, reason, details });
    return afterwards(
      andThen(taken, (less) => untrack(less, world, { points, credited })),
      world,
    );
  });
}
