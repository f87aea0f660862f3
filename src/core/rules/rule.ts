import type { OrderItem } from "../order/order.ts";
import type { ExampleFacts } from "./examples.ts";
import type { CustomerFacts, RuleFacts } from "./facts.ts";
import type { RuleOperator, Takes } from "./operators.ts";

export type Conditions = Readonly<Record<string, readonly unknown[]>>;
export type RuleNode = {
  readonly name: string;
  readonly property: string | null;
  readonly conditions: Conditions;
  readonly rules: RuleMap;
  readonly error?: { readonly message: string };
};
/** Rules by key, and how they are combined under the key `logic`. */
export type RuleMap = { readonly [key: string]: RuleNode | string };

/** The rules of a map with their keys, without the logic. */
export const nodesOf = (map: RuleMap): [string, RuleNode][] =>
  Object.entries(map).filter((entry): entry is [string, RuleNode] => typeof entry[1] !== "string");

/** Which error a rule that does not hold is reported as. */
export type Family = "customer" | "order" | "redemption";

type Slots = {
  customer: "customer";
  order: "order";
  items: "order";
  amount: "order";
  custom_event: "custom_event";
  member: "member";
};
/** What has to be there for a rule to be asked at all. */
export type Need = keyof Slots;

/** Fields of the facts that no request brings, by the name under which a rule declares that it looks at them. */
type LoadedOfCustomer = { segments: "segments"; tiers: "loyalty_tiers" };
type LoadedCounts = {
  campaign_counts: "campaign" | "campaign_orders_amount" | "campaign_discount_amount" | "campaign_gift_amount";
  customer_counts: "campaign_customer" | "incentive_customer";
  own_counts: "incentive" | "incentive_api_key" | "incentive_user";
};
/** Facts that are loaded for the rules that declare them; collections are those that hold a line of the cart. */
export type LoadedFact = keyof LoadedOfCustomer | keyof LoadedCounts | "collections";

/** The facts without what is loaded for other rules. */
type FactsWith<L extends LoadedFact> = Omit<RuleFacts, "customer" | "counts"> & {
  customer:
    | (Omit<CustomerFacts, LoadedOfCustomer[keyof LoadedOfCustomer]> &
        Pick<CustomerFacts, LoadedOfCustomer[Extract<L, keyof LoadedOfCustomer>]>)
    | null;
  counts: Pick<RuleFacts["counts"], LoadedCounts[Extract<L, keyof LoadedCounts>]>;
};
/** The facts of a rule whose needs are met: those that it declares, and nothing else that is loaded. */
export type FactsFor<N extends Need, L extends LoadedFact> = FactsWith<L> & {
  [K in N as Slots[K]]: NonNullable<FactsWith<L>[Slots[K]]>;
};

const LACKS: Record<Need, (facts: RuleFacts) => boolean> = {
  customer: ({ customer }) => customer === null,
  order: ({ order }) => order === null,
  items: ({ order }) => order !== null && order.items.length === 0,
  amount: ({ order }) => order !== null && order.amount === null,
  custom_event: ({ custom_event }) => custom_event === null,
  member: ({ member }) => member === null,
};
/** The first need that the facts do not meet. Items and amounts are parts of an order, so that one is asked for first. */
export function findLack(needs: readonly Need[], facts: RuleFacts): Need | null {
  const inOrder = needs.includes("items") || needs.includes("amount");
  if (inOrder && LACKS.order(facts)) return "order";
  return needs.find((need) => LACKS[need](facts)) ?? null;
}

/** A rule as it is asked: names are resolved, and the rules below it are those that its logic names. */
export type Ask = {
  property: string | null;
  conditions: readonly { operator: RuleOperator; values: readonly unknown[] }[];
  below: readonly { rule: Rule; conditions: Ask["conditions"] }[];
};

export type Line = { index: number; item: OrderItem };
/** Values of which some, or every one, has to fulfil the conditions. `every` of none does not hold. */
export type Reading = { each: "some" | "every"; values: readonly unknown[] } | { lacks: Need };
/** Lines a rule picked. The rules below it are asked about them: of some line, or of every one. */
export type Selection = { holds: boolean; lines: readonly Line[]; each: "some" | "every" } | { lacks: Need };
/** The lines that the rule above picked. */
export type Scope = { lines: readonly Line[]; each: "some" | "every" };

export const single = (value: unknown): Reading => ({ each: "some", values: [value] });

export type RuleExample = {
  /** What the example shows, where the numbers do not say it. */
  note?: string;
  property?: string;
  conditions: Conditions;
  rules?: Readonly<Record<string, unknown>>;
  /** A rule that stands below another only: the one it stands below. */
  above?: { name: string; property?: string; conditions: Conditions };
  facts: ExampleFacts;
  holds: boolean;
};

type RuleBase = {
  name: string;
  summary: string;
  family: Family;
  needs: readonly Need[];
  /** What is loaded for the rule: nobody keeps a list beside this one. */
  loads: readonly LoadedFact[];
  takes: Takes;
  /** Whether the rule looks at one property of metadata, which its node has to name. */
  property: boolean;
  examples: readonly RuleExample[];
};
/** Compares a value. `place` says where it may stand; `after` that its value is known only after the calculation. */
export type ValueRule = RuleBase & {
  kind: "value";
  place: "top" | "below";
  after: boolean;
  unit: "money" | "count" | null;
  read(facts: RuleFacts, ask: Ask, scope: Scope): Reading;
};
/** Picks lines of the cart, and may have rules below it that are asked about those lines. */
export type LinesRule = RuleBase & {
  kind: "lines";
  allows_below: boolean;
  /** What a product without a type of its own is taken for. */
  object: "product" | "sku" | null;
  select(scope: Scope, ask: Ask, fits: Fits): Selection;
};
export type Rule = ValueRule | LinesRule;

/** Whether a value, a line or several lines fulfil conditions, all of them unless some are given. */
export type Fits = (seen: unknown, conditions?: Ask["conditions"]) => boolean;

/** A rule as it is written: what has a usual value may be left out. */
type Written<R, K extends keyof R> = Omit<R, "kind" | K> & Partial<Pick<R, K>>;
type ValueOptions = "place" | "after" | "unit" | "property";

/** A rule that compares a value. `needs` and `loads` say which facts `read` is given. */
export function defineRule<const N extends Need = never, const L extends LoadedFact = never>(
  rule: Omit<Written<ValueRule, ValueOptions>, "needs" | "loads" | "read"> & {
    needs: readonly N[];
    loads?: readonly L[];
    read(facts: FactsFor<N, L>, ask: Ask, scope: Scope): Reading;
  },
): ValueRule {
  const { read, loads = [], ...rest } = rule;
  const usual = { place: "top", after: false, unit: null, property: false } as const;
  // The facts are asked for what is needed before a rule reads them, and what it declares is loaded.
  return { kind: "value", ...usual, ...rest, loads, read: read as Read };
}
type Read = ValueRule["read"];

/** A rule that picks lines. All of them need a cart with lines. */
export const defineLinesRule = (
  rule: Omit<Written<LinesRule, "allows_below" | "object" | "property">, "needs" | "loads" | "family">,
): LinesRule => ({
  kind: "lines",
  family: "order",
  needs: ["items"],
  // A product may be named by a collection that it is in.
  loads: rule.takes === "products" ? ["collections"] : [],
  allows_below: true,
  object: null,
  property: false,
  ...rule,
});
