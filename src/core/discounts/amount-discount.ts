import { subtotalOf } from "../order/order.ts";
import { valueOr } from "./definition.ts";
import { moneyText } from "./explain.ts";
import { DiscountAmount, Formula, Limit } from "./fields.ts";
import { type LineWay, type SplitWay, valueOfUnits } from "./items.ts";
import { defineMoneyDiscount } from "./money-discount.ts";

/** Once off each line, however many units it has. Gift credits come off lines in the same way. */
export const AMOUNT_PER_LINE: LineWay = {
  on: "lines",
  name: "amount_per_line",
  perUnit: false,
  limitsUnits: true,
  raw: (item, { count }, discount) => {
    const value = count === 0 ? 0 : Number(discount.valueOf(item));
    return { value, base: subtotalOf(item), amount: value };
  },
  words: ({ value }) => `${moneyText(value)} off`,
};
const AMOUNT_PER_UNIT: LineWay = {
  on: "lines",
  name: "amount_per_unit",
  perUnit: true,
  limitsUnits: false,
  raw: (item, { count }, discount) => {
    const [value, base] = [Number(discount.valueOf(item)), valueOfUnits(item, count, false)];
    return { value, base, amount: Math.min(value * count, base) };
  },
  words: ({ units_counted, value, base }) => `${units_counted} × ${moneyText(value)} off ${moneyText(base)}`,
};
const SPLIT_BY_AMOUNT: SplitWay = { on: "split", by: "amount", perUnit: false };
const SPLIT_BY_QUANTITY: SplitWay = { on: "split", by: "quantity", perUnit: false };

export const amountDiscount = defineMoneyDiscount({
  type: "AMOUNT",
  fields: { amount_off: DiscountAmount, amount_off_formula: Formula, aggregated_amount_limit: Limit },
  value: "amount_off",
  ownValue: ({ amount_off_formula, amount_off }, { formulas, bundles }, item, perUnit) => {
    const own = valueOr(amount_off_formula, amount_off, (formula) => formulas.money(formula, item));
    return { ...own, value: perUnit ? own.value : own.value * bundles };
  },
  effects: {
    APPLY_TO_ORDER: {
      takes_off: "`amount_off` of the order",
      way: {
        on: "order",
        ofInitialAmount: false,
        off: (value) => Number(value),
        words: ({ value, base }) => `${moneyText(value)} off ${moneyText(base)}`,
      },
    },
    APPLY_TO_ITEMS: {
      takes_off: "`amount_off` once for each line, however many units it has",
      way: AMOUNT_PER_LINE,
    },
    APPLY_TO_ITEMS_PROPORTIONALLY: {
      takes_off: "`amount_off` in total, split over the lines in proportion to their amounts",
      way: SPLIT_BY_AMOUNT,
    },
    APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY: {
      takes_off: "`amount_off` in total, split over the lines in proportion to their units",
      way: SPLIT_BY_QUANTITY,
    },
    APPLY_TO_ITEMS_BY_QUANTITY: { takes_off: "`amount_off` of each unit", way: AMOUNT_PER_UNIT },
  },
  examples: [
    {
      discount: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ORDER" },
      off: 500,
      explained: ["5.00 off 44.00"],
    },
    {
      discount: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS" },
      off: 1000,
      lines: [
        [2, 500],
        [1, 500],
      ],
      explained: ["items[0]: 5.00 off", "items[1]: 5.00 off"],
    },
    {
      note: "a limit over all lines",
      discount: { type: "AMOUNT", amount_off: 500, aggregated_amount_limit: 700, effect: "APPLY_TO_ITEMS" },
      off: 700,
      lines: [
        [2, 500],
        [1, 200],
      ],
      explained: ["items[0]: 5.00 off", "items[1]: 5.00 off; aggregated_amount_limit of the discount leaves 2.00"],
    },
    {
      discount: { type: "AMOUNT", amount_off: 440, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
      off: 440,
      lines: [
        [2, 240],
        [1, 200],
      ],
      explained: ["4.40 off; by amount: 2.40, 2.00"],
    },
    {
      discount: { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY" },
      off: 300,
      lines: [
        [2, 200],
        [1, 100],
      ],
      explained: ["3.00 off; by quantity: 2.00, 1.00"],
    },
    {
      discount: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS_BY_QUANTITY" },
      off: 1500,
      lines: [
        [2, 1000],
        [1, 500],
      ],
      explained: ["items[0]: 2 × 5.00 off 24.00", "items[1]: 1 × 5.00 off 20.00"],
    },
    {
      note: "a formula",
      discount: { type: "AMOUNT", amount_off_formula: "ORDER_AMOUNT / 10" },
      off: 440,
      explained: ["the formula gives 440", "4.40 off 44.00"],
    },
  ],
});
