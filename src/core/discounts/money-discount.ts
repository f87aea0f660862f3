import { type Percent, shownPercent } from "../money/amounts.ts";
import { discountItems, discountOrder, type OrderItem, payable } from "../order/order.ts";
import {
  type DiscountDefinition,
  type DiscountExample,
  defineDiscount,
  type Effect,
  isGiven,
  LINE_STEPS,
  noGoods,
  requiredFault,
  type StepInput,
  type StepOf,
  type With,
} from "./definition.ts";
import type { OrderPiece } from "./explain.ts";
import type { Fields } from "./fields.ts";
import { itemDiscounts, type LineWay, type SplitWay } from "./items.ts";
import { selectTargets } from "./targets.ts";

/** Only a percentage may have more digits than a number holds: an amount and a price are numbers. */
type OwnValue = { value: Percent; is_dynamic: boolean };

/** How money comes off the order as a whole. */
type OrderWay = {
  readonly on: "order";
  /** Whether the value is a part of what the order cost at first, where the project calculates so. */
  readonly ofInitialAmount: boolean;
  off(value: Percent, base: number): number;
  words(piece: OrderPiece): string;
};
type Way = OrderWay | LineWay | SplitWay;
type MoneyEffect = { takes_off: string; way: Way };

type MoneyDefinition<Type extends string, F extends Fields, Name extends string> = {
  type: Type;
  fields: F;
  /** The field that holds the value; the field with `_formula` behind its name may stand in its place. */
  value: keyof F & string;
  /** Whether a discount may be without a value; without this it may not. */
  isComplete?(discount: With<F>): boolean;
  /** The discount's own value: an amount, a percentage or a price. Bundles multiply amounts and percentages. */
  ownValue(discount: With<F>, input: StepInput, item: OrderItem | null, perUnit: boolean): OwnValue;
  effects: Readonly<Record<Name, MoneyEffect>>;
  examples: readonly DiscountExample[];
};
/** The limits that any type may have among its fields. */
type Limited = { amount_limit?: number | null; aggregated_amount_limit?: number | null };

/** A type of discounts that takes money off the order or off its lines: a value, and for each effect a way to count it. */
export function defineMoneyDiscount<const Type extends string, const F extends Fields, const Name extends string>(
  given: MoneyDefinition<Type, F, Name>,
): DiscountDefinition<Type, F, Name> {
  const effects = Object.entries<MoneyEffect>(given.effects).map(([name, effect]) => [name, effectOf(given, effect)]);
  const orFirst = (name: string) => (name in given.effects ? name : Object.keys(given.effects)[0]) as Name;
  const [onItems, onOrder] = [orFirst("APPLY_TO_ITEMS"), orFirst("APPLY_TO_ORDER")];
  return defineDiscount({
    type: given.type,
    kind: "money",
    value: given.value,
    fields: given.fields,
    effects: Object.fromEntries(effects) as Record<Name, Effect<F>>,
    defaultEffect: (_, namesProducts) => (namesProducts ? onItems : onOrder),
    fault: (discount, path) => {
      const has = (field: string) => isGiven((discount as Readonly<Record<string, unknown>>)[field]);
      if (has(given.value) || has(`${given.value}_formula`) || given.isComplete?.(discount)) return null;
      return requiredFault(given.value, path);
    },
    examples: given.examples,
  });
}

function effectOf<F extends Fields>(
  type: MoneyDefinition<string, F, string>,
  { takes_off, way }: MoneyEffect,
): Effect<F> {
  const on = way.on === "order" ? "order" : "lines";
  return {
    takes_off,
    on,
    adds: noGoods,
    steps: (_, lines) => lines * LINE_STEPS[on],
    apply:
      way.on === "order"
        ? (discount, effect, input) => applyToOrder(type, way, discount, effect, input)
        : (discount, effect, input) => applyToItems(type, way, discount, effect, input),
  };
}

const limitIn = (fields: Fields, limit: keyof Limited, discount: object): number | null =>
  limit in fields ? ((discount as Limited)[limit] ?? null) : null;

const shownDiscount = <F extends Fields>(field: string, discount: With<F>, effect: string, own: OwnValue) => ({
  ...discount,
  [field]: shownPercent(own.value),
  effect,
  is_dynamic: own.is_dynamic,
});

function applyToOrder<F extends Fields>(
  { type, fields, value, ownValue }: MoneyDefinition<string, F, string>,
  { ofInitialAmount, off, words }: OrderWay,
  discount: With<F>,
  effect: string,
  input: StepInput,
): StepOf<With<F>> {
  const { order, calculation } = input;
  const own = ownValue(discount, input, null, false);
  const left = payable(order);
  const base = ofInitialAmount && calculation === "INITIAL_AMOUNT" ? (order.initial_amount ?? 0) : left;
  const raw = off(own.value, base);
  const limit = limitIn(fields, "amount_limit", discount);
  const amount = Math.min(raw, limit ?? Number.MAX_SAFE_INTEGER);
  input.explain?.({
    kind: "order",
    type,
    words,
    value: own.value,
    base,
    amount: raw,
    caps: { amount_limit: limit, order: left },
  });
  const applied = shownDiscount(value, discount, effect, own);
  return { order: discountOrder(order, amount), discount: applied, targets: [], replacements: [] };
}

function applyToItems<F extends Fields>(
  { fields, value, ownValue }: MoneyDefinition<string, F, string>,
  way: LineWay | SplitWay,
  discount: With<F>,
  effect: string,
  input: StepInput,
): StepOf<With<F>> {
  const { order, formulas, bundles } = input;
  // What is counted by units takes more of them with each bundle; what is not, takes more money.
  const { perUnit } = way;
  const targets = selectTargets(order, input.applicableTo, input.blocked);
  const discounts = itemDiscounts(order, targets, {
    way,
    valueOf: (item) => ownValue(discount, input, item, perUnit).value,
    priceOf: (entry, item) =>
      (entry.price_formula ? formulas.money(entry.price_formula, item) : null) ?? entry.price ?? null,
    amountLimit: limitIn(fields, "amount_limit", discount),
    aggregatedAmountLimit: limitIn(fields, "aggregated_amount_limit", discount),
    unitLimitFactor: perUnit ? bundles : 1,
    ofInitialAmount: input.calculation === "INITIAL_AMOUNT",
    usedUnits: input.usedUnits,
    explain: input.explain,
    steps: input.steps,
  });
  return {
    order: discountItems(order, discounts),
    discount: shownDiscount(value, discount, effect, ownValue(discount, input, null, perUnit)),
    targets: discounts,
    replacements: [],
  };
}
