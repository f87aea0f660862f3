import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

// Where an answer shows an amount of 0, and where it leaves the field out: ADR 0020.
const { db } = await testDatabase();

const DISCOUNTS = [
  "discount_amount",
  "items_discount_amount",
  "total_discount_amount",
  "applied_discount_amount",
  "items_applied_discount_amount",
  "total_applied_discount_amount",
] as const;
type Shown = Partial<Record<(typeof DISCOUNTS)[number], number>>;
/** The discounts that an order or a line shows. */
const discountsOf = (of: any): Shown => Object.fromEntries(DISCOUNTS.flatMap((k) => (k in of ? [[k, of[k]]] : [])));

async function world() {
  const { ok } = await testShop(db);
  const code = (name: string, discount: object) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount });
  const asked = (ids: readonly string[], order: object) => ({
    redeemables: ids.map((id) => ({ object: "voucher", id })),
    order,
  });
  return {
    ok,
    code,
    validate: (ids: readonly string[], order: object) => ok("POST /v1/validations", asked(ids, order)),
    redeem: (ids: readonly string[], order: object) => ok("POST /v1/redemptions", asked(ids, order)),
  };
}

const NO_DISCOUNT: Shown = {};
/** An order-level discount that came to nothing. */
const ZERO: Shown = {
  discount_amount: 0,
  total_discount_amount: 0,
  applied_discount_amount: 0,
  total_applied_discount_amount: 0,
};

test("a discount on a line that nothing is left of shows the 0 that it took, and what others took stays", async () => {
  const { ok, code, validate, redeem } = await world();
  const hat = await ok("POST /v1/products", { source_id: "hat", name: "Hat", price: 64900 });
  await code("THIRTY", { type: "PERCENT", percent_off: 30 });
  await code("FREE-HAT", { type: "UNIT", unit_off: 1, unit_type: hat.id, effect: "ADD_MISSING_ITEMS" });
  await code("HAT-LESS", { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ITEMS" });
  const order = { items: [{ amount: 0 }, { product_id: hat.id, quantity: 1 }] };
  const codes = ["FREE-HAT", "HAT-LESS"];
  const cart = { items: [{ product_id: hat.id, quantity: 1 }] };
  for (const answer of [
    (await validate(codes, cart)).redeemables,
    (await redeem(codes, cart)).redemptions,
    (await redeem(codes, { ...cart, source_id: "kept" })).redemptions,
  ]) {
    const last = answer[1].order;
    assert.deepEqual(discountsOf(last), {
      items_discount_amount: 64900,
      total_discount_amount: 64900,
      items_applied_discount_amount: 0,
      total_applied_discount_amount: 0,
    });
    assert.deepEqual(discountsOf(last.items[0]), { discount_amount: 64900, applied_discount_amount: 0 });
  }
  const { redeemables, order: all } = await validate(["THIRTY", ...codes], order);
  // A line that costs nothing: every discount on it comes to 0.
  assert.deepEqual(discountsOf(redeemables[0].order.items[0]), NO_DISCOUNT);
  assert.deepEqual(discountsOf(redeemables[2].order.items[0]), { discount_amount: 0, applied_discount_amount: 0 });
  assert.deepEqual(discountsOf(all.items[0]), { discount_amount: 0, applied_discount_amount: 0 });
  assert.equal(redeemables[2].order.applied_discount_amount, undefined, "no discount of the order as a whole");
});

test("a discount of the whole order that comes to nothing is 0, in validations, redemptions and the stored order", async () => {
  const { ok, code, validate, redeem } = await world();
  await code("FIXED", { type: "FIXED", fixed_amount: 5000, effect: "APPLY_TO_ORDER" });
  const { redeemables, order } = await validate(["FIXED"], { amount: 4000 });
  for (const one of [redeemables[0].order, order]) {
    assert.deepEqual(discountsOf(one), ZERO);
    assert.deepEqual([one.amount, one.total_amount], [4000, 4000]);
  }
  const redeemed = await redeem(["FIXED"], { amount: 4000 });
  const kept = await ok(`GET /v1/orders/${redeemed.order.id}`);
  const record = await ok(`GET /v1/redemptions/${redeemed.redemptions[0].id}`);
  for (const one of [redeemed.order, redeemed.redemptions[0].order, kept, record.order])
    assert.deepEqual(discountsOf(one), ZERO);
  // The next redemption on it shows what was there, and only its own as applied.
  await code("HALF", { type: "PERCENT", percent_off: 50, effect: "APPLY_TO_ITEMS" });
  const line = { id: kept.id, amount: 4000, items: [{ amount: 4000 }] };
  assert.deepEqual(discountsOf((await validate(["HALF"], line)).order), {
    discount_amount: 0,
    items_discount_amount: 2000,
    total_discount_amount: 2000,
    items_applied_discount_amount: 2000,
    total_applied_discount_amount: 2000,
  });
  // What is rolled back leaves no trace in the amounts.
  const { order: back } = await ok(`POST /v1/redemptions/${redeemed.redemptions[0].id}/rollbacks`, {});
  assert.deepEqual(discountsOf(back), NO_DISCOUNT);
  assert.deepEqual(discountsOf(await ok(`GET /v1/orders/${kept.id}`)), NO_DISCOUNT);
});

test("lines below a fixed price show 0, those that the discount is not for show nothing", async () => {
  const { ok, code, validate } = await world();
  const products = await Promise.all(
    ["a", "b", "c"].map((name) => ok("POST /v1/products", { source_id: name, name, price: 1000 })),
  );
  const included = products.slice(0, 2).map(({ id }) => ({ object: "product", id }));
  const rule = await ok("POST /v1/validation-rules", {
    name: "Two of them",
    rules: {},
    applicable_to: { included, excluded: [], included_all: false },
  });
  const { id } = await code("NEW-PRICE", { type: "FIXED", fixed_amount: 1000, effect: "APPLY_TO_ITEMS" });
  await ok(`POST /v1/validation-rules/${rule.id}/assignments`, { voucher: id });
  const priced = [1000, 1500, 2500].map((price, n) => ({ product_id: products[n]!.id, price, quantity: 2 }));
  const { order } = await validate(["NEW-PRICE"], { items: priced });
  assert.deepEqual(order.items.map(discountsOf), [
    { discount_amount: 0, applied_discount_amount: 0 },
    { discount_amount: 1000, applied_discount_amount: 1000 },
    NO_DISCOUNT,
  ]);
  // Nothing but lines that come to 0: the sums are shown as well.
  assert.deepEqual(discountsOf((await validate(["NEW-PRICE"], { items: priced.slice(0, 1) })).order), {
    items_discount_amount: 0,
    total_discount_amount: 0,
    items_applied_discount_amount: 0,
    total_applied_discount_amount: 0,
  });
});

test("what was never worked out is left out: no discount, no amount, nothing that it is for, not valid", async () => {
  const { ok, code, validate, redeem } = await world();
  await code("ITEMS", { type: "PERCENT", percent_off: 15, effect: "APPLY_TO_ITEMS" });
  await code("ORDER", { type: "PERCENT", percent_off: 15 });
  // A line without a price: the discount applies and is worth nothing that could be said.
  const { redeemables, order } = await validate(["ITEMS"], { amount: 13200, items: [{ quantity: 4 }] });
  for (const one of [redeemables[0].order, order]) assert.deepEqual(discountsOf(one), NO_DISCOUNT);
  assert.deepEqual(discountsOf(order.items[0]), NO_DISCOUNT);
  const empty = (await validate(["ORDER"], {})).order;
  assert.deepEqual([discountsOf(empty), "amount" in empty, "total_amount" in empty], [NO_DISCOUNT, false, false]);
  assert.equal((await validate(["NOBODY"], { amount: 1000 })).order, undefined);
  // Credits on a card pay for the order as a whole: the lines are not discounted.
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 2000 } });
  const paid = await redeem(["CARD"], { items: [{ amount: 6000 }] });
  assert.deepEqual(discountsOf(paid.order.items[0]), NO_DISCOUNT);
  const made = await ok("POST /v1/orders", { amount: 1000 });
  assert.deepEqual(discountsOf(made), NO_DISCOUNT);
  const offers = await ok("POST /v1/qualifications", { order: { amount: 1000 } });
  assert.deepEqual(discountsOf(offers.order), NO_DISCOUNT);
});

test("balances, counts and sums of records are 0 and not left out", async () => {
  const { ok, redeem } = await world();
  const card = await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 2000 } });
  assert.deepEqual(card.gift, { amount: 2000, subtracted_amount: 0, balance: 2000, effect: "APPLY_TO_ORDER" });
  assert.deepEqual([card.redemption.redeemed_quantity, card.redemption.redeemed_amount, card.publish.count], [0, 0, 0]);
  const used = await redeem(["CARD"], { amount: 6000 });
  assert.deepEqual(used.redemptions[0].voucher.gift.balance, 0);
  assert.deepEqual((await ok("GET /v1/vouchers/CARD")).gift.balance, 0);
  const back = await ok(`POST /v1/redemptions/${used.redemptions[0].id}/rollbacks`, {});
  assert.deepEqual(discountsOf(back.order), NO_DISCOUNT);
  assert.deepEqual([back.order.amount, back.order.total_amount], [6000, 6000]);
  const { redemption, gift } = await ok("GET /v1/vouchers/CARD");
  assert.deepEqual([redemption.redeemed_quantity, redemption.redeemed_amount, gift.balance], [0, 0, 2000]);
  const session = { type: "LOCK" };
  const offered = await ok("POST /v1/qualifications", { order: { amount: 1000 }, session });
  assert.equal(offered.redeemables.data[0].result.gift.locked_credits, 0);
  const campaign = await ok("POST /v1/campaigns", {
    name: "No codes yet",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 100 } },
  });
  assert.equal(campaign.vouchers_count, 0);
  const customer = await ok("POST /v1/customers", { source_id: "new" });
  assert.deepEqual(customer.summary.orders, {
    total_amount: 0,
    total_count: 0,
    average_amount: 0,
    last_order_amount: 0,
  });
  assert.deepEqual(customer.summary.redemptions.gift, { redeemed_amount: 0, amount_to_go: 0 });
  const promotion = await ok("POST /v1/campaigns", {
    name: "Tiers",
    campaign_type: "PROMOTION",
    promotion: { tiers: [{ name: "Fixed", action: { discount: { type: "FIXED", fixed_amount: 5000 } } }] },
  });
  const [tier] = promotion.promotion.tiers;
  assert.deepEqual(tier.summary, {
    redemptions: { total_redeemed: 0 },
    orders: { total_amount: 0, total_discount_amount: 0 },
  });
  const shown = await ok(`POST /v1/promotions/tiers/${tier.id}/validation`, { order: { amount: 4000 } });
  assert.deepEqual([shown.discount_amount, shown.applied_discount_amount], [0, 0]);
  assert.deepEqual(discountsOf(shown.order), ZERO);
});
