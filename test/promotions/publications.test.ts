import assert from "node:assert/strict";
import { test } from "node:test";
import { examine } from "../../src/cli/doctor.ts";
import { NOW, testDatabase, testEngine, type testProject } from "../support/engine.ts";
import { kindsOf } from "../support/events.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const discount = { type: "PERCENT", percent_off: 10 };

async function world(given: Parameters<typeof testProject>[1] = {}) {
  const { project, call, ok } = await testShop(db, given);
  /** A campaign with these codes. */
  const campaign = async (name: string, codes: readonly string[] = [], more: object = {}) => {
    const body = { name, type: "STATIC", voucher: { type: "DISCOUNT_VOUCHER", discount }, ...more };
    const made = await ok("POST /v1/campaigns", body);
    for (const code of codes) await ok(`POST /v1/campaigns/${made.id}/vouchers/${code}`, {});
    return made;
  };
  const to = (source_id: string) => ({ source_id });
  const publish = (body: object, query = "") => call(`POST /v1/publications${query}`, body);
  const published = (body: object, query = "") => ok(`POST /v1/publications${query}`, body);
  const fails = async (key: string, body: object, query = "") => {
    const reply = await publish(body, query);
    assert.deepEqual([reply.status, reply.body.key], [key === "not_found" ? 404 : 400, key], reply.text);
    return reply.body;
  };
  const rows = async (table: string) => [...(await db`select * from ${db(table)} where project_id = ${project.id}`)];
  const events = () => kindsOf(db, project.id);
  return { project, call, ok, campaign, to, publish, published, fails, rows, events };
}

test("a code that is named: the publication, the customer, the holder, the code and the events", async () => {
  const { ok, campaign, published, events } = await world();
  const made = await campaign("Spring", ["A", "B"]);
  const body = await published({
    voucher: "b",
    customer: { source_id: "anna", name: "Anna", email: "anna@example.com" },
    metadata: { store: "Berlin" },
    channel: "Shop",
    source_id: "p-1",
  });
  const customer = await ok("GET /v1/customers/anna");
  const voucher = await ok("GET /v1/vouchers/B");
  const { validation_rules_assignments: _, ...shown } = voucher;
  assert.match(body.id, /^pub_[0-9a-f]{24}$/);
  assert.match(body.tracking_id, /^track_/);
  assert.deepEqual(body, {
    id: body.id,
    object: "publication",
    created_at: NOW,
    customer_id: customer.id,
    tracking_id: body.tracking_id,
    metadata: { store: "Berlin" },
    channel: "Shop",
    source_id: "p-1",
    result: "SUCCESS",
    customer: {
      id: customer.id,
      name: "Anna",
      email: "anna@example.com",
      source_id: "anna",
      metadata: {},
      object: "customer",
    },
    vouchers_id: [voucher.id],
    voucher: shown,
  });
  assert.deepEqual([voucher.holder_id, voucher.referrer_id, voucher.publish.count], [customer.id, null, 1]);
  const { data } = await ok(`GET /v1/customers/${customer.id}/redeemables`);
  assert.deepEqual(
    data.map((one: any) => [one.redeemable_id, one.holder_role, one.campaign_id]),
    [[voucher.id, "OWNER", made.id]],
  );
  const kinds = await events();
  for (const kind of ["customer.publication.succeeded", "voucher.published", "customer.holder.assignment.created"])
    assert.equal(kinds.filter((one) => one === kind).length, 1, kind);
});

test("a campaign gives the next code that nobody has, and the channel is API when none is sent", async () => {
  const { ok, campaign, to, published, fails, rows } = await world();
  const { id } = await campaign("Spring", ["A", "B", "C", "D"]);
  await ok("POST /v1/vouchers/A/disable");
  await ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "B" }], order: { amount: 100 } });
  const first = await published({ campaign: { name: "Spring" }, customer: to("anna") });
  const second = await published({ campaign: { name: id }, customer: to("anna") });
  assert.deepEqual([first.voucher.code, second.voucher.code, first.channel], ["C", "D", "API"]);
  const none = await fails("no_voucher_suitable_for_publication", { campaign: "Spring", customer: to("bob") });
  assert.equal(none.message, "Couldn't find any voucher suitable for publication");
  assert.equal(none.details, "Couldn't create new vouchers for publication");
  assert.deepEqual(
    (await rows("customers")).map(({ source_id }) => source_id),
    ["anna"],
    "who is given nothing is not made",
  );
});

test("a campaign of the type AUTO_UPDATE makes codes when it has none left, and counts them", async () => {
  const { ok, campaign, to, published } = await world();
  const code_config = { pattern: "GIVE-####" };
  const made = await campaign("Endless", ["A"], {
    type: "AUTO_UPDATE",
    voucher: { type: "DISCOUNT_VOUCHER", discount, code_config },
  });
  const several = await published({ campaign: { name: "Endless", count: 3 }, customer: to("anna") });
  assert.equal(several.vouchers.length, 3);
  assert.equal(several.vouchers[0], "A");
  for (const code of several.vouchers.slice(1)) assert.match(code, /^GIVE-.{4}$/);
  assert.equal("voucher" in several, false);
  const one = await published({ campaign: "Endless", customer: to("bob") });
  assert.match(one.voucher.code, /^GIVE-/);
  assert.deepEqual(
    await ok(`GET /v1/vouchers/${one.voucher.code}`).then(({ created_at }) => created_at),
    one.voucher.created_at,
  );
  assert.equal((await ok(`GET /v1/campaigns/${made.id}`)).vouchers_count, 4);
  const stamps = (await ok("GET /v1/vouchers")).vouchers.map(({ created_at }: any) => created_at);
  assert.equal(new Set(stamps).size, 4);
});

test("several codes at once, and how many may be asked for", async () => {
  const { campaign, to, published, fails } = await world();
  await campaign("Spring", ["A", "B", "C"]);
  await campaign("Once", ["X", "Y"], { join_once: true });
  await fails("no_voucher_suitable_for_publication", { campaign: { name: "Spring", count: 4 }, customer: to("anna") });
  const body = await published({ campaign: { name: "Spring", count: 2 }, customer: to("anna") });
  assert.deepEqual([body.vouchers, body.vouchers_id.length], [["A", "B"], 2]);
  const many = await fails("too_many_vouchers_requested", {
    campaign: { name: "Spring", count: 51 },
    customer: to("a"),
  });
  assert.equal(many.details, "Only up to 50 can be published");
  for (const body of [
    { campaign: { name: "Spring", count: 2 }, source_id: "s" },
    { campaign: { name: "Once", count: 2 } },
  ]) {
    const { details } = await fails("too_many_vouchers_requested", { ...body, customer: to("anna") });
    assert.equal(details, "Only up to 1 can be published");
  }
});

test("who joins once gets the same code again", async () => {
  const { ok, campaign, to, published, fails, rows } = await world();
  await campaign("Once", ["A", "B", "C"], { join_once: true });
  const first = await published({ campaign: "Once", customer: to("anna"), metadata: { n: 1 } });
  const again = await published({ campaign: "Once", customer: { ...to("anna"), name: "Anna" }, metadata: { n: 2 } });
  assert.deepEqual([again.id, again.voucher.code, again.metadata], [first.id, "A", { n: 1 }]);
  assert.equal(again.customer.name, "Anna", "the customer is updated all the same");
  assert.equal((await ok("GET /v1/vouchers/A")).publish.count, 1);
  assert.equal((await rows("publications")).length, 1);
  assert.equal((await published({ voucher: "A", customer: to("anna") })).id, first.id);
  const other = await fails("voucher_cannot_be_published", { voucher: "B", customer: to("anna") });
  assert.equal(other.details, "Voucher cannot be published. Customer already joined program.");
  const more = await published({ campaign: "Once", customer: to("anna") }, "?join_once=false");
  assert.equal(more.voucher.code, "B");
  // A code that is gone is not given again.
  await ok("DELETE /v1/vouchers/A");
  assert.equal((await published({ campaign: "Once", customer: to("anna") })).voucher.code, "B");
  assert.equal((await published({ campaign: "Once", customer: to("bob") })).voucher.code, "C");
});

test("joining once can be asked for, and a loyalty program always does", async () => {
  const { campaign, to, published } = await world();
  await campaign("Spring", ["A", "B"]);
  const first = await published({ campaign: "Spring", customer: to("anna") }, "?join_once=true");
  const second = await published({ campaign: "Spring", customer: to("anna") }, "?join_once=true");
  assert.deepEqual([first.id, first.voucher.code], [second.id, "A"]);
  await campaign("Club", ["M1", "M2"], {
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 5 } },
  });
  const card = await published({ campaign: "Club", customer: to("anna") }, "?join_once=false");
  assert.equal((await published({ campaign: "Club", customer: to("anna") }, "?join_once=false")).id, card.id);
  assert.equal(card.voucher.loyalty_card.balance, 5);
});

test("a source id names one publication", async () => {
  const { ok, campaign, to, published, fails } = await world();
  await campaign("Spring", ["A", "B"]);
  const first = await published({ campaign: "Spring", customer: to("anna"), source_id: "order 1" });
  const { details } = await fails("duplicate_source_id", {
    campaign: "Spring",
    customer: to("anna"),
    source_id: "order 1",
  });
  assert.equal(details, "Publication with source_id: 'order 1' already exists");
  const { publications } = await ok("GET /v1/publications?source_id=order%201");
  assert.deepEqual(
    publications.map(({ id }: any) => id),
    [first.id],
  );
  assert.equal((await published({ campaign: "Spring", customer: to("anna"), source_id: "order 2" })).voucher.code, "B");
});

test("a code of a campaign is one customer's; one without a campaign, and one for all, is anybody's", async () => {
  const { ok, campaign, to, published, fails } = await world();
  await campaign("Spring", ["A"]);
  await published({ voucher: "A", customer: to("anna") });
  const { id } = await ok("GET /v1/vouchers/A");
  const taken = await fails("voucher_already_published", { voucher: "A", customer: to("bob") });
  assert.equal(taken.details, `Voucher '${id}' has already been published`);
  await ok("POST /v1/vouchers/FREE", { discount });
  await ok("POST /v1/campaigns", {
    name: "All",
    type: "STANDALONE",
    voucher: { type: "DISCOUNT_VOUCHER", discount, code: "ALL" },
  });
  for (const source of [{ voucher: "FREE" }, { campaign: "All" }, { voucher: "ALL" }])
    for (const name of ["anna", "bob", "anna"]) await published({ ...source, customer: to(name) });
  const [free, all] = [await ok("GET /v1/vouchers/FREE"), await ok("GET /v1/vouchers/ALL")];
  assert.deepEqual([free.publish.count, all.publish.count], [3, 6]);
  const anna = await ok("GET /v1/customers/anna");
  assert.equal((await ok(`GET /v1/customers/${anna.id}/redeemables`)).total, 3);
});

test("codes that are disabled, expired or in the bin are published to nobody", async () => {
  const { ok, call, campaign, to, fails } = await world();
  await campaign("Spring", ["OFF", "BIN"]);
  await campaign("Old", ["O"], { expiration_date: "2025-12-31T00:00:00Z" });
  await campaign("Dis", ["D"]);
  await campaign("Gone", ["G"]);
  await campaign("OldAuto", [], { type: "AUTO_UPDATE", expiration_date: "2025-12-31T00:00:00Z" });
  await ok("POST /v1/vouchers/OFF/disable");
  await call("DELETE /v1/vouchers/BIN");
  await ok("POST /v1/campaigns/Dis/disable");
  await call("DELETE /v1/campaigns/Gone");
  const anna = to("anna");
  await fails("voucher_disabled", { voucher: "OFF", customer: anna });
  await fails("voucher_expired", { voucher: "O", customer: anna });
  await fails("voucher_disabled", { voucher: "D", customer: anna });
  await fails("not_found", { voucher: "BIN", customer: anna });
  await fails("not_found", { voucher: "G", customer: anna });
  await fails("not_found", { campaign: "Gone", customer: anna });
  for (const name of ["Spring", "Old", "Dis", "OldAuto"])
    await fails("no_voucher_suitable_for_publication", { campaign: name, customer: anna });
});

test("what is wrong with a request is said, and nothing is kept of it", async () => {
  const { project, call, ok, campaign, to, publish, fails, rows } = await world();
  await campaign("Spring", ["A"]);
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "publication",
    allow_defined_only: true,
    properties: { store: { type: "string", optional: false, array: false } },
  });
  const missing = await fails("missing_vouchers", { customer: to("anna") });
  assert.equal(missing.details, "Either Campaign or Voucher is required");
  const unknown = await fails("not_found", { campaign: "nobody", customer: to("anna") });
  assert.deepEqual([unknown.resource_type, unknown.resource_id], ["campaign", "nobody"]);
  assert.equal((await fails("not_found", { voucher: "nobody", customer: to("anna") })).resource_type, "voucher");
  assert.equal((await fails("not_found", { voucher: "A", customer: { id: "cust_1" } })).resource_type, "customer");
  assert.equal((await fails("not_found", { voucher: "A", customer: "nobody" })).resource_type, "customer");
  await fails("metadata_validation_failed", { voucher: "A", customer: to("anna"), metadata: { store: 5 } });
  await fails("metadata_validation_failed", { voucher: "A", customer: to("anna") });
  const bad: object[] = [
    { voucher: "A" },
    { voucher: "A", customer: null },
    { voucher: "A", customer: 5 },
    { voucher: 5, customer: to("anna") },
    { campaign: { name: "Spring", count: 0 }, customer: to("anna") },
    { campaign: { name: "Spring", count: 1.5 }, customer: to("anna") },
    { campaign: { name: "Spring", count: 1e12 }, customer: to("anna") },
    { campaign: 7, customer: to("anna") },
    { voucher: "A", customer: to("anna"), metadata: [] },
    { voucher: "A", customer: to("anna"), channel: 7 },
    { voucher: "A", customer: to("anna"), source_id: "" },
    { voucher: "A\u0000", customer: to("anna") },
    { voucher: "A", customer: to("anna"), source_id: "x".repeat(501) },
  ];
  for (const body of bad) {
    const reply = await publish(body);
    assert.equal(reply.status, 400, `${JSON.stringify(body)} ${reply.text}`);
  }
  assert.equal((await publish({ voucher: "A", customer: to("anna") }, "?join_once=maybe")).status, 400);
  const { call: others } = await testShop(db);
  assert.equal((await others("POST /v1/publications", { voucher: "A", customer: to("anna") })).status, 404);
  assert.deepEqual([await rows("publications"), await rows("customers")], [[], []]);
  const get = await call("GET /v1/publications/create?voucher=A&customer[source_id]=anna");
  assert.deepEqual([get.status, get.body.key], [403, "integration_api_key_required"]);
});

test("a failure is kept and listed, and told", async () => {
  const { ok, campaign, to, published, fails, events } = await world();
  await campaign("Spring", ["A"]);
  await published({ campaign: "Spring", customer: to("anna") });
  const refusal = await fails("no_voucher_suitable_for_publication", {
    campaign: "Spring",
    customer: to("anna"),
    metadata: { n: 1 },
  });
  assert.equal(refusal.resource_type, "publication");
  await fails("voucher_already_published", { voucher: "A", customer: to("new") });
  const { publications, total } = await ok("GET /v1/publications?result=FAILURE&order=id");
  assert.equal(total, 2);
  const [first, second] = publications;
  const anna = await ok("GET /v1/customers/anna");
  assert.deepEqual(first, {
    id: refusal.resource_id,
    object: "publication",
    created_at: NOW,
    customer_id: anna.id,
    tracking_id: first.tracking_id,
    metadata: { n: 1 },
    channel: "API",
    source_id: null,
    customer: { id: anna.id, name: null, email: null, source_id: "anna", metadata: {}, object: "customer" },
    vouchers_id: [],
    result: "FAILURE",
    failure_code: "no_voucher_suitable_for_publication",
    failure_message: "Couldn't find any voucher suitable for publication",
    vouchers: [],
  });
  assert.deepEqual([second.customer_id, second.failure_code], [null, "voucher_already_published"]);
  assert.equal((await events()).filter((kind) => kind === "customer.publication.failed").length, 2);
});

test("a referral code makes its holder the referrer", async () => {
  const { ok, call, campaign, to, published } = await world();
  await campaign("Friends", ["REF"], { campaign_type: "REFERRAL_PROGRAM" });
  const { voucher, customer_id } = await published({ voucher: "REF", customer: to("anna") });
  assert.deepEqual(
    [voucher.is_referral_code, voucher.holder_id, voucher.referrer_id],
    [true, customer_id, customer_id],
  );
  const { data } = await ok(`GET /v1/customers/${customer_id}/redeemables`);
  assert.equal(data[0].holder_role, "REFERRER");
  const redeem = (customer: string) =>
    call("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id: "REF" }],
      order: { amount: 100 },
      customer: to(customer),
    });
  assert.equal((await redeem("anna")).body.key, "referrer_not_permitted_to_redeem");
  assert.equal((await redeem("bob")).status, 200);
  assert.equal((await ok("GET /v1/publications?is_referral_code=true")).total, 1);
});

test("a published code keeps what it was worth then", async () => {
  const { ok, campaign, to, published } = await world();
  const { id } = await campaign("Spring", ["A", "B"]);
  await published({ voucher: "A", customer: to("anna") });
  await ok(`PUT /v1/campaigns/${id}`, { discount: { ...discount, percent_off: 50 } });
  const percent = async (code: string) => (await ok(`GET /v1/vouchers/${code}`)).discount.percent_off;
  assert.deepEqual([await percent("A"), await percent("B")], [10, 50]);
});

test("a published code is active for its time", async () => {
  const { ok, campaign, to, published } = await world();
  await campaign("Days", ["A"], {
    activity_duration_after_publishing: "P10D",
    expiration_date: "2027-01-01T00:00:00Z",
  });
  const { voucher } = await published({ campaign: "Days", customer: to("anna") });
  assert.deepEqual([voucher.start_date, voucher.expiration_date], [NOW, "2026-01-11T12:00:00.000Z"]);
  const kept = await ok("GET /v1/vouchers/A");
  assert.deepEqual([kept.start_date, kept.expiration_date], [voucher.start_date, voucher.expiration_date]);
  assert.equal(kept.discount.percent_off, 10);
});

test("when both are sent the code counts, and a text names a customer by id or source id", async () => {
  const { ok, campaign, published } = await world();
  await campaign("Spring", ["A", "B"]);
  const { id } = await ok("POST /v1/customers", { source_id: "anna" });
  const both = await published({ voucher: "B", campaign: { name: "Spring" }, customer: "anna" });
  assert.deepEqual([both.voucher.code, both.customer_id], ["B", id]);
  assert.equal(
    (await published({ campaign: { id: null, name: "Spring", count: null }, customer: id })).voucher.code,
    "A",
  );
  const nobody = await published({ voucher: (await ok("POST /v1/vouchers", { discount })).code, customer: {} });
  assert.deepEqual([nobody.tracking_id, nobody.customer.source_id], [null, null]);
});

test("the list: pages, orders, parameters and filters", async () => {
  const { ok, call, campaign, to, published, fails } = await world();
  const { id: spring } = await campaign("Spring", ["A", "B", "C"]);
  await campaign("Gifts", ["G"], {
    campaign_type: "GIFT_VOUCHERS",
    voucher: { type: "GIFT_VOUCHER", gift: { amount: 500 } },
  });
  await campaign("Club", ["M"], {
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 7 } },
  });
  const one = await published({ campaign: { name: "Spring", count: 2 }, customer: to("anna"), channel: "web" });
  const two = await published({ voucher: "C", customer: to("bob"), source_id: "s" });
  const three = await published({ voucher: "G", customer: to("anna") });
  const four = await published({ campaign: "Club", customer: to("bob") });
  await fails("voucher_already_published", { voucher: "C", customer: to("anna") });
  const all = await ok("GET /v1/publications");
  assert.deepEqual([all.object, all.data_ref, all.total, all.publications.length], ["list", "publications", 5, 5]);
  const shown = new Map<string, any>(all.publications.map((each: any) => [each.id, each]));
  assert.deepEqual(shown.get(one.id).vouchers, ["A", "B"]);
  assert.deepEqual(shown.get(two.id).voucher, {
    code: "C",
    campaign: "Spring",
    is_referral_code: false,
    discount,
    object: "voucher",
  });
  assert.deepEqual(shown.get(three.id).voucher.gift, { amount: 500, balance: 500 });
  assert.deepEqual(shown.get(four.id).voucher.loyalty_card, { points: 7, balance: 7 });
  const ids = async (query: string) =>
    (await ok(`GET /v1/publications?${query}`)).publications.map(
      ({ id }: any) => [one, two, three, four].findIndex((each) => each.id === id) + 1,
    );
  const anna = (await ok("GET /v1/customers/anna")).id;
  const is = (field: string, value: string) => `order=id&filters[${field}][conditions][$is]=${value}`;
  const cases: [string, number[]][] = [
    ["order=id", [1, 2, 3, 4, 0]],
    ["order=-id&limit=2", [0, 4]],
    ["order=id&limit=2&page=2", [3, 4]],
    ["order=channel&limit=4", [2, 3, 4, 0]],
    ["order=id&campaign=Spring", [1, 2, 0]],
    [`order=id&customer=${anna}`, [1, 3, 0]],
    ["order=id&customer=anna&result=SUCCESS", [1, 3]],
    ["order=id&voucher=b", [1]],
    ["order=id&voucher=C&result=SUCCESS", [2]],
    ["order=id&voucher_type=discount&result=SUCCESS", [1, 2]],
    ["voucher_type=loyalty", [4]],
    ["voucher_type=gift", [3]],
    ["is_referral_code=true", []],
    ["order=id&is_referral_code=false", [1, 2, 3, 4, 0]],
    ["source_id=s", [2]],
    [is("failure_code", "voucher_already_published"), [0]],
    [is("result", "FAILURE"), [0]],
    [is("customer_id", anna), [1, 3, 0]],
    [is("campaign_name", "Gifts"), [3]],
    [is("voucher_type", "LOYALTY_CARD"), [4]],
    [is("voucher_type", "loyalty"), [4]],
    [is("is_referral_code", "true"), []],
    [is("parent_object_id", spring), [1, 2, 0]],
    [is("related_object_id", one.vouchers_id[1]), [1]],
    [is("source_id", "s"), [2]],
    ["page=1000", []],
  ];
  for (const [query, expected] of cases) assert.deepEqual(await ids(query), expected, query);
  const over = await call("GET /v1/publications?page=1001");
  assert.deepEqual(
    [over.status, over.body.key, over.body.details],
    [400, "page_over_limit", "Property .page cannot be higher than 1000"],
  );
  for (const query of [
    "limit=0",
    "limit=101",
    "page=0",
    "order=name",
    "result=MAYBE",
    "filters[x][conditions][$is]=1",
  ]) {
    const reply = await call(`GET /v1/publications?${query}`);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
  }
  await call("DELETE /v1/vouchers/C");
  const gone = (await ok("GET /v1/publications?source_id=s")).publications[0];
  assert.deepEqual([gone.voucher.code, gone.voucher.campaign], ["C", "Spring"]);
  const { call: others } = await testShop(db);
  assert.equal((await others("GET /v1/publications")).body.total, 0);
});

test("a repeated request with its key publishes once", async () => {
  const { call, campaign, to, rows } = await world();
  await campaign("Spring", ["A", "B"]);
  const send = () =>
    call("POST /v1/publications", { campaign: "Spring", customer: to("anna") }, { "idempotency-key": "once" });
  const [first, second] = [await send(), await send()];
  assert.equal(first.text, second.text);
  assert.equal((await rows("publications")).length, 1);
});

test("who is erased is in no publication", async () => {
  const { ok, call, campaign, to, published, fails } = await world();
  await campaign("Spring", ["A"]);
  const { customer_id } = await published({ campaign: "Spring", customer: to("anna"), metadata: { name: "Anna" } });
  await fails("no_voucher_suitable_for_publication", { campaign: "Spring", customer: to("anna") });
  await call(`POST /v1/customers/${customer_id}/permanent-deletion`);
  const { publications, total } = await ok("GET /v1/publications");
  assert.equal(total, 2);
  for (const one of publications)
    assert.deepEqual([one.customer_id, one.tracking_id, one.customer, one.metadata], [null, null, null, {}]);
});

test("a publication that changes its customer sees to the segments they are in", async () => {
  const { ok, campaign, to, published } = await world();
  await campaign("Spring", ["A", "B", "C", "D"]);
  const filter = { junction: "and", name: { conditions: { $is: ["Anna"] } } };
  await ok("POST /v1/segments", { name: "Annas", type: "auto-update", filter });
  const members = async () =>
    (
      await db`select c.source_id from segment_members m join customers c on c.id = m.customer_id
      where m.project_id = c.project_id and c.source_id = any(${["anna", "bob"]}) order by 1`
    ).map((one) => one.source_id);
  await published({ campaign: "Spring", customer: to("bob") });
  await published({ campaign: "Spring", customer: { ...to("anna"), name: "Anna" } });
  assert.deepEqual(await members(), ["anna"]);
  await Promise.all([
    published({ campaign: "Spring", customer: { ...to("bob"), name: "Anna" } }),
    published({ campaign: "Spring", customer: { ...to("anna"), name: "Ann" } }),
  ]);
  assert.deepEqual(await members(), ["bob"]);
});

/** Two engines with pools of their own: two processes in one. */
const engines = (project: Awaited<ReturnType<typeof testProject>>) =>
  Promise.all([1, 2].map(() => testEngine(open({ max: 4 }), project, { hot: open({ max: 3 }) })));
const wellDone = async () =>
  assert.deepEqual(
    (await examine(db)).filter(({ ok }) => !ok),
    [],
  );

test("many at once, over two processes, never give one code to two customers, and give all of them", async () => {
  const { project, campaign, to, rows } = await world();
  const codes = Array.from({ length: 40 }, (_, n) => `C${n}`);
  await campaign("Static", codes);
  const both = await engines(project);
  const replies = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      both[n % 2]!.call("POST /v1/publications", {
        // Some take the code that others are about to be given.
        ...(n % 16 === 3 ? { voucher: codes[n % 40] } : { campaign: "Static" }),
        customer: to(`c${n}`),
      }),
    ),
  );
  const won = replies.filter(({ status }) => status === 200);
  const refusals = new Set(replies.filter(({ status }) => status !== 200).map(({ body }) => body.key));
  assert.ok(refusals.isSubsetOf(new Set(["no_voucher_suitable_for_publication", "voucher_already_published"])));
  assert.equal(won.length, 40);
  assert.deepEqual(new Set(won.map(({ body }) => body.voucher.code)), new Set(codes));
  const held = (await rows("vouchers")).map(({ holder_id, published_count }) => [holder_id, published_count]);
  assert.equal(new Set(held.map(([holder]) => holder)).size, 40);
  assert.ok(held.every(([, count]) => count === 1));
  await wellDone();
});

test("many at once make as many codes as are wanted, each another one", async () => {
  const { project, ok, campaign, to } = await world();
  const { id } = await campaign("Endless", ["A", "B", "C"], { type: "AUTO_UPDATE" });
  const both = await engines(project);
  const replies = await Promise.all(
    Array.from({ length: 48 }, (_, n) =>
      n % 12 === 5
        ? both[n % 2]!.call(`POST /v1/campaigns/${id}/vouchers`, {})
        : both[n % 2]!.call("POST /v1/publications", { campaign: "Endless", customer: to(`c${n}`) }),
    ),
  );
  assert.ok(
    replies.every(({ status }) => status === 200),
    replies.map(({ text }) => text).join("\n"),
  );
  const codes = replies.flatMap(({ body }) => body.voucher?.code ?? []);
  assert.equal(new Set(codes).size, 44);
  assert.ok((await ok(`GET /v1/campaigns/${id}`)).vouchers_count >= 44);
  await wellDone();
});

test("one customer who joins once, many times at once, gets one code", async () => {
  const { project, campaign, to, rows } = await world();
  await campaign("Once", ["A", "B", "C", "D"], { join_once: true });
  const both = await engines(project);
  const replies = await Promise.all(
    Array.from({ length: 32 }, (_, n) =>
      both[n % 2]!.call("POST /v1/publications", { campaign: "Once", customer: to("anna") }),
    ),
  );
  assert.ok(
    replies.every(({ status }) => status === 200),
    replies.map(({ text }) => text).join("\n"),
  );
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
  assert.equal((await rows("publications")).length, 1);
  await wellDone();
});

test("one source id, many times at once, is one publication", async () => {
  const { project, campaign, to, rows } = await world();
  await campaign(
    "Spring",
    Array.from({ length: 32 }, (_, n) => `C${n}`),
  );
  const both = await engines(project);
  const replies = await Promise.all(
    Array.from({ length: 32 }, (_, n) =>
      both[n % 2]!.call("POST /v1/publications", { campaign: "Spring", customer: to(`c${n}`), source_id: `s${n % 2}` }),
    ),
  );
  const won = replies.filter(({ status }) => status === 200);
  assert.deepEqual(won.map(({ body }) => body.source_id).sort(), ["s0", "s1"]);
  for (const { status, body } of replies)
    if (status !== 200) assert.deepEqual([status, body.key], [400, "duplicate_source_id"]);
  assert.equal((await rows("publications")).length, 2);
  await wellDone();
});
