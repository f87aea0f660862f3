import type { Decimal } from "decimal.js";
import { type Percent, percentOf, shownPercent, timesPercent } from "../money/amounts.ts";
import { discountItems, discountOrder, nextStep, type Order, type OrderItem, payable } from "../order/order.ts";
import type { Steps } from "../steps.ts";
import { type Discount, effectOf, type UnitDiscount, type UnitOff } from "./discount.ts";
import type { Explain } from "./explain.ts";
import { type Discounted, type ItemsDiscount, itemDiscounts, limitUnits, type UsedUnits } from "./items.ts";
import { type ApplicableEntry, type ApplicableTo, BUDGET_LIMITS, selectTargets, type Target } from "./targets.ts";
import {
  addMissingItems,
  addNewItems,
  addSameItems,
  type CatalogueUnits,
  type GoodsNamed,
  goodsOf,
  isOf,
  type Replacement,
  replaceItems,
} from "./units.ts";

/** Values of formulas in the situation of this step; null where a formula cannot be worked out. */
export type FormulaValues = {
  money(formula: string, item: OrderItem | null): number | null;
  percent(formula: string, item: OrderItem | null): Decimal | null;
  count(formula: string): number | null;
};

export type StepInput = {
  order: Order;
  applicableTo: ApplicableTo;
  /** Whole bundles in the cart; 1 where no bundle is asked for. */
  bundles: number;
  calculation: "INITIAL_AMOUNT" | "DISCOUNTED_AMOUNT";
  /** Lines that another redeemable discounted already, where a product gets at most one discount. */
  blocked: ReadonlySet<number>;
  units: CatalogueUnits;
  usedUnits: UsedUnits;
  formulas: FormulaValues;
  explain?: Explain | undefined;
  steps?: Steps | undefined;
};

/**
 * What one redeemable does to the cart. `discount` is the one that was applied, with its values worked out; free units
 * say of which goods they are.
 */
export type Step = {
  order: Order;
  discount: Discount & GoodsNamed & { effect: NonNullable<Discount["effect"]>; is_dynamic: boolean };
  targets: readonly Discounted[];
  replacements: readonly Replacement[];
};

/** The value of a formula, or the fixed one where there is none or it cannot be worked out. */
function valueOr<V extends Percent>(
  formula: string | null | undefined,
  fixed: number | null | undefined,
  evaluate: (formula: string) => V | null,
): { value: V | number; is_dynamic: boolean } {
  const value = formula ? evaluate(formula) : null;
  return value === null ? { value: fixed ?? 0, is_dynamic: false } : { value, is_dynamic: true };
}

// Most entries have none, and the lists of the catalog never change.
const withFormulas = new WeakMap<readonly ApplicableEntry[], boolean>();
/** Whether a limit of some entry is a formula. */
function hasFormulas(entries: readonly ApplicableEntry[]): boolean {
  const known = withFormulas.get(entries);
  if (known !== undefined) return known;
  const found = entries.some((entry) => Object.keys(entry).some((field) => field.endsWith("_limit_formula")));
  withFormulas.set(entries, found);
  return found;
}

/** The products with limits that are numbers: a formula that cannot be worked out leaves the fixed limit. */
export const withLimits = (applicableTo: ApplicableTo, formulas: FormulaValues): ApplicableTo =>
  hasFormulas(applicableTo.included)
    ? { ...applicableTo, included: applicableTo.included.map((entry) => resolveEntry(entry, formulas)) }
    : applicableTo;

function resolveEntry(entry: ApplicableEntry, formulas: FormulaValues): ApplicableEntry {
  const resolved: Record<string, unknown> = { ...entry };
  const limits = [
    ...(["quantity_limit", "aggregated_quantity_limit", ...BUDGET_LIMITS] as const).map(
      (f) => [f, formulas.count] as const,
    ),
    ...(["amount_limit", "aggregated_amount_limit"] as const).map(
      (f) => [f, (x: string) => formulas.money(x, null)] as const,
    ),
  ];
  for (const [field, evaluate] of limits) {
    const formula = (entry as Record<string, unknown>)[`${field}_formula`];
    if (typeof formula === "string" && formula !== "") resolved[field] = evaluate(formula) ?? resolved[field];
  }
  return resolved as ApplicableEntry;
}

const STEPS = {
  /** Of a discount on the order, for each line: amounts are summed up. */
  order: 2,
  /** Of a discount on items, for each line: it is looked up, limited and changed. */
  items: 10,
  /** For each entry that names products. */
  entry: 1,
  /** For each entry with a limit that is worked out, beside its formula. */
  resolved: 60,
  /** For each unit that is added or replaced, and for each line that is copied with it. */
  unit: 30,
  unit_line: 0.25,
  /** For each line in which a unit that is added is looked for. */
  searched_line: 0.3,
} as const;

/** What a discount costs, without its formulas, which pay for themselves. */
export function discountSteps(discount: Discount, { items }: Order, applicableTo: ApplicableTo): number {
  const { included, excluded } = applicableTo;
  const entries = (included.length + excluded.length) * (hasFormulas(included) ? STEPS.resolved : STEPS.entry);
  const effect = effectOf(discount, namesProducts(applicableTo));
  if (effect === "APPLY_TO_ORDER") return entries + items.length * STEPS.order;
  const onItems = entries + items.length * STEPS.items;
  if (discount.type !== "UNIT") return onItems;
  const isOfLines = effect === "ADD_SAME_ITEMS" || effect === "REPLACE_ITEMS";
  const changes = isOfLines ? items.length : (discount.units?.length ?? 1);
  const perLine = STEPS.unit_line + (isOfLines ? 0 : STEPS.searched_line);
  return onItems + changes * Math.ceil(STEPS.unit + items.length * perLine);
}

export const namesProducts = ({ included, excluded, included_all }: ApplicableTo): boolean =>
  included_all || included.length > 0 || excluded.length > 0;

/** Applies a discount to the cart as the redeemables before left it. */
export function applyDiscount(discount: Discount, input: StepInput): Step {
  const applicableTo = withLimits(input.applicableTo, input.formulas);
  const step = { ...input, applicableTo, order: nextStep(input.order) };
  const effect = effectOf(discount, namesProducts(applicableTo));
  if (discount.type === "UNIT") return applyUnits({ ...discount, effect: effect as UnitOff["effect"] }, step);
  return effect === "APPLY_TO_ORDER" ? applyToOrder(discount, step) : applyToItems(discount, effect, step);
}

type MoneyDiscount = Exclude<Discount, UnitDiscount>;
/** Only a percentage may have more digits than a number holds: an amount and a price are numbers. */
type OwnValue = { value: Percent; is_dynamic: boolean };

/** The discount's own value: an amount, a percentage or a price. Bundles multiply amounts and percentages. */
function ownValue(
  discount: MoneyDiscount,
  { formulas, bundles }: StepInput,
  item: OrderItem | null,
  perUnit: boolean,
): OwnValue {
  switch (discount.type) {
    case "AMOUNT": {
      const own = valueOr(discount.amount_off_formula, discount.amount_off, (f) => formulas.money(f, item));
      return { ...own, value: perUnit ? own.value : own.value * bundles };
    }
    case "PERCENT": {
      const own = valueOr(discount.percent_off_formula, discount.percent_off, (f) => formulas.percent(f, item));
      return { ...own, value: timesPercent(own.value, bundles) };
    }
    case "FIXED":
      return valueOr(discount.fixed_amount_formula, discount.fixed_amount, (f) => formulas.money(f, item));
  }
}

const VALUE_FIELD = { AMOUNT: "amount_off", PERCENT: "percent_off", FIXED: "fixed_amount" } as const;

function shown(discount: MoneyDiscount, effect: Step["discount"]["effect"], own: OwnValue) {
  const field = VALUE_FIELD[discount.type];
  return { ...discount, [field]: shownPercent(own.value), effect, is_dynamic: own.is_dynamic } as Step["discount"];
}

function applyToOrder(discount: MoneyDiscount, input: StepInput): Step {
  const { order, calculation } = input;
  const own = ownValue(discount, input, null, false);
  const left = payable(order);
  const base = discount.type === "PERCENT" && calculation === "INITIAL_AMOUNT" ? (order.initial_amount ?? 0) : left;
  const raw =
    discount.type === "AMOUNT"
      ? Number(own.value)
      : discount.type === "PERCENT"
        ? percentOf(base, own.value)
        : Math.max(0, left - Number(own.value));
  const limit = discount.type === "PERCENT" ? discount.amount_limit : null;
  const amount = Math.min(raw, limit ?? Number.MAX_SAFE_INTEGER);
  input.explain?.({
    kind: "order",
    type: discount.type,
    value: own.value,
    base,
    amount: raw,
    caps: { amount_limit: limit, order: left },
  });
  const applied = shown(discount, "APPLY_TO_ORDER", own);
  return { order: discountOrder(order, amount), discount: applied, targets: [], replacements: [] };
}

const ITEM_KINDS: Record<string, ItemsDiscount["kind"]> = {
  "AMOUNT APPLY_TO_ITEMS": "amount_per_line",
  "AMOUNT APPLY_TO_ITEMS_BY_QUANTITY": "amount_per_unit",
  "AMOUNT APPLY_TO_ITEMS_PROPORTIONALLY": "amount_by_value",
  "AMOUNT APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY": "amount_by_quantity",
  "PERCENT APPLY_TO_ITEMS": "percent",
  "FIXED APPLY_TO_ITEMS": "new_price",
};

function applyToItems(discount: MoneyDiscount, effect: Step["discount"]["effect"], input: StepInput): Step {
  const { order, formulas, bundles } = input;
  const kind = ITEM_KINDS[`${discount.type} ${effect}`]!;
  // What is counted by units takes more of them with each bundle; what is not, takes more money.
  const perUnit = kind === "amount_per_unit" || kind === "new_price";
  const targets = selectTargets(order, input.applicableTo, input.blocked);
  const discounts = itemDiscounts(order, targets, {
    kind,
    valueOf: (item) => ownValue(discount, input, item, perUnit).value,
    priceOf: (entry, item) =>
      (entry.price_formula ? formulas.money(entry.price_formula, item) : null) ?? entry.price ?? null,
    amountLimit: discount.type === "PERCENT" ? (discount.amount_limit ?? null) : null,
    aggregatedAmountLimit: (discount.type === "FIXED" ? null : discount.aggregated_amount_limit) ?? null,
    unitLimitFactor: perUnit ? bundles : 1,
    ofInitialAmount: input.calculation === "INITIAL_AMOUNT",
    usedUnits: input.usedUnits,
    explain: input.explain,
    steps: input.steps,
  });
  const own = ownValue(discount, input, null, perUnit);
  return {
    order: discountItems(order, discounts),
    discount: shown(discount, effect, own),
    targets: discounts,
    replacements: [],
  };
}

function applyUnits(discount: UnitDiscount, input: StepInput): Step {
  const { formulas, bundles, units } = input;
  let [is_dynamic, order] = [false, input.order];
  const count = ({ unit_off_formula, unit_off }: UnitOff) => {
    const own = valueOr(unit_off_formula, unit_off, formulas.count);
    is_dynamic ||= own.is_dynamic;
    return own.value;
  };
  const one = (unit: UnitOff): UnitOff => {
    const value = count(unit) * bundles;
    const off = { unitType: unit.unit_type ?? "", count: value };
    order = unit.effect === "ADD_NEW_ITEMS" ? addNewItems(order, off, units) : addMissingItems(order, off, units);
    return { ...unit, unit_off: value, ...goodsOf(unit.unit_type, input) };
  };
  const done = (
    result: Partial<UnitDiscount>,
    targets: readonly Target[] = [],
    replacements: readonly Replacement[] = [],
  ): Step => ({
    order,
    discount: { ...discount, ...result, ...goodsOf(discount.unit_type, input), is_dynamic } as Step["discount"],
    targets: targets.map((target) => ({ target, index: target.index, amount: 0, quantity: 0 })),
    replacements,
  });
  const limited = () =>
    limitUnits(order, selectTargets(order, input.applicableTo, input.blocked), {
      unitLimitFactor: bundles,
      usedUnits: input.usedUnits,
    });
  switch (discount.effect) {
    case "ADD_MANY_ITEMS":
      return done({ units: (discount.units ?? []).map(one) });
    case "ADD_SAME_ITEMS": {
      const { unit_type } = discount;
      const targets = limited().filter(({ index }) => unit_type == null || isOf(order.items[index]!, unit_type));
      const unit_off = count(discount) * bundles;
      order = addSameItems(order, targets, unit_off);
      return done({ unit_off }, targets);
    }
    case "REPLACE_ITEMS": {
      const [targets, unit_off] = [limited(), count(discount)];
      const replaced = replaceItems(order, targets, { unitType: discount.unit_type ?? "", count: unit_off, units });
      order = replaced.order;
      return done({ unit_off }, targets, replaced.details);
    }
    default:
      return done({ unit_off: one(discount).unit_off ?? 0 });
  }
}
