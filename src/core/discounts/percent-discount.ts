import { exactPart, percentOf, timesPercent } from "../money/amounts.ts";
import { subtotalOf } from "../order/order.ts";
import { valueOr } from "./definition.ts";
import { percentWords } from "./explain.ts";
import { Formula, Limit, Percentage } from "./fields.ts";
import { type LineWay, partOf } from "./items.ts";
import { defineMoneyDiscount } from "./money-discount.ts";

const PERCENT_OF_LINE: LineWay = {
  on: "lines",
  name: "percent",
  perUnit: false,
  limitsUnits: false,
  raw: (item, { count }, discount) => {
    const { ofInitialAmount } = discount;
    // Rounded once: half of a third of 50 is 8, and half of 17 would be 9.
    const base =
      count >= item.quantity && !ofInitialAmount ? subtotalOf(item) : partOf(item, count, ofInitialAmount, exactPart);
    const value = discount.valueOf(item);
    return { value, base, amount: percentOf(base, value) };
  },
  words: percentWords,
};

export const percentDiscount = defineMoneyDiscount({
  type: "PERCENT",
  fields: {
    percent_off: Percentage,
    percent_off_formula: Formula,
    amount_limit: Limit,
    aggregated_amount_limit: Limit,
  },
  value: "percent_off",
  ownValue: ({ percent_off_formula, percent_off }, { formulas, bundles }, item) => {
    const own = valueOr(percent_off_formula, percent_off, (formula) => formulas.percent(formula, item));
    return { ...own, value: timesPercent(own.value, bundles) };
  },
  effects: {
    APPLY_TO_ORDER: {
      takes_off: "`percent_off` of the order, at most `amount_limit`",
      way: { on: "order", ofInitialAmount: true, off: (value, base) => percentOf(base, value), words: percentWords },
    },
    APPLY_TO_ITEMS: {
      takes_off: "`percent_off` of each line, at most `amount_limit` for each",
      way: PERCENT_OF_LINE,
    },
  },
  examples: [
    {
      discount: { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ORDER" },
      off: 440,
      explained: ["10% of 44.00 is 4.40"],
    },
    {
      note: "a limit",
      discount: { type: "PERCENT", percent_off: 10, amount_limit: 300 },
      off: 300,
      explained: ["10% of 44.00 is 4.40; amount_limit of the discount leaves 3.00"],
    },
    {
      discount: { type: "PERCENT", percent_off: 12.3, effect: "APPLY_TO_ITEMS" },
      off: 541,
      lines: [
        [2, 295],
        [1, 246],
      ],
      explained: ["items[0]: 12.3% of 24.00 is 2.952, rounded 2.95", "items[1]: 12.3% of 20.00 is 2.46"],
    },
    {
      note: "limits of a line and over all lines",
      discount: {
        type: "PERCENT",
        percent_off: 50,
        amount_limit: 900,
        aggregated_amount_limit: 1500,
        effect: "APPLY_TO_ITEMS",
      },
      off: 1500,
      lines: [
        [2, 900],
        [1, 600],
      ],
      explained: [
        "items[0]: 50% of 24.00 is 12.00; amount_limit of the discount leaves 9.00",
        "items[1]: 50% of 20.00 is 10.00; aggregated_amount_limit of the discount leaves 6.00",
      ],
    },
  ],
});
