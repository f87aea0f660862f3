import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const { call } = await testShop(db);

const SAYS = "must be a whole number of cents (4999 for 49.99)";
const validation = (order: object, more: object = {}) => ({
  redeemables: [{ object: "voucher", id: "A", ...more }],
  order,
});
const rule = (more: object) => ({ name: "R", type: "basic", rules: {}, ...more });

/** Every place of a request that takes money, with a decimal in it. */
const BODIES: [request: string, body: (money: unknown) => object, field: string][] = [
  ["POST /v1/validations", (amount) => validation({ amount }), "Property .order.amount"],
  ["POST /v1/validations", (price) => validation({ items: [{ price }] }), "Property .order.items[0].price"],
  ["POST /v1/validations", (amount) => validation({ items: [{ amount }] }), "Property .order.items[0].amount"],
  [
    "POST /v1/validations",
    (price) => validation({ items: [{ sku: { price } }] }),
    "Property .order.items[0].sku.price",
  ],
  [
    "POST /v1/validations",
    (credits) => validation({ amount: 1 }, { gift: { credits } }),
    "Property .redeemables[0].gift.credits",
  ],
  [
    "POST /v1/redemptions",
    (credits) => validation({ amount: 1 }, { gift: { credits } }),
    "Property .redeemables[0].gift.credits",
  ],
  ["POST /v1/qualifications", (amount) => ({ order: { amount } }), "Property .order.amount"],
  ["POST /v1/orders", (amount) => ({ amount }), "Property .amount"],
  ["POST /v1/products", (price) => ({ name: "P", price }), "Property .price"],
  [
    "POST /v1/vouchers",
    (amount_off) => ({ type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off } }),
    "Property .discount.amount_off",
  ],
  [
    "POST /v1/vouchers",
    (fixed_amount) => ({ type: "DISCOUNT_VOUCHER", discount: { type: "FIXED", fixed_amount } }),
    "Property .discount.fixed_amount",
  ],
  [
    "POST /v1/vouchers",
    (amount_limit) => ({ type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 1, amount_limit } }),
    "Property .discount.amount_limit",
  ],
  ["POST /v1/vouchers", (amount) => ({ type: "GIFT_VOUCHER", gift: { amount } }), "Property .gift.amount"],
  [
    "POST /v1/campaigns",
    (amount) => ({ name: "C", voucher: { type: "GIFT_VOUCHER", gift: { amount } } }),
    "Property .voucher.gift.amount",
  ],
  [
    "POST /v1/validation-rules",
    (amount) => rule({ rules: { 1: { name: "order.amount", conditions: { $more_than: [amount] } }, logic: "1" } }),
    "Rule 'order.amount': '$more_than'",
  ],
  [
    "POST /v1/validation-rules",
    (price) => rule({ applicable_to: { included: [{ object: "product", id: "p", price }] } }),
    "applicable_to.included[0].price",
  ],
];

test("money with a decimal point, as a number or a text, is refused with what to send instead", async () => {
  for (const [request, body, field] of BODIES)
    for (const money of [49.99, "49.99"]) {
      const reply = await call(request, body(money));
      assertErrorBody(reply);
      assert.equal(reply.status, 400, `${request} ${JSON.stringify(body(money))}`);
      assert.ok(reply.body.details.includes(`${field} ${SAYS}`), `${request}: ${reply.body.details}`);
    }
});

test("what a balance changes by may be cents or points", async () => {
  await call("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 100 } });
  const { status, body } = await call("POST /v1/vouchers/GIFT/balance", { amount: 4.5 });
  const says = "must be a whole number: of cents (4999 for 49.99), or of points";
  assert.deepEqual([status, body.details], [400, `Property .amount ${says}`]);
});

test("what is no money keeps its own words", async () => {
  const { status, body } = await call("POST /v1/categories", { name: "C", hierarchy: 1.5 });
  assert.deepEqual([status, body.details], [400, "Property .hierarchy must be integer"]);
});
