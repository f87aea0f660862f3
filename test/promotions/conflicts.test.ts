import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { type Ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const discount = { type: "AMOUNT", amount_off: 100, effect: "APPLY_TO_ITEMS" };
const ruleFor = async (ok: Ok, product: string) => {
  const applicable_to = { included: [{ object: "product", id: product }], excluded: [], included_all: false };
  return (await ok("POST /v1/validation-rules", { name: `for ${product}`, applicable_to })).id as string;
};
const codes = (ok: Ok, name: string, more: object = {}) =>
  ok("POST /v1/campaigns", { name, voucher: { type: "DISCOUNT_VOUCHER", discount }, ...more });
const read = async (ok: Ok) => {
  const names = new Map((await ok("GET /v1/campaigns?limit=100")).campaigns.map(({ id, name }: any) => [id, name]));
  const list = await ok("GET /v1/conflicts");
  assert.deepEqual([list.object, list.data_ref, list.total], ["list", "conflicts", list.conflicts.length]);
  return list.conflicts.map((one: any) =>
    [
      one.kind,
      one.campaigns
        .map((id: string) => names.get(id))
        .sort()
        .join("+"),
      one.reason,
    ].join(" "),
  );
};

test("conflicts: campaigns for the same products at one time, and only those", async () => {
  const { ok } = await testShop(db);
  const { id: tee } = await ok("POST /v1/products", { name: "tee" });
  const { id: mug } = await ok("POST /v1/products", { name: "mug" });
  const [forTee, forMug] = [await ruleFor(ok, tee), await ruleFor(ok, mug)];
  const spring = { start_date: "2026-03-01T00:00:00.000Z", expiration_date: "2026-04-01T00:00:00.000Z" };
  const summer = { start_date: "2026-06-01T00:00:00.000Z", expiration_date: "2026-07-01T00:00:00.000Z" };
  await codes(ok, "tees", { validation_rules: [forTee] });
  await codes(ok, "mugs", { validation_rules: [forMug], ...spring });
  assert.deepEqual(await read(ok), []);
  const promotion = await ok("POST /v1/campaigns", {
    ...{ name: "tier", campaign_type: "PROMOTION", ...summer },
    promotion: { tiers: [{ name: "T", action: { discount }, validation_rules: [forTee] }] },
  });
  const { conflicts, has_more } = await ok("GET /v1/conflicts");
  assert.deepEqual([conflicts.length, has_more], [1, false]);
  const [{ kind, tiers, from, to, reason }] = conflicts;
  assert.deepEqual(
    { kind, tiers, from, to, reason },
    {
      ...{ kind: "overlap", tiers: [promotion.promotion.tiers[0].id], reason: "same_products" },
      ...{ from: summer.start_date, to: summer.expiration_date },
    },
  );
  await codes(ok, "all", spring);
  assert.deepEqual((await read(ok)).sort(), [
    "overlap all+mugs same_products",
    "overlap all+tees same_products",
    "overlap tees+tier same_products",
  ]);
  await ok("POST /v1/campaigns/tees/disable");
  assert.deepEqual(await read(ok), ["overlap all+mugs same_products"]);
});

test("conflicts: categories that exclude each other, as a validation does", async () => {
  const { ok, project } = await testShop(db);
  const { id: tee } = await ok("POST /v1/products", { name: "tee" });
  const { id: mug } = await ok("POST /v1/products", { name: "mug" });
  const only = await ok("POST /v1/categories", { name: "only", hierarchy: 1 });
  await codes(ok, "alone", { category_id: only.id, validation_rules: [await ruleFor(ok, tee)] });
  await codes(ok, "common", { validation_rules: [await ruleFor(ok, mug)] });
  assert.deepEqual(await read(ok), []);
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, { exclusive_categories: [only.id] });
  assert.deepEqual(await read(ok), ["exclusion alone+common exclusion_rules_not_met"]);
});

test("conflicts: campaigns that never apply, each with the reason", async () => {
  const { ok, call } = await testShop(db);
  const rule = async (name: string, rules: object) => (await ok("POST /v1/validation-rules", { name, rules })).id;
  const { id: empty } = await ok("POST /v1/segments", { name: "nobody", customers: [] });
  const nobody = await rule("nobody", { 1: { name: "customer.segment", conditions: { $is: [empty] } } });
  const gone = await rule("gone", { 1: { name: "product.id", conditions: { $is: [{ id: "prod_gone" }] } } });
  const torn = await rule("torn", {
    1: { name: "order.amount", conditions: { $more_than: [100] } },
    2: { name: "order.amount", conditions: { $less_than: [50] } },
  });
  await codes(ok, "over", { expiration_date: "2025-01-01T00:00:00.000Z" });
  await codes(ok, "nobody", { validation_rules: [nobody] });
  await codes(ok, "gone", { validation_rules: [gone] });
  await codes(ok, "torn", { validation_rules: [torn] });
  const hours = { daily: [{ start_time: "09:00", expiration_time: "12:00", days_of_week: [1] }] };
  await codes(ok, "no day", { validity_day_of_week: [2], validity_hours: hours });
  assert.deepEqual((await read(ok)).sort(), [
    "never_applies gone products_that_do_not_exist",
    "never_applies no day no_moment",
    "never_applies nobody segment_without_customers",
    "never_applies over expired",
    "never_applies torn contradictory_rules",
  ]);
  const other = await testShop(db);
  assert.deepEqual(await read(other.ok), []);
  assert.equal((await call("GET /v1/conflicts", undefined, { "x-app-token": "wrong" })).status, 401);
});
