import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, testDatabase, type testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const SHOP = "https://shop.example";
const ALL_ON = {
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_list_vouchers_enabled: true,
  client_create_customer_enabled: true,
  client_set_voucher_expiration_date_enabled: true,
};
const TEN = { type: "PERCENT", percent_off: 10 };

async function shop(given: Parameters<typeof testProject>[1] = ALL_ON) {
  const { call, project } = await testShop(db, { client_trusted_domains: [SHOP], ...given });
  const make = (line: string, body: object) => ok(call, line, body);
  const page: Call = (line, body, headers) => call(line, body, { origin: SHOP, ...headers });
  /** What a page gets when it succeeds. */
  const asked = async (line: string, body?: object) => {
    const reply = await page(line, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  return { project, call, make, page, asked };
}
/** Everything that names a customer, a rule or turnover, wherever it stands. */
const HIDDEN = /"(?:holder_id|referrer_id|referrer|summary|validation_rules?_assignments|trace)":/;

test("a validation says the same as the server side does, with sessions, and without a trace", async () => {
  const { make, asked } = await shop();
  const rule = await make("POST /v1/validation-rules", {
    name: "over 50",
    rules: { 1: { name: "order.amount", conditions: { $more_than_or_equal: [5000] } }, logic: "1" },
  });
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN, redemption: { quantity: 1 } });
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, {
    related_object_type: "voucher",
    related_object_id: (await make("POST /v1/vouchers", { code: "RULED", discount: TEN })).id,
  });
  const ask = (id: string, more: object = {}) => ({
    redeemables: [{ object: "voucher", id }],
    order: { amount: 1000 },
    customer: { source_id: "ann" },
    options: { expand: ["order", "redeemable", "category", "trace"] },
    ...more,
  });
  for (const id of ["TEN", "RULED", "NOBODY"]) {
    const { id: _, ...server } = await make("POST /v1/validations", ask(id));
    const { id: __, ...client } = await asked("POST /client/v1/validations", ask(id));
    for (const one of [...server.redeemables, ...(server.inapplicable_redeemables ?? [])]) {
      assert.ok(one.trace, "the server side shows why");
      delete one.trace;
      if (one.result.error) {
        one.result.error.request_id = client.redeemables[0].result.error.request_id;
        one.result.error.details = one.result.error.details.replace(`: ${rule.id}`, "");
      }
      if (one.order) {
        delete one.order.referrer_id;
        delete server.order.referrer_id;
      }
    }
    assert.deepEqual(client, server);
    assert.doesNotMatch(JSON.stringify(client), HIDDEN);
  }
  const held = await asked("POST /client/v1/validations", ask("TEN", { session: { type: "LOCK", key: "mine" } }));
  assert.deepEqual([held.valid, held.session.key], [true, "mine"]);
  const other = await asked("POST /client/v1/validations", ask("TEN", { session: { type: "LOCK", key: "other" } }));
  assert.deepEqual([other.valid, other.redeemables[0].result.error.key], [false, "quantity_exceeded"]);
});

test("a visitor without a name is given a tracking id, keeps it, and is the customer who is later called so", async () => {
  const { make, asked, call } = await shop();
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  const body = { redeemables: [{ object: "voucher", id: "TEN" }] };
  const first = await asked("POST /client/v1/validations", body);
  const { tracking_id } = first;
  assert.match(tracking_id, /^track_\w{64}$/);
  assert.notEqual((await asked("POST /client/v1/validations", body)).tracking_id, tracking_id);
  assert.equal((await asked("POST /client/v1/validations", { ...body, tracking_id })).tracking_id, tracking_id);
  assert.match((await asked("GET /client/v1/validate?code=TEN")).tracking_id, /^track_/);
  assert.match((await asked("GET /client/v1/promotions/validation")).tracking_id, /^track_/);
  assert.equal((await call("POST /v1/validations", body)).body.tracking_id, undefined);
  const { id } = await asked("POST /client/v1/customers", { source_id: tracking_id });
  const redeemed = await asked("POST /client/v1/redemptions", { ...body, tracking_id });
  assert.equal(redeemed.redemptions[0].customer_id, id);
});

test("the older validation takes its cart from the query: customer, amount, lines, metadata, session", async () => {
  const { make, asked, page } = await shop();
  await make("POST /v1/products", { source_id: "mug", name: "Mug", price: 1000 });
  await make("POST /v1/customers", { source_id: "ann", metadata: { vip: "yes" } });
  const rule = await make("POST /v1/validation-rules", {
    name: "vips",
    rules: {
      1: { name: "customer.metadata", property: "vip", conditions: { $is: ["yes"] } },
      2: { name: "order.metadata", property: "gate", conditions: { $is: ["north"] } },
      3: { name: "redemption.metadata", property: "till", conditions: { $is: ["seven"] } },
      logic: "1 and 2 and 3",
    },
  });
  const { id } = await make("POST /v1/vouchers", { code: "VIP", discount: TEN });
  const assignment = { related_object_type: "voucher", related_object_id: id };
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, assignment);
  const item = "item[0][source_id]=mug&item[0][related_object]=product&item[0][quantity]=3";
  const about = `order[metadata][gate]=north&metadata[till]=seven&${item}`;
  for (const customer of ["customer=ann", "customer[source_id]=ann", "tracking_id=ann"]) {
    const lined = await asked(`GET /client/v1/validate?code=%20vip%0A&${customer}&${about}`);
    assert.deepEqual(
      [lined.valid, lined.code, lined.order.amount, lined.order.total_amount],
      [true, "vip", 3000, 2700],
    );
    assert.match(lined.tracking_id, /^track_/);
    assert.doesNotMatch(JSON.stringify(lined), HIDDEN);
  }
  const sent =
    "customer[source_id]=new&customer[metadata][vip]=yes&amount=500&order[metadata][gate]=north&metadata[till]=seven";
  const amount = await asked(`GET /client/v1/validate?code=VIP&${sent}`);
  assert.deepEqual([amount.valid, amount.order.total_discount_amount], [true, 50]);
  const no = await asked("GET /client/v1/validate?code=VIP&customer=ann&amount=500");
  assert.deepEqual([no.valid, typeof no.reason, no.error.code], [false, "string", 400]);
  const missing = await asked("GET /client/v1/validate?code=nobody");
  assert.deepEqual([missing.valid, missing.code, missing.error.key], [false, "nobody", "not_found"]);
  for (const bad of [
    "",
    "?code=",
    "?code=VIP&amount=-1",
    "?code=VIP&amount=1.5",
    "?code=VIP&amount=ten",
    "?code=VIP&session_type=HOLD",
    "?code=VIP&session_ttl=0",
    "?code=VIP&item[0][quantity]=x",
    "?code=VIP&item[0][amount]=-5",
    "?code=VIP&metadata=x",
    "?code=VIP%00",
    `?code=${"x".repeat(301)}`,
  ])
    assertRefused(await page(`GET /client/v1/validate${bad}`), "invalid_query_params");
});

test("numbers and truth in the query of the older validation are what the metadata schemas say", async () => {
  const { project, make, asked, page } = await shop();
  const number = { type: "number", optional: true, array: false };
  const line = `POST /management/v1/projects/${project.id}/metadata-schemas`;
  await make(line, { related_object: "redemption", properties: { till: number } });
  await make(line, { related_object: "order", properties: { express: { ...number, type: "boolean" } } });
  const rule = await make("POST /v1/validation-rules", {
    name: "express at till 7",
    rules: {
      1: { name: "redemption.metadata", property: "till", conditions: { $is: [7] } },
      2: { name: "order.metadata", property: "express", conditions: { $is: [true] } },
      logic: "1 and 2",
    },
  });
  const { id } = await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  const assignment = { related_object_type: "voucher", related_object_id: id };
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, assignment);
  const ask = (till: string) => `GET /client/v1/validate?code=TEN&metadata[till]=${till}&order[metadata][express]=true`;
  assert.equal((await asked(ask("7"))).valid, true);
  assert.equal((await asked(ask("8"))).valid, false);
  assertRefused(await page(ask("seven")), "metadata_validation_failed");
});

test("the older validation holds a code for a session, and a gift card pays what it can", async () => {
  const { make, asked, page } = await shop();
  await make("POST /v1/vouchers", { code: "ONE", discount: TEN, redemption: { quantity: 1 } });
  await make("POST /v1/vouchers", { code: "CARD", gift: { amount: 700 } });
  const session = "session_type=LOCK&session_key=mine&session_ttl=2&session_ttl_unit=HOURS";
  const held = await asked(`GET /client/v1/validate?code=ONE&amount=100&${session}`);
  assert.deepEqual(held.session, { key: "mine", type: "LOCK", ttl: 2, ttl_unit: "HOURS" });
  assert.equal((await asked("GET /client/v1/validate?code=ONE&amount=100")).valid, false);
  assertRefused(await page("GET /client/v1/validate?code=ONE&session_type=LOCK&session_ttl=2"), "invalid_payload");
  const card = await asked("GET /client/v1/validate?code=CARD&amount=1000");
  assert.deepEqual([card.valid, card.gift.credits, card.order.total_amount], [true, 700, 300]);
  const redeemed = await asked("POST /client/v1/redeem?code=ONE", { order: { amount: 100 }, session: { key: "mine" } });
  assert.equal(redeemed.result, "SUCCESS");
});

test("without a code the client asks which promotions apply", async () => {
  const { make, asked } = await shop();
  const tiers = [TEN, { type: "AMOUNT", amount_off: 300 }].map((discount, n) => ({
    name: `T${n}`,
    action: { discount },
  }));
  await make("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion: { tiers } });
  const found = await asked("GET /client/v1/promotions/validation?amount=1000");
  assert.deepEqual(
    [found.valid, found.promotions.map((one: any) => [one.name, one.discount_amount])],
    [
      true,
      [
        ["T1", 300],
        ["T0", 100],
      ],
    ],
  );
  const { body } = { body: await make("POST /v1/promotions/validation", { order: { amount: 1000 } }) };
  assert.deepEqual(
    found.promotions.map((one: any) => one.id),
    body.promotions.map((one: any) => one.id),
  );
});

test("a qualification finds the same as the server side, and shows no rule", async () => {
  const { make, asked } = await shop();
  const rule = await make("POST /v1/validation-rules", { name: "any" });
  const { id } = await make("POST /v1/vouchers", { code: "TEN", discount: TEN, metadata: { a: 1 } });
  const assignment = { related_object_type: "voucher", related_object_id: id };
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, assignment);
  const body = { order: { amount: 1000 }, options: { expand: ["redeemable", "category", "validation_rules"] } };
  const server = await make("POST /v1/qualifications", body);
  const client = await asked("POST /client/v1/qualifications", body);
  assert.match(JSON.stringify(server), /validation_rules_assignments/);
  assert.doesNotMatch(JSON.stringify(client), HIDDEN);
  const [one] = client.redeemables.data;
  assert.deepEqual([one.id, one.metadata, one.order.total_amount, client.redeemables.total], ["TEN", { a: 1 }, 900, 1]);
  assert.deepEqual(client.stacking_rules, server.stacking_rules);
  const filters = { code: { conditions: { $is: ["ten"] } } };
  const named = await asked("POST /client/v1/qualifications", { ...body, options: { filters } });
  assert.equal(named.redeemables.total, 1);
  assert.deepEqual(await asked("POST /client/v1/qualifications"), await asked("POST /client/v1/qualifications", {}));
});

test("a client redeems in one transaction, alone or stacked, and sees no rule and nobody else", async () => {
  const { make, asked, page, call, project } = await shop();
  const rule = await make("POST /v1/validation-rules", { name: "any" });
  const bob = await make("POST /v1/customers", { source_id: "bob", name: "Bob", email: "bob@example.com" });
  const { id } = await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  await make("POST /v1/publications", { voucher: "TEN", customer: "bob" });
  const assignment = { related_object_type: "voucher", related_object_id: id };
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, assignment);
  await make("POST /v1/vouchers", { code: "OFF", discount: { type: "AMOUNT", amount_off: 50 } });
  const order = { amount: 1000, items: [{ product_id: "none", quantity: 1, amount: 1000 }] };
  const single = await asked("POST /client/v1/redeem?code=%20TEN%09&tracking_id=bob", { order });
  assert.deepEqual([single.result, single.voucher.code, single.customer_id], ["SUCCESS", "TEN", bob.id]);
  assert.deepEqual(single.customer, { id: bob.id, source_id: "bob", object: "customer" });
  assert.deepEqual(single.channel, { channel_id: project.client.id, channel_type: "API" });
  assert.doesNotMatch(JSON.stringify(single), HIDDEN);
  const full = (await call(`GET /v1/redemptions/${single.id}`)).body;
  assert.deepEqual([full.customer.name, full.order.total_amount], ["Bob", 900]);
  const redeemables = ["TEN", "OFF"].map((code) => ({ object: "voucher", id: code }));
  const stacked = await asked("POST /client/v1/redemptions", { redeemables, order, customer: { source_id: "bob" } });
  assert.deepEqual([stacked.redemptions.length, stacked.order.total_amount], [2, 850]);
  assert.doesNotMatch(JSON.stringify(stacked), HIDDEN);
  assert.doesNotMatch(JSON.stringify(stacked), /bob@example/);
  const wrong = await page("POST /client/v1/redemptions", { redeemables: [{ object: "voucher", id: "NO" }] });
  assert.deepEqual([wrong.status, wrong.body.key, wrong.body.resource_type], [404, "not_found", "redemption"]);
  assertRefused(await page("POST /client/v1/redeem", {}), "invalid_query_params");
  const again = { "idempotency-key": "k1" };
  const once = await page("POST /client/v1/redeem?code=OFF", { order }, again);
  const twice = await page("POST /client/v1/redeem?code=OFF", { order }, again);
  assert.deepEqual([twice.text, twice.headers["idempotent-replayed"]], [once.text, "true"]);
  assert.equal((await call("GET /v1/vouchers/OFF")).body.redemption.redeemed_quantity, 2);
});

test("an event tells a client who its customer is, what it said of them, and nothing else", async () => {
  const { project, make, asked } = await shop();
  const events = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await make(events, { name: "visit", schema: { properties: {} } });
  const ann = { source_id: "ann", name: "Ann", email: "ann@example.com", metadata: { vip: true } };
  const { id } = await make("POST /v1/customers", ann);
  const sent = { event: "visit", customer: { source_id: "ann" }, metadata: { customer: { of: "theirs" } } };
  const told = await asked("POST /client/v1/events", sent);
  const unsaid = { name: null, email: null, metadata: {} };
  assert.deepEqual(told.customer, { id, source_id: "ann", ...unsaid, object: "customer" });
  const said = { source_id: "ann", name: "Annie", metadata: { age: 7 } };
  const again = await asked("POST /client/v1/events", { ...sent, customer: said });
  assert.deepEqual(again.customer, { id, ...unsaid, ...said, object: "customer" });
  assert.deepEqual([told.type, told.metadata], ["visit", sent.metadata]);
  assert.equal((await make("POST /v1/events", sent)).customer.email, ann.email, "the server side is told");
});

test("a client is told that rules are not met, and not which", async () => {
  const { make, page, asked } = await shop();
  const rule = await make("POST /v1/validation-rules", {
    name: "over 50",
    rules: { 1: { name: "order.amount", conditions: { $more_than: [5000] } }, logic: "1" },
  });
  const { id } = await make("POST /v1/vouchers", { code: "RULED", discount: TEN });
  const assignment = { related_object_type: "voucher", related_object_id: id };
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, assignment);
  const tiers = [{ name: "T", action: { discount: TEN } }];
  const { promotion } = await make("POST /v1/campaigns", {
    name: "P",
    campaign_type: "PROMOTION",
    promotion: { tiers },
  });
  const ofTier = { related_object_type: "promotion_tier", related_object_id: promotion.tiers[0].id };
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, ofTier);
  const body = { redeemables: [{ object: "voucher", id: "RULED" }], order: { amount: 1000 } };
  const server = await make("POST /v1/validations", body);
  const [told, named] = server.redeemables[0].result.error.details.split(": ");
  assert.equal(named, rule.id, "the server side is told which");
  const validated = await asked("POST /client/v1/validations", body);
  assert.equal(validated.redeemables[0].result.error.details, told);
  const older = await asked("GET /client/v1/validate?code=RULED&amount=1000");
  assert.deepEqual([older.valid, older.error.details], [false, told]);
  for (const line of ["POST /client/v1/redemptions", "POST /client/v1/redeem?code=RULED"]) {
    const refused = await page(line, body);
    assertRefused(refused, "order_rules_violated", told);
    assert.doesNotMatch(refused.text, /val_/);
  }
  const promotions = await asked("GET /client/v1/promotions/validation?amount=1000");
  for (const one of [validated, older, promotions]) assert.doesNotMatch(JSON.stringify(one), /val_/);
});

test("what lines of a client say of products counts for its cart and never for the catalogue", async () => {
  const { make, asked, call } = await shop();
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  await make("POST /v1/products", { source_id: "mug", name: "Mug", price: 1000 });
  const product = { source_id: "mug", name: "Stolen", price: 1, override: true };
  const unknown = { source_id: "new", name: "New", price: 5, override: true };
  const order = {
    items: [
      { product, quantity: 1 },
      { product: unknown, quantity: 1 },
    ],
  };
  const redeemables = [{ object: "voucher", id: "TEN" }];
  await asked("POST /client/v1/redemptions", { redeemables, order });
  const mug = (await call("GET /v1/products/mug")).body;
  assert.deepEqual([mug.name, mug.price], ["Mug", 1000]);
  assert.equal((await call("GET /v1/products/new")).status, 404);
  await make("POST /v1/redemptions", { redeemables, order });
  assert.equal((await call("GET /v1/products/mug")).body.name, "Stolen", "the server side may");
});

test("an order of another customer or of nobody is not there for a client, by its id or source id; its own is", async () => {
  const { make, asked, page, call } = await shop();
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  const nobodys = { source_id: "X-1001", amount: 700, metadata: { note: "private" } };
  const unowned = await make("POST /v1/orders", nobodys);
  const { id } = await make("POST /v1/orders", { source_id: "o-1", amount: 1000, customer: { source_id: "ann" } });
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const lines = ["validations", "redemptions", "qualifications"].map((name) => `POST /client/v1/${name}`);
  await make("POST /v1/customers", { source_id: "bob" });
  for (const order of [{ id }, { source_id: "o-1" }, { id: unowned.id }, { source_id: "X-1001" }])
    for (const customer of [null, { source_id: "bob" }, "bob", { source_id: "new" }, { name: "Nameless" }])
      for (const line of [...lines, "POST /client/v1/redeem?code=TEN"]) {
        const reply = await page(line, { redeemables, order, customer });
        assertRefused(reply, "not_found");
        assert.deepEqual([reply.body.resource_type, reply.body.resource_id], ["order", order.id ?? order.source_id]);
        assert.doesNotMatch(reply.text, /private/);
      }
  for (const line of ["GET /client/v1/validate?code=TEN&", "GET /client/v1/promotions/validation?"])
    for (const name of [`id]=${unowned.id}`, "source_id]=X-1001"]) {
      const reply = await page(`${line}amount=500&order[${name}`);
      assert.doesNotMatch(reply.text, /private|700/, "nor in the query of the older ones");
    }
  const { body: kept } = await call("GET /v1/orders/X-1001");
  assert.deepEqual([kept.status, kept.customer_id], ["CREATED", null]);
  assert.equal((await call("POST /v1/validations", { redeemables, order: { source_id: "X-1001" } })).status, 200);
  const own = await asked("POST /client/v1/validations", {
    redeemables,
    order: { id },
    customer: { source_id: "ann" },
  });
  assert.equal(own.order.total_amount, 900);
  await asked("POST /client/v1/redemptions", { redeemables, order: { id }, customer: { source_id: "ann" } });
});

test("the list of promotion tiers is that of the server side without rules and turnover", async () => {
  const { make, asked, page } = await shop();
  const tiers = [true, false].map((active, n) => ({ name: `T${n}`, active, action: { discount: TEN } }));
  await make("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion: { tiers } });
  const server = await make("GET /v1/promotions/tiers", undefined as never);
  const client = await asked("GET /client/v1/promotions/tiers");
  const expected = server.tiers.map(
    ({ summary: _, validation_rule_assignments: __, status: ___, ...tier }: any) => tier,
  );
  assert.deepEqual(client, { ...server, tiers: expected });
  const names = async (query: string) =>
    (await asked(`GET /client/v1/promotions/tiers?${query}`)).tiers.map((one: any) => one.name);
  assert.deepEqual(await names("is_available=true"), ["T0"]);
  assert.deepEqual(await names("order=created_at&limit=1&page=2"), ["T1"]);
  assertRefused(await page("GET /client/v1/promotions/tiers?limit=101"), "invalid_query_params");
});

test("a client publishes by campaign, in the query or the body, or by code; who joined once gets the same again", async () => {
  const { make, asked, page, call } = await shop();
  const voucher = { discount: TEN, code_config: { pattern: "NEW-######" } };
  await make("POST /v1/campaigns", { name: "News", type: "AUTO_UPDATE", voucher, vouchers_count: 1 });
  await make("POST /v1/vouchers", { code: "ALONE", discount: TEN });
  const customer = { source_id: "ann", name: "Ann", email: "ann@example.com" };
  const first = await asked("POST /client/v1/publish?campaign=News&join_once=true", {
    customer,
    channel: "Voucherify.js",
  });
  assert.deepEqual([first.result, first.channel, first.voucher.campaign], ["SUCCESS", "Voucherify.js", "News"]);
  assert.deepEqual(first.customer, { id: first.customer_id, source_id: "ann", object: "customer" });
  assert.doesNotMatch(JSON.stringify(first), HIDDEN);
  assert.equal((await call("GET /v1/customers/ann")).body.email, "ann@example.com");
  const again = await asked("POST /client/v1/publish?join_once=true", {
    campaign: { name: "News" },
    customer: { source_id: "ann" },
  });
  assert.deepEqual([again.id, again.voucher.code], [first.id, first.voucher.code]);
  const named = await asked("POST /client/v1/publish?campaign=News", { voucher: "ALONE", customer: "ann" });
  assert.equal(named.voucher.code, "ALONE");
  const several = await asked("POST /client/v1/publish", { campaign: { name: "News", count: 2 }, customer: "ann" });
  assert.equal(several.vouchers.length, 2);
  assertRefused(await page("POST /client/v1/publish?campaign=None", { customer }), "not_found");
  assertRefused(await page("POST /client/v1/publish", { customer }), "missing_vouchers");
  assertRefused(await page("POST /client/v1/publish?campaign=News", {}), "invalid_payload");
});

test("with a server's key pair publish may create the customer, whatever the switches say, and shows all of it", async () => {
  const { make, call } = await shop({});
  await make("POST /v1/vouchers", { code: "ALONE", discount: TEN });
  const server = { "x-client-application-id": "", "x-client-token": "" };
  const customer = { source_id: "zoe", name: "Zoe", email: "zoe@example.com" };
  const { status, body } = await call("POST /client/v1/publish", { voucher: "ALONE", customer }, server);
  assert.deepEqual([status, body.customer.name, body.customer.email], [200, "Zoe", "zoe@example.com"]);
  assert.equal(body.voucher.holder_id, body.customer_id);
  const nameless = await call("POST /client/v1/publish", { voucher: "ALONE", customer: { name: "New" } }, server);
  assert.deepEqual([nameless.status, nameless.body.customer.name], [200, "New"]);
});

test("the list of codes shows eight fields of each, and takes the filters of the public client", async () => {
  const { make, asked, page } = await shop();
  const category = await make("POST /v1/categories", { name: "Cold", hierarchy: 1 });
  await make("POST /v1/vouchers", { code: "A", discount: TEN, metadata: { a: 1 }, category_id: category.id });
  await make("POST /v1/vouchers", { code: "B", gift: { amount: 100 } });
  await make("POST /v1/publications", { voucher: "B", customer: { source_id: "ann" } });
  const all = await asked("GET /client/v1/vouchers?order=code");
  assert.deepEqual([all.object, all.data_ref, all.total], ["list", "vouchers", 2]);
  const { assets, created_at, ...first } = all.vouchers[0];
  assert.deepEqual(first, {
    code: "A",
    active: true,
    metadata: { a: 1 },
    start_date: null,
    expiration_date: null,
    object: "voucher",
  });
  assert.deepEqual([Object.keys(assets), typeof created_at], [["qr", "barcode"], "string"]);
  const codes = async (query: string) =>
    (await asked(`GET /client/v1/vouchers?${query}`)).vouchers.map((one: any) => one.code);
  assert.deepEqual(await codes("category=Cold"), ["A"]);
  assert.deepEqual(await codes("customer=ann"), ["B"]);
  assert.deepEqual(await codes("campaign=None"), []);
  assert.deepEqual(await codes("order=code&limit=1&page=2"), ["B"]);
  assert.deepEqual(await codes("created_at[before]=2020-01-01"), []);
  // Not what it is for: the code is not looked at.
  assert.deepEqual(await codes("order=code&code=A"), ["A", "B"]);
  assertRefused(await page("GET /client/v1/vouchers?limit=0"), "invalid_query_params");
});

test("a client sets when a code expires, and nothing else of it", async () => {
  const { make, asked, page, call } = await shop();
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN, start_date: "2026-01-01T00:00:00.000Z" });
  const expiration_date = "2027-05-01T10:00:00.000Z";
  const sent = { expiration_date, active: false, discount: { type: "PERCENT", percent_off: 99 }, metadata: { a: 1 } };
  const set = await asked("PUT /client/v1/vouchers/TEN", sent);
  assert.deepEqual(
    [set.code, set.expiration_date, set.active, Object.keys(set).length],
    ["TEN", expiration_date, true, 8],
  );
  const { body } = await call("GET /v1/vouchers/TEN");
  assert.deepEqual([body.expiration_date, body.active, body.discount, body.metadata], [expiration_date, true, TEN, {}]);
  for (const bad of [{}, { expiration_date: null }, { expiration_date: "soon" }, { expiration_date: 5 }])
    assertRefused(await page("PUT /client/v1/vouchers/TEN", bad), "invalid_payload");
  const before = { expiration_date: "2025-01-01T00:00:00.000Z" };
  assert.equal((await page("PUT /client/v1/vouchers/TEN", before)).status, 400, "it would end before it begins");
  assert.equal((await call("GET /v1/vouchers/TEN")).body.expiration_date, expiration_date);
  assertRefused(await page("PUT /client/v1/vouchers/NO", { expiration_date }), "not_found");
});

test("a client creates a customer or changes one, and is told only what it sent", async () => {
  const { make, asked, page, call } = await shop();
  const old = {
    name: "Ann",
    email: "ann@example.com",
    address: { city: "Rome", line_1: "Via 1" },
    metadata: { vip: true },
  };
  const { id } = await make("POST /v1/customers", { source_id: "ann", ...old });
  const sent = { source_id: "ann", phone: "+39", address: { city: "Bari" }, metadata: { size: 4 } };
  const changed = await asked("POST /client/v1/customers", sent);
  const { created_at, updated_at, ...told } = changed;
  assert.deepEqual(told, { id, ...sent, object: "customer" });
  const { body } = await call("GET /v1/customers/ann");
  assert.deepEqual([body.name, body.address.line_1, body.metadata], ["Ann", "Via 1", { vip: true, size: 4 }]);
  const byId = await page("POST /client/v1/customers", { id, name: "Anna" }, { "x-voucherify-double-opt-in": "true" });
  assert.deepEqual(Object.keys(byId.body).sort(), ["created_at", "id", "name", "object", "updated_at"]);
  const fresh = await asked("POST /client/v1/customers", { source_id: "ben", name: "Ben" });
  assert.equal((await call("GET /v1/customers/ben")).body.id, fresh.id);
  assertRefused(await page("POST /client/v1/customers", { id: "cust_nobody" }), "not_found");
  assertRefused(await page("POST /client/v1/customers", { name: 5 }), "invalid_payload");
});

const NAMES = [{ source_id: "zoe" }, { id: "cust_zoe" }, "zoe", { id: "cust_zoe", source_id: "zoe" }];

test("with client_create_customer_enabled off an unknown customer is 404 everywhere, and nobody is created", async () => {
  const { make, page, project } = await shop({ ...ALL_ON, client_create_customer_enabled: false });
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  await make("POST /v1/customers", { source_id: "ann" });
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const everywhere: [line: string, body: object][] = [
    ["POST /client/v1/validations", { redeemables }],
    ["POST /client/v1/redemptions", { redeemables }],
    ["POST /client/v1/redeem?code=TEN", {}],
    ["POST /client/v1/qualifications", {}],
    ["POST /client/v1/publish", { voucher: "TEN" }],
  ];
  const rows = async () => (await db`select source_id from customers where project_id = ${project.id}`).length;
  for (const customer of NAMES)
    for (const [line, body] of everywhere) {
      const reply = await page(line, { ...body, customer });
      assertRefused(reply, "not_found");
      assert.equal(reply.body.resource_type, "customer", line);
    }
  for (const query of ["customer=zoe", "customer[source_id]=zoe"])
    assertRefused(await page(`GET /client/v1/validate?code=TEN&${query}`), "not_found");
  const events = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await make(events, { name: "visit", schema: { properties: {} } });
  const zoe = { source_id: "zoe", name: "Zoe" };
  assertRefused(await page("POST /client/v1/events", { event: "visit", customer: zoe }), "not_found");
  for (const customer of [{ name: "Zoe" }, {}, { id: null, source_id: null }])
    for (const [line, body] of [
      ["POST /client/v1/publish", { voucher: "TEN" }],
      ["POST /client/v1/events", { event: "visit" }],
    ] as const)
      assertRefused(
        await page(line, { ...body, customer }),
        "invalid_payload",
        "Property .customer must have id or source_id while client_create_customer_enabled is off",
      );
  assert.equal(await rows(), 1);
  const [failed] = await db`select count(*) as count from redemptions where project_id = ${project.id}`;
  assert.equal(failed!.count, 0);
});

test("with it off an id that nobody has beside a source_id that somebody has is that customer, everywhere", async () => {
  const { make, asked, call, project } = await shop({ ...ALL_ON, client_create_customer_enabled: false });
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  const ann = await make("POST /v1/customers", { source_id: "ann", name: "Ann" });
  await make(`POST /management/v1/projects/${project.id}/custom-event-schemas`, {
    name: "visit",
    schema: { properties: {} },
  });
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const customer = { id: "cust_zoe", source_id: "ann", name: "Zoe" };
  const order = { amount: 1000 };
  const [valid, redeemed, single, offers, published] = [
    await asked("POST /client/v1/validations", { redeemables, customer, order }),
    await asked("POST /client/v1/redemptions", { redeemables, customer, order }),
    await asked("POST /client/v1/redeem?code=TEN", { customer }),
    await asked("POST /client/v1/qualifications", { customer, order }),
    await asked("POST /client/v1/publish", { voucher: "TEN", customer }),
    await asked("POST /client/v1/events", { event: "visit", customer }),
  ];
  assert.equal(valid.order.customer_id, ann.id);
  assert.equal(redeemed.redemptions[0].customer_id, ann.id);
  assert.equal(single.customer_id, ann.id);
  assert.equal(offers.order.customer_id, ann.id);
  assert.equal(published.customer_id, ann.id);
  assert.equal((await call("GET /v1/customers/ann")).body.name, "Ann", "and is not changed");
  const rows = await db`select id from customers where project_id = ${project.id}`;
  assert.deepEqual(
    rows.map(({ id }) => id),
    [ann.id],
  );
});

test("with it off a known customer is used and not changed, what is said of them does not count, and one without a name is nobody", async () => {
  const { make, asked, call, project } = await shop({ ...ALL_ON, client_create_customer_enabled: false });
  const rule = await make("POST /v1/validation-rules", {
    name: "vips",
    rules: { 1: { name: "customer.metadata", property: "vip", conditions: { $is: [true] } }, logic: "1" },
  });
  const { id } = await make("POST /v1/vouchers", { code: "VIP", discount: TEN });
  const assignment = { related_object_type: "voucher", related_object_id: id };
  await make(`POST /v1/validation-rules/${rule.id}/assignments`, assignment);
  await make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  const ann = await make("POST /v1/customers", { source_id: "ann", name: "Ann" });
  const liar = { source_id: "ann", name: "Mallory", metadata: { vip: true } };
  const lied = await asked("POST /client/v1/validations", {
    redeemables: [{ object: "voucher", id: "VIP" }],
    customer: liar,
  });
  assert.equal(lied.valid, false);
  const redeemed = await asked("POST /client/v1/redemptions", {
    redeemables: [{ object: "voucher", id: "TEN" }],
    customer: liar,
  });
  assert.equal(redeemed.redemptions[0].customer_id, ann.id);
  await asked("POST /client/v1/publish", { voucher: "TEN", customer: liar });
  const { body } = await call("GET /v1/customers/ann");
  assert.deepEqual([body.name, body.metadata], ["Ann", {}]);
  const nobody = await asked("POST /client/v1/redeem?code=TEN", { customer: {} });
  assert.equal(nobody.customer_id, null);
  const open = await shop();
  await open.make("POST /v1/vouchers", { code: "TEN", discount: TEN });
  await open.asked("POST /client/v1/redeem?code=TEN", { customer: liar });
  assert.equal((await open.call("GET /v1/customers/ann")).body.name, "Mallory", "with it on it may");
  assert.notEqual(open.project.id, project.id);
});
