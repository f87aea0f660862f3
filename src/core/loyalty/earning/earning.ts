import { Decimal } from "decimal.js";
import type { Metadata, Order, OrderItem } from "../../order/order.ts";
import { type Steps, spend } from "../../steps.ts";
import { isInWindow, type Window } from "../card/window.ts";
import type { LoyaltyStatus } from "../program/status.ts";
import { type MemberUses, useFault } from "../program/uses.ts";
import { tierRulesHold } from "../tiers/rules.ts";
import type { Earning, EarningEffect, EarningRule } from "./earning-rule.ts";
import { type CountedLines, type Proportional, rateOf } from "./proportional.ts";
import { type Occurrence, startsProgramRule } from "./triggers.ts";

export type EarningMembership = {
  program: Window & { status: LoyaltyStatus };
  member: { status: LoyaltyStatus; uses: MemberUses };
  /** The active rules of the program, in the order in which they were assigned. */
  rules: readonly EarningRule[];
  /** The tier that the member was in before the event, of a structure. */
  tierIn(tierStructureId: string): string | null;
  /** Whether the rules of an earning hold. */
  holds(earning: Earning): boolean;
};
export type EarningOutcome = "success" | "cooldown" | "frequency" | "no_matching_earning";
/** What a rule decided. A success is one only when an effect of the earning could be given. */
export type EarningDecision = { rule: EarningRule; outcome: EarningOutcome; earning: Earning | null };

/** What the rules of a membership decide about an event, each for itself. A program or rule that is not open says nothing. */
export function decideRules(
  { program, member, rules, tierIn, holds }: EarningMembership,
  occurrence: Occurrence,
  { now, zone }: { now: string; zone: string },
): EarningDecision[] {
  const isOpen = (one: Window & { status: LoyaltyStatus }) => one.status === "ACTIVE" && isInWindow(one, now, zone);
  if (!isOpen(program) || member.status !== "ACTIVE") return [];
  return rules
    .filter((rule) => startsProgramRule(rule, occurrence) && isOpen(rule))
    .map((rule) => {
      const fault = useFault(member.uses, rule.id, { limits: rule.trigger_limits, now, zone });
      if (fault) return { rule, outcome: fault, earning: null };
      const earning = rule.earnings.find((one) => tierRulesHold(one.tier_rules, tierIn) && holds(one)) ?? null;
      return { rule, outcome: earning ? "success" : "no_matching_earning", earning };
    });
}

/** What points are counted from. */
export type Bases = {
  /** Pays for going through the lines; without it nothing is counted. */
  steps?: Steps | undefined;
  order: Pick<Order, "amount" | "discount_amount" | "items" | "metadata"> | null;
  customer: Metadata;
  custom_event: Metadata;
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const itemAmount = ({ amount, price, quantity }: OrderItem): number => amount ?? (price ?? 0) * quantity;
const orderAmount = ({ items, amount }: NonNullable<Bases["order"]>): number =>
  items.length > 0 ? sum(items.map(itemAmount)) : (amount ?? 0);

/** What an order costs after all discounts. */
export const orderTotal = (order: NonNullable<Bases["order"]>): number =>
  Math.max(0, orderAmount(order) - order.discount_amount - sum(order.items.map((item) => item.discount_amount)));

const isMeant = (item: OrderItem, { product, sku, products_collection }: CountedLines): boolean =>
  (product !== undefined && item.product?.id === product.id) ||
  (sku !== undefined && item.sku?.id === sku.id) ||
  (products_collection !== undefined && item.collections.includes(products_collection.id));

/** For each line and each product that it is compared with. */
const LINE_STEPS = 1;

/** The value that points are counted from; null: there is none. A line that several targets mean counts once. */
function baseOf(proportional: Proportional, { order, customer, custom_event, steps }: Bases): unknown {
  const { property = "", applicable_to = [] } = rateOf(proportional);
  spend(steps, LINE_STEPS * (order?.items.length ?? 0) * (1 + applicable_to.length));
  const lines = (order?.items ?? []).filter((item) => applicable_to.some((one) => isMeant(item, one)));
  switch (proportional.calculation_type) {
    case "PRE_DISCOUNT_ORDER_AMOUNT":
      return order && orderAmount(order);
    case "POST_DISCOUNT_ORDER_AMOUNT":
      return order && orderTotal(order);
    case "ORDER_METADATA_VALUE":
      return order?.metadata[property];
    case "PRE_DISCOUNT_ORDER_ITEMS_AMOUNT":
      return sum(lines.map(itemAmount));
    case "POST_DISCOUNT_ORDER_ITEMS_AMOUNT":
      return sum(lines.map((item) => Math.max(0, itemAmount(item) - item.discount_amount)));
    case "ORDER_ITEMS_QUANTITY":
      return sum(lines.map(({ quantity, discount_quantity }) => Math.max(0, quantity - discount_quantity)));
    case "CUSTOMER_METADATA_VALUE":
      return customer[property];
    case "CUSTOM_EVENT_METADATA_VALUE":
      return custom_event[property];
  }
}

const Exact = Decimal.clone({ precision: 60 });

/** `value` points for every whole `every`: 2599 with 10 for every 1000 is 20. Half a point is rounded up. */
export function proportionOf(base: unknown, { every, value }: { every: number; value: number }): number {
  if (typeof base !== "number" || !Number.isFinite(base) || base <= 0) return 0;
  return new Exact(base).div(every).floor().times(value).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
}

/** Points in proportion to something of the event. */
export const proportionalPoints = (proportional: Proportional, bases: Bases): number =>
  proportionOf(baseOf(proportional, bases), rateOf(proportional));

/** The points of an effect, and the wallet that they are for; null: it gives something else. */
export function pointsOf(effect: EarningEffect, bases: Bases) {
  switch (effect.type) {
    case "POINTS": {
      const { value, card_definition_id, points_expiration } = effect.points;
      return { points: value, card_definition_id, effect: points_expiration };
    }
    case "POINTS_PROPORTIONAL": {
      const { card_definition_id, points_expiration } = effect.points_proportional;
      const points = proportionalPoints(effect.points_proportional, bases);
      return { points, card_definition_id, effect: points_expiration };
    }
    case "INCENTIVE":
      return null;
  }
}
