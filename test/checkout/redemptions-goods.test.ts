import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

// What redeeming does to the catalogue of products, and limits on how many of them are discounted.
const { db } = await testDatabase();

const perUnit = { type: "AMOUNT", amount_off: 1, effect: "APPLY_TO_ITEMS_BY_QUANTITY" };

async function world() {
  const { project, call, ok } = await testShop(db);
  const product = async (source_id: string): Promise<string> =>
    (await ok("POST /v1/products", { source_id, name: source_id })).id;
  const limiting = async (...included: object[]): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name: "limits", applicable_to: { included, included_all: false } })).id;
  const promotion = async (rules: readonly string[], discount: object = perUnit) => {
    const { id } = await ok("POST /v1/campaigns", { name: `promotion ${rules}`, campaign_type: "PROMOTION" });
    const tier = async (name: string, own: readonly string[] = rules): Promise<string> =>
      (await ok(`POST /v1/promotions/${id}/tiers`, { name, action: { discount }, validation_rules: own })).id;
    return { id, tier };
  };
  const items = (cart: Record<string, number>) =>
    Object.entries(cart).map(([source_id, quantity]) => ({
      source_id,
      related_object: "product",
      quantity,
      price: 100,
    }));
  const body = (ids: readonly string[], cart: Record<string, number>, more: object = {}) => ({
    redeemables: ids.map((id) => ({ object: id.startsWith("promo_") ? "promotion_tier" : "voucher", id })),
    order: { items: items(cart) },
    ...more,
  });
  /** One minor unit comes off each unit that is discounted: how many were, by product. */
  const discounted = (order: any): Record<string, number> =>
    Object.fromEntries(order.items.map((item: any) => [item.product.source_id, item.discount_amount ?? 0]));
  const redeem = async (ids: readonly string[], cart: Record<string, number>, more: object = {}) =>
    discounted((await ok("POST /v1/redemptions", body(ids, cart, more))).order);
  const validate = async (ids: readonly string[], cart: Record<string, number>, more: object = {}) =>
    discounted((await ok("POST /v1/validations", body(ids, cart, more))).order);
  const rows = (table: string) => db`select * from ${db(table)} where project_id = ${project.id}`;
  return { project, call, ok, product, limiting, promotion, items, body, discounted, redeem, validate, rows };
}

test("A07: of one customer's units of a product only those that the limit leaves are discounted", async () => {
  const { ok, product, limiting, promotion, redeem, validate, rows } = await world();
  const id = await product("shirt");
  const limit = { product_customer_campaign_quantity_limit: 5 };
  const { id: campaign, tier } = await promotion([await limiting({ object: "product", id, ...limit })]);
  const [one, other] = [await tier("one"), await tier("other")];
  const anna = { customer: { source_id: "anna" } };
  assert.deepEqual(await validate([one], { shirt: 3 }, anna), { shirt: 3 });
  assert.deepEqual(await redeem([one], { shirt: 3 }, anna), { shirt: 3 });
  assert.deepEqual(await validate([one], { shirt: 3 }, anna), { shirt: 2 }, "a validation sees it");
  assert.deepEqual(await redeem([one], { shirt: 3 }, anna), { shirt: 2 });
  assert.deepEqual(await redeem([other], { shirt: 3 }, anna), { shirt: 0 }, "all tiers of the campaign count");
  assert.deepEqual(await redeem([one], { shirt: 9 }, { customer: { source_id: "bob" } }), { shirt: 5 });
  assert.deepEqual(await redeem([one], { shirt: 9 }), { shirt: 5 }, "a guest is nobody's customer");
  const counted = await rows("unit_counters");
  assert.deepEqual(
    counted.map(({ subject_id, units }) => [subject_id, units]),
    [
      [campaign, 5],
      [campaign, 5],
    ],
  );
  const { id: customer } = await ok("GET /v1/customers/anna");
  const effects = (await rows("redemptions")).flatMap(({ effect }) => effect.units ?? []);
  assert.deepEqual(
    effects.filter(([, of]) => of === customer).map(([subject, , name, units]) => [subject, name, units]),
    [3, 2].map((units) => [campaign, `product_customer_campaign_quantity_limit product ${id} `, units]),
  );
});

test("A08: inside a collection each product has the limit for itself", async () => {
  const { ok, product, limiting, promotion, redeem } = await world();
  for (const name of ["tshirt", "beanie", "poster"]) await product(name);
  const collection = await ok("POST /v1/product-collections", {
    type: "AUTO_UPDATE",
    name: "all",
    filter: { junction: "or", name: { conditions: { $is: ["tshirt", "beanie", "poster"] } } },
  });
  const limit = { product_in_collection_campaign_quantity_limit: 5 };
  const { tier } = await promotion([await limiting({ object: "products_collection", id: collection.id, ...limit })]);
  const one = await tier("one");
  assert.deepEqual(await redeem([one], { tshirt: 5, beanie: 1, poster: 4 }), { tshirt: 5, beanie: 1, poster: 4 });
  assert.deepEqual(await redeem([one], { tshirt: 3, beanie: 3, poster: 2 }), { tshirt: 0, beanie: 3, poster: 1 });
  assert.deepEqual(await redeem([one], { tshirt: 1, beanie: 3, poster: 3 }), { tshirt: 0, beanie: 1, poster: 0 });
});

test("limits of a tier count for that tier, limits of a campaign for all its codes, also in one request", async () => {
  const { ok, product, limiting, promotion, redeem, validate } = await world();
  const id = await product("shirt");
  const rule = await limiting({ object: "product", id, product_promotion_tier_quantity_limit: 2 });
  const { tier } = await promotion([rule]);
  const [one, other] = [await tier("one"), await tier("other")];
  assert.deepEqual(await redeem([one], { shirt: 3 }), { shirt: 2 });
  assert.deepEqual(await redeem([one], { shirt: 3 }), { shirt: 0 });
  assert.deepEqual(await redeem([other], { shirt: 3 }), { shirt: 2 });
  const codes = await ok("POST /v1/campaigns", {
    name: "codes",
    voucher: { type: "DISCOUNT_VOUCHER", discount: perUnit },
    validation_rules: [await limiting({ object: "product", id, product_campaign_quantity_limit: 4 })],
  });
  for (const code of ["A", "B"]) await ok(`POST /v1/campaigns/${codes.id}/vouchers/${code}`, {});
  assert.deepEqual(await validate(["A", "B"], { shirt: 3 }), { shirt: 4 });
  assert.deepEqual(await redeem(["A", "B"], { shirt: 3 }), { shirt: 4 });
  assert.deepEqual(await redeem(["A"], { shirt: 3 }), { shirt: 0 });
});

test("a code that stands alone counts for itself, limits may be formulas, and free units end with the limit", async () => {
  const { ok, product, limiting, redeem, rows } = await world();
  const id = await product("shirt");
  const code = async (name: string, discount: object, entry: object) =>
    ok(`POST /v1/vouchers/${name}`, {
      type: "DISCOUNT_VOUCHER",
      discount,
      validation_rules: [await limiting({ object: "product", id, ...entry })],
    });
  const { id: own } = await code("FORMULA", perUnit, { product_campaign_quantity_limit_formula: "1 + 1" });
  assert.deepEqual(await redeem(["FORMULA"], { shirt: 3 }), { shirt: 2 });
  assert.deepEqual(await redeem(["FORMULA"], { shirt: 3 }), { shirt: 0 });
  assert.deepEqual(
    (await rows("unit_counters")).map(({ subject_id, customer_id, units }) => [subject_id, customer_id, units]),
    [[own, "", 2]],
  );
  const free = { type: "UNIT", effect: "ADD_SAME_ITEMS", unit_off: 1, unit_type: id };
  await code("SAME", free, { product_campaign_quantity_limit: 1 });
  assert.deepEqual(await redeem(["SAME"], { shirt: 1 }), { shirt: 100 });
  assert.deepEqual(await redeem(["SAME"], { shirt: 1 }), { shirt: 0 });
});

test("a qualification sees what was discounted before", async () => {
  const { ok, product, limiting, promotion, redeem, items } = await world();
  const id = await product("shirt");
  const { tier } = await promotion([await limiting({ object: "product", id, product_campaign_quantity_limit: 4 })]);
  await redeem([await tier("one")], { shirt: 3 });
  const found = await ok("POST /v1/qualifications", { scenario: "ALL", order: { items: items({ shirt: 3 }) } });
  assert.deepEqual(
    found.redeemables.data.map((one: any) => one.order.total_applied_discount_amount),
    [1],
  );
});

test("parallel redemptions discount no more units than the limit leaves", async () => {
  const { call, product, limiting, promotion, body, rows } = await world();
  const id = await product("shirt");
  const { tier } = await promotion([await limiting({ object: "product", id, product_campaign_quantity_limit: 10 })]);
  const one = await tier("one");
  const replies = await Promise.all(
    Array.from({ length: 16 }, () => call("POST /v1/redemptions", body([one], { shirt: 2 }))),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  const units = replies.reduce((sum, reply) => sum + (reply.body.order.items_discount_amount ?? 0), 0);
  assert.equal(units, 10);
  assert.deepEqual(
    (await rows("unit_counters")).map((row) => row.units),
    [10],
  );
});

test("a line with override brings the catalogue up to date when its order is redeemed, and only then", async () => {
  const { call, ok, product, rows } = await world();
  await product("known");
  await ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const items = [
    { product: { source_id: "known", name: "Known", price: 700, metadata: { a: 1 }, override: true } },
    { product: { source_id: "plain", name: "Plain", price: 5 } },
    {
      related_object: "sku",
      source_id: "new-red",
      product: { source_id: "new", name: "New", price: 900, override: true },
      sku: { sku: "red", price: 950, override: true },
      quantity: 2,
    },
  ];
  const redeem = (id: string, order: object) =>
    call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id }], order });
  assert.equal((await redeem("nobody", { items })).status, 404);
  await ok("POST /v1/validations", { redeemables: [{ object: "voucher", id: "TEN" }], order: { items } });
  assert.equal((await ok("GET /v1/products/known")).price, null, "a refusal and a validation change nothing");
  const { body } = await redeem("TEN", { items });
  assert.equal(body.order.amount, 700 + 5 + 2 * 950);
  const found = await rows("products");
  assert.deepEqual(found.map(({ source_id, name, price, metadata }) => [source_id, name, price, metadata]).sort(), [
    ["known", "Known", 700, { a: 1 }],
    ["new", "New", 900, {}],
  ]);
  const [sku] = await rows("skus");
  const made = found.find(({ source_id }) => source_id === "new")!;
  assert.deepEqual([sku!.source_id, sku!.sku, sku!.price, sku!.product_id], ["new-red", "red", 950, made.id]);
  assert.equal(made.created_at, NOW);
});

test("metadata that breaks the schema of products refuses a redemption before anything happens", async () => {
  const { project, call, ok, rows } = await world();
  await ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "product",
    properties: { size: { type: "number", optional: true, array: false } },
  });
  const line = (product: object) => ({ product: { source_id: "p", price: 10, ...product } });
  const redeem = (product: object) =>
    call("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id: "TEN" }],
      order: { items: [line(product)] },
    });
  // Stored or not: metadata that breaks its schema is refused.
  for (const override of [true, false]) {
    const bad = await redeem({ metadata: { size: "large" }, override });
    assert.deepEqual([bad.status, bad.body.key], [400, "metadata_validation_failed"]);
  }
  assert.equal((await rows("redemptions")).length, 0);
  assert.equal((await redeem({ metadata: { size: 5 }, override: true })).status, 200);
  assert.deepEqual(
    (await rows("products")).map(({ metadata }) => metadata),
    [{ size: 5 }],
  );
});

test("orders of one batch that name what another brought up to date see it", async () => {
  const { call, ok, rows } = await world();
  await ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const redeem = (product: object) =>
    call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "TEN" }], order: { items: [{ product }] } });
  const replies = await Promise.all([
    ...Array.from({ length: 6 }, (_, n) => redeem({ source_id: `p${n % 2}`, price: 100, override: true })),
    ...Array.from({ length: 6 }, (_, n) => redeem({ source_id: `p${n % 2}` })),
  ]);
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.deepEqual((await rows("products")).map(({ source_id }) => source_id).sort(), ["p0", "p1"]);
});

test("a gift card pays for no more units than its limits leave, over all its redemptions", async () => {
  const { ok, product, limiting } = await world();
  const id = await product("soap");
  const gift = async (code: string, limits: object) =>
    ok(`POST /v1/vouchers/${code}`, {
      type: "GIFT_VOUCHER",
      gift: { amount: 10_000, effect: "APPLY_TO_ITEMS" },
      validation_rules: [await limiting({ object: "product", id, ...limits })],
    });
  const items = [{ product_id: id, quantity: 2, price: 100 }, { price: 5000 }];
  const order = { redeemables: [{ object: "voucher", id: "OVER-TIME" }], order: { items } };
  await gift("OVER-TIME", { product_campaign_quantity_limit: 3 });
  const paid = async (operation: "validations" | "redemptions") => (await ok(`POST /v1/${operation}`, order)).order;
  const redeemed: any[] = [];
  for (const off of [200, 100, 0]) {
    assert.equal((await paid("validations")).items_discount_amount ?? 0, off);
    redeemed.push(await ok("POST /v1/redemptions", order));
    assert.equal(redeemed.at(-1).order.items_discount_amount ?? 0, off);
  }
  assert.equal((await ok("GET /v1/vouchers/OVER-TIME")).gift.balance, 9700);
  await ok(`POST /v1/redemptions/${redeemed[0].redemptions[0].id}/rollback`);
  assert.equal((await paid("validations")).items_discount_amount, 200);

  const validated = async (code: string) =>
    (await ok("POST /v1/validations", { ...order, redeemables: [{ object: "voucher", id: code }] })).redeemables[0];
  for (const [code, limits, credits] of [
    ["AGGREGATED", { aggregated_amount_limit: 30 }, 30],
    ["QUANTITY", { quantity_limit: 1 }, 100],
    ["FORMULA", { quantity_limit_formula: "ORDER_ITEMS_QUANTITY - 1" }, 100],
    ["UNIT", { target: "UNIT", skip_initially: 1 }, 100],
  ] as const) {
    await gift(code, limits);
    assert.equal((await validated(code)).result.gift.credits, credits, code);
  }
});

test("a percentage from a formula is not cut before the amount is rounded", async () => {
  const { ok } = await world();
  const discount = { type: "PERCENT", percent_off: 1, percent_off_formula: "10 / 3" };
  await ok("POST /v1/vouchers/THIRD", { type: "DISCOUNT_VOUCHER", discount });
  const { order, redeemables } = await ok("POST /v1/validations", {
    redeemables: [{ object: "voucher", id: "THIRD" }],
    order: { amount: 1515 },
    options: { expand: ["order", "trace"] },
  });
  assert.equal(order.total_discount_amount, 51);
  assert.equal(redeemables[0].result.discount.percent_off, 3.3333333333);
  assert.ok(
    redeemables[0].trace.calculation.steps.some(
      ({ says }: { says: string }) => says === "3.3333333333% of 15.15 is 0.505, rounded 0.51",
    ),
    JSON.stringify(redeemables[0].trace),
  );
});
