import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function shop() {
  const { ok } = await testShop(db);
  const redeem = (object: string, id: string, more: object = {}) =>
    ok("POST /v1/redemptions", { redeemables: [{ object, id, ...more }], order: { amount: 10_000 } });
  return { ok, redeem };
}

test("a redemption shows its code whole: the configuration of now, the figures of use as they were after it", async () => {
  const { ok, redeem } = await shop();
  const { code } = await ok("POST /v1/vouchers", { type: "GIFT_VOUCHER", gift: { amount: 1000 }, metadata: { a: 1 } });
  const [first, second] = [
    (await redeem("voucher", code, { gift: { credits: 300 } })).redemptions[0],
    (await redeem("voucher", code, { gift: { credits: 200 } })).redemptions[0],
  ];
  const figures = ({ voucher: { gift, redemption } }: any) => [
    gift.amount,
    gift.balance,
    gift.effect,
    redemption.redeemed_quantity,
    redemption.redeemed_amount,
  ];
  assert.deepEqual(figures(first), [1000, 700, "APPLY_TO_ORDER", 1, 300]);
  assert.deepEqual(figures(second), [1000, 500, "APPLY_TO_ORDER", 2, 500]);
  const { voucher } = first;
  assert.deepEqual([voucher.active, voucher.metadata, voucher.holder_id], [true, { a: 1 }, null]);
  assert.ok("start_date" in voucher && "created_at" in voucher && voucher.publish.object === "list");

  await ok(`PUT /v1/vouchers/${code}`, { metadata: { b: 2 } });
  const read = await ok(`GET /v1/redemptions/${first.id}`);
  assert.deepEqual(figures(read), figures(first));
  assert.deepEqual(read.voucher.metadata, { a: 1, b: 2 });
  const { redemptions } = await ok("GET /v1/redemptions");
  assert.deepEqual(redemptions.map(figures), [figures(second), figures(first)]);
});

test("a rollback shows its code as it is after it", async () => {
  const { ok, redeem } = await shop();
  const { code } = await ok("POST /v1/vouchers", {
    discount: { type: "AMOUNT", amount_off: 100 },
    type: "DISCOUNT_VOUCHER",
  });
  const { redemptions } = await redeem("voucher", code);
  const { rollbacks } = await ok(`POST /v1/redemptions/${redemptions[0].id}/rollbacks`, {});
  assert.equal(redemptions[0].voucher.redemption.redeemed_quantity, 1);
  assert.equal(rollbacks[0].voucher.redemption.redeemed_quantity, 0);
  assert.equal((await ok(`GET /v1/redemptions/${rollbacks[0].id}`)).voucher.redemption.redeemed_quantity, 0);
});

test("a redemption of a tier shows the tier whole, with its totals as they were after it", async () => {
  const { ok, redeem } = await shop();
  const campaign = await ok("POST /v1/campaigns", { name: "Summer", campaign_type: "PROMOTION" });
  const discount = { type: "AMOUNT", amount_off: 100 };
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount } });
  const [first] = (await redeem("promotion_tier", tier.id)).redemptions;
  await redeem("promotion_tier", tier.id);
  const totals = ({ promotion_tier: { summary } }: any) => [
    summary.redemptions.total_redeemed,
    summary.orders.total_discount_amount,
  ];
  assert.deepEqual(totals(first), [1, 100]);
  await ok(`PUT /v1/promotions/tiers/${tier.id}`, { name: "Renamed" });
  const read = await ok(`GET /v1/redemptions/${first.id}`);
  assert.deepEqual([totals(read), read.promotion_tier.name, read.promotion_tier.active], [[1, 100], "Renamed", true]);
});
