import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { redemptionRow } from "../../core/redeem/redemption-row.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import { NO_EFFECT, type RedemptionRow } from "../../core/rows/redemption.ts";
import { type AnswerRows, answerFrom, FORMS, madeOf } from "./redemption-answer.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const REQUEST = {
  project_id: "proj_1",
  api_key_id: "key_1",
  metadata: { store: "Berlin", a: 1 },
  customer_id: "cust_1",
  tracking_id: null,
  now: NOW,
};
const order: OrderRow = {
  project_id: "proj_1",
  id: "ord_1",
  source_id: "o-1",
  status: "PAID",
  customer_id: "cust_1",
  referrer_id: null,
  amount: 2000,
  initial_amount: 2000,
  discount_amount: 200,
  items_discount_amount: 0,
  applied_discount_amount: 200,
  items_applied_discount_amount: 0,
  zero_discounts: null,
  applied_zero_discounts: null,
  items: [
    {
      id: "ordli_1",
      product: { id: "prod_1", source_id: "shoe", name: "Shoe", price: 1000, metadata: {} },
      sku: null,
      collections: [],
      price: 1000,
      quantity: 2,
      amount: 2000,
      initial_quantity: 2,
      initial_amount: 2000,
      discount_amount: 0,
      discount_quantity: 0,
      applied_discount_amount: 0,
      applied_discount_quantity: 0,
      applied_quantity: 0,
      applied_quantity_amount: 0,
      metadata: { size: 1 },
    },
  ],
  metadata: { long_name: 1, b: 2 },
  redemptions: { r_1: { date: NOW } },
  created_at: NOW,
  updated_at: null,
};
const part = (id: string, parent_id: string | null): RedemptionRow => ({
  ...redemptionRow(REQUEST, id),
  related_object_type: "voucher",
  related_object_id: "v_1",
  campaign_id: "camp_1",
  campaign_name: "Summer",
  voucher_code: "TEN %",
  order_id: "ord_1",
  parent_id,
  effect: {
    ...NO_EFFECT,
    shown: { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 }, is_referral_code: false },
    use: { redeemed_quantity: 3, account: null },
    kind: "discount",
  },
});
const rows = (redemptions: readonly RedemptionRow[]): AnswerRows => ({
  redemptions,
  order,
  assetsOf: (id) => ({ qr: `picture of ${id}` }),
});
const ONE = rows([part("r_1", null)]);
const STACK = rows([
  part("r_2", "r_4"),
  { ...part("r_3", "r_4"), order_shown: { id: "ord_1", amount: 7 } },
  { ...redemptionRow(REQUEST, "r_4"), related_object_type: "redemption", related_object_id: "r_4", order_id: "ord_1" },
]);

/**
 * Keys that were stored before an update are answered after it. When one of these hashes changes, a view has changed that
 * the form uses: leave the form as it was for a release, and add one with the next number.
 */
test("what the forms of answers expect does not change", () => {
  const [first] = FORMS;
  const hashes = [
    [ONE, false],
    [ONE, true],
    [STACK, false],
  ].map(([given, isSingle]) =>
    hash("sha256", JSON.stringify(first!.expected(given as AnswerRows, isSingle as boolean))),
  );
  assert.deepEqual(
    [first!.form, ...hashes.map((one) => one.slice(0, 16))],
    [1, "340da943353e8be0", "99ca27d791ff00b9", "2c217b62bd74d2c6"],
  );
});

test("an answer is put together to the byte, also from rows that were rolled back since and whose order was copied", () => {
  const answer = { redemptions: [{ id: "r_1", news: null }], order: { id: "ord_1" } };
  const made = JSON.parse(JSON.stringify(madeOf(answer, ONE, false)));
  const later = ONE.redemptions.map(
    (row): RedemptionRow => ({
      ...row,
      status: "ROLLED_BACK",
      metadata: { a: 1, store: "Berlin" },
      order_shown: { was: { ...order, created_at: "2026-01-01T13:00:00+01:00", metadata: { b: 2, long_name: 1 } } },
    }),
  );
  assert.equal(answerFrom(made, { ...ONE, redemptions: later, order: null }), JSON.stringify(answer));
  assert.equal(answerFrom({ ...made, form: 9 }, ONE), null, "nobody knows such a form");
  assert.equal(answerFrom(made, rows([])), null, "a row is missing");
});
