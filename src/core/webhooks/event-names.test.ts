import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCEPTED_TYPES, parseTypes, V1_TYPES, WEBHOOK_TYPES } from "./event-names.ts";

test("there are 61 types of v1, and none is listed twice", () => {
  assert.equal(V1_TYPES.length, 61);
  assert.equal(new Set(ACCEPTED_TYPES).size, ACCEPTED_TYPES.length);
  assert.equal(ACCEPTED_TYPES.length, WEBHOOK_TYPES.length + 4);
});

test("a type is taken once, in one order, and a misspelled one is corrected", () => {
  assert.deepEqual(
    parseTypes(["voucher.loyalty_card.pending_points.aded", "voucher.gift.balance_aded", "customer.updated"]),
    ["customer.updated", "voucher.gift.balance_added", "voucher.loyalty_card.pending_points.added"],
  );
  assert.deepEqual(parseTypes(["campaign.vouchers.aded", "campaign.vouchers.added"]), ["campaign.vouchers.added"]);
  assert.deepEqual(parseTypes(["voucher.loyalty_card.points_aded"]), ["voucher.loyalty_card.points_added"]);
  assert.deepEqual(parseTypes([...WEBHOOK_TYPES].reverse()), WEBHOOK_TYPES);
});
