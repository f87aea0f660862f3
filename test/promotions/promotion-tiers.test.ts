import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";
import { changeCampaign, insertCampaign, TEN_PERCENT } from "./promotions.ts";

const { db, open } = await testDatabase();
const TIERS = "/v1/promotions/tiers";

const NO_WINDOWS = { validity_timeframe: null, validity_day_of_week: null, validity_hours: null };
const ALWAYS = { start_date: null, expiration_date: null, ...NO_WINDOWS };
const EMPTY_LIST = { object: "list", data_ref: "data", data: [], total: 0 };
const NOTHING_YET = { redemptions: { total_redeemed: 0 }, orders: { total_amount: 0, total_discount_amount: 0 } };

async function promotion(given: Parameters<typeof insertCampaign>[2] = {}) {
  const { call, engine, project } = await testShop(db);
  const campaignId = await insertCampaign(db, project.id, given);
  const add = (body: object, campaign = campaignId) =>
    ok(call, `POST /v1/promotions/${campaign}/tiers`, { name: "Tier", action: TEN_PERCENT, ...body });
  return { project, call, engine, campaignId, add };
}
const idsOf = (tiers: { id: string }[]) => tiers.map(({ id }) => id);
const listed = async (call: Call, query = "") =>
  (await call(`GET ${TIERS}${query}`)).body.tiers.map((t: any) => t.name);
const count = async (call: Call) => (await call(`GET ${TIERS}`)).body.total;

test("tiers: create, read, list, update, disable, enable, delete", async () => {
  const { project, call, campaignId, add } = await promotion();
  const sent = {
    name: "Spring",
    banner: "10% off",
    action: { discount: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ORDER" } },
    hierarchy: 7,
    active: false,
    start_date: "2026-01-01T00:00:00+01:00",
    expiration_date: "2026-12-31T00:00:00Z",
    validity_timeframe: { interval: "P1W", duration: "P1D" },
    validity_day_of_week: [1, 2],
    validity_hours: { daily: [{ start_time: "09:00", expiration_time: "12:00", days_of_week: [1] }] },
    metadata: { season: "spring", deep: { a: [1] } },
  };
  const created = await add({ ...sent, id: "promo_x", created_at: "ignored", colour: "ignored" });
  const { id, created_at } = created;
  assert.match(id, /^promo_[0-9a-f]{24}$/);
  assert.ok(created_at > NOW.slice(0, -1), "later than the campaign, by a microsecond");
  const expected = {
    ...sent,
    id,
    start_date: "2025-12-31T23:00:00.000Z",
    expiration_date: "2026-12-31T00:00:00.000Z",
    promotion_id: campaignId,
    campaign_id: campaignId,
    campaign: { id: campaignId, active: true, ...NO_WINDOWS, category_id: null, object: "campaign" },
    category_id: null,
    categories: [],
    validation_rule_assignments: EMPTY_LIST,
    summary: NOTHING_YET,
    created_at,
    updated_at: null,
    object: "promotion_tier",
  };
  assert.deepEqual(created, expected);
  const read = { ...expected, status: "DISABLED" };
  assert.deepEqual((await call(`GET ${TIERS}/${id}`)).body, read);
  const list = { object: "list", data_ref: "tiers", tiers: [read], total: 1, has_more: false };
  assert.deepEqual((await call(`GET ${TIERS}`)).body, list);
  assert.deepEqual((await call(`GET /v1/promotions/${campaignId}/tiers`)).body, list);

  const patch = { name: "Summer", hierarchy: 2, metadata: { season: null, deep: { b: 2 }, more: 1 }, banner: null };
  const updated = await call(`PUT ${TIERS}/${id}`, { ...patch, action: TEN_PERCENT, active: true, campaign_id: "x" });
  const changed = { ...expected, ...patch, action: TEN_PERCENT, updated_at: NOW };
  assert.deepEqual(updated.body, changed);
  assert.deepEqual((await call(`PUT ${TIERS}/${id}`, {})).body, changed, "what is not sent stays");
  const cleared = await call(`PUT ${TIERS}/${id}`, { ...ALWAYS, hierarchy: null });
  assert.deepEqual(cleared.body, { ...changed, ...ALWAYS });

  const enabled = await call(`POST ${TIERS}/${id}/enable`);
  assert.deepEqual(enabled.body, { ...cleared.body, active: true });
  assert.deepEqual((await call(`POST ${TIERS}/${id}/enable`)).body, enabled.body);
  assert.equal((await call(`POST ${TIERS}/${id}/disable`)).body.active, false);
  assert.equal((await call(`GET ${TIERS}/${id}`)).body.active, false);

  const deleted = await call(`DELETE ${TIERS}/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const request of ["GET", "PUT", "DELETE"])
    assert.equal((await call(`${request} ${TIERS}/${id}`, request === "PUT" ? {} : undefined)).status, 404);
  for (const end of ["enable", "disable"]) assert.equal((await call(`POST ${TIERS}/${id}/${end}`)).status, 404);
  assert.equal(await count(call), 0);

  const events = await db`
    select kind, campaign_id, payload from events where project_id = ${project.id} order by id`;
  const kinds = ["created", "updated", "updated", "updated", "enabled", "enabled", "disabled", "deleted"];
  assert.deepEqual(
    events.map(({ kind }) => kind),
    kinds.map((kind) => `campaign.promotion_tier.${kind}`),
  );
  for (const { campaign_id, payload } of events)
    assert.deepEqual([campaign_id, payload.promotion_tier.id], [campaignId, id]);
});

test("tiers: with a name and a discount alone, the rest has its empty value", async () => {
  const { add, campaignId } = await promotion();
  const none = { banner: null, hierarchy: null, category: null, category_id: null, validation_rules: null, ...ALWAYS };
  for (const [index, body] of [{}, none].entries()) {
    const { id: _, created_at: __, ...tier } = await add(body);
    assert.deepEqual(tier, {
      name: "Tier",
      banner: null,
      action: TEN_PERCENT,
      hierarchy: index + 1,
      active: true,
      ...ALWAYS,
      metadata: {},
      promotion_id: campaignId,
      campaign_id: campaignId,
      campaign: { id: campaignId, active: true, ...NO_WINDOWS, category_id: null, object: "campaign" },
      category_id: null,
      categories: [],
      validation_rule_assignments: EMPTY_LIST,
      summary: NOTHING_YET,
      updated_at: null,
      object: "promotion_tier",
    });
  }
});

test("tiers: those that a campaign is created with come first, and go with it", async () => {
  const { call } = await testShop(db);
  const tiers = ["A", "B"].map((name) => ({ name, action: TEN_PERCENT }));
  const body = { name: "Sale", campaign_type: "PROMOTION", start_date: NOW, promotion: { tiers } };
  const campaign = (await call("POST /v1/campaigns", body)).body;
  const added = (await call("POST /v1/promotions/Sale/tiers", { name: "C", action: TEN_PERCENT })).body;
  assert.deepEqual([added.hierarchy, added.start_date, added.campaign.start_date], [3, null, NOW]);
  const list = (await call(`GET /v1/promotions/${campaign.id}/tiers`)).body.tiers;
  const running = [...campaign.promotion.tiers, added].map((tier) => ({ ...tier, status: "ACTIVE" }));
  assert.deepEqual(list, running);
  const stack = { name: "S", tiers: { ids: idsOf(list) } };
  assert.equal((await call("POST /v1/promotions/Sale/stacks", stack)).status, 200);
  const { async_action_id } = (await call(`DELETE /v1/campaigns/${campaign.id}`)).body;
  assert.equal((await call(`GET /v1/async-actions/${async_action_id}`)).body.type, "CAMPAIGN.VOUCHERS_DELETE");
  assert.equal(await count(call), 0);
  assert.equal((await call("GET /v1/promotions/stacks")).body.total, 0);
});

test("tiers: a campaign is found by its id or its name, and only a promotion has tiers", async () => {
  const { project, call, campaignId, add } = await promotion({ name: "Spring sale" });
  const { id } = await add({}, "Spring%20sale");
  const byName = await call("GET /v1/promotions/Spring%20sale/tiers");
  assert.deepEqual(idsOf(byName.body.tiers), [id]);
  assert.equal(byName.body.tiers[0].campaign_id, campaignId);
  const codes = await insertCampaign(db, project.id, { campaign_type: "DISCOUNT_COUPONS" });
  const body = { name: "Tier", action: TEN_PERCENT };
  for (const reply of [
    await call(`POST /v1/promotions/${codes}/tiers`, body),
    await call(`GET /v1/promotions/${codes}/tiers`),
  ]) {
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_campaign"]);
    assert.match(reply.body.details, /only PROMOTION campaigns have tiers/);
  }
  for (const reply of [
    await call("POST /v1/promotions/camp_none/tiers", body),
    await call("GET /v1/promotions/camp_none/tiers"),
  ])
    assert.deepEqual([reply.status, reply.body.resource_type], [404, "campaign"]);
  assert.equal(await count(call), 1);
});

test("tiers: without a hierarchy one comes after the highest of its campaign; lists of a campaign follow it", async () => {
  const { project, call, campaignId, add } = await promotion();
  await add({ name: "nine", hierarchy: 9 });
  const ten = await add({ name: "ten" });
  await add({ name: "zero", hierarchy: 0 });
  await add({ name: "other nine", hierarchy: 9 });
  assert.equal(ten.hierarchy, 10);
  const other = await insertCampaign(db, project.id);
  assert.equal((await add({ name: "elsewhere" }, other)).hierarchy, 1);
  const { tiers, total, has_more } = (await call(`GET /v1/promotions/${campaignId}/tiers`)).body;
  assert.deepEqual(
    tiers.map(({ name }: any) => name),
    ["zero", "nine", "other nine", "ten"],
  );
  assert.deepEqual([total, has_more], [4, false]);
});

test("tiers: as many writers as you like get a hierarchy and a moment each", async () => {
  const { project, campaignId } = await promotion();
  const { call } = await testEngine(open({ max: 8 }), project);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      call(`POST /v1/promotions/${campaignId}/tiers`, { name: `T${n}`, action: TEN_PERCENT }),
    ),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  const hierarchies = replies.map(({ body }) => body.hierarchy).sort((a, b) => a - b);
  assert.deepEqual(
    hierarchies,
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  assert.equal(new Set(replies.map(({ body }) => body.created_at)).size, 20);
});

test("tiers: no merge of metadata is lost when many write at once", async () => {
  const { project, call: plain, add } = await promotion();
  const { id } = await add({});
  const { call } = await testEngine(open({ max: 8 }), project);
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, n) => call(`PUT ${TIERS}/${id}`, { metadata: { [`n${n}`]: n } })),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(Object.keys((await plain(`GET ${TIERS}/${id}`)).body.metadata).length, 12);
});

test("tiers: a list has pages and orders, newest first, to the microsecond", async () => {
  const project = await testProject(db);
  let now = NOW;
  const { call } = await testEngine(db, project, { now: () => now });
  const campaign = await insertCampaign(db, project.id);
  const add = async (name: string) =>
    (await call(`POST /v1/promotions/${campaign}/tiers`, { name, action: TEN_PERCENT })).body;
  const made = [];
  for (let n = 1; n <= 12; n += 1) made.push(await add(`T${n}`));
  assert.equal(new Set(made.map(({ created_at }) => created_at)).size, 12);
  const first = (await call(`GET ${TIERS}`)).body;
  assert.deepEqual([first.total, first.has_more, first.tiers.length], [12, true, 10]);
  assert.equal(first.tiers[0].name, "T12");
  const second = (await call(`GET ${TIERS}?page=2`)).body;
  assert.deepEqual([second.has_more, second.tiers.map(({ name }: any) => name)], [false, ["T2", "T1"]]);
  assert.deepEqual(await listed(call, "?page=99"), []);
  assert.deepEqual((await call(`GET ${TIERS}?limit=12`)).body.has_more, false);
  assert.deepEqual(await listed(call, "?limit=2&order=created_at"), ["T1", "T2"]);
  now = "2026-01-01T12:00:00.001Z";
  await call(`PUT ${TIERS}/${made[4].id}`, {});
  now = "2026-01-01T12:00:01.000Z";
  await call(`PUT ${TIERS}/${made[2].id}`, {});
  assert.deepEqual(await listed(call, "?limit=2&order=updated_at"), ["T5", "T3"]);
  assert.deepEqual((await listed(call, "?limit=12&order=-updated_at")).slice(-2), ["T3", "T5"]);
  await add("whole second");
  assert.deepEqual(await listed(call, "?limit=1"), ["whole second"]);
});

test("tiers: what a list does not take is refused", async () => {
  const { call } = await promotion();
  for (const query of ["limit=0", "limit=101", "page=0", "order=name", "is_available=maybe"]) {
    const reply = await call(`GET ${TIERS}?${query}`);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
  }
});

test("tiers: available are those that are enabled, with their campaign, and active now", async () => {
  const { call, project } = await testShop(db, { timezone: "Europe/Warsaw" }); // A Thursday, 13:00 in Warsaw.
  const always = await insertCampaign(db, project.id);
  const past = await insertCampaign(db, project.id, { settings: { expiration_date: "2025-12-31T00:00:00.000Z" } });
  const off = await insertCampaign(db, project.id);
  const add = async (name: string, campaign: string, body: object = {}) =>
    (await call(`POST /v1/promotions/${campaign}/tiers`, { name, action: TEN_PERCENT, ...body })).status;
  const hours = (start_time: string, expiration_time: string) => ({
    validity_hours: { daily: [{ start_time, expiration_time }] },
  });
  const cases: [string, string, object?][] = [
    ["plain", always],
    ["disabled", always, { active: false }],
    ["not yet", always, { start_date: "2026-01-01T12:00:00.001Z" }],
    ["begins now", always, { start_date: NOW }],
    ["over", always, { expiration_date: "2026-01-01T11:59:59.999Z" }],
    ["thursdays", always, { validity_day_of_week: [4] }],
    ["fridays", always, { validity_day_of_week: [5] }],
    ["lunch in Warsaw", always, hours("13:00", "14:00")],
    ["lunch in London", always, hours("12:00", "12:59")],
    ["of a campaign that is over", past],
    ["longer than its campaign", past, { expiration_date: "2026-06-01T00:00:00Z" }],
    ["of a disabled campaign", off],
  ];
  for (const given of cases) assert.equal(await add(...given), 200, given[0]);
  await changeCampaign(db, project.id, off, { active: false });
  const expected = ["plain", "begins now", "thursdays", "lunch in Warsaw", "longer than its campaign"];
  for (const yes of ["true", "TRUE"])
    assert.deepEqual(await listed(call, `?is_available=${yes}&order=created_at&limit=100`), expected);
  const page = (await call(`GET ${TIERS}?is_available=true&limit=2`)).body;
  assert.deepEqual([page.total, page.has_more, page.tiers.length], [5, true, 2]);
  assert.equal((await listed(call, "?limit=100")).length, cases.length);
  const others = cases.map(([name]) => name).filter((name) => !expected.includes(name));
  assert.deepEqual(await listed(call, "?is_available=false&order=created_at&limit=100"), others);
});

test("tiers: the campaign is shown as it is now, and takes its tiers along into the bin", async () => {
  const settings = { start_date: "2026-01-01T00:00:00.000Z", validity_day_of_week: [1] };
  const { project, call, campaignId, add } = await promotion({ settings });
  const { id, campaign, start_date } = await add({});
  const shown = { id: campaignId, active: true, ...NO_WINDOWS, ...settings, category_id: null, object: "campaign" };
  assert.deepEqual([campaign, start_date], [shown, null]);
  await changeCampaign(db, project.id, campaignId, { active: false });
  assert.equal((await call(`GET ${TIERS}/${id}`)).body.campaign.active, false);
  await changeCampaign(db, project.id, campaignId, { deleted_at: NOW });
  assert.equal(await count(call), 0);
  for (const [request, body] of [
    [`GET ${TIERS}/${id}`],
    [`PUT ${TIERS}/${id}`, {}],
    [`DELETE ${TIERS}/${id}`],
    [`POST ${TIERS}/${id}/enable`],
  ] as const) {
    const reply = await call(request, body);
    assert.deepEqual([reply.status, reply.body.resource_type], [404, "promotion_tier"], request);
  }
  assert.equal((await call(`GET /v1/promotions/${campaignId}/tiers`)).status, 404);
});

test("tiers: a category by its id or its name, which is made when there is none", async () => {
  const { call, add } = await promotion();
  const category = (await call("POST /v1/categories", { name: "Summer", hierarchy: 3 })).body;
  const byId = await add({ category_id: category.id });
  assert.deepEqual([byId.category_id, byId.categories], [category.id, [category]]);
  assert.deepEqual((await add({ category: "Summer" })).categories, [category]);
  const made = await add({ category: "Winter" });
  assert.deepEqual(made.categories[0].name, "Winter");
  const read = { ...made, status: "ACTIVE" };
  assert.deepEqual((await call(`GET ${TIERS}/${made.id}`)).body, read, "shown at once as it is read later");
  assert.equal((await call("GET /v1/categories")).body.total, 2);
  assert.deepEqual((await call(`PUT ${TIERS}/${made.id}`, { name: "x" })).body.categories[0].name, "Winter");
  assert.deepEqual((await call(`PUT ${TIERS}/${made.id}`, { category: "Spring" })).body.categories[0].name, "Spring");
  const none = (await call(`PUT ${TIERS}/${made.id}`, { category_id: null })).body;
  assert.deepEqual([none.category_id, none.categories], [null, []]);
  const unknown = await call(`PUT ${TIERS}/${made.id}`, { category_id: "cat_none" });
  assert.deepEqual([unknown.status, unknown.body.resource_type], [404, "category"]);
  await call(`DELETE /v1/categories/${category.id}`);
  const later = (await call(`GET ${TIERS}/${byId.id}`)).body;
  assert.deepEqual([later.category_id, later.categories], [null, []], "one that is gone is shown as none");
});

test("tiers: rules that are sent are assigned, each once; those of a deleted tier are gone", async () => {
  const { project, call, campaignId, add } = await promotion();
  const rules = [];
  for (const name of ["A", "B"]) rules.push((await call("POST /v1/validation-rules", { name })).body.id);
  const sent = {
    validation_rules: [rules[1], rules[0], rules[1]],
    validation_rule_assignments: { object: "list", data: [{ rule_id: rules[0], colour: "ignored" }] },
  };
  const tier = await add(sent);
  const { data, total } = tier.validation_rule_assignments;
  assert.deepEqual([data.map(({ rule_id }: any) => rule_id), total], [rules, 2]);
  assert.equal(data[0].related_object_id, tier.id);
  assert.deepEqual((await call(`GET ${TIERS}/${tier.id}`)).body, { ...tier, status: "ACTIVE" });
  const all = (await call("GET /v1/validation-rules-assignments?order=created_at")).body;
  assert.deepEqual(all.data, data);
  const events = await db`
    select payload from events
    where project_id = ${project.id} and kind = 'business_validation_rule.assignment.created' order by id`;
  assert.deepEqual(
    events.map(({ payload }) => payload.assignment),
    data,
  );
  await call(`DELETE /v1/validation-rules/${rules[0]}/assignments/${data[0].id}`);
  const after = (await call(`GET ${TIERS}/${tier.id}`)).body.validation_rule_assignments;
  assert.deepEqual(idsOf(after.data), [data[1].id]);

  const unknown = { name: "Tier", action: TEN_PERCENT, validation_rules: [rules[0], "val_none"] };
  const refused = await call(`POST /v1/promotions/${campaignId}/tiers`, unknown);
  assert.deepEqual([refused.status, refused.body.resource_type], [404, "validation_rules"]);
  assert.equal(await count(call), 1);
  await call(`DELETE ${TIERS}/${tier.id}`);
  assert.equal((await call("GET /v1/validation-rules-assignments")).body.total, 0);
});

test("tiers: a rule is assigned to a tier that exists, and to no other", async () => {
  const { project, call, campaignId, add } = await promotion();
  const other = await promotion();
  const { id } = await add({});
  const { id: foreign } = await other.add({});
  const rule = (await call("POST /v1/validation-rules", { name: "A" })).body.id;
  const assign = (tier: string) =>
    call(`POST /v1/validation-rules/${rule}/assignments`, {
      related_object_type: "promotion_tier",
      related_object_id: tier,
    });
  for (const unknown of ["promo_none", foreign]) {
    const reply = await assign(unknown);
    assert.deepEqual([reply.status, reply.body.resource_type], [404, "promotion_tier"]);
  }
  const made = await assign(id);
  assert.equal(made.status, 200, made.text);
  const shown = (await call(`GET ${TIERS}/${id}`)).body.validation_rule_assignments;
  assert.deepEqual(shown.data, [made.body]);
  assert.deepEqual((await call(`PUT ${TIERS}/${id}`, {})).body.validation_rule_assignments, shown);
  await changeCampaign(db, project.id, campaignId, { deleted_at: NOW });
  assert.equal((await assign(id)).status, 404);
});

test("tiers: a rule that is assigned while the tier is deleted leaves nothing behind", async () => {
  const { project, campaignId } = await promotion();
  const { call } = await testEngine(open({ max: 8 }), project);
  const rule = (await call("POST /v1/validation-rules", { name: "A" })).body.id;
  for (let round = 0; round < 10; round += 1) {
    const { id } = (await call(`POST /v1/promotions/${campaignId}/tiers`, { name: "T", action: TEN_PERCENT })).body;
    const body = { related_object_type: "promotion_tier", related_object_id: id };
    const [assigned, deleted] = await Promise.all([
      call(`POST /v1/validation-rules/${rule}/assignments`, body),
      call(`DELETE ${TIERS}/${id}`),
    ]);
    assert.equal(deleted.status, 204, deleted.text);
    assert.ok([200, 404].includes(assigned.status), assigned.text);
    const [left] = await db`
      select count(*) from validation_rule_assignments where project_id = ${project.id} and related_object_id = ${id}`;
    assert.equal(left!.count, 0);
  }
});

test("tiers: the summary is what the counters say", async () => {
  const { project, call, add } = await promotion();
  const [one, other] = [await add({}), await add({})];
  const row = { project_id: project.id, subject_kind: "promotion_tier", subject_id: one.id, redemptions: 3 };
  const amounts = { order_amount: 30_000, discount_amount: 900, gift_amount: 0 };
  for (const period of [
    { period_kind: "total", period_start: "1970-01-01" },
    { period_kind: "day", period_start: "2026-01-01" },
  ])
    await db`insert into counters ${db({ ...row, ...amounts, ...period })}`;
  const summary = { redemptions: { total_redeemed: 3 }, orders: { total_amount: 30_000, total_discount_amount: 900 } };
  assert.deepEqual((await call(`GET ${TIERS}/${one.id}`)).body.summary, summary);
  assert.deepEqual((await call(`PUT ${TIERS}/${one.id}`, {})).body.summary, summary);
  const { tiers } = (await call(`GET ${TIERS}?order=created_at`)).body;
  assert.deepEqual(
    tiers.map((tier: any) => tier.summary),
    [summary, NOTHING_YET],
  );
  assert.deepEqual((await call(`GET ${TIERS}/${other.id}`)).body.summary, NOTHING_YET);
});

test("tiers: metadata follows the schema of promotion tiers", async () => {
  const { project, call, campaignId, add } = await promotion();
  const { id } = await add({});
  const properties = {
    size: { type: "number", optional: false, array: false },
    note: { type: "string", optional: true, array: false },
  };
  const schema = { related_object: "promotion_tier", properties, allow_defined_only: true };
  const made = await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, schema);
  assert.equal(made.status, 200, made.text);
  const post = (metadata: object) =>
    call(`POST /v1/promotions/${campaignId}/tiers`, { name: "T", action: TEN_PERCENT, metadata });
  for (const metadata of [{}, { size: "L" }, { size: 1, colour: "red" }]) {
    const reply = await post(metadata);
    assert.deepEqual([reply.status, reply.body.key], [400, "metadata_validation_failed"], JSON.stringify(metadata));
  }
  assert.equal((await post({ size: 1 })).status, 200);
  assert.equal((await call(`PUT ${TIERS}/${id}`, { metadata: { note: 1 } })).body.key, "metadata_validation_failed");
  assert.equal((await call(`PUT ${TIERS}/${id}`, { metadata: { note: "x" } })).status, 200);
});

const TOO_LONG = "x".repeat(201);
const WRONG: [what: string, body: object][] = [
  ["no name", { name: undefined }],
  ["an empty name", { name: "" }],
  ["a long name", { name: TOO_LONG }],
  ["a name that is none", { name: 5 }],
  ["a null byte", { name: "a\u0000b" }],
  ["half a character", { name: "\ud800" }],
  ["a discount of no type", { action: { discount: {} } }],
  ["no discount in the action", { action: {} }],
  ["null as an action", { action: null }],
  ["a percentage of no size", { action: { discount: { type: "PERCENT" } } }],
  ["more than everything", { action: { discount: { type: "PERCENT", percent_off: 101 } } }],
  ["a formula that is none", { action: { discount: { type: "AMOUNT", amount_off_formula: "1 +" } } }],
  ["a negative hierarchy", { hierarchy: -1 }],
  ["half a hierarchy", { hierarchy: 1.5 }],
  ["a huge hierarchy", { hierarchy: 2 ** 31 }],
  ["a hierarchy as text", { hierarchy: "1" }],
  ["active as text", { active: "yes" }],
  ["a long banner", { banner: "x".repeat(2001) }],
  ["a date of year 10000", { start_date: "10000-01-01T00:00:00Z" }],
  ["a date that is none", { start_date: "soon" }],
  ["an end before the start", { start_date: "2026-01-02T00:00:00Z", expiration_date: "2026-01-01T00:00:00Z" }],
  ["a timeframe without a start", { validity_timeframe: { interval: "P1W", duration: "P1D" } }],
  [
    "a timeframe longer than its interval",
    { start_date: NOW, validity_timeframe: { interval: "P1D", duration: "P1W" } },
  ],
  ["an eighth day", { validity_day_of_week: [7] }],
  ["hours that are none", { validity_hours: { daily: [{ start_time: "25:00", expiration_time: "26:00" }] } }],
  ["metadata that is a list", { metadata: [] }],
  ["too many rules", { validation_rules: Array.from({ length: 101 }, (_, n) => `val_${n}`) }],
  ["rules that are not ids", { validation_rules: [1] }],
  ["a category that is none", { category_id: 5 }],
];

test("tiers: what does not fit is refused with nothing changed", async () => {
  const { call, campaignId, add } = await promotion();
  const tier = await add({});
  for (const [what, body] of WRONG) {
    const created = await call(`POST /v1/promotions/${campaignId}/tiers`, { name: "T", action: TEN_PERCENT, ...body });
    assert.equal(created.status, 400, `${what}: ${created.text}`);
    assert.equal(created.body.key, "invalid_payload", what);
    if (/^no name|rules|^active/.test(what)) continue;
    const updated = await call(`PUT ${TIERS}/${tier.id}`, body);
    assert.deepEqual([updated.status, updated.body.key], [400, "invalid_payload"], what);
  }
  const missing = await call(`POST /v1/promotions/${campaignId}/tiers`, { name: "T" });
  assert.equal(missing.body.details, "Payload must have required property 'action'");
  assert.deepEqual((await call(`GET ${TIERS}`)).body.tiers, [{ ...tier, status: "ACTIVE" }]);
});

test("tiers: an update is checked with what stays", async () => {
  const { call, add } = await promotion();
  const { id } = await add({
    start_date: "2026-01-02T00:00:00Z",
    validity_timeframe: { interval: "P1W", duration: "P1D" },
  });
  for (const body of [{ start_date: null }, { expiration_date: "2026-01-01T00:00:00Z" }]) {
    const reply = await call(`PUT ${TIERS}/${id}`, body);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], JSON.stringify(body));
  }
  assert.equal((await call(`PUT ${TIERS}/${id}`, { start_date: null, validity_timeframe: null })).status, 200);
});

test("tiers: those of another project are not there", async () => {
  const { add, campaignId } = await promotion({ name: "Mine" });
  const { id } = await add({});
  const { call } = await testShop(db);
  for (const [request, body] of [
    [`GET ${TIERS}/${id}`],
    [`PUT ${TIERS}/${id}`, { name: "x" }],
    [`DELETE ${TIERS}/${id}`],
    [`POST ${TIERS}/${id}/disable`],
    [`GET /v1/promotions/${campaignId}/tiers`],
    ["GET /v1/promotions/Mine/tiers"],
    [`POST /v1/promotions/${campaignId}/tiers`, { name: "x", action: TEN_PERCENT }],
  ] as const)
    assert.equal((await call(request, body)).status, 404, request);
  assert.equal(await count(call), 0);
});

const look = read("GET /v1/tiers-in-catalog", { id: "look", summary: "", ok: Type.Any() }, async (c) =>
  [...(await c.catalog()).promotion_tiers.values()].map(({ name, active }) => [name, active]),
);

test("tiers: every process decides on a change as soon as it was answered", async () => {
  const project = await testProject(db);
  const routes = [...ALL_ROUTES, look];
  const [one, two] = [
    await testEngine(open({ max: 2 }), project, { routes }),
    await testEngine(open({ max: 2 }), project, { routes }),
  ];
  const campaign = await insertCampaign(db, project.id);
  const seen = async () => {
    const bodies = await Promise.all([one, two].map(async ({ call }) => (await call(`GET ${look.path}`)).body));
    assert.deepEqual(bodies[0], bodies[1]);
    return bodies[0];
  };
  assert.deepEqual(await seen(), []);
  const body = { name: "A", action: TEN_PERCENT };
  const { id } = (await one.call(`POST /v1/promotions/${campaign}/tiers`, body)).body;
  assert.deepEqual(await seen(), [["A", true]]);
  await two.call(`PUT ${TIERS}/${id}`, { name: "B" });
  assert.deepEqual(await seen(), [["B", true]]);
  await one.call(`POST ${TIERS}/${id}/disable`);
  assert.deepEqual(await seen(), [["B", false]]);
  await two.call(`DELETE ${TIERS}/${id}`);
  assert.deepEqual(await seen(), []);
});
