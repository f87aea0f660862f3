import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "../../src/db/db.ts";
import { loadGoods } from "../../src/steps/goods/goods.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

test("a SKU whose product was not found by the SKU's name has it read by its id", async () => {
  const { ok, project } = await testShop(db);
  const { id } = await ok("POST /v1/products", { name: "Mug" });
  await ok(`POST /v1/products/${id}/skus`, { sku: "Blue", source_id: "blue" });
  let hidden = 0;
  const hiding = ((text: TemplateStringsArray, ...values: never[]) => {
    if (!text.join("").startsWith("array(select product_id")) return db(text, ...values);
    hidden += 1;
    return db`'{}'::text[]`;
  }) as unknown as Db;
  const named = { products: [], skus: ["blue"] };
  assert.deepEqual(await loadGoods(hiding, project.id, named), await loadGoods(db, project.id, named));
  assert.equal(hidden, 1);
});
