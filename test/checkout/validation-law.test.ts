import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

/** A shop whose metadata has schemas, with a plain code and one that Ann shares. */
async function shop() {
  const { project, call, ok } = await testShop(db);
  const discount = { type: "PERCENT", percent_off: 10 };
  await ok("POST /v1/vouchers/TEN", { discount });
  const referral = { name: "Friends", campaign_type: "REFERRAL_PROGRAM", voucher: { discount } };
  await ok("POST /v1/campaigns", { ...referral, referral_program: { conversion_event_type: "redemption" } });
  const ann = await ok("POST /v1/customers", { source_id: "ann", email: "Ann@example.com" });
  const { voucher } = await ok("POST /v1/publications", { campaign: "Friends", customer: { id: ann.id } });
  const ben = await ok("POST /v1/customers", { source_id: "ben", email: "ben@example.com" });
  for (const related_object of ["customer", "order", "order_item", "redemption"])
    await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
      related_object,
      properties: {
        n: { type: "number", optional: true, array: false },
        ...(related_object === "order" && { shop: { type: "string", optional: false, array: false } }),
      },
    });
  return { call, ids: { ann: ann.id, ben: ben.id, nobody: "cust_000000000000000000000000" }, shared: voucher.code };
}

const metadata = fc.constantFrom<object | undefined>(undefined, {}, { n: 1 }, { n: "x" }, { n: null }, { other: true });
const request = fc.record({
  code: fc.constantFrom("TEN", "shared", "NONE"),
  id: fc.constantFrom<"ann" | "ben" | "nobody" | undefined>(undefined, undefined, "ann", "ben", "nobody"),
  source_id: fc.constantFrom<string | undefined>(undefined, "ann", "ben", "new-1", "new-2", "new-3"),
  email: fc.constantFrom<string | undefined>(undefined, " ANN@example.com", "ben@example.com", "new@example.com"),
  hasCustomer: fc.boolean(),
  ofCustomer: metadata,
  ofOrder: metadata,
  isComplete: fc.boolean(),
  ofLine: metadata,
  ofRequest: metadata,
});

const SEED = 20_260_101;

test("validation and redemption treat the same customer and the same metadata alike", async () => {
  const { call, ids, shared } = await shop();
  const seen = new Set<string>();
  for (const one of fc.sample(request, { numRuns: 150, seed: SEED })) {
    const { source_id, email } = one;
    const id = one.id && ids[one.id];
    const customer = {
      ...(id && { id }),
      ...(source_id && { source_id }),
      ...(email && { email }),
      ...(one.ofCustomer && { metadata: one.ofCustomer }),
    };
    const ofOrder = { ...one.ofOrder, ...(one.isComplete && { shop: "s" }) };
    const body = {
      redeemables: [{ object: "voucher", id: one.code === "shared" ? shared : one.code }],
      ...(one.hasCustomer && { customer }),
      order: { items: [{ price: 1000, quantity: 1, metadata: one.ofLine ?? null }], metadata: ofOrder },
      ...(one.ofRequest && { metadata: one.ofRequest }),
    };
    const validated = await call("POST /v1/validations", body);
    const qualified = await call("POST /v1/qualifications", { ...body, redeemables: undefined });
    const redeemed = await call("POST /v1/redemptions", body);
    const said = validated.status === 200 ? validated.body.redeemables[0].result.error : validated.body;
    const told = `seed ${SEED}: ${JSON.stringify(body)}\n${validated.text}\n${redeemed.text}`;
    // What the whole request is refused for, a qualification refuses too.
    assert.equal(qualified.status, validated.status, `${told}\n${qualified.text}`);
    if (validated.status !== 200) assert.equal(qualified.body.key, validated.body.key, told);
    const missing = "shop: must be a string, property is required (actual value is 'undefined')";
    if (redeemed.body.details === missing) {
      seen.add("missing");
      assert.notEqual(said?.details, missing, told);
      continue;
    }
    assert.deepEqual([redeemed.body.key, redeemed.body.details], [said?.key, said?.details], told);
    seen.add(said?.key ?? "valid");
  }
  assert.deepEqual([...seen].sort(), [
    "metadata_validation_failed",
    "missing",
    "missing_customer",
    "not_found",
    "referrer_not_permitted_to_redeem",
    "valid",
  ]);
});

test("a customer with an id that nobody has is looked up by the source id beside it", async () => {
  const { call, ids } = await shop();
  const both = (source_id: string) => ({ id: ids.nobody, source_id, metadata: { n: 1 } });
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const ben = await call("POST /v1/validations", { redeemables, order: {}, customer: both("ben") });
  assert.deepEqual([ben.status, ben.body.order.customer_id], [200, ids.ben]);
  const unknown = await call("POST /v1/validations", { redeemables, order: {}, customer: both("new") });
  assert.deepEqual([unknown.status, unknown.body.order.customer_id], [200, null]);
  assert.equal((await call("GET /v1/customers/new")).status, 404, "a question makes nobody");
  assert.equal((await call("POST /v1/qualifications", { customer: both("new") })).status, 200);
  for (const [line, body] of [
    ["POST /v1/customers", both("a")],
    ["POST /v1/redemptions", { redeemables, customer: both("b") }],
    ["POST /v1/orders", { amount: 1, metadata: { shop: "s" }, customer: both("c") }],
    ["POST /v1/publications", { voucher: "TEN", customer: both("d") }],
  ] as const) {
    const reply = await call(line, body);
    assert.equal(reply.status, 200, `${line}: ${reply.text}`);
    const alone = JSON.parse(JSON.stringify(body), (key, value) => (key === "source_id" ? undefined : value));
    assert.equal((await call(line, alone)).status, 404, line);
  }
  for (const source_id of ["a", "b", "c", "d"])
    assert.deepEqual((await call(`GET /v1/customers/${source_id}`)).body.metadata, { n: 1 });
});

test("the referrer of an order in a validation is taken as by POST /v1/orders, and nobody is made", async () => {
  const { call, ids } = await shop();
  const ask = async (order: object) => {
    const { status, body } = await call("POST /v1/validations", {
      redeemables: [{ object: "voucher", id: "TEN" }],
      order: { amount: 1000, ...order },
    });
    return status === 200 ? body.order.referrer_id : body.key;
  };
  assert.equal(await ask({}), null);
  assert.equal(await ask({ referrer: { source_id: "ben" } }), ids.ben);
  assert.equal(await ask({ referrer: { id: ids.ben, name: "Ben" } }), ids.ben);
  assert.equal(await ask({ referrer: "ben" }), ids.ben);
  assert.equal(await ask({ referrer_id: ids.ann }), ids.ann);
  assert.equal(await ask({ referrer: { source_id: "new" } }), null);
  assert.equal(await ask({ referrer: { id: ids.nobody } }), "not_found");
  assert.equal((await call("GET /v1/customers/new")).status, 404);
});
