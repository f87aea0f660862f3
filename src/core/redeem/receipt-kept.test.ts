import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderRow } from "../rows/order.ts";
import { NO_EFFECT, type RedemptionRow } from "../rows/redemption.ts";
import type { Receipt } from "./receipt.ts";
import { receiptFrom, receiptKept } from "./receipt-kept.ts";
import { redemptionRow } from "./redemption-row.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const REQUEST = { project_id: "proj_1", api_key_id: "key_1", customer_id: "cust_1", tracking_id: null, now: NOW };
const row: RedemptionRow = {
  ...redemptionRow({ ...REQUEST, metadata: { store: "Berlin", a: 1 } }, "r_1"),
  related_object_type: "voucher",
  related_object_id: "v_1",
  campaign_id: "camp_1",
  voucher_code: "TEN",
  order_id: "ord_1",
  effect: { ...NO_EFFECT, shown: { discount: { type: "PERCENT", percent_off: 10 } } },
};
const order: OrderRow = {
  project_id: "proj_1",
  id: "ord_1",
  source_id: null,
  status: "PAID",
  customer_id: "cust_1",
  referrer_id: null,
  amount: 900,
  initial_amount: 900,
  discount_amount: 90,
  items_discount_amount: 0,
  applied_discount_amount: 90,
  items_applied_discount_amount: 0,
  zero_discounts: null,
  applied_zero_discounts: null,
  items: [],
  metadata: { long_name: 1, b: 2 },
  redemptions: {},
  created_at: NOW,
  updated_at: null,
};

/** Receipts are kept for ever. Whoever changes what is expected leaves this form as it is, and adds one with the next number. */
test("what the first form of receipts expects does not change", () => {
  assert.equal(
    JSON.stringify(receiptFrom({ of: 1 }, row, order)),
    '{"request":{"redeemables":[{"object":"voucher","id":"TEN"}],"customer":{"id":"cust_1"},"order":{"id":null,' +
      '"source_id":null,"amount":900,"initial_amount":900,"discount_amount":0,"applied_discount_amount":0,"items":[],' +
      '"metadata":{"b":2,"long_name":1}},"metadata":{"a":1,"store":"Berlin"}},"facts":{"now":"2026-01-01T12:00:00.000Z",' +
      '"zone":"UTC","api_key_id":"key_1","customer":{"id":"cust_1","source_id":null,"metadata":{},"birthdate":null,' +
      '"segments":[],"loyalty_tiers":[]},"redeemables":[{"object":"voucher","id":"TEN",' +
      '"ref":"v_1","label":"Discount Coupon","campaign_id":"camp_1","category_id":null,"hierarchy":null,"is_active":true,' +
      '"quantity":null,"redeemed":0,"locked":0,"rules":[],"benefit":{"kind":"discount","discount":""},' +
      '"published":0,"metadata":{},"counts":{"campaign":{"total":0,"day":0,"week":0,"month":0},' +
      '"campaign_customer":{"total":0,"day":0,"week":0,"month":0},"incentive":{"total":0,"day":0,"week":0,"month":0},' +
      '"incentive_customer":{"total":0,"day":0,"week":0,"month":0},"incentive_api_key":0,"incentive_user":0,' +
      '"campaign_orders_amount":0,"campaign_discount_amount":0,"campaign_gift_amount":0}}]},' +
      '"configuration":{"stacking_rules":""},"result":{"valid":true,"redeemables":[{"object":"voucher","id":"TEN",' +
      '"status":"APPLICABLE","discount":{"type":"PERCENT","percent_off":10,"effect":"APPLY_TO_ORDER","is_dynamic":false},' +
      '"order":{"amount":900,"discount_amount":90,"total_discount_amount":90,"total_amount":810}}],"order":{"amount":900,' +
      '"discount_amount":90,"total_discount_amount":90,"total_amount":810,"items":[]}}}',
  );
});

test("a receipt is put together to the byte from rows as the database gives them back, and of an order that was copied", () => {
  const receipt = {
    ...receiptFrom({ of: 1 }, row, order),
    request: { redeemables: [], customer: null, order: null, metadata: { store: "Berlin", a: 1 } },
  } as Receipt;
  const kept = JSON.parse(JSON.stringify(receiptKept(receipt, row, order)));
  const was = { ...order, metadata: { b: 2, long_name: 1 }, created_at: "2026-01-01T12:00:00+00:00" };
  const later: RedemptionRow = { ...row, metadata: { a: 1, store: "Berlin" }, order_shown: { was } };
  assert.equal(JSON.stringify(receiptFrom(kept, later, { ...order, amount: 1 })), JSON.stringify(receipt));
  assert.equal(receiptFrom(receipt, later, null), receipt, "one of an older version is there as a whole");
});
