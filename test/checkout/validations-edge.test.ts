import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

// Carts and codes that nobody meant, and what is said about them.
const { db } = await testDatabase();
const MAX = Number.MAX_SAFE_INTEGER;

async function world() {
  const { project, call, ok } = await testShop(db);
  const code = (name: string, discount: object, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount, ...more });
  const gift = (name: string, amount: number) =>
    ok(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift: { amount, balance: amount } });
  const validate = (ids: readonly (string | object)[], order?: unknown, more: object = {}) =>
    call("POST /v1/validations", {
      redeemables: ids.map((id) => (typeof id === "string" ? { object: "voucher", id } : id)),
      order,
      ...more,
    });
  return { project, call, ok, code, gift, validate };
}
const reason = ({ body }: { body: any }, n = 0) => body.redeemables[n].result.error?.key ?? null;

test("a gift card with nothing on it, or held by another session, is refused and not taken for nothing", async () => {
  const { gift, validate, call } = await world();
  await gift("EMPTY", 0);
  await gift("CARD", 1000);
  const order = { amount: 5000 };
  assert.equal(reason(await validate(["EMPTY"], order)), "gift_amount_exceeded");
  const asked = async (more: object = {}) =>
    (await call("POST /v1/qualifications", { order, ...more })).body.redeemables.data.map((one: any) => [
      one.id,
      one.result.gift,
    ]);
  assert.deepEqual(await asked(), [["CARD", { credits: 1000, balance: 0 }]]);
  const held = await validate(["CARD"], order, { session: { type: "LOCK", key: "mine" } });
  assert.deepEqual(held.body.redeemables[0].result.gift, { credits: 1000, balance: 0 });
  assert.equal(reason(await validate(["CARD"], order)), "gift_amount_exceeded");
  assert.equal((await validate(["CARD"], order, { session: { type: "LOCK", key: "mine" } })).body.valid, true);
  // What a session holds is shown to who asks for it.
  assert.deepEqual(await asked({ session: { type: "LOCK" } }), [
    ["CARD", { credits: 0, balance: 0, locked_credits: 1000 }],
  ]);
  // Asked for nothing, nothing is taken.
  assert.equal((await validate([{ object: "voucher", id: "EMPTY", gift: { credits: 0 } }], order)).body.valid, true);
});

test("units that would make the cart worth more than a number can hold are refused", async () => {
  const { ok, code, validate } = await world();
  const [cheap, dear] = [
    await ok("POST /v1/products", { source_id: "cheap", name: "Cheap", price: 700 }),
    await ok("POST /v1/products", { source_id: "dear", name: "Dear", price: MAX }),
  ];
  await code("CHEAP", { type: "UNIT", unit_off: 2, unit_type: cheap.id, effect: "ADD_NEW_ITEMS" });
  await code("DEAR", { type: "UNIT", unit_off: 1_000_000, unit_type: dear.id, effect: "ADD_NEW_ITEMS" });
  assert.equal((await validate(["CHEAP"], { amount: MAX - 1400 })).body.order.amount, MAX);
  for (const [id, amount] of [
    ["CHEAP", MAX - 1399],
    ["DEAR", 0],
  ] as const) {
    const { status, body } = await validate([id], { amount });
    assert.deepEqual([status, body.valid, body.redeemables[0].result.error.key], [200, false, "invalid_payload"]);
    assert.match(body.redeemables[0].result.error.details, /must be <= 9007199254740991$/);
  }
});

const DISCOUNTS: Record<string, object> = {
  PERCENT: { type: "PERCENT", percent_off: 33.333 },
  PERCENT_ITEMS: { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" },
  AMOUNT: { type: "AMOUNT", amount_off: MAX },
  AMOUNT_ITEMS: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS" },
  AMOUNT_SPLIT: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
  AMOUNT_SPLIT_UNITS: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY" },
  AMOUNT_UNITS: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS_BY_QUANTITY" },
  FIXED: { type: "FIXED", fixed_amount: 100 },
  FIXED_ITEMS: { type: "FIXED", fixed_amount: 100, effect: "APPLY_TO_ITEMS" },
  BY_ZERO: { type: "AMOUNT", amount_off: 1, amount_off_formula: "100 / (ORDER_AMOUNT - ORDER_AMOUNT)" },
  BEYOND: { type: "AMOUNT", amount_off_formula: "ORDER_AMOUNT * 1000000000000000 * 1000000000000000" },
  BELOW: { type: "PERCENT", percent_off_formula: "0 - 5" },
};
const CARTS: Record<string, unknown> = {
  "no order": undefined,
  null: null,
  empty: {},
  "everything null": { amount: null, items: null, metadata: null, id: null, source_id: null, discount_amount: null },
  "amount 0": { amount: 0 },
  "the largest amount": { amount: MAX },
  "no lines": { items: [] },
  "an empty line": { items: [{}] },
  "a line of nulls": { items: [{ product_id: null, source_id: null, price: null, amount: 300, quantity: null }] },
  "price 0": { items: [{ product_id: "x", price: 0, quantity: 3 }] },
  "quantity 0": { items: [{ product_id: "x", price: 100, quantity: 0 }] },
  "no price": { items: [{ product_id: "x", quantity: 3 }] },
  "one without a price": { items: [{ product_id: "x" }, { product_id: "y", price: 100 }] },
  "a huge quantity": { items: [{ product_id: "x", price: 1, quantity: 9_000_000_000_000 }] },
  "an amount below its lines": { amount: 100, items: [{ product_id: "x", price: 1000, quantity: 2 }] },
  "an amount above its lines": { amount: 100_000, items: [{ product_id: "x", price: 1000, quantity: 2 }] },
  "amount 0 with lines": { amount: 0, items: [{ product_id: "x", price: 100, quantity: 3 }] },
};

test("every kind of discount on every odd cart: an answer whose sums are right, and no total below zero", async () => {
  const { code, gift, validate, call } = await world();
  for (const [name, discount] of Object.entries(DISCOUNTS)) await code(name, discount);
  await gift("GIFT", MAX);
  const names = [...Object.keys(DISCOUNTS), "GIFT"];
  for (const [cart, order] of Object.entries(CARTS)) {
    for (const ids of [...names.map((name) => [name]), names.slice(0, 5), names.slice(5, 10)]) {
      const { status, body, text } = await validate(ids, order);
      assert.equal(status, 200, `${ids} on ${cart}: ${text}`);
      for (const seen of [body, ...body.redeemables].flatMap((one) => one.order ?? [])) {
        if (seen.amount === undefined) continue;
        assert.equal(seen.total_amount, seen.amount - (seen.total_discount_amount ?? 0), `${ids} on ${cart}`);
        const off = (seen.discount_amount ?? 0) + (seen.items_discount_amount ?? 0);
        assert.equal(seen.total_discount_amount ?? 0, off, `${ids} on ${cart}`);
        const lines = (seen.items ?? []).reduce((sum: number, one: any) => sum + (one.discount_amount ?? 0), 0);
        assert.equal(seen.items_discount_amount ?? 0, lines, `${ids} on ${cart}`);
        assert.ok(seen.total_amount >= 0 && Number.isSafeInteger(seen.total_amount), `${ids} on ${cart}`);
        for (const item of seen.items ?? []) assert.ok((item.subtotal_amount ?? 0) >= 0, `${ids} on ${cart}`);
      }
    }
    const offered = await call("POST /v1/qualifications", { order, options: { limit: 50, sorting_rule: "BEST_DEAL" } });
    assert.equal(offered.status, 200, `${cart}: ${offered.text}`);
  }
});

test("carts that cannot be: a 400 that names the field", async (t) => {
  const { code, validate, call } = await world();
  await code("TEN", { type: "PERCENT", percent_off: 10 });
  const line = { product_id: "x", price: 100 };
  const wrong: [order: unknown, details: RegExp][] = [
    [{ amount: -1 }, /order\.amount/],
    [{ amount: 1.5 }, /order\.amount/],
    [{ amount: "100" }, /order\.amount/],
    [{ amount: MAX + 1 }, /order\.amount/],
    [{ items: {} }, /order\.items/],
    [{ items: [null] }, /order\.items\[0\]/],
    [{ items: Array.from({ length: 501 }, () => line) }, /order\.items/],
    [{ items: [{ ...line, quantity: -1 }] }, /items\[0\]\.quantity/],
    [{ items: [{ ...line, quantity: 1.5 }] }, /items\[0\]\.quantity/],
    [{ items: [{ ...line, quantity: "many" }] }, /items\[0\]\.quantity/],
    [{ items: [{ ...line, price: 2, quantity: MAX }] }, /items\[0\]\.amount/],
    [{ items: [{ amount: MAX }, { amount: 1 }] }, /order\.amount/],
    [[], /order/],
    ["cart", /order/],
  ];
  for (const [order, details] of wrong)
    await t.test(JSON.stringify(order).slice(0, 80), async () => {
      for (const reply of [await validate(["TEN"], order), await call("POST /v1/qualifications", { order })]) {
        assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], reply.text);
        assert.match(reply.body.details, details);
      }
    });
});

test("a code of a campaign in the bin is not there, also when its discount adds units", async () => {
  const { ok, validate, call } = await world();
  const product = await ok("POST /v1/products", { source_id: "mug", name: "Mug", price: 700 });
  const discount = { type: "UNIT", unit_off: 1, unit_type: product.id, effect: "ADD_NEW_ITEMS" };
  await ok("POST /v1/campaigns", {
    name: "Mugs",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount },
  });
  await ok("POST /v1/campaigns/Mugs/vouchers/MUG", {});
  const order = { amount: 1000 };
  assert.equal((await validate(["MUG"], order)).body.order.amount, 1700);
  await call("DELETE /v1/campaigns/Mugs");
  assert.equal(reason(await validate(["MUG"], order)), "not_found");
  assert.deepEqual((await call("POST /v1/qualifications", { order })).body.redeemables.data, []);
  const older = await ok("POST /v1/vouchers/MUG/validate", { order });
  assert.deepEqual([older.valid, older.error.key], [false, "not_found"]);
});

test("the older validation names the customer, and takes options that change nothing", async () => {
  const { ok, code } = await world();
  await code("TEN", { type: "PERCENT", percent_off: 10 });
  const { id } = await ok("POST /v1/customers", { source_id: "ada" });
  const order = { amount: 1000 };
  const known = await ok("POST /v1/vouchers/TEN/validate", { customer: { source_id: "ada" }, order });
  assert.deepEqual([known.valid, known.customer_id], [true, id]);
  const options = { expand: ["category"] };
  assert.deepEqual(
    await ok("POST /v1/vouchers/TEN/validate", { customer: { source_id: "ada" }, order, options }),
    known,
  );
  assert.equal("customer_id" in (await ok("POST /v1/vouchers/TEN/validate", { order })), false);
});

test("what a code refers to may be gone: its category, its segment, its rule", async () => {
  const { ok, code, call, validate } = await world();
  const category = await ok("POST /v1/categories", { name: "c", hierarchy: 1 });
  const segment = await ok("POST /v1/segments", { name: "S", type: "static", customers: [] });
  const rule = await ok("POST /v1/validation-rules", {
    name: "r",
    rules: { 1: { name: "customer.segment", conditions: { $is: [segment.id] } }, logic: "1" },
  });
  const discount = { type: "PERCENT", percent_off: 10 };
  await code("CODE", discount, { category_id: category.id, validation_rules: [rule.id] });
  const ask = () =>
    validate(
      ["CODE"],
      { amount: 1000 },
      { customer: { source_id: "x" }, options: { expand: ["order", "category", "redeemable"] } },
    );
  assert.equal((await call(`DELETE /v1/categories/${category.id}`)).status, 204);
  assert.deepEqual((await ask()).body.redeemables[0].categories, []);
  assert.equal((await call(`DELETE /v1/segments/${segment.id}`)).status, 204);
  assert.equal(reason(await ask()), "customer_rules_violated");
  assert.equal((await call(`DELETE /v1/validation-rules/${rule.id}`)).status, 204);
  assert.equal((await ask()).body.order.total_amount, 900);
});

test("500 lines and 30 codes that discount every line, with a trace, are answered", async () => {
  const { project, ok, code, validate } = await world();
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, { applicable_redeemables_limit: 30 });
  const ids = Array.from({ length: 30 }, (_, n) => `L${n}`);
  for (const id of ids) await code(id, { type: "PERCENT", percent_off: 1, effect: "APPLY_TO_ITEMS" });
  const items = Array.from({ length: 500 }, (_, n) => ({ product_id: `p${n}`, price: 100 + n, quantity: 1 + (n % 7) }));
  const { status, body } = await validate(ids, { items }, { options: { expand: ["order", "trace"] } });
  assert.deepEqual([status, body.valid, body.redeemables.length], [200, true, 30]);
  assert.equal(body.order.items.length, 500);
  const left = body.redeemables.map((one: any) => one.order.total_amount);
  assert.deepEqual(
    left,
    left.toSorted((a: number, b: number) => b - a),
  );
  assert.equal(left.at(-1), body.order.total_amount);
});
