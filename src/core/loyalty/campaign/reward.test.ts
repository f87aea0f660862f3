import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAssignment, parseCoin, parseRewardCampaign, requireOtherCampaign, rewardType } from "./reward.ts";

const isRefused = (key: string) => (error: any) => error.body.key === key;

test("the parameters of a reward say its type", () => {
  assert.equal(rewardType({ campaign: { id: "a" } }), "CAMPAIGN");
  assert.equal(rewardType({ coin: { exchange_ratio: 1 }, product: null }), "COIN");
  assert.equal(rewardType({ product: { id: "a" } }), "MATERIAL");
  for (const sent of [{}, { campaign: null }, { campaign: { id: "a" }, product: { id: "a" } }])
    assert.throws(() => rewardType(sent), isRefused("invalid_payload"));
});

test("ratios are numbers above zero, also when they are sent as texts", () => {
  assert.deepEqual(parseCoin({ exchange_ratio: "0.5" }), { coin: { exchange_ratio: 0.5, points_ratio: 1 } });
  assert.deepEqual(parseCoin({ exchange_ratio: 20, points_ratio: "100" }), {
    coin: { exchange_ratio: 20, points_ratio: 100 },
  });
  for (const sent of [
    { exchange_ratio: "0" },
    { exchange_ratio: "1000000001" },
    { exchange_ratio: 1, points_ratio: "0" },
  ])
    assert.throws(() => parseCoin(sent), isRefused("invalid_payload"));
});

test("cards get a balance above zero, coupons get none", () => {
  const stored = (campaign_type: "DISCOUNT_COUPONS" | "GIFT_VOUCHERS" | "PROMOTION", balance?: number | null) =>
    parseRewardCampaign({ id: "a", ...(balance !== undefined && { balance }) }, { id: "camp_1", campaign_type });
  assert.deepEqual(stored("DISCOUNT_COUPONS", 5), { campaign: { id: "camp_1", type: "DISCOUNT_COUPONS" } });
  assert.deepEqual(stored("GIFT_VOUCHERS", 5), { campaign: { id: "camp_1", balance: 5, type: "GIFT_VOUCHERS" } });
  for (const balance of [undefined, null, 0, -1])
    assert.throws(() => stored("GIFT_VOUCHERS", balance), isRefused("invalid_balance"));
  assert.throws(() => stored("PROMOTION", 5), isRefused("invalid_payload"));
});

test("a price is kept where it is not sent, and points to pay with have none", () => {
  const before = { loyalty: { points: 10, auto_redeem: true } };
  assert.equal(parseAssignment("COIN", before), null);
  assert.deepEqual(parseAssignment("MATERIAL", { loyalty: { points: "5" } }), { loyalty: { points: 5 } });
  assert.deepEqual(parseAssignment("MATERIAL", null, before), before);
  assert.deepEqual(parseAssignment("CAMPAIGN", { loyalty: { points: 7 } }, before), {
    loyalty: { points: 7, auto_redeem: true },
  });
  for (const sent of [undefined, null, {}, { loyalty: {} }, { loyalty: { points: null } }])
    assert.throws(() => parseAssignment("MATERIAL", sent), isRefused("missing_param"));
  assert.throws(() => parseAssignment("MATERIAL", { loyalty: { points: "0" } }), isRefused("invalid_payload"));
});

test("a campaign has no reward of its own points", () => {
  const parameters = { campaign: { id: "camp_1", balance: 5, type: "LOYALTY_PROGRAM" } } as const;
  assert.throws(() => requireOtherCampaign(parameters, "camp_1"), isRefused("invalid_payload"));
  requireOtherCampaign(parameters, "camp_2");
  requireOtherCampaign({ product: { id: "camp_1", sku_id: null } }, "camp_1");
});
