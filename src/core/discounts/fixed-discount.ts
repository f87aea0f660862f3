import { valueOr } from "./definition.ts";
import { moneyText } from "./explain.ts";
import { DiscountAmount, Formula } from "./fields.ts";
import { type LineWay, valueOfUnits } from "./items.ts";
import { defineMoneyDiscount } from "./money-discount.ts";

/** Each unit for a new price: that of the products that rules name, or that of the discount. */
const NEW_PRICE: LineWay = {
  on: "lines",
  name: "new_price",
  perUnit: true,
  limitsUnits: false,
  raw: (item, { entry, count }, discount) => {
    const value = Number(discount.priceOf(entry, item) ?? discount.valueOf(item));
    const base = valueOfUnits(item, count, false);
    return { value, base, amount: Math.max(0, base - value * count) };
  },
  words: ({ units_counted, value, base, amount }) =>
    `${units_counted} for ${moneyText(value)} each instead of ${moneyText(base)}: ${moneyText(amount)} off`,
};

export const fixedDiscount = defineMoneyDiscount({
  type: "FIXED",
  fields: { fixed_amount: DiscountAmount, fixed_amount_formula: Formula },
  value: "fixed_amount",
  // For items the new price may stand with the products it is for.
  isComplete: ({ effect }) => effect === "APPLY_TO_ITEMS",
  ownValue: ({ fixed_amount_formula, fixed_amount }, { formulas }, item) =>
    valueOr(fixed_amount_formula, fixed_amount, (formula) => formulas.money(formula, item)),
  effects: {
    APPLY_TO_ORDER: {
      takes_off: "the part of the order amount above `fixed_amount`",
      way: {
        on: "order",
        ofInitialAmount: false,
        off: (value, base) => Math.max(0, base - Number(value)),
        words: ({ value, base, amount }) => `${moneyText(base)} becomes ${moneyText(value)}: ${moneyText(amount)} off`,
      },
    },
    APPLY_TO_ITEMS: { takes_off: "the part of each unit's price above `fixed_amount`", way: NEW_PRICE },
  },
  examples: [
    {
      discount: { type: "FIXED", fixed_amount: 4000, effect: "APPLY_TO_ORDER" },
      off: 400,
      explained: ["44.00 becomes 40.00: 4.00 off"],
    },
    {
      discount: { type: "FIXED", fixed_amount: 1000, effect: "APPLY_TO_ITEMS" },
      off: 1400,
      lines: [
        [2, 400],
        [1, 1000],
      ],
      explained: [
        "items[0]: 2 for 10.00 each instead of 24.00: 4.00 off",
        "items[1]: 1 for 10.00 each instead of 20.00: 10.00 off",
      ],
    },
    {
      note: "an order that costs less stays as it is",
      discount: { type: "FIXED", fixed_amount: 5000 },
      off: 0,
      explained: ["44.00 becomes 50.00: 0.00 off"],
    },
    {
      note: "the price of a product that rules name",
      discount: { type: "FIXED", effect: "APPLY_TO_ITEMS" },
      included: [{ object: "product", id: "tee", price: 1500 }],
      off: 500,
      lines: [
        [2, 0],
        [1, 500],
      ],
      explained: ["items[1]: 1 for 15.00 each instead of 20.00: 5.00 off"],
    },
  ],
});
