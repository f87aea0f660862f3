import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Call,
  insertLocation,
  NOW,
  type Reply,
  testDatabase,
  testEngine,
  testProject,
} from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const PATH = "/v1/templates/campaigns";

const refused = (reply: Reply, code: number, key: string, details: RegExp = /./) => {
  assert.equal(reply.status, code, reply.text);
  assertErrorBody(reply);
  assert.equal(reply.body.key, key, reply.text);
  assert.match(reply.body.details ?? "", details);
};
const percent = { type: "PERCENT", percent_off: 10 };
const campaign = (call: Call, body: object = {}) =>
  ok(call, "POST /v1/campaigns", { name: "Spring", voucher: { discount: percent }, ...body });
const promotion = (call: Call, name = "Promotion") =>
  ok(call, "POST /v1/campaigns", { name, campaign_type: "PROMOTION" });
const template = (call: Call, body: object) => ok(call, `POST ${PATH}`, { name: "Template", ...body });
const rule = (call: Call, body: object = {}) => ok(call, "POST /v1/validation-rules", { name: "Rule", ...body });
const setUp = (call: Call, id: string, body: object = {}) =>
  ok(call, `POST ${PATH}/${id}/campaign-setup`, { name: "Made", ...body });
const kinds = (created: { object: string }[]) => created.map(({ object }) => object);
const projectRows = async (projectId: string) =>
  Object.fromEntries(
    await Promise.all(
      ["campaigns", "validation_rules", "products", "segments", "campaign_templates", "promotion_tiers"].map(
        async (table) => [table, (await db`select from ${db(table)} where project_id = ${projectId}`).count],
      ),
    ),
  );

test("templates: taken from a campaign, read, updated and deleted, with every field of the interface", async (t) => {
  const { call } = await testShop(db);
  const { id: campaign_id } = await campaign(call);
  const made = await template(call, { name: "Spring again", description: "Every year", campaign_id });
  assert.match(made.id, /^camp_tpl_[0-9a-f]{24}$/);
  const { id } = made;
  const expected = {
    id,
    name: "Spring again",
    description: "Every year",
    campaign_type: "DISCOUNT_COUPONS",
    created_at: NOW,
    object: "campaign_template",
  };
  assert.deepEqual(made, expected);
  assert.deepEqual((await call(`GET ${PATH}/${id}`)).body, expected);
  const renamed = await ok(call, `PUT ${PATH}/${id}`, { name: "Renamed", campaign_type: "GIFT_VOUCHERS" });
  await holdsRows(t, "campaign_template.put", {
    path: () => assert.equal(renamed.id, id),
    name: () => assert.equal(renamed.name, "Renamed"),
    answer: () => assert.deepEqual(renamed, { ...expected, name: "Renamed", updated_at: NOW }),
  });
  await holdsFields(t, "campaign_template", renamed, { ...expected, name: "Renamed", updated_at: NOW });
  const { description: _, ...undescribed } = renamed;
  const cleared = await ok(call, `PUT ${PATH}/${id}`, { description: null });
  await holdsRows(t, "campaign_template.put", { description: () => assert.deepEqual(cleared, undescribed) });
  assert.deepEqual(await ok(call, `PUT ${PATH}/${id}`, {}), undescribed);
  assert.deepEqual((await call(`GET ${PATH}/${id}`)).body, undescribed);
  assert.equal((await call(`DELETE ${PATH}/${id}`)).status, 204);
  for (const request of [`GET ${PATH}/${id}`, `DELETE ${PATH}/${id}`]) refused(await call(request), 404, "not_found");
  refused(await call(`PUT ${PATH}/${id}`, { name: "x" }), 404, "not_found", /^Cannot find campaign_template with id/);
});

test("templates: one of gift cards is GIFT_VOUCHERS, one of a promotion tier DISCOUNT_COUPONS", async (t) => {
  const { call } = await testShop(db);
  const gifts = await campaign(call, { name: "Gifts", voucher: { gift: { amount: 500 } } });
  assert.equal((await template(call, { name: "g", campaign_id: gifts.id })).campaign_type, "GIFT_VOUCHERS");
  const { id } = await promotion(call);
  const tier = await ok(call, `POST /v1/promotions/${id}/tiers`, { name: "Tier", action: { discount: percent } });
  const ofTier = await template(call, { name: "t", promotion_tier_id: tier.id, campaign_id: null });
  await holdsRows(t, "campaign_template", {
    from_tier: () => assert.equal(ofTier.campaign_type, "DISCOUNT_COUPONS"),
  });
});

test("templates: loyalty, referral, promotion and draft campaigns are not supported, and other sources not found", async () => {
  const { call, project } = await testShop(db);
  const { id: promotionId } = await promotion(call);
  const loyalty = await campaign(call, {
    name: "Club",
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { loyalty_card: { points: 0 } },
  });
  const referral = await campaign(call, { name: "Friends", campaign_type: "REFERRAL_PROGRAM" });
  const draft = await campaign(call, { name: "Draft" });
  await db`update campaign_codes set creation_status = 'DRAFT' where campaign_id = ${draft.id}`;
  for (const campaign_id of [promotionId, loyalty.id, referral.id, draft.id]) {
    const reply = await call(`POST ${PATH}`, { name: "x", campaign_id });
    refused(reply, 400, "campaign_type_is_not_supported_by_campaign_template");
    assert.equal(reply.body.message, "Campaign of the given type is not supported by campaign template");
  }
  refused(await call(`POST ${PATH}`, { name: "x", campaign_id: "camp_no" }), 404, "not_found");
  refused(await call(`POST ${PATH}`, { name: "x", promotion_tier_id: "promo_no" }), 404, "not_found");
  const other = await testShop(db);
  const theirs = await campaign(other.call);
  refused(await call(`POST ${PATH}`, { name: "x", campaign_id: theirs.id }), 404, "not_found");
  assert.equal((await projectRows(project.id)).campaign_templates, 0);
});

test("templates: a wrong body is a 400 that names the field, a taken name a 409", async () => {
  const { call } = await testShop(db);
  const { id: campaign_id } = await campaign(call);
  const wrong: [object, RegExp][] = [
    [{ campaign_id }, /^Payload must have required property 'name'$/],
    [{ name: "", campaign_id }, /\.name/],
    [{ name: "n".repeat(201), campaign_id }, /\.name/],
    [{ name: "\u0000", campaign_id }, /./],
    [{ name: "x", description: 1, campaign_id }, /^Property \.description must be string,null$/],
    [{ name: "x", campaign_id: 1 }, /\.campaign_id/],
    [{ name: "x" }, /exactly one of the properties 'campaign_id' and 'promotion_tier_id'/],
    [{ name: "x", campaign_id, promotion_tier_id: "promo_x" }, /exactly one/],
  ];
  for (const [body, details] of wrong) refused(await call(`POST ${PATH}`, body), 400, "invalid_payload", details);
  const { id } = await template(call, { name: "n".repeat(200), campaign_id });
  await template(call, { name: "taken", campaign_id });
  for (const request of [`POST ${PATH}`, `PUT ${PATH}/${id}`]) {
    const reply = await call(request, { name: "taken", campaign_id });
    refused(reply, 409, "duplicate_found");
    assert.deepEqual([reply.body.resource_type, reply.body.resource_id], ["campaign_template", "taken"]);
  }
  refused(await call(`PUT ${PATH}/${id}`, { name: "" }), 400, "invalid_payload", /\.name/);
  refused(await call(`PUT ${PATH}/${id}`, { name: null }), 400, "invalid_payload", /\.name/);
  refused(await call(`PUT ${PATH}/${id}`, { description: [] }), 400, "invalid_payload", /\.description/);
  assert.equal((await call(`GET ${PATH}/${id}`)).body.updated_at, undefined);
});

test("templates: the list goes on by id in both orders, is filtered, and counts when asked to", async () => {
  const { call, project } = await testShop(db);
  const { id: campaign_id } = await campaign(call);
  const gifts = await campaign(call, { name: "Gifts", voucher: { gift: { amount: 500 } } });
  const ids: string[] = [];
  for (const [name, source] of [
    ["a", campaign_id],
    ["b", gifts.id],
    ["c", campaign_id],
  ])
    ids.push((await template(call, { name, campaign_id: source })).id);
  const management = `/management/v1/projects/${project.id}/templates/campaigns`;
  for (const path of [PATH, management]) {
    const names = async (query = "") =>
      (await ok(call, `GET ${path}?${query}`)).data.map((one: any) => one.name).join("");
    assert.equal(await names(), "abc");
    assert.equal(await names("order=-id"), "cba");
    const page = await ok(call, `GET ${path}?limit=2`);
    assert.deepEqual(
      [page.object, page.data_ref, page.total, page.has_more, page.more_starting_after],
      ["list", "data", undefined, true, ids[1]],
    );
    assert.equal(await names(`limit=2&starting_after_id=${ids[1]}`), "c");
    assert.equal(await names(`order=-id&starting_after_id=${ids[1]}`), "a");
    const last = await ok(call, `GET ${path}?limit=1&include_total=true&starting_after_id=${ids[1]}`);
    assert.deepEqual([last.total, last.has_more, "more_starting_after" in last], [3, false, false]);
    assert.equal(await names("filters[campaign_type][conditions][$is]=GIFT_VOUCHERS"), "b");
    assert.equal(await names("filters[name][conditions][$in][0]=a&filters[name][conditions][$in][1]=c"), "ac");
    assert.equal(await names(`filters[id][conditions][$is]=${ids[2]}`), "c");
    for (const query of ["limit=0", "limit=101", "order=name", "filters[content][conditions][$is]=x"])
      refused(await call(`GET ${path}?${query}`), 400, "invalid_query_params");
  }
  const other = await testShop(db);
  assert.deepEqual((await other.call(`GET ${PATH}`)).body.data, []);
  refused(await other.call("GET /management/v1/projects/proj_no/templates/campaigns"), 404, "not_found");
});

test("templates: a campaign is made with the settings, the timeframe, the value and the rules of the first one", async () => {
  const { call } = await testShop(db);
  const conditions = { $more_than: [1000] };
  const { id: ruleId } = await rule(call, {
    name: "Large carts",
    rules: { "1": { name: "order.amount", conditions }, logic: "1" },
    error: { message: "Too small" },
    context_type: "campaign.discount_coupons",
  });
  const validity = {
    start_date: "2026-01-01T00:00:00.000Z",
    expiration_date: "2026-12-31T00:00:00.000Z",
    validity_timeframe: { interval: "P2D", duration: "P1D" },
    validity_day_of_week: [1, 2],
    validity_hours: { daily: [{ start_time: "08:00", expiration_time: "12:00", days_of_week: [1] }] },
  };
  const source = await campaign(call, {
    ...validity,
    type: "STATIC",
    description: "Ten off",
    join_once: true,
    activity_duration_after_publishing: "P7D",
    metadata: { season: "spring" },
    category: "seasonal",
    vouchers_count: 1,
    voucher: { discount: percent, redemption: { quantity: 3 }, code_config: { pattern: "SPRING-####" } },
    validation_rules: [ruleId],
  });
  const { id } = await template(call, { campaign_id: source.id });
  // What becomes of the source changes nothing.
  await ok(call, `PUT /v1/campaigns/${source.id}`, { discount: { type: "AMOUNT", amount_off: 1 }, metadata: { a: 1 } });
  await ok(call, `PUT /v1/validation-rules/${ruleId}`, { name: "Changed", rules: {} });
  const { created_resources, campaign: made, object } = await setUp(call, id, { auto_join: true });
  assert.equal(object, "campaign_setup");
  assert.deepEqual(kinds(created_resources), ["validation_rules"]);
  const { data, total } = made.validation_rules_assignments;
  assert.equal(total, 1);
  assert.deepEqual([data[0].rule_id, data[0].related_object_id], [created_resources[0].id, made.id]);
  const cloned = (await call(`GET /v1/validation-rules/${created_resources[0].id}`)).body;
  assert.notEqual(cloned.id, ruleId);
  assert.deepEqual(
    [cloned.name, cloned.rules["1"].conditions, cloned.error, cloned.context_type, cloned.assignments_count],
    ["Large carts", conditions, { message: "Too small" }, "campaign.discount_coupons", 1],
  );
  const { id: _, vouchers_count, creation_status, ...same } = made;
  assert.deepEqual([vouchers_count, creation_status, made.active], [0, "DONE", true]);
  const kept = ["type", "description", "join_once", "activity_duration_after_publishing", ...Object.keys(validity)];
  for (const field of kept) assert.deepEqual(same[field], source[field], field);
  assert.deepEqual(same.voucher, { ...source.voucher });
  assert.deepEqual(same.metadata, { season: "spring" });
  assert.deepEqual([same.name, same.auto_join, same.category], ["Made", true, null]);
  // The status is of the moment in which it is read.
  const { status: __, ...read } = (await call(`GET /v1/campaigns/${made.id}`)).body;
  assert.deepEqual(read, made);
  // Rules are never shared between what is made from one template.
  const again = await setUp(call, id, { name: "Made again" });
  assert.notEqual(again.created_resources[0].id, created_resources[0].id);
});

test("templates: what is sent takes the place of what the template holds, except its value and rules", async () => {
  const { call } = await testShop(db);
  const { id: ruleId } = await rule(call);
  const source = await campaign(call, { start_date: "2026-01-01T00:00:00.000Z", metadata: { a: 1 } });
  const { id } = await template(call, { campaign_id: source.id });
  const { created_resources, campaign: made } = await setUp(call, id, {
    type: "STATIC",
    description: "Mine",
    start_date: null,
    expiration_date: "2027-01-01T00:00:00.000Z",
    metadata: { b: 2 },
    category: "own",
    vouchers_count: 1,
    campaign_type: "GIFT_VOUCHERS",
    validation_rules: [ruleId],
    voucher: {
      type: "GIFT_VOUCHER",
      gift: { amount: 5 },
      discount: { type: "AMOUNT", amount_off: 5 },
      redemption: { quantity: 2 },
      code_config: { pattern: "MINE-####" },
    },
  });
  assert.deepEqual(created_resources, []);
  assert.deepEqual(
    [made.campaign_type, made.voucher.discount, made.validation_rules_assignments.total],
    ["DISCOUNT_COUPONS", percent, 0],
  );
  assert.deepEqual(
    [made.type, made.description, made.start_date, made.expiration_date, made.metadata, made.category],
    ["STATIC", "Mine", undefined, "2027-01-01T00:00:00.000Z", { b: 2 }, "own"],
  );
  assert.deepEqual(
    [made.voucher.redemption.quantity, made.voucher.code_config.pattern, made.vouchers_count],
    [2, "MINE-####", 1],
  );
});

test("templates: a wrong setup is refused, and nothing is made with it", async () => {
  const { call, project } = await testShop(db);
  const { id: ruleId } = await rule(call);
  const source = await campaign(call, { validation_rules: [ruleId] });
  const { id } = await template(call, { campaign_id: source.id });
  const before = await projectRows(project.id);
  const path = `POST ${PATH}/${id}/campaign-setup`;
  refused(await call(path, { name: "Spring" }), 409, "duplicate_found");
  refused(await call(path, {}), 400, "invalid_payload", /required property 'name'/);
  refused(await call(path, { name: "x", vouchers_count: -1 }), 400, "invalid_payload", /vouchers_count/);
  refused(await call(path, { name: "x", category_id: "cat_no" }), 404, "not_found");
  refused(
    await call(path, { name: "x", start_date: "2027-01-01T00:00:00Z", expiration_date: "2026-01-01T00:00:00Z" }),
    400,
    "invalid_payload",
  );
  refused(
    await call(path, { name: "x", voucher: { code_config: { charset: "a", length: 1 } }, vouchers_count: 9 }),
    400,
    "invalid_code_config",
  );
  refused(await call(`POST ${PATH}/camp_tpl_no/campaign-setup`, { name: "x" }), 404, "not_found");
  refused(await call(`POST ${PATH}/camp_tpl_no/tier-setup`, { name: "x", campaign_id: "x" }), 404, "not_found");
  const other = await testShop(db);
  for (const request of [path, `PUT ${PATH}/${id}`, `DELETE ${PATH}/${id}`, `GET ${PATH}/${id}`])
    refused(await other.call(request, request.startsWith("GET") ? undefined : { name: "x" }), 404, "not_found");
  assert.deepEqual(await projectRows(project.id), before);
});

test("templates: a tier is added after the others, with the rules of the template, to a promotion campaign only", async () => {
  const { call, project } = await testShop(db);
  const { id: ruleId } = await rule(call);
  const { id: campaign_id } = await promotion(call);
  const body = { name: "First", banner: "Ten off", action: { discount: percent }, metadata: { a: 1 } };
  const dates = { start_date: "2026-01-01T00:00:00.000Z" };
  const first = await ok(call, `POST /v1/promotions/${campaign_id}/tiers`, {
    ...{ ...body, ...dates, validation_rules: [ruleId] },
  });
  const { id } = await template(call, { promotion_tier_id: first.id });
  const path = `POST ${PATH}/${id}/tier-setup`;
  const setup = await ok(call, path, { campaign_id, name: "Second" });
  const { created_resources, promotion_tier: made } = setup;
  assert.equal(setup.object, "promotion_tier_setup");
  assert.deepEqual(kinds(created_resources), ["validation_rules"]);
  assert.deepEqual(
    [made.name, made.banner, made.action, made.metadata, made.start_date, made.hierarchy, made.active],
    ["Second", "Ten off", { discount: percent }, { a: 1 }, dates.start_date, first.hierarchy + 1, true],
  );
  assert.deepEqual(made.validation_rule_assignments.data[0].rule_id, created_resources[0].id);
  const own = { banner: null, metadata: { b: 1 }, hierarchy: 7, active: false, start_date: null };
  const ignored = { action: { discount: { type: "AMOUNT", amount_off: 1 } }, validation_rules: [ruleId] };
  const others = { ...ignored, validation_rule_assignments: { data: [{ rule_id: ruleId }] } };
  const third = (await ok(call, path, { campaign_id: "Promotion", name: "Third", ...own, ...others })).promotion_tier;
  assert.deepEqual([third.action.discount, third.validation_rule_assignments.total], [percent, 1]);
  for (const [field, value] of Object.entries(own)) assert.deepEqual(third[field], value, field);
  const asCodes = (await setUp(call, id)).campaign;
  assert.deepEqual([asCodes.campaign_type, asCodes.type], ["DISCOUNT_COUPONS", "AUTO_UPDATE"]);
  assert.deepEqual([asCodes.voucher.discount, asCodes.start_date], [percent, dates.start_date]);

  const gifts = await campaign(call, { name: "Gifts", voucher: { gift: { amount: 500 } } });
  const ofGifts = await template(call, { name: "g", campaign_id: gifts.id });
  const before = await projectRows(project.id);
  const giftTier = await call(`POST ${PATH}/${ofGifts.id}/tier-setup`, { campaign_id, name: "x" });
  refused(giftTier, 400, "invalid_payload", /Only a template of discounts/);
  refused(await call(path, { campaign_id: gifts.id, name: "x" }), 400, "invalid_campaign");
  refused(await call(path, { campaign_id: "camp_no", name: "x" }), 404, "not_found");
  refused(await call(path, { name: "x" }), 400, "invalid_payload", /'campaign_id'/);
  refused(await call(path, { campaign_id }), 400, "invalid_payload", /'name'/);
  assert.deepEqual(await projectRows(project.id), before);
  const giftCards = (await setUp(call, ofGifts.id, { name: "Gifts again" })).campaign;
  assert.equal(giftCards.voucher.gift.amount, 500);
});

/** A campaign whose rules name a product, a SKU, collections, a segment and a location. */
async function furnished(call: Call, projectId: string) {
  const shirt = await ok(call, "POST /v1/products", { source_id: "shirt", name: "Shirt", price: 1000 });
  const plain = await ok(call, "POST /v1/products", { name: "Plain", price: 5, metadata: { colour: "grey" } });
  const red = await ok(call, "POST /v1/products/shirt/skus", { source_id: "red", sku: "Red" });
  const blue = await ok(call, "POST /v1/products/shirt/skus", { sku: "Blue" });
  const fixed = await ok(call, "POST /v1/product-collections", {
    ...{ type: "STATIC", name: "Fixed" },
    products: [
      { id: plain.id, object: "product" },
      { id: blue.id, object: "sku" },
    ],
  });
  const cheap = await ok(call, "POST /v1/product-collections", {
    ...{ type: "AUTO_UPDATE", name: "Cheap" },
    filter: { junction: "and", price: { conditions: { $less_than: [100] } } },
  });
  const town = await insertLocation(projectId, "Town");
  const segment = await ok(call, "POST /v1/segments", {
    ...{ name: "Neighbours", type: "auto-update" },
    filter: {
      junction: "and",
      "metadata.home": { conditions: { $in_location: [town] } },
      "events.left review.count": { conditions: { $more_than: [0] } },
    },
  });
  const rules = {
    "1": { name: "customer.segment", conditions: { $is: [segment.id] } },
    "2": {
      name: "order.items.any",
      conditions: {
        $in: [
          { id: plain.id, object: "product" },
          { id: red.id, object: "sku" },
          { id: fixed.id, object: "products_collection" },
        ],
      },
    },
    logic: "1 and 2",
  };
  const applicable_to = { included: [{ object: "products_collection", id: cheap.id }] };
  const { id: ruleId } = await rule(call, { rules, applicable_to });
  const discount = { type: "UNIT", unit_off: 1, unit_type: shirt.id, effect: "ADD_MISSING_ITEMS" };
  const source = await campaign(call, { voucher: { discount }, validation_rules: [ruleId] });
  return { source, shirt, plain, red, blue, fixed, cheap, segment, town };
}
const MADE = ["product", "product", "sku", "sku", "location", "products_collection", "products_collection", "segments"];

test("templates: what rules name is used when it is there, and made in a project where it is not", async () => {
  const [a, b] = [await testProject(db), await testProject(db)];
  const { call } = await testEngine(db, a);
  const there = await testEngine(db, b);
  const { source, plain, segment, shirt } = await furnished(call, a.id);
  const { id } = await template(call, { name: "Furnished", campaign_id: source.id });
  const here = await setUp(call, id);
  assert.deepEqual(kinds(here.created_resources), ["validation_rules"]);
  const mine = (await call(`GET /v1/validation-rules/${here.created_resources[0].id}`)).body;
  assert.deepEqual(mine.rules["1"].conditions, { $is: [segment.id] });

  const copied = await ok(call, `POST /management/v1/projects/${a.id}/templates/campaigns/${id}/copy`, {
    destination_project_id: b.id,
    name: "Copied",
  });
  const first = await setUp(there.call, copied.id, { name: "First" });
  assert.deepEqual(kinds(first.created_resources).sort(), [...MADE, "validation_rules"].sort());
  const byKind = Map.groupBy(first.created_resources as { id: string; object: string }[], ({ object }) => object);
  const made = (await there.call(`GET /v1/validation-rules/${byKind.get("validation_rules")![0]!.id}`)).body;
  const theirs = (await there.call(`GET /v1/segments/${byKind.get("segments")![0]!.id}`)).body;
  assert.deepEqual(made.rules["1"].conditions, { $is: [theirs.id] });
  assert.deepEqual(theirs.filter["metadata.home"].conditions, { $in_location: [byKind.get("location")![0]!.id] });
  const unit = first.campaign.voucher.discount.unit_type;
  assert.notEqual(unit, shirt.id);
  assert.equal((await there.call(`GET /v1/products/${unit}`)).body.source_id, "shirt");
  const text = JSON.stringify([made, first.campaign]);
  for (const id of [plain.id, segment.id, shirt.id])
    assert.ok(!text.includes(id), "no id of the first project is left");
  const collections = (await there.call("GET /v1/product-collections")).body.data;
  const fixed = collections.find((one: any) => one.name === "Fixed");
  const grey = (await there.call(`GET /v1/products/${fixed.products[0].id}`)).body;
  assert.deepEqual([grey.name, grey.price, grey.metadata], ["Plain", 5, { colour: "grey" }]);
  assert.equal((await there.call(`GET /v1/skus/${fixed.products[1].id}`)).body.sku, "Blue");

  const second = await setUp(there.call, copied.id, { name: "Second" });
  assert.deepEqual(kinds(second.created_resources), ["validation_rules"], "what is identical is used again");
  await ok(there.call, `PUT /v1/products/${grey.id}`, { price: 6 });
  const third = await setUp(there.call, copied.id, { name: "Third" });
  assert.deepEqual(
    kinds(third.created_resources).sort(),
    ["product", "products_collection", "validation_rules"],
    "what has changed is made again, with what holds it",
  );
  await ok(there.call, "PUT /v1/products/shirt", { name: "Other shirt" });
  const fourth = await setUp(there.call, copied.id, { name: "Fourth" });
  assert.deepEqual(kinds(fourth.created_resources), ["validation_rules"], "a source id is the same thing");

  const shown = (await call(`GET ${PATH}/${id}?expand=json_template`)).body.json_template;
  assert.deepEqual(shown.custom_events, ["left review"]);
  assert.equal(shown.products.length, 2);
  refused(await call(`GET ${PATH}/${id}?expand=all`), 400, "invalid_query_params");
});

test("templates: used several times at once, it makes what has a source id once, and a campaign of one name once", async () => {
  const [a, b] = [await testProject(db), await testProject(db)];
  const { call } = await testEngine(db, a);
  const there = await testEngine(db, b);
  const { source } = await furnished(call, a.id);
  const { id } = await template(call, { campaign_id: source.id });
  const copied = await ok(call, `POST /management/v1/projects/${a.id}/templates/campaigns/${id}/copy`, {
    ...{ destination_project_id: b.id, name: "Copied" },
  });
  const names = ["One", "Two", "Three", "Same", "Same"];
  const replies = await Promise.all(
    names.map((name) => there.call(`POST ${PATH}/${copied.id}/campaign-setup`, { name })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 409]);
  const [made] = await db`
    select (select count(*) from products where project_id = ${b.id} and source_id = 'shirt') as shirts,
      (select count(*) from skus where project_id = ${b.id} and source_id = 'red') as skus,
      (select count(*) from campaigns where project_id = ${b.id}) as campaigns,
      (select count(*) from validation_rules where project_id = ${b.id}) as rules`;
  assert.deepEqual({ ...made }, { shirts: 1, skus: 1, campaigns: 4, rules: 4 });
});

test("templates: used several times at once where nothing of it is there, it makes segments and collections once", async () => {
  const { call, project: a } = await testShop(db);
  const { source } = await furnished(call, a.id);
  const { id } = await template(call, { campaign_id: source.id });
  const b = await testProject(db);
  const [row] = await db`delete from campaign_templates where project_id = ${a.id} and id = ${id} returning *`;
  await db`insert into campaign_templates ${db({ ...row, project_id: b.id })}`;
  const there = await testEngine(db, b);
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, n) => there.call(`POST ${PATH}/${id}/campaign-setup`, { name: `Made ${n}` })),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200], replies[0]!.text);
  const rows = async (table: string) => (await db`select from ${db(table)} where project_id = ${b.id}`).count;
  assert.deepEqual(
    [await rows("segments"), await rows("product_collections"), await rows("locations"), await rows("products")],
    [1, 2, 1, 2],
  );
  assert.equal(replies.filter(({ body }) => kinds(body.created_resources).includes("segments")).length, 1);
});

test("templates: rules about keys, users and loyalty tiers, and static segments are refused", async () => {
  const { call, project } = await testShop(db);
  const segment = await ok(call, "POST /v1/segments", { name: "Fixed", customers: [] });
  const named: [string, object][] = [
    ["redemption.api_key", { $is: ["key"] }],
    ["redemption.user.login", { $is: ["ann@shop.example"] }],
    ["customer.loyalty.tier", { $is: ["ltr_x"] }],
    ["customer.segment", { $is: [segment.id] }],
  ];
  for (const [name, conditions] of named) {
    const { id: ruleId } = await rule(call, { rules: { "1": { name, conditions } } });
    const { id } = await campaign(call, { name, validation_rules: [ruleId] });
    const says = name === "customer.segment" ? /static segment seg_/ : new RegExp(name);
    refused(await call(`POST ${PATH}`, { name: "x", campaign_id: id }), 400, "invalid_payload", says);
  }
  assert.equal((await projectRows(project.id)).campaign_templates, 0);
});

test("templates: a key of metadata that is defined otherwise is refused; schemas are never made", async () => {
  const [a, b] = [await testProject(db), await testProject(db)];
  const { call } = await testEngine(db, a);
  const there = await testEngine(db, b);
  const schema = (project: { id: string }, type: string) => ({
    request: `POST /management/v1/projects/${project.id}/metadata-schemas`,
    body: { related_object: "customer", properties: { level: { type, optional: true, array: false } } },
  });
  const ofA = schema(a, "number");
  await ok(call, ofA.request, ofA.body);
  const { id: ruleId } = await rule(call, {
    rules: { "1": { name: "customer.metadata", property: "level", conditions: { $more_than: [1] } } },
  });
  const source = await campaign(call, { validation_rules: [ruleId] });
  const { id } = await template(call, { campaign_id: source.id });
  const copied = await ok(call, `POST /management/v1/projects/${a.id}/templates/campaigns/${id}/copy`, {
    ...{ destination_project_id: b.id, name: "Copied" },
  });
  await setUp(there.call, copied.id, { name: "Free" });
  assert.equal((await there.call(`GET /management/v1/projects/${b.id}/metadata-schemas`)).body.total, 0);
  const ofB = schema(b, "string");
  await ok(there.call, ofB.request, ofB.body);
  const before = await projectRows(b.id);
  const reply = await there.call(`POST ${PATH}/${copied.id}/campaign-setup`, { name: "x" });
  refused(reply, 400, "metadata_validation_failed", /^level: is string in the metadata schema of customer, and number/);
  assert.deepEqual(await projectRows(b.id), before);
});

test("templates: a copy is another template, and leaves the first as it was", async () => {
  const [a, b] = [await testProject(db), await testProject(db)];
  const { call } = await testEngine(db, a);
  const source = await campaign(call);
  const original = await template(call, { description: "First", campaign_id: source.id });
  const path = (project: { id: string }, id: string = original.id) =>
    `POST /management/v1/projects/${project.id}/templates/campaigns/${id}/copy`;
  const to = (body: object) => ({ destination_project_id: b.id, name: "Copy", ...body });
  const copy = await ok(call, path(a), to({}));
  assert.notEqual(copy.id, original.id);
  assert.deepEqual(copy, { ...original, id: copy.id, name: "Copy" });
  refused(await call(`GET ${PATH}/${copy.id}`), 404, "not_found");
  assert.deepEqual((await call(`GET ${PATH}/${original.id}`)).body, original);
  assert.deepEqual((await (await testEngine(db, b)).call(`GET ${PATH}/${copy.id}`)).body, copy);
  refused(await call(path(a), to({})), 409, "duplicate_found");
  const same = await ok(call, path(a), to({ destination_project_id: a.id, name: "Here", description: null }));
  assert.equal("description" in same, false);
  refused(await call(path(a), to({ destination_project_id: "proj_no" })), 404, "not_found", /project/);
  refused(await call(path(b), to({ name: "x" })), 404, "not_found", /campaign_template/);
  refused(await call(path(a), { name: "x" }), 400, "invalid_payload", /destination_project_id/);
  refused(await call(path(a), { destination_project_id: b.id }), 400, "invalid_payload", /'name'/);
  refused(await call(path(a), to({ colour: "red" })), 400, "invalid_payload", /colour/);
});
