import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function world() {
  const { call, ok } = await testShop(db);
  const product = (source_id: string, price: number) => ok("POST /v1/products", { source_id, name: source_id, price });
  const code = (name: string, discount: object) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount });
  const unit = (effect: string, unit_type: string) => ({ type: "UNIT", unit_off: 1, unit_type, effect });
  const validate = async (ids: readonly string[], items: readonly object[], more: object = {}) =>
    (
      await call("POST /v1/validations", {
        redeemables: ids.map((id) => ({ object: "voucher", id })),
        order: { items, ...more },
      })
    ).body;
  return { call, ok, product, code, unit, validate };
}

test("what was taken off units goes with them when they are replaced", async () => {
  const { product, code, unit, validate } = await world();
  const [shirt, sock] = [await product("shirt", 1000), await product("sock", 300)];
  await code("HALF", { type: "PERCENT", percent_off: 50, effect: "APPLY_TO_ITEMS" });
  await code("ALMOST", { type: "PERCENT", percent_off: 90 });
  await code("SWAP", unit("REPLACE_ITEMS", sock.id));
  const items = [{ product_id: shirt.id, quantity: 2 }];
  const { order } = await validate(["HALF", "SWAP"], items);
  assert.deepEqual([order.amount, order.total_discount_amount ?? 0, order.total_amount], [600, 0, 600]);
  assert.deepEqual(
    order.items.map((item: any) => [item.quantity, item.amount, item.discount_amount ?? 0, item.subtotal_amount]),
    [
      [0, 0, 0, 0],
      [2, 600, 0, 600],
    ],
  );
  const cheap = (await validate(["ALMOST", "SWAP"], items)).order;
  assert.deepEqual([cheap.amount, cheap.total_discount_amount, cheap.total_amount], [600, 600, 0]);
});

test("an amount that is sent counts when units are replaced: nothing becomes negative", async () => {
  const { product, code, unit, validate } = await world();
  const [shirt, sock] = [await product("shirt", 1000), await product("sock", 300)];
  await code("SWAP", unit("REPLACE_ITEMS", sock.id));
  const { order } = await validate(["SWAP"], [{ product_id: shirt.id, quantity: 2, amount: 5 }]);
  assert.deepEqual([order.amount, order.total_amount], [600, 5]);
  const free = (await validate(["SWAP"], [{ product_id: shirt.id, quantity: 2 }], { amount: 0 })).order;
  assert.deepEqual([free.amount >= 0, free.total_amount], [true, 0]);
});

test("free copies are given of the lines of the collection, and of no other", async () => {
  const { ok, product, code, unit, validate } = await world();
  const [p, q] = [await product("p", 1000), await product("q", 499)];
  const own = await ok("POST /v1/product-collections", {
    name: "P",
    type: "STATIC",
    products: [{ id: p.id, object: "product" }],
  });
  await code("COPY", unit("ADD_SAME_ITEMS", own.id));
  const { order } = await validate(["COPY"], [{ product_id: p.id }, { product_id: q.id }]);
  assert.deepEqual(
    order.items.map((item: any) => [item.quantity, item.discount_amount ?? 0]),
    [
      [2, 1000],
      [1, 0],
    ],
  );
});

test("every project has the product for shipping, and one unit of it free is free shipping", async () => {
  const { ok, code, unit, validate } = await world();
  for (const reference of ["prod_5h1pp1ng", "5h1pp1ng"]) {
    const { id, source_id, name } = await ok(`GET /v1/products/${reference}`);
    assert.deepEqual([id, source_id, name], ["prod_5h1pp1ng", "5h1pp1ng", "Shipping"]);
  }
  await code("SHIP", unit("ADD_MISSING_ITEMS", "prod_5h1pp1ng"));
  const named = [
    { related_object: "product", source_id: "5h1pp1ng", price: 499 },
    { product_id: "prod_5h1pp1ng", price: 499 },
  ];
  for (const line of named) {
    const { order } = await validate(["SHIP"], [{ price: 1000 }, line]);
    assert.deepEqual([order.amount, order.total_amount], [1499, 1000]);
  }
  const { order } = await validate(["SHIP"], [{ price: 1000 }]);
  const { quantity, discount_quantity, initial_quantity, product } = order.items[1];
  assert.deepEqual([quantity, discount_quantity, initial_quantity, product.id], [1, 1, 0, "prod_5h1pp1ng"]);
  assert.equal(order.total_amount, 1000);
});

test("units of something that is not there are refused, when it is configured and when it is gone since", async () => {
  const { call, ok, product, code, unit, validate } = await world();
  const discount = unit("ADD_NEW_ITEMS", "prod_nope");
  const refused = async (request: string, body: object) => {
    const { status, body: answer } = await call(request, body);
    assert.deepEqual([status, answer.key, answer.resource_id], [404, "not_found", "prod_nope"]);
  };
  await refused("POST /v1/vouchers", { type: "DISCOUNT_VOUCHER", discount });
  await refused("POST /v1/campaigns", { name: "C", voucher: { type: "DISCOUNT_VOUCHER", discount } });
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  await refused(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount } });
  const sock = await product("sock", 300);
  await code("FREE", unit("ADD_NEW_ITEMS", sock.id));
  await call(`DELETE /v1/products/${sock.id}`);
  const { valid, redeemables } = await validate(["FREE"], [{ price: 1000 }]);
  assert.deepEqual([valid, redeemables[0].result.error.key], [false, "not_found"]);
});

test("lines that a discount adds have an id, the same in every redeemable and in the whole order", async () => {
  const { ok, product, code, unit, validate } = await world();
  const [shirt, sock, hat, belt] = [
    await product("shirt", 1000),
    await product("sock", 300),
    await product("hat", 400),
    await product("belt", 500),
  ];
  const many = { type: "UNIT", effect: "ADD_MANY_ITEMS" };
  await code("NEW", unit("ADD_NEW_ITEMS", sock.id));
  await code("MISSING", unit("ADD_MISSING_ITEMS", hat.id));
  await code("SWAP", unit("REPLACE_ITEMS", belt.id));
  await code("MANY", {
    ...many,
    units: [
      { unit_off: 1, unit_type: sock.id, effect: "ADD_NEW_ITEMS" },
      { unit_off: 1, unit_type: hat.id, effect: "ADD_MISSING_ITEMS" },
    ],
  });
  const items = [{ product_id: shirt.id, quantity: 2 }];
  const idsOf = (order: any): string[] => order.items.map((item: any) => item.id);
  const good = (ids: readonly string[], count: number) => {
    assert.equal(ids.length, count);
    for (const id of ids) assert.match(id, /^ordli_[0-9a-f]+$/);
    assert.equal(new Set(ids).size, count);
  };
  const body = await validate(["NEW", "MISSING", "SWAP"], items);
  const whole = idsOf(body.order);
  good(whole, 4);
  assert.deepEqual(
    body.redeemables.map((one: any) => idsOf(one.order)),
    [2, 3, 4].map((count) => whole.slice(0, count)),
  );
  good(idsOf((await validate(["MANY"], items)).order), 3);
  good(idsOf((await ok("POST /v1/vouchers/NEW/validate", { order: { items } })).order), 2);

  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = async (name: string, discount: object): Promise<string> =>
    (await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name, action: { discount } })).id;
  const ids = [
    await tier("1", unit("ADD_NEW_ITEMS", sock.id)),
    await tier("2", unit("ADD_NEW_ITEMS", hat.id)),
  ] as const;
  await ok(`POST /v1/promotions/${campaign.id}/stacks`, { name: "S", tiers: { ids } });
  const older = await ok("POST /v1/promotions/validation", { order: { items } });
  for (const one of older.promotions) good(idsOf(one.order), 2);

  const qualified = async (scenario: string) =>
    (await ok("POST /v1/qualifications", { scenario, order: { items }, options: { limit: 50 } })).redeemables.data;
  const [stack] = await qualified("PROMOTION_STACKS");
  good(idsOf(stack.order), 3);
  assert.deepEqual(
    stack.redeemables.map((one: any) => idsOf(one.order)),
    [2, 3].map((count) => idsOf(stack.order).slice(0, count)),
  );
  // Each is alone on the cart: what one adds is no line of another. One of the six adds two.
  const added = (await qualified("ALL")).flatMap((one: any) => idsOf(one.order).slice(1));
  good(added, 7);
});

test("results of unit discounts name the goods: the product, and the SKU with its product", async () => {
  const { call, ok, product, code, unit, validate } = await world();
  const sock = await product("sock", 300);
  const red = await ok(`POST /v1/products/${sock.id}/skus`, { source_id: "red-sock", sku: "Red sock", price: 350 });
  const collection = await ok("POST /v1/product-collections", {
    name: "Socks",
    type: "STATIC",
    products: [{ id: sock.id, object: "product" }],
  });
  const ofProduct = { product: { id: sock.id, source_id: "sock", name: "sock" } };
  const ofSku = { ...ofProduct, sku: { id: red.id, source_id: "red-sock", sku: "Red sock" } };
  await code("NEW", unit("ADD_NEW_ITEMS", sock.id));
  await code("MISSING", unit("ADD_MISSING_ITEMS", red.id));
  await code("SWAP", unit("REPLACE_ITEMS", red.id));
  await code("SAME", unit("ADD_SAME_ITEMS", collection.id));
  await code("MANY", {
    type: "UNIT",
    effect: "ADD_MANY_ITEMS",
    units: [
      { unit_off: 1, unit_type: sock.id, effect: "ADD_NEW_ITEMS" },
      { unit_off: 2, unit_type: red.id, effect: "ADD_MISSING_ITEMS" },
    ],
  });
  const goods = ({ product, sku }: any) => ({ ...(product && { product }), ...(sku && { sku }) });
  const items = [{ price: 1000 }];
  const result = async (name: string) => (await validate([name], items)).redeemables[0].result.discount;
  assert.deepEqual(goods(await result("NEW")), ofProduct);
  assert.deepEqual(goods(await result("MISSING")), ofSku);
  assert.deepEqual(goods(await result("SWAP")), ofSku);
  assert.deepEqual(goods(await result("SAME")), {});
  const many = await result("MANY");
  assert.deepEqual([goods(many), ...many.units.map(goods)], [{}, ofProduct, ofSku]);
  const offered = (await call("POST /v1/qualifications", { order: { items } })).body.redeemables.data;
  assert.deepEqual(goods(offered.find(({ id }: any) => id === "MISSING").result.discount), ofSku);
  // The code itself is stored as it was sent.
  assert.deepEqual(goods((await ok("GET /v1/vouchers/MISSING")).discount), {});
});

test("lines of one product count together when it is looked what is missing", async () => {
  const { product, code, unit, validate } = await world();
  const sock = await product("sock", 300);
  await code("TWO", { ...unit("ADD_MISSING_ITEMS", sock.id), unit_off: 2 });
  const { order } = await validate(["TWO"], [{ product_id: sock.id }, { product_id: sock.id }]);
  assert.deepEqual([order.amount, order.total_amount], [600, 0]);
  assert.deepEqual(
    order.items.map((item: any) => [item.quantity, item.discount_amount]),
    [
      [1, 300],
      [1, 300],
    ],
  );
});
