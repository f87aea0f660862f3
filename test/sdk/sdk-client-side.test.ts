import assert from "node:assert/strict";
import { test } from "node:test";
import { publishedClient, refused } from "./sdk.ts";

const { client, pageOf, manage } = await publishedClient();
const SHOP = "https://shop.example";
const page = pageOf(SHOP, "visitor-1");
await manage("PUT", "", {
  client_trusted_domains: [SHOP],
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_list_vouchers_enabled: true,
  client_create_customer_enabled: true,
  client_loyalty_events_enabled: true,
});
const TEN = { type: "PERCENT", percent_off: 10 };

test("a page validates a code, with its lines, and without one asks which promotions apply", async () => {
  await client.vouchers.create({ code: "TEN", type: "DISCOUNT_VOUCHER", discount: TEN, metadata: { a: 1 } });
  await client.products.create({ source_id: "tea", name: "Tea", price: 450 });
  const validated = await page.validate({
    code: " TEN\n",
    items: [{ source_id: "tea", related_object: "product", quantity: 2 }],
    orderMetadata: { gate: "north" },
    customer: { source_id: "visitor-1", metadata: { vip: true } },
    metadata: { till: "7" },
  });
  assert.deepEqual(
    [validated.valid, validated.code, validated.order.amount, validated.order.total_amount, validated.metadata],
    [true, "TEN", 900, 810, { a: 1 }],
  );
  const plain = await page.validate("TEN");
  assert.deepEqual([plain.valid, plain.discount.percent_off], [true, 10]);
  const unknown = await page.validate("NOBODY");
  assert.deepEqual([unknown.valid, unknown.error.key], [false, "not_found"]);
  await client.promotions.create({
    name: "Autumn",
    campaign_type: "PROMOTION",
    promotion: { tiers: [{ name: "Five", action: { discount: { type: "AMOUNT", amount_off: 500 } } }] },
  });
  const found = await page.validate({ amount: 2000 });
  assert.deepEqual([found.valid, found.promotions[0].name, found.promotions[0].discount_amount], [true, "Five", 500]);
});

test("a page redeems a code for the visitor, and stacks redeemables", async () => {
  const redeemed = await page.redeem("TEN", { order: { amount: 1000 }, metadata: { till: "7" } });
  assert.deepEqual([redeemed.result, redeemed.voucher.code, redeemed.order.total_amount], ["SUCCESS", "TEN", 900]);
  const customer = await client.customers.get("visitor-1");
  assert.equal(redeemed.customer_id, customer.id);
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const order = { amount: 2000 };
  const validated = await page.validateStackable({ redeemables, order, customer: { source_id: "visitor-1" } });
  assert.deepEqual([validated.valid, validated.order.total_amount], [true, 1800]);
  const stacked = await page.redeemStackable({ redeemables, order, customer: { source_id: "visitor-1" } });
  assert.deepEqual([stacked.redemptions.length, stacked.order.total_amount], [1, 1800]);
  assert.equal((await client.vouchers.get("TEN")).redemption.redeemed_quantity, 2);
  await assert.rejects(page.redeem("NOBODY", {}), refused(404, "not_found"));
});

test("a page publishes a code of a campaign, which stands in the list, and creates a customer", async () => {
  await client.campaigns.create({
    name: "News",
    type: "AUTO_UPDATE",
    vouchers_count: 1,
    voucher: { type: "DISCOUNT_VOUCHER", discount: TEN, code_config: { pattern: "NEW-######" } },
  });
  const published = await page.publish("News", {}, { join_once: true });
  assert.match(published.voucher.code, /^NEW-/);
  const again = await page.publish("News", {}, { join_once: true });
  assert.equal(again.voucher.code, published.voucher.code);
  const listed = await page.listVouchers({ campaign: "News", customer: "visitor-1" });
  assert.deepEqual([listed.total, listed.vouchers[0].code], [1, published.voucher.code]);
  assert.deepEqual(listed.vouchers[0].holder_id, undefined);
  const made = await page.createCustomer({ source_id: "ann", name: "Ann" }, true);
  assert.equal((await client.customers.get("ann")).id, made.id);
});

test("events come from the server and from a page; the schema of the project says which", async () => {
  await manage("POST", "/custom-event-schemas", {
    name: "visit",
    schema: { properties: { where: { type: "string", optional: true } } },
  });
  const tracked = await client.events.create("visit", { customer: { source_id: "ann" }, metadata: { where: "Rome" } });
  assert.deepEqual(
    [tracked.object, tracked.type, tracked.customer.source_id, tracked.referral, tracked.loyalty],
    ["event", "visit", "ann", null, null],
  );
  const seen = await page.track("visit", { source_id: "visitor-1" }, { where: "Oslo" });
  assert.deepEqual([seen.type, seen.metadata], ["visit", { where: "Oslo" }]);
  await assert.rejects(page.track("nothing", { source_id: "ann" }), refused(404, "not_found"));
  const happened = await client.customers.listActivity("visitor-1", { limit: 5 });
  assert.ok(happened.data.some(({ type }: any) => type === "customer.custom_event"));
});

test("another origin is a stranger, and a switch that is off says so", async () => {
  await assert.rejects(pageOf("https://evil.example").validate("TEN"), refused(401, "unauthorized"));
  await manage("PUT", "", { client_redeem_enabled: false });
  await assert.rejects(page.redeem("TEN", {}), refused(403, "forbidden"));
});

test("who guesses codes is stopped", async () => {
  const guesses = [];
  for (let n = 0; n < 8; n += 1) guesses.push(await page.validate(`GUESS-${n}`).catch((error: any) => error.key));
  assert.ok(guesses.includes("too_many_requests"), JSON.stringify(guesses));
});
