import assert from "node:assert/strict";
import { test } from "node:test";
import { compactTallies } from "../../src/jobs/compact-tallies.ts";
import { NOW, newId, testDatabase, type testEngine, type testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const percent = (percent_off: number, more: object = {}) => ({ type: "PERCENT", percent_off, ...more });
const amount = (amount_off: number, more: object = {}) => ({ type: "AMOUNT", amount_off, ...more });

/** A project with what a test needs to make codes and rules in one line. */
async function world(given: Parameters<typeof testProject>[1] = {}, options: Parameters<typeof testEngine>[2] = {}) {
  const { project, call, engine, ok } = await testShop(db, given, options);
  const rule = async (rules: object, more: object = {}): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name: "rule", rules, ...more })).id;
  const code = async (name: string, discount: object, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount, ...more });
  const gift = async (name: string, credits: number, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift: { amount: credits, balance: credits }, ...more });
  const stacking = (settings: object) => ok(`POST /management/v1/projects/${project.id}/stacking-rules`, settings);
  const validate = (ids: readonly (string | object)[], order: object | null, more: object = {}) =>
    call("POST /v1/validations", { redeemables: ids.map(redeemable), ...(order && { order }), ...more });
  return { project, call, engine, ok, rule, code, gift, stacking, validate };
}
const redeemable = (id: string | object) =>
  typeof id === "string" ? { object: id.startsWith("promo_") ? "promotion_tier" : "voucher", id } : id;
const statuses = (body: any) => body.redeemables.map((one: any) => one.status);

test("a validated cart: what it costs, what each code took off it, and the rules of stacking", async () => {
  const { code, gift, validate } = await world();
  await gift("CARD", 100);
  await code("TWENTY", percent(20));
  await code("EIGHTY", amount(8000));
  const { status, body } = await validate(
    [{ object: "voucher", id: "card", gift: { credits: 100 } }, "TWENTY", "EIGHTY"],
    { amount: 200_000 },
  );
  assert.equal(status, 200);
  const { id, redeemables, stacking_rules, ...rest } = body;
  assert.match(id, /^valid_[0-9a-f]{24}$/);
  assert.deepEqual(rest, {
    valid: true,
    order: {
      amount: 200_000,
      initial_amount: 200_000,
      discount_amount: 48_080,
      total_discount_amount: 48_080,
      total_amount: 151_920,
      applied_discount_amount: 48_080,
      total_applied_discount_amount: 48_080,
      metadata: {},
      customer_id: null,
      referrer_id: null,
      object: "order",
    },
  });
  assert.deepEqual(
    redeemables.map((one: any) => [one.status, one.object, one.id, one.order.applied_discount_amount]),
    [
      ["APPLICABLE", "voucher", "CARD", 100],
      ["APPLICABLE", "voucher", "TWENTY", 39_980],
      ["APPLICABLE", "voucher", "EIGHTY", 8000],
    ],
  );
  const none = { data: [], total: 0, data_ref: "data", object: "list" };
  assert.deepEqual(redeemables[0].result, { gift: { credits: 100, balance: 0 } });
  assert.deepEqual([redeemables[1].applicable_to, redeemables[1].inapplicable_to], [none, none]);
  assert.deepEqual(redeemables[1].result.discount, {
    type: "PERCENT",
    percent_off: 20,
    effect: "APPLY_TO_ORDER",
    is_dynamic: false,
  });
  assert.equal(stacking_rules.redeemables_application_mode, "ALL");
  assert.equal(stacking_rules.applicable_redeemables_per_category_limit, null);
  const [stored] = await db`select valid, promise, customer_id, created_at from validations where id = ${id}`;
  assert.deepEqual(stored, {
    valid: true,
    customer_id: null,
    created_at: NOW,
    promise: {
      total_amount: 151_920,
      discount: 48_080,
      redeemables: [
        { object: "voucher", id: "CARD", status: "APPLICABLE", discount: 100, credits: 100 },
        { object: "voucher", id: "TWENTY", status: "APPLICABLE", discount: 39_980 },
        { object: "voucher", id: "EIGHTY", status: "APPLICABLE", discount: 8000 },
      ],
    },
  });
});

for (const mode of ["ALL", "PARTIAL"] as const)
  test(`an unknown code beside a good one, when ${mode} must apply`, async () => {
    const { code, stacking, validate } = await world();
    await stacking({ redeemables_application_mode: mode });
    await code("GOOD", percent(10));
    const reply = await validate(["nobody", "GOOD"], { amount: 1000 });
    const { body } = reply;
    const error = {
      code: 404,
      key: "not_found",
      message: "Resource not found",
      details: "Cannot find voucher with id nobody",
      resource_id: "nobody",
      resource_type: "voucher",
      request_id: reply.headers["x-request-id"],
    };
    const missing = {
      status: "INAPPLICABLE",
      id: "nobody",
      object: "voucher",
      result: { error, details: { key: "not_found", message: "Resource not found" } },
    };
    assert.deepEqual(body.inapplicable_redeemables, [missing]);
    if (mode === "PARTIAL") {
      assert.equal(body.valid, true);
      assert.deepEqual(statuses(body), ["APPLICABLE"]);
      assert.equal(body.order.total_amount, 900);
      assert.equal("skipped_redeemables" in body, false);
      return;
    }
    const skipped = {
      status: "SKIPPED",
      id: "GOOD",
      object: "voucher",
      result: {},
      details: {
        key: "preceding_validation_failed",
        message: "Redeemable cannot be applied due to preceding validation failure",
      },
    };
    assert.equal(body.valid, false);
    assert.deepEqual(body.redeemables, [missing, skipped]);
    assert.deepEqual(body.skipped_redeemables, [skipped]);
    assert.equal("order" in body, false);
  });

test("when only part must apply and nothing does, nothing stands in redeemables", async () => {
  const { stacking, validate } = await world();
  await stacking({ redeemables_application_mode: "PARTIAL" });
  const { body } = await validate(["nobody"], { amount: 1000 });
  assert.equal(body.valid, false);
  assert.deepEqual(body.redeemables, []);
  assert.equal(body.inapplicable_redeemables.length, 1);
  assert.equal("order" in body, false);
});

const REFUSALS: Record<string, { more?: object; key: string; settings?: object }> = {
  "a disabled code": { more: { active: false }, key: "voucher_disabled" },
  "a code that has not begun": { more: { start_date: "2026-01-02T00:00:00Z" }, key: "voucher_not_active" },
  "a code that is over": { more: { expiration_date: "2025-12-31T00:00:00Z" }, key: "voucher_expired" },
  "a code on the wrong day of the week": { more: { validity_day_of_week: [5] }, key: "voucher_not_active_now" },
  "a code without a unit left": { more: { redemption: { quantity: 0 } }, key: "quantity_exceeded" },
};
for (const [what, { more, key }] of Object.entries(REFUSALS))
  test(`${what} is refused with ${key}`, async () => {
    const { code, validate } = await world();
    await code("C", percent(10), more);
    const { body } = await validate(["C"], { amount: 1000 });
    assert.deepEqual([body.valid, body.redeemables[0].result.error.key], [false, key]);
    assert.equal(body.redeemables[0].result.error.details, "C");
  });

test("rules of a code and of its campaign must all hold, and the first that does not says why", async () => {
  const { ok, rule, validate } = await world();
  const large = await rule({ 1: { name: "order.amount", conditions: { $more_than: [10_000] } }, logic: "1" });
  const few = await rule(
    { 1: { name: "order.items.count", conditions: { $less_than_or_equal: [2] } }, logic: "1" },
    { error: { message: "Two at most" } },
  );
  const campaign = await ok("POST /v1/campaigns", {
    name: "Both",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(10) },
    validation_rules: [large],
  });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/BOTH`, {});
  await ok(`POST /v1/validation-rules/${few}/assignments`, {
    related_object_type: "voucher",
    related_object_id: "BOTH",
  });
  const items = (quantity: number, price: number) => ({ items: [{ price, quantity }] });
  const error = async (order: object) => (await validate(["BOTH"], order)).body.redeemables[0].result.error;
  assert.equal(await error(items(2, 6000)), undefined);
  const cheap = await error(items(2, 5000));
  assert.equal(cheap.key, "order_rules_violated");
  assert.equal(cheap.details, `Discount Coupon cannot be redeemed because of violated validation rules: ${large}`);
  assert.deepEqual((await error(items(3, 6000))).error, { message: "Two at most" });
});

test("a customer is known by id, by source id or only described, and is not made by a validation", async () => {
  const { call, ok, rule, code, validate } = await world();
  const vip = await rule({
    1: { name: "customer.metadata", property: "level", conditions: { $is: ["vip"] } },
    logic: "1",
  });
  await code("VIP", percent(10), { validation_rules: [vip] });
  const { id } = await ok("POST /v1/customers", { source_id: "anna", metadata: { level: "vip" } });
  const valid = async (customer: unknown, more: object = {}) => {
    const { status, body } = await validate(["VIP"], { amount: 1000 }, { customer, ...more });
    return status === 200 ? body.valid : body.key;
  };
  for (const customer of [{ id }, { source_id: "anna" }, "anna", id]) assert.equal(await valid(customer), true);
  assert.equal(await valid({ source_id: "anna", metadata: { level: "new" } }), false);
  assert.equal(await valid({ source_id: "ben", metadata: { level: "vip" } }), true);
  assert.equal(await valid({ metadata: { level: "vip" } }), true);
  assert.equal(await valid({ id: "cust_nobody" }), "not_found");
  assert.equal((await call("GET /v1/customers/ben")).status, 404);
  const missing = (await validate(["VIP"], { amount: 1000 })).body.redeemables[0].result.error;
  assert.deepEqual([missing.key, missing.details], ["missing_customer", "Customer is required to validate rules"]);

  const hashed = (await validate(["VIP"], { amount: 1000 }, { customer: "anna" })).body.tracking_id;
  assert.match(hashed, /^track_/);
  for (const tracking_id of ["anna", hashed]) {
    const { body } = await validate(["VIP"], { amount: 1000 }, { tracking_id });
    assert.deepEqual([body.valid, body.tracking_id, body.order.customer_id], [true, hashed, id]);
    assert.equal(await valid("anna", { tracking_id }), true);
    assert.equal(await valid({ source_id: "ben" }, { tracking_id }), "ambiguous_tracking_id");
  }
});

test("segments of the customer open a code, as the customer is when asked", async () => {
  const { ok, rule, code, validate } = await world();
  const { id } = await ok("POST /v1/customers", { source_id: "anna", name: "Anna" });
  const fixed = await ok("POST /v1/segments", { name: "Fixed", customers: [id] });
  const filter = { junction: "and", name: { conditions: { $is: ["Ben"] } } };
  const named = await ok("POST /v1/segments", { name: "Bens", type: "passive", filter });
  const segment = (id: string) => ({ 1: { name: "customer.segment", conditions: { $is: [id] } }, logic: "1" });
  await code("FIXED", percent(10), { validation_rules: [await rule(segment(fixed.id))] });
  await code("BENS", percent(10), { validation_rules: [await rule(segment(named.id))] });
  const valid = async (name: string, customer: object) =>
    (await validate([name], { amount: 1000 }, { customer })).body.valid;
  assert.deepEqual([await valid("FIXED", { id }), await valid("FIXED", { source_id: "ben" })], [true, false]);
  assert.deepEqual([await valid("BENS", { id }), await valid("BENS", { source_id: "x", name: "Ben" })], [false, true]);
});

test("items take prices from the catalogue, collections are found, and free units are added", async () => {
  const { ok, rule, code, validate } = await world();
  const shoe = await ok("POST /v1/products", {
    source_id: "shoe",
    name: "Shoe",
    price: 5000,
    metadata: { kind: "shoe" },
  });
  const sock = await ok("POST /v1/products", { source_id: "sock", name: "Sock", price: 700 });
  const red = await ok(`POST /v1/products/${shoe.id}/skus`, { source_id: "red", sku: "Red", price: 5500 });
  const filter = { junction: "and", "metadata.kind": { conditions: { $is: ["shoe"] } } };
  const shoes = await ok("POST /v1/product-collections", { name: "Shoes", type: "AUTO_UPDATE", filter });
  const included = [{ object: "products_collection", id: shoes.id, effect: "APPLY_TO_EVERY" }];
  const onShoes = await rule({}, { applicable_to: { included, excluded: [], included_all: false } });
  await code("SHOES", percent(10, { effect: "APPLY_TO_ITEMS" }), { validation_rules: [onShoes] });
  await code("FREE", { type: "UNIT", unit_off: 1, unit_type: sock.id, effect: "ADD_NEW_ITEMS" });
  const { body } = await validate(["SHOES", "FREE"], {
    items: [
      { sku_id: red.id, quantity: "2" },
      { related_object: "product", source_id: "sock", quantity: 1 },
      { product: { name: "Unknown", price: 100 } },
    ],
  });
  assert.equal(body.valid, true);
  const { order } = body;
  assert.deepEqual(
    [order.amount, order.initial_amount, order.items_discount_amount, order.total_amount],
    [12_500, 11_800, 1800, 10_700],
  );
  assert.deepEqual(
    order.items.map((item: any) => [item.quantity, item.amount, item.discount_amount ?? 0, item.subtotal_amount]),
    [
      [2, 11_000, 1100, 9900],
      [2, 1400, 700, 700],
      [1, 100, 0, 100],
    ],
  );
  const { applicable_to } = body.redeemables[0];
  assert.deepEqual(
    applicable_to.data.map((one: any) => [one.object, one.id, one.strict, one.order_item_indices]),
    [
      ["products_collection", shoes.id, false, [0]],
      ["sku", red.id, true, [0]],
    ],
  );
});

test("a collection that is gone holds nothing, and a rule that names it refuses instead of failing", async () => {
  const { ok, call, rule, code, validate } = await world();
  const filter = { junction: "and", name: { conditions: { $is: ["Shoe"] } } };
  const shoes = await ok("POST /v1/product-collections", { name: "Shoes", type: "AUTO_UPDATE", filter });
  const value = { id: shoes.id, type: "products_collection", object: "products_collection" };
  const id = await rule({ 1: { name: "order.items.any", conditions: { $is: [value] } }, logic: "1" });
  await code("C", percent(10), { validation_rules: [id] });
  const order = { items: [{ product: { name: "Shoe" }, price: 100 }] };
  assert.equal((await validate(["C"], order)).body.valid, true);
  assert.equal((await call(`DELETE /v1/product-collections/${shoes.id}`)).status, 400);
  await db`delete from product_collections where id = ${shoes.id}`;
  await ok("POST /v1/categories", { name: "touch", hierarchy: 1 });
  await db`update catalog_changes set kind = 'product_collection', id = ${shoes.id} where kind = 'category'`;
  assert.equal((await validate(["C"], order)).body.redeemables[0].result.error.key, "order_rules_violated");
});

test("a stored order goes on with what was taken off it, and an unknown one is a 404", async () => {
  const { ok, code, validate } = await world();
  await code("TEN", amount(1000));
  const stored = await ok("POST /v1/orders", { source_id: "o-1", amount: 10_000, discount_amount: 9200 });
  const { body } = await validate(["TEN"], { id: stored.id });
  const { amount: whole, discount_amount, total_amount, applied_discount_amount } = body.order;
  assert.deepEqual([whole, discount_amount, total_amount, applied_discount_amount], [10_000, 10_000, 0, 800]);
  // By its source id it is taken as it is stored; by its id what is sent counts first.
  assert.equal((await validate(["TEN"], { source_id: "o-1", amount: 5 })).body.order.amount, 10_000);
  const sent = (await validate(["TEN"], { id: stored.id, amount: 20_000 })).body.order;
  assert.deepEqual([sent.amount, sent.discount_amount, sent.total_amount], [20_000, 10_200, 9800]);
  assert.equal((await validate(["TEN"], { source_id: "o-2", amount: 3000 })).body.order.total_amount, 2000);
  const unknown = await validate(["TEN"], { id: "ord_x" });
  assert.deepEqual([unknown.status, unknown.body.key, unknown.body.resource_type], [404, "not_found", "order"]);
});

test("the same redeemable twice is refused, by code in any case, by id, and inside a stack", async () => {
  const { call, ok, code, validate } = await world();
  const { id } = await code("SAME", percent(10));
  const refused = async (ids: readonly (string | object)[]) => {
    const { status, body } = await validate(ids, { amount: 1000 });
    return [status, body.key, body.details];
  };
  const twice = [400, "duplicated_redeemables", "Duplicated redeemables detected in one redemption"];
  assert.deepEqual(await refused(["SAME", "same"]), twice);
  assert.deepEqual(await refused(["SAME", id]), twice);
  assert.deepEqual(await refused(["nobody", "NOBODY"]), twice);
  assert.equal((await db`select count(*) from validations where valid is null`)[0]!.count, 0);
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount: percent(5) } });
  const stack = await ok(`POST /v1/promotions/${campaign.id}/stacks`, { name: "S", tiers: { ids: [tier.id] } });
  const other = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "O", action: { discount: percent(5) } });
  const whole = { object: "promotion_stack", id: stack.id };
  assert.deepEqual(await refused([whole, tier.id]), twice);
  assert.deepEqual(await refused([tier.id, whole]), twice);
  assert.deepEqual(await refused([whole, whole]), twice);
  const foreign = [400, "invalid_redeemables", "Promotion Stack cannot be use with other redeemables"];
  assert.deepEqual(await refused([whole, other.id]), foreign);
  assert.deepEqual(await refused([whole, "SAME"]), foreign);
  const redeemables = [whole, { object: "promotion_tier", id: tier.id }];
  const redeemed = await call("POST /v1/redemptions", { redeemables, order: { amount: 1000 } });
  assert.deepEqual([redeemed.status, redeemed.body.key, redeemed.body.details], twice);
});

test("a discount on items without an order misses the order, and with an order its items", async () => {
  const { code, validate, call } = await world();
  await code("ITEMS", percent(10, { effect: "APPLY_TO_ITEMS" }));
  const key = async (order: object | null) => (await validate(["ITEMS"], order)).body.redeemables[0].result.error.key;
  assert.deepEqual([await key(null), await key({ amount: 1000 })], ["missing_order", "missing_order_items"]);
  const older = (await call("POST /v1/vouchers/ITEMS/validate", {})).body;
  assert.deepEqual([older.valid, older.error.key], [false, "missing_order"]);
  // Without a cart it is offered where only the customer is asked about, and nowhere else.
  const offered = async (scenario: string) =>
    (await call("POST /v1/qualifications", { scenario })).body.redeemables.data.map(({ id }: any) => id);
  assert.deepEqual([await offered("ALL"), await offered("AUDIENCE_ONLY")], [[], ["ITEMS"]]);
});

test("codes that differ in case are different ones where the project says so", async () => {
  const { code, validate } = await world({ case_sensitive_codes: true });
  await code("Mix", percent(10));
  await code("MIX", percent(20));
  const { body } = await validate(["Mix", "MIX"], { amount: 1000 });
  assert.deepEqual([body.valid, body.order.total_amount], [true, 720]);
  assert.equal((await validate(["mix"], { amount: 1000 })).body.valid, false);
});

test("a promotion stack is taken alone and applies its tiers in their order", async () => {
  const { ok, validate } = await world();
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = async (name: string, discount: object) =>
    (await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name, action: { discount } })).id;
  const [half, ten] = [await tier("half", percent(50)), await tier("ten", amount(1000))];
  const stack = await ok(`POST /v1/promotions/${campaign.id}/stacks`, { name: "S", tiers: { ids: [ten, half] } });
  const { body } = await validate([{ object: "promotion_stack", id: stack.id }], { amount: 5000 });
  assert.deepEqual(
    body.redeemables.map((one: any) => [one.object, one.id, one.order.total_amount]),
    [
      ["promotion_tier", ten, 4000],
      ["promotion_tier", half, 2000],
    ],
  );
  const unknown = (await validate([{ object: "promotion_stack", id: "stack_x" }], { amount: 5000 })).body;
  assert.deepEqual([unknown.valid, unknown.redeemables[0].result.error.resource_type], [false, "promotion_stack"]);
});

test("options.expand says what stands beside each redeemable", async () => {
  const { ok, stacking, validate } = await world();
  const category = await ok("POST /v1/categories", { name: "Exclusive", hierarchy: 3 });
  await stacking({ exclusive_categories: [category.id] });
  const campaign = await ok("POST /v1/campaigns", {
    name: "P",
    campaign_type: "PROMOTION",
    category_id: category.id,
  });
  const { id } = await ok(`POST /v1/promotions/${campaign.id}/tiers`, {
    name: "T",
    action: { discount: percent(5) },
    metadata: { a: 1 },
  });
  const entry = async (options?: object) =>
    (await validate([id], { amount: 1000 }, options && { options })).body.redeemables[0];
  assert.equal((await entry()).order.total_amount, 950);
  assert.equal("metadata" in (await entry()), false);
  const bare = await entry({ expand: [] });
  assert.equal("order" in bare, false);
  const full = await entry({ expand: ["order", "redeemable", "category", "unheard_of"] });
  const { metadata, name, campaign_name, campaign_id, categories, order } = full;
  assert.deepEqual(
    { metadata, name, campaign_name, campaign_id, total: order.total_amount },
    { metadata: { a: 1 }, name: "T", campaign_name: "P", campaign_id: campaign.id, total: 950 },
  );
  assert.deepEqual(categories, [{ ...category, stacking_rules_type: "EXCLUSIVE" }]);
});

test("the metadata of the request meets the redemption schema and the rules about it", async () => {
  const { project, ok, rule, code, validate } = await world();
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "redemption",
    properties: { store: { type: "string", optional: false, array: false, deleted: false } },
    allow_defined_only: true,
  });
  const berlin = { 1: { name: "redemption.metadata", property: "store", conditions: { $is: ["Berlin"] } }, logic: "1" };
  await code("BERLIN", percent(10), { validation_rules: [await rule(berlin)] });
  const answer = async (metadata: object) => validate(["BERLIN"], { amount: 1000 }, { metadata });
  assert.equal((await answer({ store: "Berlin" })).body.valid, true);
  assert.equal((await answer({ store: "Rome" })).body.redeemables[0].result.error.key, "redemption_rules_violated");
  for (const wrong of [{ store: 1 }, { store: "Berlin", other: 1 }, {}])
    assert.deepEqual(
      [(await answer(wrong)).status, (await answer(wrong)).body.key],
      [400, "metadata_validation_failed"],
    );
});

test("older validations: one code, one tier, all promotions", async () => {
  const { call, ok, code, gift } = await world();
  await code("TEN", percent(10), { metadata: { a: 1 } });
  await gift("CARD", 500);
  const order = { amount: 1000 };
  const good = (await call("POST /v1/vouchers/ten/validate", { order })).body;
  assert.deepEqual(
    [good.valid, good.code, good.discount.percent_off, good.order.total_amount, good.metadata],
    [true, "ten", 10, 900, { a: 1 }],
  );
  const card = (await call("POST /v1/vouchers/CARD/validate", { order, gift: { credits: 200 } })).body;
  assert.deepEqual(
    [card.valid, card.gift, card.order.total_amount],
    [true, { credits: 200, balance: 300, effect: "APPLY_TO_ORDER" }, 800],
  );
  const bad = (await call("POST /v1/vouchers/CARD/validate", { order, gift: { credits: 501 } })).body;
  assert.deepEqual([bad.valid, bad.reason, bad.error.key], [false, "gift amount exceeded", "gift_amount_exceeded"]);
  const unknown = (await call("POST /v1/vouchers/nobody/validate", {})).body;
  assert.deepEqual([unknown.valid, unknown.error.code], [false, 404]);
  const held = await call("POST /v1/vouchers/TEN/validate", { order, session: { type: "LOCK", key: "k" } });
  assert.deepEqual(held.body.session, { key: "k", type: "LOCK", ttl: 7, ttl_unit: "DAYS" });

  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = async (name: string, discount: object, more: object = {}) =>
    (await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name, action: { discount }, ...more })).id;
  const [five, off] = [await tier("five", percent(5)), await tier("off", percent(7), { active: false })];
  const one = (await call(`POST /v1/promotions/tiers/${five}/validation`, { order })).body;
  assert.deepEqual(
    [one.valid, one.id, one.name, one.applied_discount_amount, one.campaign.id],
    [true, five, "five", 50, campaign.id],
  );
  const disabled = (await call(`POST /v1/promotions/tiers/${off}/validation`, { order })).body;
  assert.deepEqual([disabled.valid, disabled.error.key], [false, "promotion_inactive"]);
  assert.equal((await call("POST /v1/promotions/tiers/promo_x/validation", { order })).status, 404);
  const all = (await call("POST /v1/promotions/validation", { order })).body;
  assert.deepEqual([all.valid, all.promotions.map(({ id }: any) => id)], [true, [five]]);
  assert.deepEqual((await call("POST /v1/promotions/validation?audienceRulesOnly=true", {})).body.promotions.length, 1);
});

const BAD: Record<string, object> = {
  "no redeemables": { redeemables: [] },
  "31 redeemables": { redeemables: Array.from({ length: 31 }, (_, n) => ({ object: "voucher", id: `c${n}` })) },
  "a redeemable without id": { redeemables: [{ object: "voucher" }] },
  "a kind that there is not": { redeemables: [{ object: "wallet", id: "a" }] },
  "501 lines": { order: { items: Array.from({ length: 501 }, () => ({ price: 1 })) } },
  "a negative amount": { order: { amount: -1 } },
  "an amount beyond 2^53": { order: { amount: 2 ** 53 } },
  "lines whose sum is beyond 2^53": { order: { items: [{ price: 2 ** 53 - 1, quantity: 2 }] } },
  "a quantity of half": { order: { items: [{ price: 1, quantity: 0.5 }] } },
  "an unknown type of session": { session: { type: "KEEP" } },
  "a session without type": { session: { key: "k" } },
  "half a time": { session: { type: "LOCK", ttl: 5 } },
  "no time at all": { session: { type: "LOCK", ttl: 0, ttl_unit: "DAYS" } },
  "a time beyond all bounds": { session: { type: "LOCK", ttl: 1e300, ttl_unit: "DAYS" } },
  "negative credits": { redeemables: [{ object: "voucher", id: "C", gift: { credits: -1 } }] },
};
test("what cannot be read is a 400 that changes nothing", async (t) => {
  const { project, call, code } = await world();
  await code("C", percent(10));
  for (const [what, body] of Object.entries(BAD))
    await t.test(what, async () => {
      const reply = await call("POST /v1/validations", { redeemables: [{ object: "voucher", id: "C" }], ...body });
      assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], reply.text);
    });
  const count = async (table: string) =>
    (await db`select count(*) from ${db(table)} where project_id = ${project.id}`)[0]!.count;
  assert.deepEqual([await count("validations"), await count("session_locks"), await count("orders")], [0, 0, 0]);
});

test("codes with any Unicode are answered, never broken", async () => {
  const { call, validate, code } = await world();
  for (const id of ["ÅÄÖ", "́", "🎟️🎟️", "a\u0000b", "\ud800", "'; drop table vouchers; --", "x".repeat(300), " "]) {
    const { status, body } = await validate([id], { amount: 1 });
    assert.ok(status === 200 ? body.valid === false : status === 400, `${JSON.stringify(id)}: ${status}`);
  }
  assert.ok([200, 400].includes((await call("POST /v1/vouchers/%00/validate", {})).status));
  await code(encodeURIComponent("Ünïcödé-🎟️"), percent(10));
  assert.equal((await validate(["u\u0308nïcödé-🎟️\n"], { amount: 1000 })).body.order.total_amount, 900);
});

test("validations are counted for the campaign of each redeemable, by the day of the project, and stay counted", async () => {
  const clock = { now: "2026-01-01T23:30:00.000Z" };
  const { project, call, ok, validate } = await world({ timezone: "Europe/Warsaw" }, { now: () => clock.now });
  const voucher = { type: "DISCOUNT_VOUCHER", discount: percent(10) };
  for (const name of ["One", "Two"]) await ok("POST /v1/campaigns", { name, type: "STATIC", voucher });
  for (const [code, name] of [
    ["A", "One"],
    ["B", "One"],
    ["C", "Two"],
  ])
    await ok(`POST /v1/campaigns/${name}/vouchers/${code}`, {});
  const counted = async (name: string, query = "") => {
    const { validations, validations_succeeded, validations_failed } = await ok(
      `GET /v1/campaigns/${name}/summary?${query}`,
    );
    return [validations, validations_succeeded, validations_failed];
  };
  assert.deepEqual(await counted("One"), [0, 0, 0]);
  assert.equal((await validate(["A", "B", "C"], { amount: 100 })).body.valid, true);
  assert.equal((await validate(["A", "NOPE"], { amount: 100 })).body.valid, false);
  await ok("POST /v1/vouchers/A/disable", {});
  clock.now = "2026-01-03T12:00:00.000Z";
  assert.equal((await validate(["A"], { amount: 100 }, { session: { type: "LOCK" } })).body.valid, false);
  await ok("POST /v1/promotions/validation", { order: { amount: 100 } });
  assert.deepEqual(
    [await counted("One"), await counted("Two")],
    [
      [3, 2, 1],
      [1, 1, 0],
    ],
  );
  assert.deepEqual(await counted("One", "end_date=2026-01-02"), [2, 2, 0]);
  assert.deepEqual(await counted("One", "end_date=2026-01-01"), [0, 0, 0], "in Warsaw it was the second");
  assert.deepEqual(await counted("One", "start_date=2026-01-03"), [1, 0, 1]);
  await Promise.all(Array.from({ length: 20 }, () => validate(["C"], { amount: 100 })));
  await compactTallies.run({ db, newId, now: () => NOW, random: Buffer.alloc });
  assert.deepEqual(
    [await counted("One"), await counted("Two")],
    [
      [3, 2, 1],
      [21, 21, 0],
    ],
  );
  const [tallies] = await db`select count(*) as rows from validation_tallies where project_id = ${project.id}`;
  assert.equal(tallies!.rows, 4, "one for each campaign and day");
  await db`delete from validations where project_id = ${project.id}`;
  assert.deepEqual(await counted("Two"), [21, 21, 0]);
  assert.equal((await call("GET /v1/campaigns/One/summary")).status, 200);
});

test("what a customer validated is among its activity, without anything personal", async () => {
  const { ok, code, validate } = await world();
  await code("TEN", percent(10));
  const { id } = await ok("POST /v1/customers", { source_id: "ann", name: "Ann", email: "ann@shop.example" });
  const customer = { source_id: "ann" };
  const yes = (await validate(["TEN"], { amount: 100 }, { customer })).body;
  const no = (await validate(["NOPE"], { amount: 100 }, { customer, session: { type: "LOCK" } })).body;
  await validate(["TEN"], { amount: 100 });
  await validate(["TEN"], { amount: 100 }, { customer: { source_id: "nobody" } });
  const { data } = await ok("GET /v1/customers/ann/activity?order=created_at");
  const told = data.filter(({ type }: { type: string }) => type.startsWith("customer.validation."));
  assert.deepEqual(
    told.map((one: any) => [one.type, one.data]),
    [
      ["succeeded", yes.id, true, "TEN", "APPLICABLE"],
      ["failed", no.id, false, "NOPE", "INAPPLICABLE"],
    ].map(([end, validation, valid, name, status]) => [
      `customer.validation.${end}`,
      {
        customer: { id, object: "customer" },
        validation: { id: validation, valid, redeemables: [{ object: "voucher", id: name, status }] },
      },
    ]),
  );
});

test("all promotions: filters say which are looked at, and metadata is checked as anywhere", async () => {
  const { project, call, ok } = await world();
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = async (name: string, metadata: object) =>
    (await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name, action: { discount: percent(5) }, metadata })).id;
  const tiers = [await tier("red", { colour: "red", size: 5 }), await tier("blue", { colour: "blue" })];
  const post = (query: string, body: object = {}) =>
    call(`POST /v1/promotions/validation?${query}`, { order: { amount: 100 }, ...body });
  const found = async (query: string) =>
    (await post(query)).body.promotions.map(({ name }: { name: string }) => name).join(" ");
  const cases: [string, string][] = [
    ["", "blue red"],
    ["filters[metadata.colour][conditions][$is]=red", "red"],
    ["filters[metadata][colour][conditions][$is]=red", "red"],
    ["filters[metadata.size][conditions][$is]=5", "red"],
    ["filters[metadata.colour][conditions][$in][0]=red&filters[metadata.colour][conditions][$in][1]=blue", "blue red"],
    [`filters[promotion_id][conditions][$is]=${tiers[1]}`, "blue"],
    [`filters[promotion_id][conditions][$is]=${tiers[1]}&filters[metadata.size][conditions][$is]=5`, ""],
    [
      `filters[junction]=or&filters[promotion_id][conditions][$is]=${tiers[1]}&filters[metadata.size][conditions][$is]=5`,
      "blue red",
    ],
  ];
  for (const [query, names] of cases) assert.equal(await found(query), names, query);
  for (const query of [
    "filters[name][conditions][$is]=red",
    "filters[metadata.colour][conditions][$near]=red",
    "filters[metadata]=red",
    "filters[junction]=xor",
  ]) {
    const { status, body } = await post(query);
    assert.deepEqual([status, body.key], [400, "invalid_query_params"], query);
  }
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "redemption",
    properties: { shop: { type: "string", optional: true, array: false } },
  });
  assert.equal((await post("", { metadata: { shop: "Berlin" } })).status, 200);
  assert.equal((await post("", { metadata: { shop: 1 } })).body.key, "metadata_validation_failed");
});

test("V06: a redeemable without an id is refused, and the place is named", async () => {
  const { validate } = await world();
  const { status, body } = await validate([{ object: "voucher", id: "a" }, { object: "voucher" }], null);
  assert.deepEqual(
    [status, body.key, body.details],
    [400, "invalid_payload", "Property .redeemables[1] must have required property 'id'"],
  );
});
