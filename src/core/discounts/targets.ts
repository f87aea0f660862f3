import { type Order, type OrderItem, subtotalOf, unitPrice } from "../order/order.ts";
import { entryIndexOf, positionFor } from "./entry-index.ts";

export const APPLY_EFFECTS = [
  "APPLY_TO_EVERY",
  "APPLY_TO_CHEAPEST",
  "APPLY_FROM_CHEAPEST",
  "APPLY_TO_MOST_EXPENSIVE",
  "APPLY_FROM_MOST_EXPENSIVE",
] as const;

/** Limits on units discounted over time; the redeemable's campaign or tier and the customer are given with the facts. */
export const BUDGET_LIMITS = [
  "product_campaign_quantity_limit",
  "product_customer_campaign_quantity_limit",
  "product_in_collection_campaign_quantity_limit",
  "product_in_collection_customer_campaign_quantity_limit",
  "product_promotion_tier_quantity_limit",
  "product_customer_promotion_tier_quantity_limit",
  "product_in_collection_promotion_tier_quantity_limit",
  "product_in_collection_customer_promotion_tier_quantity_limit",
] as const;
export type BudgetLimit = (typeof BUDGET_LIMITS)[number];

/** Which lines a discount is for, and how many of their units. Lives in a validation rule. */
export type ApplicableEntry = {
  object: "product" | "sku" | "products_collection";
  id: string;
  source_id?: string | null;
  strict?: boolean;
  effect?: (typeof APPLY_EFFECTS)[number];
  price?: number | null;
  price_formula?: string | null;
  quantity_limit?: number | null;
  aggregated_quantity_limit?: number | null;
  amount_limit?: number | null;
  aggregated_amount_limit?: number | null;
  skip_initially?: number | null;
  repeat?: number | null;
  target?: "ITEM" | "UNIT" | null;
} & Partial<Record<BudgetLimit, number | null>>;
export type ApplicableTo = {
  included: readonly ApplicableEntry[];
  excluded: readonly ApplicableEntry[];
  included_all: boolean;
};
export const NO_PRODUCTS: ApplicableTo = Object.freeze({ included: [], excluded: [], included_all: false });

/** Which products a discount under several rules is for: what any of them includes, less what any excludes. */
export function mergeApplicableTo(all: readonly ApplicableTo[]): ApplicableTo {
  return all.length === 0 ? NO_PRODUCTS : all.reduce(merged);
}

// Two lists of a thousand entries take a millisecond to merge, and the rules of a code are the same in every request.
const merges = new WeakMap<ApplicableTo, WeakMap<ApplicableTo, ApplicableTo>>();

function merged(one: ApplicableTo, other: ApplicableTo): ApplicableTo {
  if (hasNoEntries(one) && hasNoEntries(other)) return one.included_all ? one : other;
  const known = merges.get(one) ?? new WeakMap<ApplicableTo, ApplicableTo>();
  merges.set(one, known);
  const before = known.get(other);
  if (before) return before;
  const both = {
    included: union(one.included, other.included),
    excluded: union(one.excluded, other.excluded),
    included_all: one.included_all || other.included_all,
  };
  known.set(other, both);
  return both;
}
const hasNoEntries = ({ included, excluded }: ApplicableTo): boolean => included.length + excluded.length === 0;
/** Entries that say the same stand once. */
const union = (one: readonly ApplicableEntry[], other: readonly ApplicableEntry[]): ApplicableEntry[] => [
  ...new Map([...one, ...other].map((entry) => [JSON.stringify(entry), entry])).values(),
];

/** A line that is discounted: its units `start + n * step` (counted from 1), `count` of them. */
export type Target = { entry: ApplicableEntry; index: number; start: number; step: number; count: number };

/** The entry of lines that are included without being named. */
export const EVERY_LINE: ApplicableEntry = Object.freeze({
  object: "products_collection",
  id: "",
  effect: "APPLY_TO_EVERY",
});

/** Whether a line is what the entry names. A product stands for its SKUs too, unless it is meant strictly. */
export function matches(entry: ApplicableEntry, item: OrderItem): boolean {
  const names = (thing: { id: string | null; source_id: string | null } | null) =>
    thing !== null &&
    (thing.id === entry.id ||
      thing.source_id === entry.id ||
      (entry.source_id != null && entry.source_id !== "" && thing.source_id === entry.source_id));
  switch (entry.object) {
    case "sku":
      return names(item.sku);
    case "product":
      return names(item.product) && !(entry.strict && item.sku !== null);
    case "products_collection":
      return item.collections.includes(entry.id);
  }
}

/** The entry that counts for a line: an exclusion always wins, else the most specific one, the first among equals. */
export function entryFor({ included, excluded, included_all }: ApplicableTo, item: OrderItem): ApplicableEntry | null {
  // Most discounts name no products.
  if (included.length === 0 && excluded.length === 0) return EVERY_LINE;
  if (excluded.length > 0 && positionFor(entryIndexOf(excluded), item) >= 0) return null;
  const best = included[positionFor(entryIndexOf(included), item)];
  if (best) return best;
  // Nothing is named: a discount on items is one on all of them.
  return included_all || included.length === 0 ? EVERY_LINE : null;
}

const itemPrice = (item: OrderItem): number => unitPrice(item) ?? 0;

/** By the price of a unit, not of the line: three at 20 are dearer than five at 15. */
const byPrice = (items: readonly OrderItem[], direction: 1 | -1) => (a: number, b: number) =>
  direction * (itemPrice(items[a]!) - itemPrice(items[b]!)) || subtotalOf(items[a]!) - subtotalOf(items[b]!) || a - b;

/** The lines and units that a discount is for, in the order in which it is applied. `blocked` lines are passed over. */
export function selectTargets(order: Order, applicableTo: ApplicableTo, blocked: ReadonlySet<number>): Target[] {
  const groups = new Map<ApplicableEntry, number[]>();
  for (let index = 0; index < order.items.length; index += 1) {
    const entry = blocked.has(index) ? null : entryFor(applicableTo, order.items[index]!);
    if (!entry) continue;
    const group = groups.get(entry);
    if (group) group.push(index);
    else groups.set(entry, [index]);
  }
  const listed = [...applicableTo.included, EVERY_LINE].filter((entry) => groups.has(entry));
  return listed.flatMap((entry) => selectOf(entry, groups.get(entry)!, order.items));
}

function selectOf(entry: ApplicableEntry, indices: readonly number[], items: readonly OrderItem[]): Target[] {
  const { effect = "APPLY_TO_EVERY", target } = entry;
  const [skip, step] = [entry.skip_initially ?? 0, Math.max(1, entry.repeat ?? 1)];
  const onlyFirst = effect === "APPLY_TO_CHEAPEST" || effect === "APPLY_TO_MOST_EXPENSIVE";
  const direction = effect === "APPLY_TO_CHEAPEST" || effect === "APPLY_FROM_CHEAPEST" ? 1 : -1;
  const sorted = effect === "APPLY_TO_EVERY" ? indices : indices.toSorted(byPrice(items, direction));
  if (target === "UNIT")
    return unitTargets(entry, { indices: onlyFirst ? sorted.slice(0, 1) : sorted, items, skip, step, onlyFirst });
  return sorted
    .filter((_, position) => position >= skip && (position - skip) % step === 0 && (!onlyFirst || position === 0))
    .map((index) => ({ entry, index, start: 1, step: 1, count: items[index]!.quantity }));
}

type UnitSequence = {
  indices: readonly number[];
  items: readonly OrderItem[];
  skip: number;
  step: number;
  onlyFirst: boolean;
};

/**
 * Units in one row, those of a line next to each other; every `step`-th after `skip` is taken. With quantities 3 and 5,
 * skip 1 and step 2, the row's positions 1, 3, 5, 7 are unit 2 of the first line and units 1, 3, 5 of the second.
 */
function unitTargets(entry: ApplicableEntry, { indices, items, skip, step, onlyFirst }: UnitSequence): Target[] {
  const targets: Target[] = [];
  let before = 0;
  for (const index of indices) {
    const quantity = onlyFirst ? Math.min(1, items[index]!.quantity) : items[index]!.quantity;
    const first = before <= skip ? skip : before + ((step - ((before - skip) % step)) % step);
    const last = before + quantity;
    if (first < last)
      targets.push({ entry, index, start: first - before + 1, step, count: Math.ceil((last - first) / step) });
    before = last;
  }
  return targets;
}
