import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/child.ts";
import { publishedClient, refused } from "./sdk.ts";

const { client, served, pageOf, manage, appHeaders } = await publishedClient();
const isGone = refused(404, "not_found");

test("customers: created, read, listed, walked through, updated, deleted", async () => {
  const { customers } = client;
  const made = await customers.create({
    source_id: "ada",
    name: "Ada",
    email: "ada@example.com",
    address: { city: "London", country: "UK" },
    birthdate: "1990-12-10",
    metadata: { vip: true },
  });
  assert.match(made.id, /^cust_/);
  assert.deepEqual(
    [made.object, made.source_id, made.address?.city, made.metadata],
    ["customer", "ada", "London", { vip: true }],
  );
  assert.equal((await customers.get("ada")).id, made.id);
  assert.equal((await customers.get(made.id)).email, "ada@example.com");
  const updated = await customers.update({ id: made.id, name: "Ada L.", metadata: { age: 35 } });
  assert.deepEqual([updated.name, updated.metadata], ["Ada L.", { vip: true, age: 35 }]);
  assert.equal((await customers.update({ source_id: "ada", phone: "+44 20" })).phone, "+44 20");
  for (const id of ["bob", "cyd", "dan"]) await customers.create({ source_id: id, name: id.toUpperCase() });
  const page = await customers.list({ limit: 2, page: 2, order: "created_at" });
  assert.deepEqual(
    [page.total, page.data_ref, page.customers.map(({ source_id }: any) => source_id)],
    [4, "customers", ["cyd", "dan"]],
  );
  const named = await customers.list({ name: "BOB" });
  assert.deepEqual(
    named.customers.map(({ source_id }: any) => source_id),
    ["bob"],
  );
  for (const [order, expected] of [
    ["created_at", ["ada", "bob", "cyd", "dan"]],
    ["-created_at", ["dan", "cyd", "bob", "ada"]],
  ] as const) {
    const walked: (string | undefined)[] = [];
    for await (const customer of customers.scroll({ limit: 2, order })) walked.push(customer.source_id);
    assert.deepEqual(walked, expected);
  }
  const activity = await customers.listActivity("ada", { limit: 10 });
  assert.deepEqual(
    activity.data.map(({ type }: any) => type),
    ["customer.updated", "customer.updated", "customer.created"],
  );
  await customers.delete("dan");
  await assert.rejects(customers.get("dan"), isGone);
  const erased = await customers.deletePermanently("cyd");
  assert.deepEqual([erased.status, erased.related_object], ["DONE", "customer"]);
  await assert.rejects(customers.get("cyd"), isGone);
  await assert.rejects(customers.create({ name: 7 }), refused(400, "invalid_payload"));
});

test("products and SKUs: created, read, listed, updated, deleted", async () => {
  const { products } = client;
  const made = await products.create({ source_id: "mug", name: "Mug", price: 1250, attributes: ["colour"] });
  assert.deepEqual([made.object, made.price, made.attributes], ["product", 1250, ["colour"]]);
  assert.equal((await products.get("mug")).id, made.id);
  assert.equal((await products.update({ id: made.id, price: 1300 })).price, 1300);
  const sku = await products.createSku(made.id, {
    source_id: "mug-red",
    sku: "Red mug",
    price: 1400,
    attributes: { colour: "red" },
  });
  assert.deepEqual([sku.object, sku.product_id, sku.attributes], ["sku", made.id, { colour: "red" }]);
  assert.equal((await products.getSku("mug-red")).id, sku.id);
  assert.equal((await products.updateSku("mug", { id: sku.id, price: 1500 })).price, 1500);
  const skus = await products.listSkus("mug");
  assert.deepEqual([skus.total, skus.skus[0]!.price], [1, 1500]);
  await products.create({ source_id: "pen", name: "Pen", price: 200 });
  const list = await products.list({ limit: 1, page: 1 });
  assert.deepEqual([list.total, list.products.length], [2, 1]);
  await products.deleteSku("mug", sku.id, { force: true });
  assert.equal((await products.listSkus("mug")).total, 0);
  await products.delete("pen");
  await assert.rejects(products.get("pen"), isGone);
});

test("orders: created, read, updated, listed, with prices from the catalogue", async () => {
  const { orders, products } = client;
  await products.create({ source_id: "tea", name: "Tea", price: 450 });
  const made = await orders.create({
    source_id: "order-1",
    items: [{ source_id: "tea", related_object: "product", quantity: 3 }],
    customer: { source_id: "erin", name: "Erin" },
    metadata: { channel: "web" },
  });
  assert.deepEqual(
    [made.status, made.amount, made.total_amount, made.items![0]!.amount],
    ["CREATED", 1350, 1350, 1350],
  );
  assert.equal((await client.customers.get("erin")).id, made.customer_id);
  assert.equal((await orders.get("order-1")).id, made.id);
  assert.equal((await orders.update({ id: made.id, status: "PAID" })).status, "PAID");
  const list = await orders.list({ limit: 5 });
  assert.deepEqual([list.total, list.orders[0]!.id], [1, made.id]);
});

test("segments: created with customers and with a filter, asked for by customer, deleted", async () => {
  const { segments, customers } = client;
  const [ada, bob] = await Promise.all([customers.get("ada"), customers.get("bob")]);
  const chosen = await segments.create({ name: "Chosen", type: "static", customers: [bob!.id] });
  const vips = await segments.create({
    name: "VIPs",
    type: "passive",
    filter: { junction: "and", "metadata.vip": { conditions: { $is: [true] } } },
  });
  const of = async (id: string) => (await segments.list(id)).data.map((one: any) => one.name);
  assert.deepEqual(await of(bob!.id), ["Chosen"]);
  assert.deepEqual(await of(ada!.id), ["VIPs"]);
  assert.equal((await segments.get(vips.id)).type, "passive");
  await segments.delete(chosen.id);
  assert.deepEqual(await of(bob!.id), []);
});

test("validation rules: created, assigned, listed, changed, taken away; a code follows them", async () => {
  const { validationRules, vouchers, validations } = client;
  const rule = await validationRules.create({
    name: "Over 50",
    error: { message: "Spend 50" },
    rules: {
      1: { name: "order.amount", conditions: { $more_than_or_equal: [5000] } },
      logic: "1",
    },
  });
  await vouchers.create({ code: "OVER-50", type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const assignment = await validationRules.createAssignment(rule.id, { voucher: "OVER-50" });
  assert.deepEqual([assignment.rule_id, assignment.related_object_type], [rule.id, "voucher"]);
  const ask = async (amount: number) => await validations.validateVoucher("OVER-50", { order: { amount } });
  const poor = await ask(4999);
  assert.deepEqual([poor.valid, poor.reason, poor.error.key], [false, "Spend 50", "order_rules_violated"]);
  const rich = await ask(5000);
  assert.deepEqual([rich.valid, rich.order.total_discount_amount], [true, 500]);
  assert.equal((await validationRules.get(rule.id)).name, "Over 50");
  const changed = await validationRules.update({
    id: rule.id,
    name: "Over 60",
    rules: { 1: { name: "order.amount", conditions: { $more_than_or_equal: [6000] } }, logic: "1" },
  });
  assert.equal(changed.name, "Over 60");
  assert.equal((await ask(5000)).valid, false);
  assert.equal((await validationRules.list({ limit: 5 })).total, 1);
  const assigned = await validationRules.listAssignments(rule.id);
  assert.deepEqual([assigned.total, assigned.data[0]!.id], [1, assignment.id]);
  assert.equal((await validationRules.listRulesAssignments()).total, 1);
  await validationRules.deleteAssignment(rule.id, assignment.id);
  assert.equal((await ask(1)).valid, true);
  await validationRules.delete(rule.id);
  await assert.rejects(validationRules.get(rule.id), isGone);
});

test("campaigns: created, read, listed, changed, filled, switched off and on, deleted", async () => {
  const { campaigns, vouchers, asyncActions } = client;
  const made = await campaigns.create({
    name: "Summer",
    campaign_type: "DISCOUNT_COUPONS",
    type: "AUTO_UPDATE",
    vouchers_count: 25,
    voucher: {
      type: "DISCOUNT_VOUCHER",
      discount: { type: "AMOUNT", amount_off: 500 },
      code_config: { pattern: "SUN-######", charset: "ABCDEFGHKLMNPRSTUVWXYZ23456789" },
      redemption: { quantity: 1 },
    },
    start_date: "2026-01-01T00:00:00.000Z",
    expiration_date: "2046-01-01T00:00:00.000Z",
    metadata: { season: "summer" },
  });
  assert.match(made.id, /^camp_/);
  await eventually(
    async () => (await campaigns.get("Summer")).vouchers_generation_status === "DONE",
    "the codes are there",
  );
  const read = await campaigns.get(made.id);
  assert.deepEqual([read.name, read.vouchers_count, read.metadata], ["Summer", 25, { season: "summer" }]);
  const codes = await vouchers.list({ campaign: "Summer", limit: 100 });
  assert.equal(codes.total, 25);
  for (const { code } of codes.vouchers) assert.match(code, /^SUN-[A-HK-NP-Z2-9]{6}$/);
  const added = await campaigns.addVoucher("Summer", { metadata: { by: "hand" } });
  assert.deepEqual([added.campaign_id, added.discount.amount_off], [made.id, 500]);
  const certain = await campaigns.addCertainVoucher("Summer", "SUN-HELLO", {});
  assert.deepEqual([certain.code, certain.campaign], ["SUN-HELLO", "Summer"]);
  const more = await campaigns.addVoucher("Summer", {}, { vouchers_count: 3 });
  assert.match(more.async_action_id ?? more.id, /^aa_/);
  await eventually(async () => (await vouchers.list({ campaign: "Summer" })).total === 30, "three more");
  const action = await asyncActions.get(more.async_action_id ?? more.id);
  assert.deepEqual([action.status, action.result.done_count], ["DONE", 3]);
  assert.ok((await asyncActions.list({ limit: 10 })).async_actions.some(({ id }: any) => id === action.id));
  const updated = await campaigns.update("Summer", { description: "Hot", metadata: { season: "late" } });
  assert.deepEqual([updated.description, updated.metadata.season], ["Hot", "late"]);
  const list = await campaigns.list({ limit: 5 });
  assert.deepEqual([list.total, list.campaigns[0]!.name], [1, "Summer"]);

  const ask = async () => await client.validations.validateVoucher("SUN-HELLO", { order: { amount: 900 } });
  assert.equal((await ask()).order.total_amount, 400);
  await campaigns.disable(made.id);
  assert.deepEqual([(await ask()).valid, (await ask()).error.key], [false, "voucher_disabled"]);
  await campaigns.enable(made.id);
  assert.equal((await ask()).valid, true);
  const qualified = await campaigns.qualifications.examine({ order: { amount: 900 } });
  assert.deepEqual(
    qualified.data.map((one: any) => one.name),
    ["Summer"],
  );
  await campaigns.delete("Summer", { force: true });
  await assert.rejects(campaigns.get("Summer"), isGone);
  await eventually(async () => (await vouchers.list({ campaign: "Summer" })).total === 0, "its codes are gone");
});

test("vouchers: created, read, listed, changed, switched off and on, offered, deleted", async () => {
  const { vouchers } = client;
  const made = await vouchers.create({
    code: "TEN OFF/ÄÖ",
    type: "DISCOUNT_VOUCHER",
    discount: { type: "PERCENT", percent_off: 10 },
    redemption: { quantity: 3 },
    metadata: { who: "all" },
  });
  assert.deepEqual([made.code, made.redemption?.quantity], ["TEN OFF/ÄÖ", 3]);
  const read = await vouchers.get("TEN OFF/ÄÖ");
  assert.deepEqual([read.id, read.active, read.discount], [made.id, true, { type: "PERCENT", percent_off: 10 }]);
  const drawn = await fetch(new URL(read.assets.qr.url, served.url));
  assert.deepEqual([drawn.status, drawn.headers.get("content-type")], [200, "image/png"]);
  const changed = await vouchers.update({ code: "TEN OFF/ÄÖ", metadata: { who: "some" } });
  assert.deepEqual(changed.metadata, { who: "some" });
  await vouchers.disable("TEN OFF/ÄÖ");
  assert.equal((await vouchers.get("TEN OFF/ÄÖ")).active, false);
  await vouchers.enable("TEN OFF/ÄÖ");
  assert.equal((await vouchers.get("TEN OFF/ÄÖ")).active, true);
  const unnamed = await vouchers.create({
    type: "GIFT_VOUCHER",
    gift: { amount: 2000, balance: 2000 },
    code_config: { prefix: "GIFT-" },
  });
  assert.match(unnamed.code, /^GIFT-/);
  const list = await vouchers.list({ limit: 100, order: "-created_at" });
  assert.deepEqual(
    [list.object, list.data_ref, list.vouchers.slice(0, 2).map(({ code }: any) => code)],
    ["list", "vouchers", [unnamed.code, "TEN OFF/ÄÖ"]],
  );
  const offered = await vouchers.qualifications.examine({ order: { amount: 900 } });
  assert.ok(offered.data.some((one: any) => one.code === "TEN OFF/ÄÖ"));
  await vouchers.delete("TEN OFF/ÄÖ", { force: true });
  await assert.rejects(vouchers.get("TEN OFF/ÄÖ"), isGone);
  await assert.rejects(
    vouchers.create({ code: unnamed.code, type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 1 } }),
    (error: any) => error.code >= 400 && error.code < 500 && typeof error.key === "string",
  );
});

test("promotion tiers and stacks: created, read, listed, changed, validated, deleted", async () => {
  const { promotions } = client;
  const made = await promotions.create({
    name: "Autumn",
    campaign_type: "PROMOTION",
    promotion: {
      tiers: [
        { name: "Five", banner: "5 %", action: { discount: { type: "PERCENT", percent_off: 5 } } },
        { name: "Ten", banner: "10 %", action: { discount: { type: "PERCENT", percent_off: 10 } } },
      ],
    },
  });
  const listed = await promotions.tiers.list(made.id);
  assert.deepEqual([listed.total, listed.tiers.map(({ name }: any) => name)], [2, ["Five", "Ten"]]);
  const [five, ten] = listed.tiers as [any, any];
  const third = await promotions.tiers.create(made.id, {
    name: "Off",
    action: { discount: { type: "AMOUNT", amount_off: 100 } },
  });
  assert.deepEqual([third.object, third.hierarchy], ["promotion_tier", 3]);
  assert.equal((await promotions.tiers.update({ id: third.id, banner: "1 off" })).banner, "1 off");
  assert.equal((await promotions.tiers.get(third.id)).name, "Off");
  assert.equal((await promotions.tiers.listAll()).total, 3);
  const stack = await promotions.stack.createInCampaign(made.id, {
    name: "Both",
    tiers: { ids: [five.id, third.id], hierarchy_mode: "MANUAL" },
  });
  assert.deepEqual([stack.object, stack.tiers.ids], ["promotion_stack", [five.id, third.id]]);
  assert.equal((await promotions.stack.get(made.id, stack.id)).name, "Both");
  assert.equal((await promotions.stack.update(made.id, stack.id, { name: "Two" })).name, "Two");
  assert.equal((await promotions.stack.list()).total, 1);
  assert.equal((await promotions.stack.listInCampaign(made.id)).total, 1);

  const found = await promotions.validate({ order: { amount: 10_000 } });
  assert.deepEqual(
    [found.valid, found.promotions.map((one: any) => [one.name, one.discount_amount])],
    [
      true,
      [
        ["Off", 100],
        ["Ten", 1000],
        ["Five", 500],
      ],
    ],
  );
  const stacked = await client.validations.validateStackable({
    redeemables: [{ object: "promotion_stack", id: stack.id }],
    order: { amount: 10_000 },
  });
  assert.deepEqual([stacked.valid, stacked.order.total_amount], [true, 9400]);
  await promotions.stack.delete(made.id, stack.id);
  await promotions.tiers.delete(ten.id);
  assert.equal((await promotions.tiers.list(made.id)).total, 2);
  await client.campaigns.delete(made.id);
});

test("categories, product collections and metadata schemas", async () => {
  const { categories, productCollections, metadataSchemas } = client;
  const made = await categories.create({ name: "First", hierarchy: 1 });
  assert.equal((await categories.get(made.id)).name, "First");
  assert.equal((await categories.update(made.id, { name: "Second", hierarchy: 2 })).hierarchy, 2);
  const all = await categories.list();
  assert.deepEqual([all.total, all.data[0]!.name], [1, "Second"]);
  await categories.delete(made.id);
  await assert.rejects(categories.get(made.id), isGone);

  const mug = await client.products.get("mug");
  const chosen = await productCollections.create({
    type: "STATIC",
    name: "Chosen",
    products: [{ id: mug.id, object: "product" }],
  });
  const cheap = await productCollections.create({
    type: "AUTO_UPDATE",
    name: "Cheap",
    filter: { junction: "and", price: { conditions: { $less_than: [500] } } },
  });
  assert.equal((await productCollections.get(cheap.id)).name, "Cheap");
  const namesIn = async (id: string) => (await productCollections.listProducts(id)).data.map((one: any) => one.name);
  assert.deepEqual([await namesIn(chosen.id), await namesIn(cheap.id)], [["Mug"], ["Tea"]]);
  assert.equal((await productCollections.list()).total, 2);
  await productCollections.delete(chosen.id);
  await assert.rejects(productCollections.get(chosen.id), isGone);

  await manage("POST", "/metadata-schemas", {
    related_object: "order",
    properties: { gate: { type: "string", optional: true, array: false } },
  });
  assert.equal((await metadataSchemas.list()).total, 1);
  assert.equal((await metadataSchemas.get("order")).related_object, "order");
});

test("calls that leave out what may be left out, as the client's own examples do", async () => {
  const { campaigns, vouchers, validations, redemptions } = client;
  const discount = { type: "AMOUNT", amount_off: 500 };
  await campaigns.create({ name: "Bare", campaign_type: "DISCOUNT_COUPONS", voucher: { discount } });
  assert.equal((await campaigns.addVoucher("Bare")).campaign, "Bare");
  assert.equal((await campaigns.addCertainVoucher("Bare", "BARE-1")).code, "BARE-1");
  assert.match((await campaigns.addVoucher("Bare", undefined, { vouchers_count: 2 })).async_action_id, /^aa_/);
  assert.equal((await validations.validateVoucher("BARE-1")).valid, true);
  const { id, result } = await redemptions.redeem("BARE-1");
  assert.equal(result, "SUCCESS");
  assert.equal((await redemptions.rollback(id)).result, "SUCCESS");
  assert.equal((await redemptions.getForVoucher("BARE-1")).total, 2);
  await vouchers.disable("BARE-1");
  await vouchers.enable("BARE-1");
  // Nothing at all is sent.
  const post = async (path: string) => {
    const reply = await fetch(`${served.url}/v1${path}`, { method: "POST", headers: appHeaders() });
    assert.ok(reply.ok, `${path}: ${await reply.clone().text()}`);
    return (await reply.json()) as any;
  };
  assert.equal((await post("/campaigns/Bare/vouchers")).campaign, "Bare");
  assert.equal((await post("/campaigns/Bare/vouchers/BARE-2")).code, "BARE-2");
  assert.equal((await post("/vouchers/BARE-2/validate")).valid, true);
  const redeemed = await post("/vouchers/BARE-2/redemption");
  assert.equal((await post(`/redemptions/${redeemed.id}/rollback`)).result, "SUCCESS");
  assert.ok((await post("/qualifications")).redeemables);
  await campaigns.delete("Bare", { force: true });
});

test("a cart: what the customer can use, what it costs with codes, what a session holds and gives back", async () => {
  const { vouchers, validations, qualifications } = client;
  await vouchers.create({
    code: "LAST-ONE",
    type: "DISCOUNT_VOUCHER",
    discount: { type: "PERCENT", percent_off: 20 },
    redemption: { quantity: 1 },
  });
  await vouchers.create({ code: "CARD", type: "GIFT_VOUCHER", gift: { amount: 1000, balance: 1000 } });
  const order = { items: [{ source_id: "tea", related_object: "product", quantity: 10 }] };
  const eligible = await qualifications.checkEligibility({
    customer: { source_id: "ada" },
    order,
    scenario: "ALL",
    options: { limit: 50, expand: ["redeemable"], sorting_rule: "BEST_DEAL" },
  });
  const best = eligible.redeemables.data[0];
  assert.deepEqual(
    [best.id, best.object, best.order.total_discount_amount, eligible.redeemables.object, eligible.order.amount],
    [
      (await vouchers.list({ limit: 100 })).vouchers.find((one: any) => /^GIFT-/.test(one.code)).code,
      "voucher",
      2000,
      "list",
      4500,
    ],
  );
  assert.match(eligible.tracking_id, /^track_/);
  assert.equal(eligible.stacking_rules.redeemables_application_mode, "ALL");

  const ask = async (key: string) =>
    await validations.validateStackable({
      redeemables: [
        { object: "voucher", id: "LAST-ONE" },
        { object: "voucher", id: "CARD", gift: { credits: 300 } },
      ],
      customer: { source_id: "ada" },
      order,
      session: { type: "LOCK", key, ttl: 1, ttl_unit: "HOURS" },
      options: { expand: ["order", "redeemable"] },
    });
  const first = await ask("first");
  assert.deepEqual(
    [first.valid, first.order.total_amount, first.session],
    [true, 3300, { type: "LOCK", key: "first", ttl: 1, ttl_unit: "HOURS" }],
  );
  assert.deepEqual(
    first.redeemables.map((one: any) => [one.status, one.order.applied_discount_amount]),
    [
      ["APPLICABLE", 900],
      ["APPLICABLE", 300],
    ],
  );
  const second = await ask("second");
  assert.deepEqual([second.valid, second.redeemables[0].result.error.key], [false, "quantity_exceeded"]);
  await vouchers.releaseValidationSession("LAST-ONE", "first");
  assert.equal((await ask("second")).valid, true);
  const single = await validations.validate("CARD", { order: { amount: 250 } });
  assert.deepEqual([single.valid, single.order.total_amount], [true, 0]);
  const missing = await validations.validateVoucher("no-such-code");
  assert.deepEqual([missing.valid, missing.error.code, missing.error.key], [false, 404, "not_found"]);
  const redeemables = await client.customers.listRedeemables((await client.customers.get("ada")).id);
  assert.deepEqual([redeemables.object, redeemables.data], ["list", []]);
});

test("events: tracked by the server, and by a page with the client-side keys", async () => {
  const { events, customers } = client;
  await manage("POST", "/custom-event-schemas", {
    name: "page_viewed",
    schema: { properties: { pages: { type: "number", optional: true } } },
  });
  const tracked = await events.create("page_viewed", {
    customer: { source_id: "eve", name: "Eve" },
    metadata: { pages: 3 },
  });
  const { id } = await customers.get("eve");
  assert.deepEqual(
    [tracked.object, tracked.type, tracked.customer.id, tracked.referral, tracked.loyalty],
    ["event", "page_viewed", id, null, null],
  );
  const who = { customer: { source_id: "eve" } };
  await assert.rejects(events.create("page_veiwed", who), isGone);
  await assert.rejects(
    events.create("page_viewed", { ...who, metadata: { pages: "three" } }),
    refused(400, "metadata_validation_failed"),
  );

  const origin = "https://shop.example";
  await manage("PUT", "", { client_trusted_domains: [origin] });
  const seen = await pageOf(origin).track("page_viewed", { source_id: "eve" }, { pages: 1 });
  assert.deepEqual([seen.object, seen.type], ["event", "page_viewed"]);
  await assert.rejects(
    pageOf("https://other.example").track("page_viewed", { source_id: "eve" }),
    refused(401, "unauthorized"),
  );
  const activity = await customers.listActivity("eve", { limit: 10 });
  assert.deepEqual(
    activity.data.map(({ type }: any) => type),
    ["customer.custom_event", "customer.custom_event", "customer.created"],
  );
});
