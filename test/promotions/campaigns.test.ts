import assert from "node:assert/strict";
import { test } from "node:test";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import { settingsOf } from "../../src/core/vouchers/settings.ts";
import { findVouchers, insertVouchers } from "../../src/resources/promotions/vouchers/store.ts";
import { type Call, NOW, newId, type TestProject, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const CHARSET = "0123456789abcdefghijklmnopqrstuvwxyz";
const discount = { type: "PERCENT", percent_off: 10 };
const voucher = { type: "DISCOUNT_VOUCHER", discount };
/** Dates that are not set are left out, of the campaign and of its `voucher`. */
const NO_WINDOW = { validity_timeframe: null, validity_day_of_week: null, validity_hours: null };
const NO_DATES = { start_date: null, expiration_date: null };
const NO_RULES = { object: "list", data_ref: "data", data: [], total: 0 };

const start = async (given: Parameters<typeof testProject>[1] = {}) => {
  const { call, project } = await testShop(db, given);
  return { project, call };
};
const create = (call: Call, body: object) => ok(call, "POST /v1/campaigns", body);
const codesOf = ({ id }: TestProject, campaignId: string) => db<Record<string, any>[]>`
  select * from vouchers where project_id = ${id} and campaign_id = ${campaignId} order by created_at`;
const actionsOf = ({ id }: TestProject) => db<Record<string, any>[]>`
  select type, status, work, request_id from async_actions where project_id = ${id} order by id`;
const versionsOf = async ({ id }: TestProject, campaignId: string) =>
  (
    await db<{ version: number }[]>`
      select version from voucher_templates where project_id = ${id} and campaign_id = ${campaignId} order by 1`
  ).map(({ version }) => version);
const kindsOf = async ({ id }: TestProject, campaignId: string) =>
  (
    await db<{ kind: string }[]>`
      select kind from events where project_id = ${id} and campaign_id = ${campaignId} order by id`
  ).map(({ kind }) => kind);

test("campaigns: create with nothing but a name and a discount, read by id and by name, list", async () => {
  const { project, call } = await start();
  const created = await create(call, { name: "Summer/1", voucher, colour: "ignored", active: null, protected: true });
  const { id, created_at } = created;
  assert.match(id, /^camp_[0-9a-f]{24}$/);
  const expected = {
    id,
    name: "Summer/1",
    description: null,
    campaign_type: "DISCOUNT_COUPONS",
    type: "AUTO_UPDATE",
    voucher: {
      type: "DISCOUNT_VOUCHER",
      discount,
      redemption: { quantity: null },
      code_config: { length: 8, charset: CHARSET, pattern: "########" },
      is_referral_code: false,
      ...NO_WINDOW,
    },
    auto_join: false,
    join_once: false,
    use_voucher_metadata_schema: true,
    ...NO_WINDOW,
    activity_duration_after_publishing: null,
    vouchers_count: 0,
    active: true,
    protected: false,
    metadata: {},
    creation_status: "DONE",
    vouchers_generation_status: "DONE",
    category: null,
    category_id: null,
    categories: [],
    validation_rules_assignments: NO_RULES,
    created_at,
    updated_at: null,
    object: "campaign",
  };
  assert.deepEqual(created, expected);
  for (const reference of [id, "Summer%2F1"])
    assert.deepEqual((await call(`GET /v1/campaigns/${reference}`)).body, { ...expected, status: "ACTIVE" });
  const list = (await call("GET /v1/campaigns?expand=category")).body;
  const campaigns = [{ ...expected, status: "ACTIVE" }];
  assert.deepEqual(list, { object: "list", data_ref: "campaigns", campaigns, total: 1 });
  assert.deepEqual(await kindsOf(project, id), ["campaign.created"]);
  assert.deepEqual([...(await codesOf(project, id))], []);
  assert.deepEqual([...(await actionsOf(project))], []);
});

test("campaigns: everything that is sent comes back, and stands in the template", async () => {
  const { project, call } = await start({ timezone: "Europe/Warsaw" });
  const category = (await call("POST /v1/categories", { name: "Sale", hierarchy: 2 })).body;
  const sent = {
    name: "Full",
    description: "All of it",
    type: "STATIC",
    join_once: true,
    start_date: "2026-01-01T00:00:00.000Z",
    expiration_date: "2026-12-31T23:59:59.000Z",
    validity_timeframe: { interval: "P1W", duration: "P1D" },
    validity_day_of_week: [0, 6],
    validity_hours: { daily: [{ start_time: "09:00", expiration_time: "18:00", days_of_week: [0] }] },
    activity_duration_after_publishing: "P24D",
    metadata: { season: "summer" },
  };
  const gift = { amount: 10_000, effect: "APPLY_TO_ITEMS" };
  const template = { gift, redemption: { quantity: 3 }, code_config: { prefix: "G-", postfix: "-X", length: 5 } };
  const shown = await create(call, { ...sent, category_id: category.id, voucher: template });
  const { voucher: made, ...rest } = shown;
  const window = { ...NO_WINDOW, ...NO_DATES };
  for (const field of Object.keys(window) as (keyof typeof window)[]) window[field] = (sent as never)[field];
  assert.deepEqual(made, {
    type: "GIFT_VOUCHER",
    gift: { ...gift, balance: 10_000 },
    redemption: { quantity: 3 },
    code_config: { length: 5, charset: CHARSET, pattern: "G-#####-X", prefix: "G-", postfix: "-X" },
    is_referral_code: false,
    ...window,
  });
  for (const [field, value] of Object.entries(sent)) assert.deepEqual(rest[field], value, field);
  assert.deepEqual([rest.campaign_type, rest.category, rest.category_id], ["GIFT_VOUCHERS", "Sale", category.id]);
  assert.deepEqual(rest.categories, [category]);
  const zoned = await create(call, { name: "Zone", voucher, start_date: "2026-01-01T01:00:00+01:00" });
  assert.equal(zoned.start_date, "2026-01-01T00:00:00.000Z");
  const [row] = await db`select settings from voucher_templates where project_id = ${project.id} and version = 1
    and campaign_id = ${shown.id}`;
  assert.deepEqual(row!.settings.gift, gift);
  assert.equal(row!.settings.quantity, 3);
});

test("campaigns: a category is named, and made when there is none; a deleted one is shown as none", async () => {
  const { call } = await start();
  const made = await create(call, { name: "A", voucher, category: "New" });
  assert.deepEqual([made.category, made.categories[0].name], ["New", "New"]);
  const again = await create(call, { name: "B", voucher, category: "New" });
  assert.equal(again.category_id, made.category_id);
  assert.equal((await call("PUT /v1/campaigns/B", { category: "Newer" })).body.category, "Newer");
  assert.equal((await call("PUT /v1/campaigns/B", {})).body.category, "Newer");
  assert.equal((await call("PUT /v1/campaigns/B", { category: null })).body.category_id, null);
  await call(`DELETE /v1/categories/${made.category_id}`);
  const shown = (await call("GET /v1/campaigns/A")).body;
  assert.deepEqual([shown.category, shown.category_id, shown.categories], [null, null, []]);
  const unknown = await call("POST /v1/campaigns", { name: "C", voucher, category_id: "cat_none" });
  assert.deepEqual([unknown.status, unknown.body.resource_type], [404, "category"]);
});

test("campaigns: the type follows from the codes, and codes take patterns as they are", async (t) => {
  const { call } = await start();
  const loyalty_card = { points: 5, expiration_rules: { period_type: "MONTH", period_value: 12 } };
  const expiration = {
    qualification_type: "BALANCE",
    start_date: { type: "IMMEDIATE" },
    expiration_date: { type: "CUSTOM", extend: "P6M" },
  };
  const program = { conversion_event_type: "redemption" };
  const cases: [body: object, shown: object][] = [
    [{ voucher: { discount } }, { campaign_type: "DISCOUNT_COUPONS", type: "AUTO_UPDATE" }],
    [{ voucher: { gift: { amount: 5 } } }, { campaign_type: "GIFT_VOUCHERS" }],
    [
      { voucher: { loyalty_card }, join_once: false, auto_join: true, loyalty_tiers_expiration: expiration },
      { campaign_type: "LOYALTY_PROGRAM", join_once: true, auto_join: true, loyalty_tiers_expiration: expiration },
    ],
    [
      { campaign_type: "REFERRAL_PROGRAM", voucher, referral_program: program },
      { campaign_type: "REFERRAL_PROGRAM", referral_program: program },
    ],
    [{ campaign_type: "PROMOTION" }, { type: "STATIC", use_voucher_metadata_schema: false }],
    [
      { campaign_type: "PROMOTION", type: "AUTO_UPDATE", vouchers_count: 5 },
      { type: "STATIC", vouchers_count: 0 },
    ],
  ];
  for (const [n, [body, expected]] of cases.entries())
    await t.test(JSON.stringify(body).slice(0, 60), async () => {
      const shown = await create(call, { name: `${n}`, ...body });
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(shown[field], value, field);
      assert.equal("referral_program" in shown, shown.campaign_type === "REFERRAL_PROGRAM");
      assert.equal("loyalty_tiers_expiration" in shown, shown.campaign_type === "LOYALTY_PROGRAM");
      assert.equal("promotion" in shown, shown.campaign_type === "PROMOTION");
      assert.equal("voucher" in shown, shown.campaign_type !== "PROMOTION");
      assert.equal(shown.voucher?.is_referral_code ?? false, shown.campaign_type === "REFERRAL_PROGRAM");
    });
  const config = async (code_config: object, name: string) =>
    (await create(call, { name, voucher: { ...voucher, code_config } })).voucher.code_config;
  assert.deepEqual(await config({ pattern: "10OFF-#######", prefix: "ignored" }, "p"), {
    length: 7,
    charset: CHARSET,
    pattern: "10OFF-#######",
  });
  assert.deepEqual(await config({ charset: "AAB", length: 3, initial_count: 5 }, "q"), {
    length: 3,
    charset: "AB",
    pattern: "###",
  });
});

test("campaigns: one code is made in the request, many are left to a worker, none are none", async () => {
  const { project, call } = await start();
  const one = await create(call, { name: "One", voucher, vouchers_count: 1 });
  assert.deepEqual([one.vouchers_count, one.creation_status], [1, "DONE"]);
  const [code] = await codesOf(project, one.id);
  assert.match(code!.code, /^[0-9a-zA-Z]{8}$/);
  assert.deepEqual([code!.type, code!.settings, code!.template_version], ["DISCOUNT_VOUCHER", null, null]);
  assert.notEqual(code!.created_at, one.created_at, "moments are not shared");

  const code_config = { pattern: "M-####" };
  const many = await create(call, { name: "Many", voucher: { ...voucher, code_config }, vouchers_count: 2 });
  assert.deepEqual(
    [many.vouchers_count, many.creation_status, many.vouchers_generation_status],
    [0, "IN_PROGRESS", "IN_PROGRESS"],
  );
  assert.deepEqual([...(await codesOf(project, many.id))], []);
  const [action, ...others] = await actionsOf(project);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [action!.type, action!.status, action!.work],
    [
      "CAMPAIGN.VOUCHERS_GENERATE",
      "ENQUEUED",
      {
        campaign_id: many.id,
        count: 2,
        code_config: { length: 4, charset: CHARSET, pattern: "M-####" },
        overrides: {},
      },
    ],
  );
  for (const vouchers_count of [0, null]) {
    const none = await create(call, { name: `${vouchers_count}`, voucher, vouchers_count });
    assert.deepEqual([none.vouchers_count, none.vouchers_generation_status], [0, "DONE"]);
  }
});

test("campaigns: more codes than a pattern has are refused, where case does not count too", async () => {
  const { call } = await start();
  const sensitive = await start({ case_sensitive_codes: true });
  const body = (pattern: string, charset: string, vouchers_count: number) => ({
    name: `${pattern}${charset}${vouchers_count}`,
    voucher: { ...voucher, code_config: { pattern, charset } },
    vouchers_count,
  });
  const refused = await call("POST /v1/campaigns", body("A-##", "abAB", 5));
  assert.deepEqual([refused.status, refused.body.key], [400, "invalid_code_config"]);
  assert.equal(refused.body.details, "There are 4 different codes at most, and 5 are asked for");
  assert.equal((await sensitive.call("POST /v1/campaigns", body("A-##", "abAB", 5))).status, 200);
  assert.equal((await call("POST /v1/campaigns", body("A-##", "abAB", 4))).status, 200);
  assert.equal((await call("POST /v1/campaigns", body("FIXED", "ab", 2))).body.key, "invalid_code_config");
  assert.equal((await call("POST /v1/campaigns", body("FIXED", "ab", 1))).status, 200);
  const taken = await call("POST /v1/campaigns", { ...body("FIXED", "ab", 1), name: "Again" });
  assert.equal(taken.body.key, "invalid_code_config");
  assert.equal((await call("GET /v1/campaigns/Again")).status, 404, "nothing is left of it");
});

test("campaigns: a STANDALONE one has its one code at once, chosen or made, and stays what it is", async () => {
  const { project, call } = await start();
  const sent = { type: "STANDALONE", join_once: true };
  const chosen = await create(call, { ...sent, name: "S", voucher: { ...voucher, code: " SUMMER\t" } });
  assert.deepEqual([chosen.type, chosen.vouchers_count, chosen.join_once], ["STANDALONE", 1, false]);
  assert.equal((await codesOf(project, chosen.id))[0]!.code, "SUMMER");
  assert.deepEqual((await kindsOf(project, chosen.id)).sort(), ["campaign.created", "voucher.created"]);
  const made = await create(call, { ...sent, name: "T", voucher: { ...voucher, code_config: { pattern: "T-##" } } });
  assert.match((await codesOf(project, made.id))[0]!.code, /^T-..$/);

  const taken = await call("POST /v1/campaigns", { ...sent, name: "U", voucher: { ...voucher, code: "summer" } });
  assert.deepEqual([taken.status, taken.body.key, taken.body.resource_type], [409, "duplicate_found", "voucher"]);
  assert.equal((await call("GET /v1/campaigns/U")).status, 404);
  const long = await call("POST /v1/campaigns", {
    ...sent,
    name: "U",
    voucher: { ...voucher, code: "v_".padEnd(26, "0") },
  });
  assert.deepEqual([long.status, long.body.key], [400, "invalid_payload"]);

  await create(call, { name: "A", voucher });
  for (const [name, type] of [
    ["S", "STATIC"],
    ["S", "AUTO_UPDATE"],
    ["A", "STANDALONE"],
  ]) {
    const refused = await call(`PUT /v1/campaigns/${name}`, { type });
    assert.equal(refused.body.details, "Property .type cannot change to or from STANDALONE");
  }
  assert.equal((await call("PUT /v1/campaigns/S", { type: "STANDALONE", join_once: true })).body.join_once, false);
  assert.equal((await call("PUT /v1/campaigns/A", { type: "STATIC" })).body.type, "STATIC");
  assert.equal((await call("PUT /v1/campaigns/A", { type: "AUTO_UPDATE" })).body.type, "AUTO_UPDATE");
});

test("campaigns: a name is taken once, also by one in the bin, and whoever comes first has it", async () => {
  const { call } = await start();
  await create(call, { name: "Once", voucher });
  const taken = await call("POST /v1/campaigns", { name: "Once", campaign_type: "PROMOTION" });
  assert.deepEqual([taken.status, taken.body.key], [409, "duplicate_found"]);
  assert.equal(taken.body.details, "Duplicated campaign exists with name Once");
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => call("POST /v1/campaigns", { name: "Race", voucher, vouchers_count: 1 })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
  await call("DELETE /v1/campaigns/Once");
  assert.equal((await call("POST /v1/campaigns", { name: "Once", voucher })).status, 409);
  const stamps = (await call("GET /v1/campaigns")).body.campaigns.map((one: any) => one.created_at);
  assert.equal(new Set(stamps).size, stamps.length);
});

test("campaigns: rules that are named are assigned, an unknown one is not found and nothing is made", async () => {
  const { project, call } = await start();
  const rule = async (name: string) => (await call("POST /v1/validation-rules", { name })).body.id;
  const [first, second] = [await rule("first"), await rule("second")];
  const made = await create(call, { name: "A", voucher, validation_rules: [second, first, second] });
  const { data, total } = made.validation_rules_assignments;
  assert.equal(total, 2);
  assert.deepEqual(data.map((one: any) => one.rule_id).sort(), [first, second].sort());
  for (const one of data)
    assert.deepEqual(
      [one.related_object_id, one.related_object_type, one.object],
      [made.id, "campaign", "validation_rules_assignment"],
    );
  assert.deepEqual(
    (await call("GET /v1/campaigns/A")).body.validation_rules_assignments,
    made.validation_rules_assignments,
  );
  assert.deepEqual((await call("GET /v1/validation-rules-assignments")).body.total, 2);
  assert.deepEqual((await kindsOf(project, made.id)).sort(), [
    "business_validation_rule.assignment.created",
    "business_validation_rule.assignment.created",
    "campaign.created",
  ]);
  const unknown = await call("POST /v1/campaigns", { name: "B", voucher, validation_rules: [first, "val_none"] });
  assert.deepEqual([unknown.status, unknown.body.resource_type], [404, "validation_rules"]);
  assert.equal((await call("GET /v1/campaigns/B")).status, 404);

  for (const reference of [made.id, "A"]) {
    const third = await rule(`for ${reference}`);
    const assigned = await call(`POST /v1/validation-rules/${third}/assignments`, { campaign: reference });
    assert.deepEqual([assigned.status, assigned.body.related_object_id], [200, made.id]);
  }
  const none = await call(`POST /v1/validation-rules/${first}/assignments`, { campaign: "B" });
  assert.deepEqual([none.status, none.body.resource_type], [404, "campaign"]);
});

test("campaigns: a promotion is made with its tiers, and shows them in their order", async () => {
  const { project, call } = await start();
  const rule = (await call("POST /v1/validation-rules", { name: "rule" })).body.id;
  const tiers = [
    { name: "Second", action: { discount }, hierarchy: 5, category: "Tiers" },
    {
      name: "First",
      action: { discount: { type: "AMOUNT", amount_off: 100 } },
      hierarchy: 2,
      validation_rules: [rule],
    },
    { name: "Last", action: { discount }, metadata: { a: 1 } },
  ];
  const made = await create(call, { name: "P", campaign_type: "PROMOTION", promotion: { tiers }, metadata: { b: 1 } });
  const { promotion } = made;
  assert.deepEqual(
    promotion.tiers.map((one: any) => [one.name, one.hierarchy]),
    [
      ["First", 2],
      ["Second", 5],
      ["Last", 6],
    ],
  );
  assert.deepEqual(
    [promotion.object, promotion.data_ref, promotion.total, promotion.has_more],
    ["list", "tiers", 3, false],
  );
  assert.equal(promotion.tiers[0].validation_rule_assignments.data[0].rule_id, rule);
  assert.equal(promotion.tiers[1].categories[0].name, "Tiers");
  assert.equal(promotion.tiers[0].campaign.id, made.id);
  assert.deepEqual(made.metadata, { b: 1 });
  assert.deepEqual((await call("GET /v1/campaigns/P")).body, { ...made, status: "ACTIVE" });
  assert.deepEqual((await call("GET /v1/campaigns")).body.campaigns, [{ ...made, status: "ACTIVE" }]);
  const kinds = await kindsOf(project, made.id);
  assert.equal(kinds.filter((kind) => kind === "campaign.promotion_tier.created").length, 3);
  const bad = [{ name: "X", action: { discount: { type: "PERCENT" } } }];
  const refused = await call("POST /v1/campaigns", {
    name: "Q",
    campaign_type: "PROMOTION",
    promotion: { tiers: bad },
  });
  assert.equal(refused.status, 400, refused.text);
  assert.equal((await call("GET /v1/campaigns/Q")).status, 404);
});

test("campaigns: metadata follows the schema of vouchers or, when asked to, that of campaigns", async () => {
  const { project, call } = await start();
  const define = (related_object: string, key: string) =>
    call(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
      related_object,
      allow_defined_only: true,
      properties: { [key]: { type: "number", optional: true, array: false } },
    });
  assert.equal((await define("voucher", "ofVoucher")).status, 200);
  assert.equal((await define("campaign", "ofCampaign")).status, 200);
  const post = (body: object) => call("POST /v1/campaigns", body);
  const [v, c] = [{ ofVoucher: 1 }, { ofCampaign: 1 }];
  assert.equal((await post({ name: "A", voucher, metadata: c })).body.key, "metadata_validation_failed");
  assert.equal((await post({ name: "A", voucher, metadata: v })).status, 200);
  const own = { use_voucher_metadata_schema: false };
  assert.equal((await post({ name: "B", voucher, ...own, metadata: v })).body.key, "metadata_validation_failed");
  assert.equal((await post({ name: "B", voucher, ...own, metadata: c })).status, 200);
  assert.equal((await post({ name: "C", campaign_type: "PROMOTION", metadata: c })).status, 200);
  assert.equal((await call("PUT /v1/campaigns/A", { metadata: c })).body.key, "metadata_validation_failed");
  assert.equal((await call("PUT /v1/campaigns/B", { metadata: { ofCampaign: 2 } })).status, 200);
});

test("campaigns: an update changes what it names; the template has a new version when what codes take changed", async () => {
  const { project, call } = await start();
  const { id } = await create(call, { name: "A", voucher, metadata: { a: 1, b: 2 }, start_date: NOW });
  const put = (body: object) => ok(call, "PUT /v1/campaigns/A", body);
  const named = await put({ name: "ignored", description: "New", auto_join: true, join_once: true, active: false });
  assert.deepEqual([named.name, named.description, named.active], ["A", "New", true]);
  assert.deepEqual([named.auto_join, named.join_once, named.updated_at], [true, true, NOW]);
  assert.deepEqual(await versionsOf(project, id), [1]);
  // The same again, in another writing, is no change.
  await put({ discount, start_date: "2026-01-01T13:00:00+01:00", metadata: { b: 2 }, redemption: { quantity: null } });
  assert.deepEqual(await versionsOf(project, id), [1]);

  const merged = await put({ metadata: { b: 3, c: null }, unset_metadata_fields: ["a", "none"] });
  assert.deepEqual(merged.metadata, { b: 3, c: null });
  const amount = { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ORDER" };
  assert.deepEqual((await put({ discount: amount, gift: { amount: 5 } })).voucher.discount, amount);
  assert.equal((await put({ redemption: { quantity: 7 } })).voucher.redemption.quantity, 7);
  const dated = await put({ expiration_date: "2027-01-01T00:00:00Z" });
  assert.deepEqual([dated.start_date, dated.expiration_date], [NOW, "2027-01-01T00:00:00.000Z"]);
  const cleared = await put({ start_date: null, expiration_date: null, description: null });
  assert.deepEqual([cleared.start_date, cleared.expiration_date, cleared.description], [undefined, undefined, null]);
  assert.deepEqual(await versionsOf(project, id), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual((await call(`GET /v1/campaigns/${id}`)).body, { ...cleared, status: "ACTIVE" });
  assert.equal("gift" in cleared.voucher, false);
  const kinds = await kindsOf(project, id);
  assert.deepEqual(kinds, ["campaign.created", ...Array(7).fill("campaign.updated")]);

  const before = (await call("GET /v1/campaigns/A")).body;
  for (const body of [
    { expiration_date: "2020-01-01T00:00:00Z", start_date: "2021-01-01T00:00:00Z" },
    { validity_timeframe: { interval: "P1D", duration: "P2D" }, start_date: NOW },
    { discount: { type: "PERCENT" } },
    { activity_duration_after_publishing: "one day" },
    { metadata: [] },
    { unset_metadata_fields: "a" },
  ])
    assert.equal((await call("PUT /v1/campaigns/A", body)).status, 400, JSON.stringify(body));
  assert.deepEqual((await call("GET /v1/campaigns/A")).body, before);
});

test("campaigns: a code that kept a version keeps its discount, the others follow the newest", async () => {
  const { project, call } = await start();
  const { id } = await create(call, { name: "A", voucher, vouchers_count: 0 });
  const folding = { id: project.id, case_sensitive_codes: false };
  const common = { campaign_id: id, type: "DISCOUNT_VOUCHER" as const, settings: null };
  await db.begin((tx) =>
    insertVouchers(
      tx,
      folding,
      [
        { ...common, id: newId("v"), code: "pinned", template_version: 1 },
        { ...common, id: newId("v"), code: "free" },
      ],
      "2026-01-02T00:00:00Z",
    ),
  );
  const newer = { type: "PERCENT", percent_off: 50 };
  await call("PUT /v1/campaigns/A", { discount: newer });
  const [row] = await db`select catalog_revision from tenants where project_id = ${project.id}`;
  const catalog = await createCatalogs(db, { bytesMax: 1 }).catalogOf({
    id: project.id,
    catalog_revision: row!.catalog_revision,
  });
  const rows = await findVouchers(db, folding, ["pinned", "free"]);
  const percents = rows.map((row) => [row.code, settingsOf(row, catalog.campaigns.get(id)!).discount]);
  assert.deepEqual(Object.fromEntries(percents), { pinned: discount, free: newer });
});

test("campaigns: updates at once lose nothing of each other", async () => {
  const { project, call } = await start();
  const { id } = await create(call, { name: "A", voucher });
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, n) => call("PUT /v1/campaigns/A", { metadata: { [`n${n}`]: n } })),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(Object.keys((await call("GET /v1/campaigns/A")).body.metadata).length, 10);
  assert.equal((await versionsOf(project, id)).length, 11);
});

test("campaigns: a protected one is neither changed nor deleted", async () => {
  const { project, call } = await start();
  const { id } = await create(call, { name: "A", voucher });
  await db`update campaigns set protected = true where project_id = ${project.id} and id = ${id}`;
  for (const request of ["PUT", "DELETE"]) {
    const refused = await call(`${request} /v1/campaigns/A`, request === "PUT" ? { description: "x" } : undefined);
    assert.deepEqual([refused.status, refused.body.key, refused.body.resource_id], [400, "resource_protected", id]);
  }
  assert.equal((await call("GET /v1/campaigns/A")).body.protected, true);
});

test("campaigns: made switched off, nothing of one ever applies, and enabling it is told", async () => {
  const { project, call } = await start();
  const redeemables = [{ object: "voucher", id: "LATER" }];
  const isValid = async () =>
    (await ok(call, "POST /v1/validations", { redeemables, order: { amount: 1000 } })).valid as boolean;
  const { id, active } = await create(call, {
    ...{ name: "later", type: "STANDALONE", active: false },
    voucher: { ...voucher, code: "LATER" },
  });
  assert.equal(active, false);
  assert.equal(await isValid(), false);
  await ok(call, `POST /v1/campaigns/${id}/enable`);
  assert.equal(await isValid(), true);
  assert.deepEqual(await kindsOf(project, id), ["voucher.created", "campaign.created", "campaign.enabled"]);
  const card = { type: "LOYALTY_CARD", loyalty_card: { points: 0 } };
  const points = await ok(call, "POST /v1/loyalties", { name: "points", active: false, voucher: card });
  assert.equal(points.active, false);
});

test("campaigns: disabled and enabled again, and told once", async () => {
  const { project, call } = await start();
  const { id } = await create(call, { name: "A", voucher });
  for (const [word, active] of [
    ["disable", false],
    ["disable", false],
    ["enable", true],
  ] as const) {
    const reply = await call(`POST /v1/campaigns/A/${word}`);
    assert.deepEqual([reply.status, reply.body], [200, {}]);
    assert.equal((await call("GET /v1/campaigns/A")).body.active, active);
  }
  assert.deepEqual(await kindsOf(project, id), ["campaign.created", "campaign.disabled", "campaign.enabled"]);
});

test("campaigns: deleted, it leaves every read at once and its name stays taken until it is purged", async () => {
  const { project, call } = await start();
  const { id } = await create(call, { name: "A", voucher, vouchers_count: 1 });
  const deleted = await call("DELETE /v1/campaigns/A");
  assert.equal(deleted.status, 202);
  assert.match(deleted.body.async_action_id, /^aa_[0-9a-f]{24}$/);
  for (const request of ["GET", "PUT", "DELETE"])
    for (const reference of [id, "A"])
      assert.equal(
        (await call(`${request} /v1/campaigns/${reference}`, request === "PUT" ? {} : undefined)).status,
        404,
      );
  for (const path of ["enable", "disable"])
    assert.equal((await call(`POST /v1/campaigns/${id}/${path}`)).status, 404, path);
  assert.equal((await call(`GET /v1/campaigns/${id}/summary`)).status, 404);
  assert.equal((await call("GET /v1/campaigns")).body.total, 0);
  const [entry] = (await call("GET /v1/trash-bin")).body.data;
  assert.deepEqual(
    [entry.resource_id, entry.resource_type, entry.resource_name, entry.resource_parent_id, entry.object],
    [id, "campaign", "A", null, "campaign"],
  );
  const works = async () => (await actionsOf(project)).map(({ type, work }) => [type, work]);
  const first = ["CAMPAIGN.VOUCHERS_DELETE", { campaign_id: id, force: false }];
  assert.deepEqual(await works(), [first]);
  assert.equal((await call("POST /v1/campaigns", { name: "A", voucher })).status, 409);

  assert.equal((await call(`DELETE /v1/trash-bin/${entry.id}`)).status, 204);
  assert.deepEqual(await works(), [first, ["CAMPAIGN.VOUCHERS_DELETE", { campaign_id: id, force: true }]]);
  assert.deepEqual((await call("GET /v1/trash-bin")).body.data, []);
  assert.equal((await call("POST /v1/campaigns", { name: "A", voucher })).status, 200);
  assert.deepEqual((await kindsOf(project, id)).sort(), ["campaign.created", "campaign.deleted", "voucher.created"]);
});

test("campaigns: deleted with force, it is not in the bin and its name is free at once", async () => {
  const { project, call } = await start();
  const { id } = await create(call, { name: "A", voucher });
  const { body } = await call("DELETE /v1/campaigns/A?force=true");
  const [action] = await actionsOf(project);
  assert.deepEqual(action!.work, { campaign_id: id, force: true });
  assert.match(body.async_action_id, /^aa_/);
  assert.deepEqual((await call("GET /v1/trash-bin")).body.data, []);
  const again = await create(call, { name: "A", voucher });
  assert.notEqual(again.id, id);
  assert.equal((await call(`GET /v1/campaigns/${id}`)).status, 404);
  const squatter = await call("POST /v1/campaigns", { name: again.id, voucher });
  assert.equal(squatter.body.details, "Property .name must not look like the id of a campaign");
});

test("campaigns: pages, order and plain parameters", async () => {
  let minute = 0;
  const project = await testProject(db);
  const now = () => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;
  const { call } = await testEngine(db, project, { now });
  const bodies = [
    { voucher },
    { voucher: { gift: { amount: 1 } } },
    { voucher: { loyalty_card: { points: 1 } } },
    { campaign_type: "PROMOTION" },
    { campaign_type: "REFERRAL_PROGRAM", voucher },
    { voucher, vouchers_count: 2 },
    ...Array(6).fill({ voucher }),
  ];
  for (const body of bodies) {
    await create(call, { name: `${minute}`, ...body });
    minute += 1;
  }
  const names = async (query: string) => {
    const reply = await call(`GET /v1/campaigns?${query}`);
    assert.equal(reply.status, 200, reply.text);
    return `${reply.body.campaigns.map((one: any) => one.name).join(" ")} of ${reply.body.total}`;
  };
  assert.equal(await names(""), "11 10 9 8 7 6 5 4 3 2 of 12");
  assert.equal(await names("page=2"), "1 0 of 12");
  assert.equal(await names("page=3"), " of 12");
  assert.equal(await names("order=created_at&limit=3"), "0 1 2 of 12");
  assert.equal(await names("campaign_type=GIFT_VOUCHERS"), "1 of 1");
  assert.equal(await names("campaign_type=PROMOTION"), "3 of 1");
  assert.equal(await names("campaign_status=IN_PROGRESS"), "5 of 1");
  assert.equal(await names("is_referral_code=TRUE"), "4 of 1");
  assert.equal(await names("is_referral_code=false&limit=1"), "11 of 11");
  await call("PUT /v1/campaigns/7", {});
  assert.equal(await names("order=updated_at&limit=1"), "7 of 12");
  for (const query of ["limit=101", "limit=0", "page=100", "order=colour", "campaign_type=X", "campaign_status=x"])
    assert.equal((await call(`GET /v1/campaigns?${query}`)).body.key, "invalid_query_params", query);
});

test("campaigns: filters over every field", async (t) => {
  const { project, call } = await start();
  const past = { start_date: "2025-01-01T00:00:00Z", expiration_date: "2025-06-01T00:00:00Z" };
  const future = { start_date: "2026-06-01T00:00:00Z" };
  const made: Record<string, any> = {};
  for (const [name, body] of Object.entries({
    a: { voucher, ...past, category: "Red", metadata: { size: 3, brand: "Lark" } },
    b: { voucher: { gift: { amount: 1 } }, ...future, type: "STATIC", validity_day_of_week: [1, 2] },
    c: { campaign_type: "PROMOTION", category: "Blue", metadata: { size: 30 } },
    d: { voucher: { ...voucher, code: "D" }, type: "STANDALONE", validity_day_of_week: [6] },
    e: {
      campaign_type: "REFERRAL_PROGRAM",
      voucher,
      start_date: "2025-01-01T00:00:00Z",
      validity_timeframe: { interval: "P1W", duration: "P1D" },
      vouchers_count: 2,
    },
  }))
    made[name] = await create(call, { name, ...body });
  await call("POST /v1/campaigns/c/disable");
  await db`update campaign_codes set creation_status = 'FAILED' where project_id = ${project.id}
    and campaign_id = ${made.d.id}`;
  const cases: [query: string, names: string][] = [
    ["filters[campaigns][conditions][$in][0]=a&filters[campaigns][conditions][$in][1]=b", "ab"],
    ["filters[campaigns][conditions][$starts_with]=C", "c"],
    [`filters[campaigns_id][conditions][$is]=${made.d.id}`, "d"],
    ["filters[campaign_status][conditions][$is]=IN_PROGRESS", "e"],
    ["filters[campaign_status][conditions][$not_in][0]=DONE", "de"],
    ["filters[status][conditions][$active]=", "abc"],
    ["filters[status][conditions][$failed]=true", "d"],
    ["filters[status][conditions][$in_progress]=", "e"],
    ["filters[status][conditions][$expired]=", "a"],
    ["filters[status][conditions][$before_start]=", "b"],
    ["filters[status][conditions][before_start]=", "b"],
    ["filters[active][$enabled]=", "abde"],
    ["filters[active][conditions][$disabled]=", "c"],
    ["filters[active][conditions][$expired]=", "a"],
    ["filters[active][conditions][$active]=", "de"],
    ["filters[is_referral_code][conditions][$is]=TRUE", "e"],
    ["filters[is_referral_code][conditions][$is_not]=TRUE", "abcd"],
    ["filters[validity_timeframe][conditions][$has_value]=", "e"],
    ["filters[validity_timeframe][conditions][$is_unknown]=", "abcd"],
    ["filters[validity_day_of_week][conditions][$is][0]=2&filters[validity_day_of_week][conditions][$is][1]=6", "bd"],
    ["filters[validity_day_of_week][conditions][$is_unknown]=", "ace"],
    ["filters[voucher_type][conditions][$is]=GIFT_VOUCHER", "b"],
    ["filters[voucher_type][conditions][$is_unknown]=", "c"],
    ["filters[categories][conditions][$is]=Red", "a"],
    ["filters[categories][conditions][$is_unknown]=", "bde"],
    [`filters[category_ids][conditions][$in][0]=${made.c.category_id}`, "c"],
    ["filters[type][conditions][$in][0]=BULK", "abce"],
    ["filters[type][conditions][$not_in][0]=BULK", "d"],
    ["filters[type][conditions][$in][0]=STATIC&filters[type][conditions][$in][1]=STANDALONE", "bcd"],
    ["filters[created_date][conditions][$after]=2025-12-31", "abcde"],
    ["filters[updated_at][conditions][$has_value]=", "c"],
    ["filters[start_date][conditions][$before]=2026-01-01", "ae"],
    ["filters[start_date][conditions][$is_unknown]=", "cd"],
    ["filters[expiration_date][conditions][$more_than]=30", "a"],
    ["filters[metadata.brand][conditions][$is]=Lark", "a"],
    ["filters[metadata.size][conditions][$more_than]=5", "c"],
    ["filters[junction]=or&filters[status][conditions][$failed]=&filters[active][conditions][$disabled]=", "cd"],
    ["[filters][active][conditions][$enabled]=&[filters][categories][conditions][$has_value]=", "a"],
  ];
  for (const [query, names] of cases)
    await t.test(query, async () => {
      const { body, text } = await call(`GET /v1/campaigns?order=created_at&${encodeURI(query)}`);
      assert.equal(body.campaigns?.map((one: any) => one.name).join(""), names, text);
      assert.equal(body.total, names.length);
    });
  for (const query of [
    "filters[colour][conditions][$is]=x",
    "filters[status][conditions][$enabled]=",
    "filters[status][conditions][$is]=DONE",
    "filters[active]=true",
    "filters[campaigns][$is]=a",
    "filters[start_date][conditions][$after]=yesterday",
    "filters[validity_day_of_week][conditions][$contains]=1",
  ])
    assert.equal((await call(`GET /v1/campaigns?${encodeURI(query)}`)).body.key, "invalid_query_params", query);
});

test("campaigns: dates are those of the newest template", async () => {
  const { call } = await start();
  await create(call, { name: "A", voucher, start_date: "2025-01-01T00:00:00Z" });
  await call("PUT /v1/campaigns/A", { start_date: "2027-01-01T00:00:00Z", metadata: { x: 1 } });
  const total = async (query: string) => (await call(`GET /v1/campaigns?${query}`)).body.total;
  assert.equal(await total("filters[start_date][conditions][$before]=2026-01-01"), 0);
  assert.equal(await total("filters[start_date][conditions][$after]=2026-01-01"), 1);
  assert.equal(await total("filters[metadata.x][conditions][$is]=1"), 1);
});

test("campaigns: a summary has the numbers of its type, and counts what there is", async () => {
  const { project, call } = await start({ timezone: "Europe/Warsaw" });
  const { id } = await create(call, { name: "G", voucher: { gift: { amount: 500 } }, vouchers_count: 1 });
  const [code] = await codesOf(project, id);
  const zero = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, 0]));
  const read = (query = "", name = "G") => ok(call, `GET /v1/campaigns/${name}/summary?${query}`);
  const common = zero(
    "redemptions redemptions_succeeded redemptions_failed rollbacks rollbacks_succeeded rollbacks_failed " +
      "validations validations_succeeded validations_failed orders_amount orders_rolledback_amount",
  );
  const codes = zero("vouchers_created vouchers_deleted publications publications_succeeded publications_failed");
  const gifts = zero(
    "created_vouchers_amount amount_added amount_deleted amount_redeemed amount_rolledback amount_subtracted",
  );
  const { promotion, validation_rules_assignments, status, ...campaign } = (await call("GET /v1/campaigns/G")).body;
  const expected = { object: "campaign_summary", campaign, ...common, ...codes, ...gifts };
  const now = { vouchers_created: 1, created_vouchers_amount: 500 };
  assert.deepEqual(await read(), { ...expected, ...now });
  assert.deepEqual(await read("start_date=2026-01-02"), expected);
  assert.deepEqual(await read("start_date=0001-01-01&end_date=9999-12-31"), { ...expected, ...now });
  const counter = { project_id: project.id, subject_kind: "campaign", subject_id: id, redemptions: 2, gift_amount: 30 };
  await db`insert into counters ${db([
    { ...counter, period_kind: "total", period_start: "1970-01-01", order_amount: 900 },
    { ...counter, period_kind: "day", period_start: "2026-01-01", order_amount: 400 },
  ] as never)}`;
  const counted = { redemptions: 2, redemptions_succeeded: 2, amount_redeemed: 30 };
  assert.deepEqual(await read(), { ...expected, ...now, ...counted, orders_amount: 900 });
  assert.deepEqual(await read("end_date=2026-01-01"), { ...expected, ...now, ...counted, orders_amount: 400 });
  // In Warsaw this is the second of January.
  await db`update vouchers set created_at = '2026-01-01T23:30:00Z' where project_id = ${project.id} and id = ${code!.id}`;
  assert.equal((await read("end_date=2026-01-01")).vouchers_created, 0);
  assert.equal((await read("start_date=2026-01-02&end_date=2026-01-02")).vouchers_created, 1);

  await create(call, { name: "P", campaign_type: "PROMOTION" });
  const { campaign: _, ...promotions } = await read("", "P");
  assert.deepEqual(promotions, {
    object: "campaign_summary",
    ...common,
    ...zero("discounted_amount rolledback_discounted_amount"),
  });
  await create(call, { name: "R", campaign_type: "REFERRAL_PROGRAM", voucher });
  assert.equal((await read("", "R")).referred_customers, 0);
  await create(call, { name: "L", voucher: { loyalty_card: { points: 7 } }, vouchers_count: 1 });
  assert.equal((await read("", "L")).created_vouchers_points, 7);
  for (const query of ["start_date=2026-01-01T00:00:00Z", "end_date=0000-01-01", "start_date=x"])
    assert.equal((await call(`GET /v1/campaigns/G/summary?${query}`)).body.key, "invalid_query_params", query);
});

const BAD: [body: unknown, key?: string][] = [
  [{}],
  [{ name: "A" }],
  [{ name: "", voucher }],
  [{ name: "x".repeat(201), voucher }],
  [{ name: 5, voucher }],
  [{ name: "a\u0000b", voucher }],
  ['{"name":"\\ud800","voucher":{"discount":{"type":"PERCENT","percent_off":10}}}'],
  [{ name: "A", voucher: { type: "DISCOUNT_VOUCHER" } }],
  [{ name: "A", voucher: { discount: { type: "PERCENT", percent_off: 101 } } }],
  [{ name: "A", voucher: { discount: { type: "AMOUNT", amount_off: 1e300 } } }],
  [{ name: "A", voucher: { gift: {} } }],
  [{ name: "A", voucher: { gift: { amount: -1 } } }],
  [{ name: "A", voucher: { gift: { amount: 1.5 } } }],
  [{ name: "A", voucher: { loyalty_card: { points: 2 ** 53 } } }],
  [{ name: "A", voucher: { loyalty_card: { points: 1, expiration_rules: { period_type: "DAY" } } } }],
  [{ name: "A", voucher: "DISCOUNT" }],
  [{ name: "A", voucher: { ...voucher, redemption: { quantity: -1 } } }],
  [{ name: "A", voucher: { ...voucher, redemption: { quantity: 1e19 } } }],
  [{ name: "A", voucher: { ...voucher, code_config: { length: 0 } } }],
  [{ name: "A", voucher: { ...voucher, code_config: { length: 201 } } }],
  [{ name: "A", voucher: { ...voucher, code_config: { prefix: "x".repeat(200) } } }, "invalid_code_config"],
  [{ name: "A", voucher: { ...voucher, code_config: { pattern: "a\nb" } } }, "invalid_code_config"],
  [{ name: "A", voucher: { ...voucher, code_config: { prefix: "a\u2066" } } }, "invalid_code_config"],
  [{ name: "A", voucher: { ...voucher, code_config: { postfix: "\u200b" } } }, "invalid_code_config"],
  [{ name: "A", voucher: { ...voucher, code_config: { charset: "ab\u200d" } } }, "invalid_code_config"],
  [{ name: "A", type: "STANDALONE", voucher: { ...voucher, code: "a\u202eb" } }],
  [{ name: "A", voucher, campaign_type: "SALE" }],
  [{ name: "A", voucher, type: "BULK" }],
  [{ name: "A", voucher, vouchers_count: -1 }],
  [{ name: "A", voucher, vouchers_count: 1.5 }],
  [{ name: "A", voucher, vouchers_count: 1e15 }],
  [{ name: "A", voucher, start_date: "soon" }],
  [{ name: "A", voucher, expiration_date: "10000-01-01T00:00:00Z" }],
  [{ name: "A", voucher, start_date: "2026-01-02T00:00:00Z", expiration_date: "2026-01-01T00:00:00Z" }],
  [{ name: "A", voucher, validity_timeframe: { interval: "P1D", duration: "PT1H" } }],
  [{ name: "A", voucher, validity_day_of_week: [7] }],
  [{ name: "A", voucher, validity_hours: { daily: [{ start_time: "9", expiration_time: "10:00" }] } }],
  [{ name: "A", voucher, activity_duration_after_publishing: "24 days" }],
  [{ name: "A", voucher, activity_duration_after_publishing: "-P1D" }],
  [{ name: "A", voucher, metadata: "x" }],
  [{ name: "A", voucher, metadata: { x: "\u0000" } }],
  [{ name: "A", voucher, validation_rules: "val_1" }],
  [{ name: "A", voucher, join_once: "yes" }],
  [{ name: "A", voucher, campaign_type: "REFERRAL_PROGRAM", referral_program: { conversion_event_type: "order" } }],
  [{ name: "A", voucher: { loyalty_card: { points: 1 } }, loyalty_tiers_expiration: { qualification_type: "X" } }],
  [{ name: "A", campaign_type: "PROMOTION", promotion: { tiers: [{ name: "x" }] } }],
  [{ name: "A", campaign_type: "PROMOTION", promotion: [] }],
  [[]],
];

test("campaigns: what does not fit is refused, and nothing is made", async (t) => {
  const { project, call } = await start();
  for (const [body, key = "invalid_payload"] of BAD)
    await t.test(JSON.stringify(body).slice(0, 100), async () => {
      const refused = await call("POST /v1/campaigns", body);
      assert.deepEqual([refused.status, refused.body?.key], [400, key], refused.text);
      assert.ok(refused.body.details);
    });
  const [row] = await db`
    select (select count(*) from campaigns where project_id = ${project.id}) as campaigns,
      (select count(*) from voucher_templates where project_id = ${project.id}) as templates,
      (select count(*) from async_actions where project_id = ${project.id}) as actions,
      (select count(*) from vouchers where project_id = ${project.id}) as vouchers`;
  assert.deepEqual({ ...row }, { campaigns: 0, templates: 0, actions: 0, vouchers: 0 });
});

test("campaigns: null says none, in every field that may be left out", async () => {
  const { call } = await start();
  const none = {
    ...{
      ...NO_WINDOW,
      ...NO_DATES,
      description: null,
      category: null,
      category_id: null,
      vouchers_count: null,
      promotion: null,
    },
    ...{ activity_duration_after_publishing: null, validation_rules: null, referral_program: null },
    loyalty_tiers_expiration: null,
  };
  const parts = { gift: null, loyalty_card: null, redemption: null, code_config: null, code: null };
  const made = await create(call, { name: "A", ...none, voucher: { ...voucher, ...parts } });
  const { promotion, vouchers_count, validation_rules, ...rest } = none;
  const updated = await call("PUT /v1/campaigns/A", { ...rest, unset_metadata_fields: null });
  assert.deepEqual(updated.body, { ...made, updated_at: NOW });
});

test("campaigns: those of another project are not found, and their names are free", async () => {
  const [a, b] = [await start(), await start()];
  const { id } = await create(a.call, { name: "A", voucher });
  for (const reference of [id, "A"])
    for (const request of ["GET", "PUT", "DELETE", "POST enable", "POST disable", "GET summary"]) {
      const [method, path] = request.split(" ");
      const url = `${method} /v1/campaigns/${reference}${path ? `/${path}` : ""}`;
      const reply = await b.call(url, method === "PUT" ? {} : undefined);
      assert.deepEqual([reply.status, reply.body.resource_type, reply.body.resource_id], [404, "campaign", reference]);
    }
  assert.equal((await b.call("GET /v1/campaigns")).body.total, 0);
  assert.notEqual((await create(b.call, { name: "A", voucher })).id, id);
});

test("campaigns: the same request with the same key makes one campaign", async () => {
  const { project, call } = await start();
  const headers = { "idempotency-key": "once" };
  const [first, second] = [
    await call("POST /v1/campaigns", { name: "A", voucher, vouchers_count: 5 }, headers),
    await call("POST /v1/campaigns", { name: "A", voucher, vouchers_count: 5 }, headers),
  ];
  assert.equal(first.text, second.text);
  assert.equal((await actionsOf(project)).length, 1);
});
