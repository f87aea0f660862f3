import { percentOf, scaleHalfUp } from "../money/amounts.ts";
import { prorateCapped } from "../money/prorate.ts";
import { type ItemDiscount, type Order, type OrderItem, payable, subtotalOf } from "../order/order.ts";
import { type ApplicableEntry, BUDGET_LIMITS, type BudgetLimit, type Target } from "./targets.ts";

/** Units that were discounted before, by `budgetKey`: of this campaign or tier, and of this customer where it says so. */
export type UsedUnits = ReadonlyMap<string, number>;

/** The counter of one limit of an entry; limits inside a collection count each product by itself. */
export const budgetKey = (limit: BudgetLimit, entry: ApplicableEntry, item: OrderItem): string => {
  const product = limit.includes("_in_collection_")
    ? (item.sku?.id ?? item.product?.id ?? item.product?.source_id ?? "")
    : "";
  return `${limit} ${entry.object} ${entry.id} ${product}`;
};

/** A discount on items with its values worked out: formulas evaluated, bundles multiplied. */
export type ItemsDiscount = {
  kind: "amount_per_line" | "amount_per_unit" | "amount_by_value" | "amount_by_quantity" | "percent" | "new_price";
  /** Minor units, or percent; a formula may look at the line. For a proportional split it is asked without one. */
  valueOf(item: OrderItem | null): number;
  /** The new price of a line, where its entry has one of its own. */
  priceOf(entry: ApplicableEntry, item: OrderItem): number | null;
  amountLimit: number | null;
  aggregatedAmountLimit: number | null;
  /** Bundles in the cart: limits on units hold for each. */
  unitLimitFactor: number;
  /** Percent of what the line cost at first, and not of what is left of it. */
  ofInitialAmount: boolean;
  usedUnits: UsedUnits;
};

export type Discounted = ItemDiscount & { target: Target };

const least = (...values: readonly (number | null | undefined)[]): number =>
  Math.min(...values.filter((value): value is number => value !== null && value !== undefined));

/** How much comes off each target, never more than is left of its line, of its limits and to pay. */
export function itemDiscounts(order: Order, targets: readonly Target[], discount: ItemsDiscount): Discounted[] {
  const counted = limitUnits(order, targets, discount);
  if (discount.kind === "amount_by_value" || discount.kind === "amount_by_quantity")
    return proportional(order, counted, discount);
  const perEntry = new Map<ApplicableEntry, number>();
  let [left, all] = [payable(order), 0];
  return counted.map((target) => {
    const item = order.items[target.index]!;
    const used = perEntry.get(target.entry) ?? 0;
    const amount = Math.max(
      0,
      least(
        rawDiscount(item, target, discount),
        subtotalOf(item),
        target.entry.amount_limit,
        discount.amountLimit,
        target.entry.aggregated_amount_limit == null ? null : target.entry.aggregated_amount_limit - used,
        discount.aggregatedAmountLimit === null ? null : discount.aggregatedAmountLimit - all,
        left,
      ),
    );
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

/** The value of so many units of a line: at its price, or as a part of its amount when that is not price × quantity. */
function valueOfUnits(item: OrderItem, count: number, ofInitialAmount: boolean): number {
  const [amount, quantity] = ofInitialAmount
    ? [item.initial_amount, item.initial_quantity]
    : [item.amount, item.quantity];
  if (amount === null || quantity === 0) return 0;
  if (item.price !== null && item.price * quantity === amount) return item.price * Math.min(count, quantity);
  return scaleHalfUp(amount, Math.min(count, quantity), quantity);
}

function rawDiscount(item: OrderItem, { entry, count }: Target, discount: ItemsDiscount): number {
  const whole = count >= item.quantity;
  switch (discount.kind) {
    case "amount_per_line":
      return count === 0 ? 0 : discount.valueOf(item);
    case "amount_per_unit":
      return Math.min(discount.valueOf(item) * count, valueOfUnits(item, count, false));
    case "percent": {
      const { ofInitialAmount } = discount;
      const base = whole && !ofInitialAmount ? subtotalOf(item) : valueOfUnits(item, count, ofInitialAmount);
      return percentOf(base, discount.valueOf(item));
    }
    case "new_price":
      return Math.max(
        0,
        valueOfUnits(item, count, false) - (discount.priceOf(entry, item) ?? discount.valueOf(item)) * count,
      );
    case "amount_by_value":
    case "amount_by_quantity":
      return 0;
  }
}

/** One amount over all targets, by what the lines cost or by how many units they have; the parts sum to the whole. */
function proportional(order: Order, targets: readonly Target[], discount: ItemsDiscount): Discounted[] {
  const items = targets.map(({ index }) => order.items[index]!);
  const weights = items.map((item, i) =>
    targets[i]!.count === 0 ? 0 : discount.kind === "amount_by_value" ? (item.amount ?? 0) : item.quantity,
  );
  const caps = items.map((item, i) => least(subtotalOf(item), targets[i]!.entry.amount_limit, discount.amountLimit));
  const whole = least(discount.valueOf(null), payable(order), discount.aggregatedAmountLimit);
  const shares = prorateCapped(whole, weights, caps);
  return targets.map((target, i) => ({ target, index: target.index, amount: shares[i]!, quantity: 0 }));
}
