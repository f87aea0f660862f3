import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_GOODS, type Goods } from "../../goods/values.ts";
import { START, type Values } from "../values.ts";
import { firstCart } from "./draft.ts";

const picked = (which: Goods["which"], ...ids: string[]): Goods => ({
  which,
  picked: ids.map((id) => ({
    entry: { object: id.startsWith("sku") ? "sku" : id.startsWith("pc") ? "products_collection" : "product", id },
    name: id,
  })),
});
const linesOf = (values: Partial<Values>) =>
  firstCart({ ...START, ...values }).lines.map(({ id, isSku }) => [id, isSku]);

test("a draft is tried first on a cart with the products that it is for", () => {
  assert.deepEqual(linesOf({ goods: picked("only", "prod_1", "pc_1", "sku_1") }), [
    ["prod_1", false],
    ["sku_1", true],
  ]);
  const tier = { key: 1, name: "Shirts", banner: "", discount: null, goods: picked("only", "prod_2") };
  assert.deepEqual(linesOf({ campaign_type: "PROMOTION", tiers: [tier] }), [["prod_2", false]]);
});

test("a draft for all products, or for those that nobody has looked up, is tried on an amount", () => {
  for (const goods of [ALL_GOODS, picked("except", "prod_1"), picked("only", "pc_1")])
    assert.deepEqual([linesOf({ goods }), firstCart({ ...START, goods }).amount], [[], 10_000]);
});
