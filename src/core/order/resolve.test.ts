import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProductInfo } from "./order.ts";
import { type Catalogue, orderFault, referencesIn, resolveOrder } from "./resolve.ts";

const shirt: ProductInfo = {
  id: "prod_1",
  source_id: "shirt",
  name: "Shirt",
  price: 2000,
  metadata: { brand: "A", colour: "red" },
};
const red = { id: "sku_1", source_id: "shirt-red", sku: "Red", price: 2500, metadata: {}, product: shirt };
const catalogue: Catalogue = {
  product: (reference) => ([shirt.id, shirt.source_id].includes(reference) ? shirt : undefined),
  sku: (reference) => ([red.id, red.source_id].includes(reference) ? red : undefined),
  collectionsOf: (product) => (product?.metadata.brand === "A" ? ["pc_a"] : []),
};
const lineOf = (item: object) => resolveOrder({ items: [item] }, catalogue).items[0]!;

test("a price is the line's own, else the SKU's, else the product's; the request wins over the catalogue", () => {
  assert.equal(lineOf({ product_id: "prod_1", quantity: 2 }).amount, 4000);
  assert.equal(lineOf({ sku_id: "sku_1", quantity: 2 }).amount, 5000);
  assert.equal(lineOf({ sku_id: "sku_1", price: 100 }).amount, 100);
  assert.equal(lineOf({ product: { id: "prod_1", price: 2499 } }).price, 2499);
  assert.equal(lineOf({ sku: { source_id: "shirt-red", price: 7 } }).price, 7);
  assert.equal(lineOf({ product: { name: "No price" } }).amount, null);
});

test("a product without a source id has the one that its line calls it by, and its lines share it otherwise", () => {
  const plain = { ...shirt, source_id: null };
  const known: Catalogue = { ...catalogue, product: (reference) => (reference === plain.id ? plain : undefined) };
  const productOf = (item: object) => resolveOrder({ items: [item] }, known).items[0]!.product;
  assert.equal(productOf({ product_id: plain.id }), plain);
  assert.deepEqual(productOf({ product_id: plain.id, source_id: "x", related_object: "product" }), {
    ...plain,
    source_id: "x",
  });
  assert.deepEqual(productOf({ source_id: plain.id, related_object: "product" }), { ...plain, source_id: plain.id });
  assert.equal(lineOf({ product_id: shirt.id, source_id: "x", related_object: "product" }).product, shirt);
});

test("a line is found by id or source id in every form, and a SKU brings its product", () => {
  for (const item of [
    { sku_id: "sku_1" },
    { sku_id: "shirt-red" },
    { source_id: "shirt-red", related_object: "sku" },
    { sku: { id: "sku_1" } },
  ]) {
    const { sku, product, collections } = lineOf(item);
    assert.deepEqual([sku?.id, product?.id, collections], ["sku_1", "prod_1", ["pc_a"]]);
  }
  for (const item of [
    { product_id: "shirt" },
    { source_id: "shirt", related_object: "product" },
    { product: { source_id: "shirt" } },
  ])
    assert.equal(lineOf(item).product?.id, "prod_1");
});

test("metadata of the request is laid over the catalogue's, and an unknown product is just what was sent", () => {
  const known = lineOf({ product: { id: "prod_1", metadata: { colour: "blue", size: 4 } } });
  assert.deepEqual(known.product?.metadata, { brand: "A", colour: "blue", size: 4 });
  const unknown = lineOf({
    source_id: "new",
    related_object: "product",
    product: { name: "New", metadata: { brand: "A" } },
    price: 5,
  });
  assert.deepEqual([unknown.product?.source_id, unknown.product?.name, unknown.collections], ["new", "New", ["pc_a"]]);
  assert.deepEqual([lineOf({ amount: 900 }).product, lineOf({ amount: 900 }).amount], [null, 900]);
});

test("amounts that are sent count, quantities may be text, and an order without amounts has none", () => {
  const order = resolveOrder(
    { amount: 20050, items: [{ price: 3000 }, { price: 1000, quantity: "2", amount: 1000 }] },
    catalogue,
  );
  assert.deepEqual(
    [order.amount, order.initial_amount, order.items[1]!.amount, order.items[1]!.quantity],
    [20050, 20050, 1000, 2],
  );
  assert.equal(resolveOrder({ items: [{ price: 900, quantity: 2 }, { quantity: 3 }] }, catalogue).amount, 1800);
  assert.equal(resolveOrder({}, catalogue).amount, null);
});

test("an order beyond exact numbers is refused with the place", () => {
  const huge = resolveOrder({ items: [{ price: 9_000_000_000_000_000, quantity: 9 }] }, catalogue);
  assert.match(orderFault(huge) ?? "", /items\[0\].amount must be <=/);
  assert.match(
    orderFault(resolveOrder({ items: [{ price: 1, quantity: "1.5" }] }, catalogue)) ?? "",
    /quantity must be a whole number/,
  );
  assert.match(
    orderFault(resolveOrder({ items: [{ amount: Number.MAX_SAFE_INTEGER }, { amount: 1 }] }, catalogue)) ?? "",
    /order.amount must be/,
  );
  assert.equal(orderFault(resolveOrder({ amount: 5 }, catalogue)), null);
});

test("every reference of an order is named, for one query", () => {
  const items = [
    { sku_id: "sku_1" },
    { sku_id: "sku_1", product_id: "prod_1" },
    { source_id: "a", related_object: "product" as const },
    { sku: { source_id: "b" } },
  ];
  assert.deepEqual(referencesIn(items), { products: ["prod_1", "a"], skus: ["sku_1", "sku_1", "b"] });
});
