import type { Decimal } from "decimal.js";
import { type Percent, scaleHalfUp } from "../money/amounts.ts";
import { prorateLimited } from "../money/prorate.ts";
import { type ItemDiscount, type Order, type OrderItem, payable, subtotalOf } from "../order/order.ts";
import { type Steps, spend } from "../steps.ts";
import type { Caps, Explain, LinePiece } from "./explain.ts";
import { type ApplicableEntry, BUDGET_LIMITS, type BudgetLimit, EVERY_LINE, type Target } from "./targets.ts";

/** Units that were discounted before, by `budgetKey`: of this campaign or tier, and of this customer where it says so. */
export type UsedUnits = ReadonlyMap<string, number>;

/** What a limit inside a collection counts a line as. */
export const countedAs = ({ sku, product }: Pick<OrderItem, "sku" | "product">): string =>
  sku?.id ?? sku?.source_id ?? product?.id ?? product?.source_id ?? "";

const entryBudgetKey = (limit: BudgetLimit, { object, id }: ApplicableEntry, product: string): string =>
  `${limit} ${object} ${id} ${limit.includes("_in_collection_") ? product : ""}`;

/** The counter of one limit of an entry; limits inside a collection count each product by itself. */
const budgetKey = (limit: BudgetLimit, entry: ApplicableEntry, item: OrderItem): string =>
  entryBudgetKey(limit, entry, countedAs(item));

/** The limit that a counter is of. */
export const limitOfCounter = (key: string): BudgetLimit => key.slice(0, key.indexOf(" ")) as BudgetLimit;

/** The limits over time that an entry has, also those that a formula gives. */
export const budgetsOf = (entry: ApplicableEntry): BudgetLimit[] =>
  BUDGET_LIMITS.filter(
    (limit) => entry[limit] != null || Boolean((entry as Readonly<Record<string, unknown>>)[`${limit}_formula`]),
  );

/** All counters that an entry may ask for in a cart with these products. */
export const budgetKeys = (entry: ApplicableEntry, products: readonly string[]): string[] =>
  budgetsOf(entry).flatMap((limit) =>
    limit.includes("_in_collection_")
      ? products.map((product) => entryBudgetKey(limit, entry, product))
      : [entryBudgetKey(limit, entry, "")],
  );

/** What targets that were discounted add to the counters of their entries. */
export function unitsCounted({ items }: Order, discounted: readonly { target: Target }[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { target } of discounted) {
    const { entry, index, count } = target;
    if (entry === EVERY_LINE) continue;
    for (const limit of count > 0 ? BUDGET_LIMITS.filter((one) => entry[one] != null) : []) {
      const key = budgetKey(limit, entry, items[index]!);
      units.set(key, (units.get(key) ?? 0) + count);
    }
  }
  return units;
}

/** What would come off a line if nothing limited it: the discount's value, what it is of, and what that makes. */
type Raw = { value: Percent; base: number | Decimal; amount: number };

/** How a discount is counted on each line by itself. */
export type LineWay = {
  readonly on: "lines";
  /** As a trace calls it. */
  readonly name: string;
  /** Whether the value is for each unit. */
  readonly perUnit: boolean;
  /** Whether what the units that count cost limits the amount. Where it is false, the amount follows from those units. */
  readonly limitsUnits: boolean;
  raw(item: OrderItem, target: Target, discount: ItemsDiscount): Raw;
  words(piece: LinePiece): string;
};
/** How one amount is split over lines: by what their units cost, or by how many there are. */
export type SplitWay = { readonly on: "split"; readonly by: "amount" | "quantity"; readonly perUnit: false };

/** A discount on items with its values worked out: formulas evaluated, bundles multiplied. */
export type ItemsDiscount = {
  way: LineWay | SplitWay;
  /** Minor units, or percent; a formula may look at the line. For a proportional split it is asked without one. */
  valueOf(item: OrderItem | null): Percent;
  /** The new price of a line, where its entry has one of its own. */
  priceOf(entry: ApplicableEntry, item: OrderItem): number | null;
  amountLimit: number | null;
  aggregatedAmountLimit: number | null;
  /** Bundles in the cart: limits on units hold for each. */
  unitLimitFactor: number;
  /** Percent of what the line cost at first, and not of what is left of it. */
  ofInitialAmount: boolean;
  usedUnits: UsedUnits;
  explain?: Explain | undefined;
  steps?: Steps | undefined;
};

export type Discounted = ItemDiscount & { target: Target };

function leastOf(amount: number, caps: Caps): number {
  let least = amount;
  for (const name in caps) {
    const cap = caps[name as keyof Caps];
    if (cap != null && cap < least) least = cap;
  }
  return least;
}
const least = (...values: readonly (number | null | undefined)[]): number => {
  let found = Number.POSITIVE_INFINITY;
  for (const value of values) if (value != null && value < found) found = value;
  return found;
};

/** How much comes off each target, never more than is left of its line, of its limits and to pay. */
export function itemDiscounts(order: Order, targets: readonly Target[], discount: ItemsDiscount): Discounted[] {
  const counted = limitUnits(order, targets, discount);
  const { way } = discount;
  if (way.on === "split") return proportional(order, counted, way, discount);
  const perEntry = new Map<ApplicableEntry, number>();
  let [left, all] = [payable(order), 0];
  return counted.map((target, n) => {
    const item = order.items[target.index]!;
    const used = perEntry.get(target.entry) ?? 0;
    const raw = way.raw(item, target, discount);
    const caps: Caps = {
      line: subtotalOf(item),
      units: way.limitsUnits && target.count < item.quantity ? valueOfUnits(item, target.count, false) : null,
      product_amount_limit: target.entry.amount_limit,
      amount_limit: discount.amountLimit,
      product_aggregated_amount_limit:
        target.entry.aggregated_amount_limit == null ? null : target.entry.aggregated_amount_limit - used,
      aggregated_amount_limit: discount.aggregatedAmountLimit === null ? null : discount.aggregatedAmountLimit - all,
      order: left,
    };
    const amount = Math.max(0, leastOf(raw.amount, caps));
    discount.explain?.({
      kind: "line",
      way,
      line: target.index,
      units: targets[n]!.count,
      units_counted: target.count,
      ...raw,
      caps,
    });
    perEntry.set(target.entry, used + amount);
    left -= amount;
    all += amount;
    return { target, index: target.index, amount, quantity: 0 };
  });
}

/** Caps the units of each target: per line, over the lines of its entry, and by what was discounted before. */
export function limitUnits(
  order: Order,
  targets: readonly Target[],
  { unitLimitFactor, usedUnits }: Pick<ItemsDiscount, "unitLimitFactor" | "usedUnits">,
): Target[] {
  const perEntry = new Map<ApplicableEntry, number>();
  const perBudget = new Map<string, number>();
  return targets.map((target) => {
    const { entry } = target;
    if (entry === EVERY_LINE) return target;
    const item = order.items[target.index]!;
    const used = perEntry.get(entry) ?? 0;
    const budgets = BUDGET_LIMITS.filter((limit) => entry[limit] != null).map((limit) => {
      const key = budgetKey(limit, entry, item);
      return { key, left: Math.max(0, entry[limit]! - (usedUnits.get(key) ?? 0) - (perBudget.get(key) ?? 0)) };
    });
    const count = Math.max(
      0,
      least(
        target.count,
        entry.quantity_limit == null ? null : entry.quantity_limit * unitLimitFactor,
        entry.aggregated_quantity_limit == null ? null : entry.aggregated_quantity_limit * unitLimitFactor - used,
        ...budgets.map(({ left }) => left),
      ),
    );
    perEntry.set(entry, used + count);
    for (const { key } of budgets) perBudget.set(key, (perBudget.get(key) ?? 0) + count);
    return { ...target, count };
  });
}

/** The value of so many units of a line: their part of its amount, which is not always price × quantity. */
export const valueOfUnits = (item: OrderItem, count: number, ofInitialAmount: boolean): number =>
  partOf(item, count, ofInitialAmount, scaleHalfUp);

/** The same, rounded as the caller wants it. */
export function partOf<P>(
  item: OrderItem,
  count: number,
  ofInitialAmount: boolean,
  scale: (amount: number, by: number, over: number) => P,
): P | number {
  const [amount, quantity] = ofInitialAmount
    ? [item.initial_amount, item.initial_quantity]
    : [item.amount, item.quantity];
  if (amount === null || quantity === 0) return 0;
  if (count >= quantity) return amount;
  if (item.price !== null && item.price * quantity === amount) return item.price * count;
  return scale(amount, count, quantity);
}

/** For each line, every time that an amount is split over the lines that have room. */
const SPLIT_STEPS = 15;

/**
 * One amount over all targets, by what their units cost or by how many there are; the parts sum to the whole. What the
 * rules name first does not matter: of equal lines the earlier one gets the spare unit.
 */
function proportional(
  order: Order,
  targets: readonly Target[],
  { by }: SplitWay,
  discount: ItemsDiscount,
): Discounted[] {
  const lines = targets
    .toSorted((a, b) => a.index - b.index)
    .map((target) => {
      const item = order.items[target.index]!;
      const value = valueOfUnits(item, target.count, false);
      return {
        target,
        weight: by === "amount" ? value : target.count,
        most: least(subtotalOf(item), value, target.entry.amount_limit, discount.amountLimit),
      };
    });
  const value = Number(discount.valueOf(null));
  const caps: Caps = { order: payable(order), aggregated_amount_limit: discount.aggregatedAmountLimit };
  const whole = leastOf(value, caps);
  const shares = prorateLimited(
    whole,
    lines.map(({ weight, most }) => ({ weight, most })),
    [...new Set(targets.map(({ entry }) => entry))].flatMap((entry) =>
      entry.aggregated_amount_limit == null
        ? []
        : [
            {
              limit: entry.aggregated_amount_limit,
              members: lines.flatMap(({ target }, i) => (target.entry === entry ? [i] : [])),
            },
          ],
    ),
    (count) => spend(discount.steps, SPLIT_STEPS * count),
  );
  discount.explain?.({
    kind: "split",
    by,
    value,
    caps,
    whole,
    shares: lines.map(({ target, weight, most }, i) => ({ line: target.index, weight, share: shares[i]!, most })),
  });
  const amounts = new Map(lines.map(({ target }, i) => [target, shares[i]!]));
  return targets.map((target) => ({ target, index: target.index, amount: amounts.get(target)!, quantity: 0 }));
}
