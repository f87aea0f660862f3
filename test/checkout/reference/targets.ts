import type { Entry, Named, Targets } from "./asked.ts";
import { type Cart, type Line, left, unitPrice, zero } from "./cart.ts";
import { countOf, moneyOf, type Values, worked } from "./formulas.ts";
import { compare, least } from "./fractions.ts";

// Part of the reference calculator: which lines and units.

export type Eligible = { entry: Entry | null; index: number; units: bigint[] };

export const SPECIFIC = ["sku", "product", "products_collection"];
export function names({ object, id, strict }: Named, line: Line): boolean {
  if (object === "sku") return line.sku === id;
  if (object === "product") return line.product === id && !(strict && line.sku !== null);
  return line.collections.includes(id);
}
/** The entry that counts for a line; null: it is for every line; undefined: the line is not discounted. */
function entryOf({ included, excluded, included_all }: Targets, line: Line): Entry | null | undefined {
  if (excluded.some((one) => names(one, line))) return undefined;
  const fitting = included.filter((one) => names(one, line));
  fitting.sort((a, b) => SPECIFIC.indexOf(a.object) - SPECIFIC.indexOf(b.object));
  return fitting[0] ?? (included_all || included.length === 0 ? null : undefined);
}

const range = (count: bigint): bigint[] => Array.from({ length: Number(count) }, (_, n) => BigInt(n + 1));

/** Lines and their units in the order in which they are discounted: entry by entry. */
export function eligible(cart: Cart, targets: Targets, blocked: Set<number>): Eligible[] {
  const entries = cart.lines.map((line, index) => (blocked.has(index) ? undefined : entryOf(targets, line)));
  return [...targets.included, null].flatMap((entry) => {
    const indices = entries.flatMap((one, index) => (one === entry ? [index] : []));
    return indices.length === 0 ? [] : sequence(entry, indices, cart.lines);
  });
}
function sequence(entry: Entry | null, indices: number[], lines: Line[]): Eligible[] {
  const { effect = "APPLY_TO_EVERY", target = "ITEM", skip_initially: skip = 0, repeat = 1 } = entry ?? {};
  const sign = effect.endsWith("CHEAPEST") ? 1 : -1;
  const order = (a: number, b: number) =>
    sign * compare(unitPrice(lines[a]!), unitPrice(lines[b]!)) || Number(left(lines[a]!) - left(lines[b]!)) || a - b;
  if (effect !== "APPLY_TO_EVERY") indices.sort(order);
  const one = effect === "APPLY_TO_CHEAPEST" || effect === "APPLY_TO_MOST_EXPENSIVE";
  const picked = <T>(all: T[]): T[] =>
    (one ? all.slice(0, 1) : all).filter((_, n) => n >= skip && (n - skip) % repeat === 0);
  if (target === "ITEM")
    return picked(indices).map((index) => ({ entry, index, units: range(lines[index]!.quantity) }));
  const every = (one ? indices.slice(0, 1) : indices).flatMap((index) =>
    range(lines[index]!.quantity).map((unit) => ({ index, unit })),
  );
  const chosen = picked(every);
  return indices.flatMap((index) => {
    const units = chosen.flatMap((at) => (at.index === index ? [at.unit] : []));
    return units.length === 0 ? [] : [{ entry, index, units }];
  });
}

/** Units discounted so far, by counter. */
export type Used = Map<string, bigint>;
export const BUDGETS = ["product_campaign_quantity_limit", "product_in_collection_campaign_quantity_limit"] as const;
export const counterOf = (limit: (typeof BUDGETS)[number], { object, id }: Entry, line: Line): string =>
  [limit, object, id, ...(limit === "product_campaign_quantity_limit" ? [] : [line.sku ?? line.product ?? ""])].join();

/** Leaves each line the units that the limits of its entry allow. */
export function limited(
  all: Eligible[],
  given: { cart: Cart; used: Used; before: number; factor: bigint },
): Eligible[] {
  const { cart, used, before, factor } = given;
  const perEntry = new Map<Entry, bigint>();
  const perCounter = new Map<string, bigint>();
  return all.map(({ entry, index, units }) => {
    if (entry === null) return { entry, index, units };
    const values = { cart, item: null };
    const perLine =
      entry.quantity_limit === undefined && !entry.quantity_limit_formula ? null : countLimit(entry, values) * factor;
    const overall =
      entry.aggregated_quantity_limit === undefined
        ? null
        : BigInt(entry.aggregated_quantity_limit) * factor - (perEntry.get(entry) ?? 0n);
    const counters = BUDGETS.flatMap((limit) =>
      entry[limit] === undefined ? [] : [{ limit, key: counterOf(limit, entry, cart.lines[index]!) }],
    );
    const budgets = counters.map(
      ({ limit, key }) => BigInt(entry[limit]! - before) - (used.get(key) ?? 0n) - (perCounter.get(key) ?? 0n),
    );
    const count = zero(least(BigInt(units.length), perLine, overall, ...budgets));
    perEntry.set(entry, (perEntry.get(entry) ?? 0n) + count);
    for (const { key } of counters) perCounter.set(key, (perCounter.get(key) ?? 0n) + count);
    return { entry, index, units: units.slice(0, Number(count)) };
  });
}
/** A formula that fails leaves the fixed limit; without one there is no limit. */
function countLimit({ quantity_limit, quantity_limit_formula }: Entry, values: Values): bigint {
  return worked(quantity_limit_formula, values) || quantity_limit !== undefined
    ? countOf(quantity_limit_formula, quantity_limit, values)
    : 10n ** 15n;
}
export const amountLimit = ({ amount_limit, amount_limit_formula }: Entry, values: Values): bigint | null =>
  worked(amount_limit_formula, values) || amount_limit !== undefined
    ? moneyOf(amount_limit_formula, amount_limit, values)
    : null;
