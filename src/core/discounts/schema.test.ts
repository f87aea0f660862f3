import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiscountSent, discountFault, parseDiscount } from "./schema.ts";

const formulaFault = (text: string) => (text === "BAD" ? "there is no BAD" : null);
const fault = (discount: object) => discountFault(discount as DiscountSent, { path: ".discount", formulaFault });

const GOOD = [
  { type: "AMOUNT", amount_off: 100 },
  { type: "AMOUNT", amount_off_formula: "1", effect: "APPLY_TO_ITEMS_BY_QUANTITY" },
  { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" },
  { type: "FIXED", fixed_amount: 0 },
  { type: "FIXED", effect: "APPLY_TO_ITEMS" },
  { type: "UNIT", unit_off: 1, unit_type: "prod_1" },
  { type: "UNIT", effect: "ADD_MANY_ITEMS", units: [{ unit_off: 1, unit_type: "prod_1" }] },
];
for (const discount of GOOD)
  test(`${JSON.stringify(discount)} is a discount`, () => assert.equal(fault(discount), null));

const BAD = [
  [{ type: "AMOUNT" }, "Property .discount must have required property 'amount_off'"],
  [{ type: "AMOUNT", amount_off: null }, "Property .discount must have required property 'amount_off'"],
  [{ type: "PERCENT", amount_off: 5 }, "Property .discount must have required property 'percent_off'"],
  [{ type: "FIXED" }, "Property .discount must have required property 'fixed_amount'"],
  [{ type: "UNIT", unit_off: 1 }, "Property .discount must have required property 'unit_type'"],
  [{ type: "UNIT", unit_type: "p" }, "Property .discount must have required property 'unit_off'"],
  [{ type: "UNIT", effect: "ADD_MANY_ITEMS" }, "Property .discount.units must name unit_off and unit_type of each"],
  [
    { type: "PERCENT", percent_off: 5, effect: "ADD_NEW_ITEMS" },
    "Property .discount.effect must be equal to one of the allowed values [ APPLY_TO_ORDER, APPLY_TO_ITEMS ]",
  ],
  [
    { type: "AMOUNT", amount_off: 1, amount_off_formula: "BAD" },
    "Property .discount.amount_off_formula: there is no BAD",
  ],
] as const;
for (const [discount, details] of BAD)
  test(`${JSON.stringify(discount)} is refused`, () => assert.equal(fault(discount), details));

test("what is stored are the fields of the type, without what was sent beside them", () => {
  const sent = {
    type: "PERCENT",
    percent_off: 10,
    amount_off: 5,
    is_dynamic: true,
    effect: "APPLY_TO_ORDER",
    amount_limit: null,
  };
  assert.deepEqual(parseDiscount(sent as DiscountSent), {
    type: "PERCENT",
    percent_off: 10,
    effect: "APPLY_TO_ORDER",
  });
  const many = { type: "UNIT", units: [{ unit_off: 2, unit_type: "p", product: { id: "p" } }] };
  assert.deepEqual(parseDiscount(many as DiscountSent), {
    type: "UNIT",
    effect: "ADD_MANY_ITEMS",
    units: [{ unit_off: 2, unit_type: "p", effect: "ADD_MISSING_ITEMS" }],
  });
});
