import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_PRODUCTS_ID } from "../discounts/discount.ts";
import { PRODUCT_FIELDS } from "../filters/fields.ts";
import { compileFilter } from "../filters/predicate.ts";
import {
  type Collection,
  type CollectionEntry,
  type CollectionProduct,
  type CollectionSku,
  collectionMembers,
  collectionsOf,
  skuMetadata,
} from "./collections.ts";

const NOW = { now: "2026-08-10T12:00:00Z", zone: "UTC" };
const product = (given: Partial<CollectionProduct> = {}): CollectionProduct => ({
  id: "prod_1",
  source_id: null,
  name: "Shirt",
  price: 2000,
  metadata: {},
  ...given,
});
const sku = (given: Partial<CollectionSku> = {}): CollectionSku => ({
  id: "sku_1",
  source_id: null,
  sku: "Shirt, red",
  price: 900,
  metadata: {},
  ...given,
});
const byFilter = (filter: object): Collection => ({
  id: "pc_1",
  type: "AUTO_UPDATE",
  filter: compileFilter({ junction: "and", ...filter }, PRODUCT_FIELDS),
});
const byList = (...entries: CollectionEntry[]): Collection => ({
  id: "pc_1",
  type: "STATIC",
  members: collectionMembers(entries),
});
const isIn = (collection: Collection, one: CollectionProduct | null, other: CollectionSku | null = null) =>
  collectionsOf(one, other, [collection], NOW).includes("pc_1");

test("a price below the limit", () => {
  const cheap = byFilter({ price: { conditions: { $less_than: [1000] } } });
  assert.deepEqual(
    [999, 1000].map((price) => isIn(cheap, product({ price }))),
    [true, false],
  );
});

test("a SKU has the metadata of its product, and its own keys count", () => {
  const metadata = { test: false, vendor: "Online Stores" };
  assert.deepEqual(skuMetadata(metadata, { imported: true }), { ...metadata, imported: true });
  const parent = product({ metadata: { ...metadata, color: "blue" } });
  const child = sku({ metadata: { imported: true, color: "red" } });
  const asks = (key: string, value: unknown) => byFilter({ [`metadata.${key}`]: { conditions: { $is: value } } });
  assert.equal(isIn(asks("vendor", "Online Stores"), parent, child), true);
  assert.equal(isIn(asks("imported", true), parent, child), true);
  assert.equal(isIn(asks("color", "red"), parent, child), true);
  assert.equal(isIn(asks("color", "blue"), parent, child), false);
  assert.equal(isIn(asks("imported", true), parent), false);
});

test("a product of a static collection brings its SKUs, a SKU only itself", () => {
  const ofProduct = byList({ id: "prod_1", object: "product" });
  const ofSku = byList({ id: "sku_1", object: "sku" });
  assert.equal(isIn(ofProduct, product()), true);
  assert.equal(isIn(ofProduct, product(), sku({ id: "sku_2" })), true);
  assert.equal(isIn(ofProduct, product({ id: "prod_2" })), false);
  assert.equal(isIn(ofSku, product()), false);
  assert.equal(isIn(ofSku, product(), sku()), true);
  assert.equal(isIn(ofSku, null, sku()), true);
  assert.equal(isIn(ofSku, product(), sku({ id: "sku_2" })), false);
  assert.equal(isIn(byList(), product({ id: null }), sku({ id: null })), false);
});

test("a SKU is not in a filter's collection because its product is", () => {
  const expensive = byFilter({ price: { conditions: { $more_than: 1000 } } });
  assert.equal(isIn(expensive, product()), true);
  assert.equal(isIn(expensive, product(), sku()), false);
  assert.equal(isIn(expensive, product(), sku({ price: null })), false);
  assert.equal(isIn(expensive, product({ price: 1 }), sku({ price: 1001 })), true);
});

test("filters see whether it is a product or a SKU, and of which product", () => {
  const named = byFilter({ name: { conditions: { $is: "Shirt, red" } }, object: { conditions: { $is: "sku" } } });
  assert.equal(isIn(named, product(), sku()), true);
  assert.equal(isIn(named, product({ name: "Shirt, red" })), false);
  const ofParent = byFilter({ product_id: { conditions: { $is: "prod_1" } } });
  assert.equal(isIn(ofParent, product(), sku()), true);
  assert.equal(isIn(ofParent, product()), false);
  const colored = byFilter({ attributes: { conditions: { $is: "color" } } });
  assert.equal(isIn(colored, product({ attributes: ["size", "color"] })), true);
  assert.equal(isIn(colored, product(), sku({ attributes: { color: "red" } })), true);
  assert.equal(isIn(byFilter({ skus: { conditions: { $count_more: 1 } } }), product({ skus: ["a", "b"] })), true);
});

test("the collection of all products holds anything, once, and an item that names nothing is in no other", () => {
  const collections: Collection[] = [
    byFilter({}),
    { ...byFilter({}), id: ALL_PRODUCTS_ID },
    { ...byFilter({ name: { conditions: { $is_not: "x" } } }), id: "pc_2" },
  ];
  assert.deepEqual(collectionsOf(product(), null, collections, NOW), [ALL_PRODUCTS_ID, "pc_1", "pc_2"]);
  assert.deepEqual(collectionsOf(null, null, collections, NOW), [ALL_PRODUCTS_ID]);
});
