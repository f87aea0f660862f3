import { comparableText, elementsOf } from "./compare.ts";
import type { Evaluable } from "./evaluate.ts";
import type { RuleFacts } from "./facts.ts";
import type { EvaluateOptions } from "./judge.ts";
import { productEntries } from "./products.ts";
import { readProperty } from "./property.ts";
import { findRule } from "./registry.ts";
import { type Leaf, leavesOf, type Tree, treeOf } from "./tree.ts";

/**
 * An inverted index over many definitions. A definition is found by a term that its rules cannot hold without, such as
 * a segment; `starts[t]` to `starts[t + 1]` are the places in `positions` of the definitions of term number `t`.
 */
export type RuleIndex = {
  readonly size: number;
  /** Definitions that no term stands for: always candidates. */
  readonly always: readonly number[];
  readonly terms: ReadonlyMap<string, number>;
  readonly starts: Uint32Array;
  readonly positions: Uint32Array;
  /** Lower bounds of `order.initial_amount`, ascending, and whose they are. */
  readonly bounds: Float64Array;
  readonly bounded: Uint32Array;
  /** Properties to look up in the metadata of the facts. */
  readonly customer_properties: readonly string[];
  readonly order_properties: readonly string[];
  /** Definitions by the rules they are found by, for when such a rule is not asked. */
  readonly by_rule: ReadonlyMap<string, readonly number[]>;
};

/** A term, with the property it is looked up by where it is one of metadata, or a lower bound. */
type Posting = { rule: string; term: string; property?: string } | { rule: string; bound: number };

const SEGMENT = "customer.segment";
const CUSTOMER = "customer.metadata";
const ORDER = "order.metadata";
const AMOUNT = "order.initial_amount";
const LINES = new Set([
  "order.items.any",
  "order.items.every",
  "order.items.cheapest",
  "order.items.most_expensive",
  "product.id",
  "sku.id",
]);
const POSITIVE = new Set(["$is", "$in"]);

const metadataTerm = (rule: string, property: string, value: string): string => `${rule}\n${property}\n${value}`;
const lineTerm = (object: string, id: string): string => `line\n${object}\n${id}`;

/** The ways to find a leaf, each a list of postings of which one has to be met for the leaf to hold. */
function waysOf({ rule, ask }: Leaf): Posting[][] {
  const positive = ask.conditions.filter(({ operator }) => POSITIVE.has(operator.name));
  if (rule.name === SEGMENT)
    return positive.map(({ values }) =>
      values.map((value) => ({ rule: rule.name, term: `segment\n${String(value)}` })),
    );
  const property = ask.property ?? "";
  if (rule.name === CUSTOMER || rule.name === ORDER)
    return positive.map(({ values }) =>
      values.map((value) => ({
        rule: rule.name,
        term: metadataTerm(rule.name, property, comparableText(value) ?? ""),
        property,
      })),
    );
  if (rule.kind === "lines" && LINES.has(rule.name))
    return positive.map(({ values }) =>
      values
        .flatMap((value) => productEntries(value, rule.object))
        .flatMap(({ object, id, source_id }) =>
          [id, ...(source_id ? [source_id] : [])].map((name) => ({ rule: rule.name, term: lineTerm(object, name) })),
        ),
    );
  if (rule.name !== AMOUNT) return [];
  // More than 1,000 is found from 1,000 on: one too many is no harm, one too few would be.
  return ask.conditions.flatMap(({ operator, values }) =>
    operator.name === "$more_than" || operator.name === "$more_than_or_equal"
      ? [[{ rule: rule.name, bound: Number(values[0]) }]]
      : [],
  );
}

type Cost = (postings: readonly Posting[]) => number;

/**
 * The cheapest postings of which one has to be met for the tree to hold, or null when it may hold without. An `and`
 * needs each of its terms, so the best one stands for all; an `or` needs one of them, so all have to be found.
 */
function postingsOf(tree: Tree, cost: Cost): Posting[] | null {
  if (tree.kind === "leaf") return cheapest(waysOf(tree), cost);
  const terms = tree.terms.map((term) => postingsOf(term, cost));
  if (tree.kind === "or") return terms.every((term) => term !== null) ? terms.flat() : null;
  return cheapest(
    terms.filter((term) => term !== null),
    cost,
  );
}

const cheapest = (ways: readonly Posting[][], cost: Cost): Posting[] | null => {
  let best: Posting[] | null = null;
  for (const way of ways) if (!best || cost(way) < cost(best)) best = way;
  return best;
};

/** How many definitions each term would find, if every definition were found by all its terms. */
function countTerms(trees: readonly Tree[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const posting of trees.flatMap(leavesOf).flatMap(waysOf).flat())
    if ("term" in posting) counts.set(posting.term, (counts.get(posting.term) ?? 0) + 1);
  return counts;
}

/**
 * Reads all definitions and finds for each the most selective condition that it cannot hold without. Where several
 * definitions stand together at one place, all of them have to hold.
 */
export function compileRules(definitions: readonly (Evaluable | readonly Evaluable[])[]): RuleIndex {
  const trees = definitions.map((one): Tree => {
    const [only, ...others] = [one].flat();
    if (only && others.length === 0) return treeOf(only.rules);
    return { kind: "and", terms: [one].flat().map(({ rules }) => treeOf(rules)) };
  });
  const counts = countTerms(trees);
  // A lower bound is met by about every second cart, so it is worth half of all definitions.
  const cost: Cost = (postings) =>
    postings.reduce((all, one) => all + ("term" in one ? counts.get(one.term)! : definitions.length / 2), 0);

  const always: number[] = [];
  const lists = new Map<string, number[]>();
  const bounds: { bound: number; position: number }[] = [];
  const byRule = new Map<string, number[]>();
  const properties = new Map<string, Set<string>>([CUSTOMER, ORDER].map((rule) => [rule, new Set()]));
  for (const [position, tree] of trees.entries()) {
    const postings = postingsOf(tree, cost);
    if (!postings) always.push(position);
    for (const posting of postings ?? []) {
      if ("term" in posting) addPosition(lists, posting.term, position);
      else bounds.push({ bound: posting.bound, position });
      if ("property" in posting) properties.get(posting.rule)!.add(posting.property!);
      addPosition(byRule, posting.rule, position);
    }
  }
  return {
    size: trees.length,
    always,
    ...flatten(lists),
    ...boundsOf(bounds),
    customer_properties: [...properties.get(CUSTOMER)!],
    order_properties: [...properties.get(ORDER)!],
    by_rule: byRule,
  };
}

function addPosition(lists: Map<string, number[]>, name: string, position: number): void {
  const list = lists.get(name);
  if (!list) lists.set(name, [position]);
  else if (list.at(-1) !== position) list.push(position);
}

function flatten(lists: ReadonlyMap<string, readonly number[]>) {
  const starts = new Uint32Array(lists.size + 1);
  const positions = Uint32Array.from([...lists.values()].flat());
  for (const [t, list] of [...lists.values()].entries()) starts[t + 1] = starts[t]! + list.length;
  return { terms: new Map([...lists.keys()].map((term, t) => [term, t])), starts, positions };
}

function boundsOf(bounds: readonly { bound: number; position: number }[]) {
  const sorted = bounds.toSorted((a, b) => a.bound - b.bound);
  return {
    bounds: Float64Array.from(sorted.map(({ bound }) => bound)),
    bounded: Uint32Array.from(sorted.map(({ position }) => position)),
  };
}

/** What the index is asked with: nothing else decides who is a candidate. */
export type IndexFacts = Pick<RuleFacts, "customer" | "order">;

/**
 * A mark for every definition that may hold for these facts; all others do not. It looks at what the facts name, not at
 * every definition. Rules that the options leave out count as true, so nothing is found by them.
 */
export function markCandidates(index: RuleIndex, facts: IndexFacts, options: EvaluateOptions): Uint8Array {
  const marks = new Uint8Array(index.size);
  const mark = (list: ArrayLike<number>): void => {
    for (let n = 0; n < list.length; n += 1) marks[list[n]!] = 1;
  };
  mark(index.always);
  for (const [name, list] of index.by_rule) if (!isAsked(name, options)) mark(list);
  for (const term of termsOf(index, facts)) {
    const t = index.terms.get(term);
    if (t !== undefined) mark(index.positions.subarray(index.starts[t], index.starts[t + 1]));
  }
  const amount = facts.order?.initial_amount ?? null;
  if (amount !== null) mark(index.bounded.subarray(0, countUpTo(index.bounds, amount)));
  return marks;
}

/** The marked positions, ascending, as far as they are asked for. */
export function* markedIn(marks: Uint8Array, from = 0): Generator<number> {
  for (let at = marks.indexOf(1, from); at >= 0; at = marks.indexOf(1, at + 1)) yield at;
}

/** Positions, ascending, of the definitions that may hold for these facts. */
export const candidates = (index: RuleIndex, facts: IndexFacts, options: EvaluateOptions): number[] => [
  ...markedIn(markCandidates(index, facts, options)),
];

const isAsked = (name: string, { only, ignore }: EvaluateOptions): boolean =>
  (!only || findRule(name)?.family === only) && !ignore?.has(name);

/** How many of the ascending bounds are not above the amount. */
function countUpTo(bounds: Float64Array, amount: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle]! <= amount) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Every term that the facts meet. */
function* termsOf(index: RuleIndex, { customer, order }: IndexFacts): Generator<string> {
  for (const segment of customer?.segments ?? []) yield `segment\n${segment}`;
  if (customer)
    for (const property of index.customer_properties)
      for (const element of elementsOf(readProperty(customer.metadata, property)))
        yield metadataTerm(CUSTOMER, property, comparableText(element) ?? "");
  if (!order) return;
  for (const property of index.order_properties)
    for (const element of elementsOf(readProperty(order.metadata, property)))
      yield metadataTerm(ORDER, property, comparableText(element) ?? "");
  for (const { product, sku, collections } of order.items) {
    for (const name of [product?.id, product?.source_id]) if (name) yield lineTerm("product", name);
    for (const name of [sku?.id, sku?.source_id]) if (name) yield lineTerm("sku", name);
    for (const id of collections) yield lineTerm("products_collection", id);
  }
}
