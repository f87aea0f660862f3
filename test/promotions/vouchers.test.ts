import assert from "node:assert/strict";
import { test } from "node:test";
import { insertHolders } from "../../src/resources/promotions/redeemable-holders/store.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, NOW, newId, type TestProject, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { cardWorld } from "../support/point-cards.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const discount = { type: "PERCENT", percent_off: 10 };
const NO_WINDOW = {
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
};
const NO_RULES = { object: "list", data_ref: "data", data: [], total: 0 };
const ALONE = { campaign: null, campaign_id: null, category: null, category_id: null, categories: [] };
const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;

const start = async (given: Parameters<typeof testProject>[1] = {}) => {
  const project = await testProject(db, given);
  return { project, ...(await testEngine(db, project)) };
};
const post = (call: Call, request: string, body: object = {}) => ok(call, `POST ${request}`, body);
const make = (call: Call, body: object) => post(call, "/v1/vouchers", body);
const campaign = (call: Call, given: object = {}) =>
  post(call, "/v1/campaigns", { name: "Summer", voucher: { type: "DISCOUNT_VOUCHER", discount }, ...given });
const refused = async (call: Call, request: string, body?: object) => {
  const { status, body: error } = await call(request, body);
  return [status, error?.key, error?.details];
};
const countOf = async ({ id }: TestProject, campaignId: string) => {
  const [row] = await db`
    select vouchers_count from campaign_codes where project_id = ${id} and campaign_id = ${campaignId}`;
  return row!.vouchers_count;
};
const eventsOf = async ({ id }: TestProject, like = "voucher.%") =>
  (
    await db<{ kind: string }[]>`
      select kind from events where project_id = ${id} and kind like ${like} order by id`
  ).map(({ kind }) => kind);
/** Fields that are not the same in every run. */
const plain = ({ id: _, assets: __, ...rest }: Record<string, unknown>) => rest;

test("vouchers: a code by itself is created, read by code and by id, and shown with everything", async () => {
  const { call, project } = await start();
  const sent = {
    code: "  10%-OFF/ä\n",
    discount: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ITEMS" },
    start_date: "2026-01-01T02:00:00+02:00",
    expiration_date: "2026-12-31T00:00:00Z",
    validity_timeframe: { interval: "P1W", duration: "P2D" },
    validity_day_of_week: [1, 2],
    validity_hours: { daily: [{ start_time: "09:00", expiration_time: "18:00", days_of_week: [1] }] },
    redemption: { quantity: 3 },
    additional_info: "note",
    metadata: { a: 1 },
    colour: "ignored",
  };
  const created = await make(call, sent);
  const { id, assets } = created;
  assert.match(id, /^v_[0-9a-f]{24}$/);
  const code = "10%-OFF/ä";
  const named = "10%25-OFF%2F%C3%A4";
  const path = `/v1/vouchers/${named}`;
  assert.deepEqual(created, {
    ...ALONE,
    id,
    code,
    type: "DISCOUNT_VOUCHER",
    discount: sent.discount,
    gift: null,
    loyalty_card: null,
    start_date: "2026-01-01T00:00:00.000Z",
    expiration_date: "2026-12-31T00:00:00.000Z",
    validity_timeframe: sent.validity_timeframe,
    validity_day_of_week: [1, 2],
    validity_hours: sent.validity_hours,
    active: true,
    additional_info: "note",
    metadata: { a: 1 },
    assets,
    is_referral_code: false,
    created_at: NOW,
    updated_at: null,
    holder_id: null,
    referrer_id: null,
    redemption: { quantity: 3, redeemed_quantity: 0, object: "list", url: `${path}/redemption?page=1&limit=10` },
    publish: { object: "list", count: 0, url: `/v1/publications?voucher=${named}&page=1&limit=10` },
    validation_rules_assignments: NO_RULES,
    object: "voucher",
  });
  for (const reference of [
    id,
    encodeURIComponent(code),
    encodeURIComponent(code.toUpperCase()),
    "%2010%25-off%2F%C3%A4%09",
  ])
    assert.deepEqual((await call(`GET /v1/vouchers/${reference}`)).body, created, reference);
  const { validation_rules_assignments: _, ...listed } = created;
  const list = (await call("GET /v1/vouchers")).body;
  assert.deepEqual(list, { object: "list", data_ref: "vouchers", vouchers: [listed], total: 1 });
  assert.deepEqual(await eventsOf(project), ["voucher.created"]);
});

test("vouchers: a gift card has its balance, and what is sent of it beside the amount does not count", async () => {
  const { call, project } = await start();
  const made = await make(call, { gift: { amount: 5000, balance: 1, subtracted_amount: 9 }, code: "GIFT" });
  assert.equal(made.type, "GIFT_VOUCHER");
  assert.deepEqual(made.gift, { amount: 5000, subtracted_amount: 0, balance: 5000, effect: "APPLY_TO_ORDER" });
  assert.deepEqual(plain(made.redemption), {
    quantity: null,
    redeemed_quantity: 0,
    redeemed_amount: 0,
    object: "list",
    url: "/v1/vouchers/GIFT/redemption?page=1&limit=10",
  });
  const account = { available: 3800, pending: 0, received: 5000, subtracted: 0, expired: 0, spent: 1200 };
  const state = { project_id: project.id, voucher_id: made.id, account, redeemed_quantity: 2 };
  await db`insert into voucher_states ${db(state as never)}`;
  const { gift, redemption } = (await call("GET /v1/vouchers/GIFT")).body;
  assert.deepEqual([gift.balance, redemption.redeemed_amount, redemption.redeemed_quantity], [3800, 1200, 2]);
});

test("vouchers: a loyalty card belongs to a campaign and has points", async () => {
  const { call } = await start();
  const { id } = await campaign(call, { name: "Club", voucher: { loyalty_card: { points: 100 } } });
  const card = await make(call, { campaign: "Club", loyalty_card: { points: 7 }, code: "CARD" });
  assert.deepEqual([card.type, card.campaign, card.campaign_id], ["LOYALTY_CARD", "Club", id]);
  assert.deepEqual(card.loyalty_card, {
    points: 7,
    balance: 7,
    next_expiration_date: null,
    next_expiration_points: null,
    pending_points: 0,
    expired_points: 0,
    subtracted_points: 0,
  });
  assert.equal(card.redemption.redeemed_points, 0);
  assert.equal((await make(call, { campaign_id: id })).loyalty_card.points, 100);
});

test("vouchers: a code is random unless it is sent, made as code_config says or as the campaign does", async () => {
  const { call } = await start({ case_sensitive_codes: true });
  assert.match((await make(call, { discount })).code, /^[0-9a-zA-Z]{8}$/);
  assert.match(
    (await make(call, { discount, code: null, code_config: { pattern: "A-##-Z", charset: "xy" } })).code,
    /^A-[xy]{2}-Z$/,
  );
  await campaign(call, { voucher: { discount, code_config: { prefix: "SUM-", length: 3 } } });
  assert.match((await make(call, { campaign: "Summer" })).code, /^SUM-.{3}$/);
  await make(call, { discount, code_config: { pattern: "ONE" } });
  const [status, key] = await refused(call, "POST /v1/vouchers", { discount, code_config: { pattern: "ONE" } });
  assert.deepEqual([status, key], [400, "invalid_code_config"]);
});

test("vouchers: a code is taken once in a project, in any case and in the bin too, until it is deleted for good", async () => {
  const { call } = await start();
  await post(call, "/v1/vouchers/Summer", { discount });
  const taken = await call("POST /v1/vouchers/SUMMER", { discount });
  assert.equal(taken.status, 409);
  const { request_id: _, ...error } = taken.body;
  assert.deepEqual(error, {
    code: 409,
    key: "duplicate_found",
    message: "Duplicated resource found",
    details: "Duplicated voucher exists with id SUMMER",
    resource_id: "SUMMER",
    resource_type: "voucher",
  });
  assert.equal((await call("DELETE /v1/vouchers/summer")).status, 204);
  assert.equal((await call("GET /v1/vouchers/summer")).status, 404);
  assert.equal((await call("POST /v1/vouchers", { discount, code: "summer" })).status, 409);
  const entry = (await call("GET /v1/trash-bin")).body.data[0];
  assert.deepEqual([entry.resource_type, entry.resource_name, entry.resource_parent_id], ["voucher", "Summer", null]);
  assert.equal((await call(`DELETE /v1/trash-bin/${entry.id}`)).status, 204);
  await post(call, "/v1/vouchers/summer", { discount });
  assert.equal((await call("DELETE /v1/vouchers/summer?force=true")).status, 204);
  await post(call, "/v1/vouchers/summer", { discount });
  const other = await start({ case_sensitive_codes: true });
  for (const code of ["summer", "Summer"]) await post(other.call, `/v1/vouchers/${code}`, { discount });
  assert.equal((await other.call("GET /v1/vouchers/SUMMER")).status, 404);
});

test("vouchers: the links to redemptions and publications of a code lead there", async () => {
  const { call } = await start();
  const { code, redemption, publish } = await make(call, { code: "10%-OFF/ä", discount });
  await make(call, { code: "OTHER", discount });
  for (const voucher of [code, "OTHER"])
    assert.equal((await call("POST /v1/publications", { customer: { source_id: "ann" }, voucher })).status, 200);
  assert.equal((await call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: code }] })).status, 200);
  const redeemed = (await call(`GET ${redemption.url}`)).body;
  assert.deepEqual([redeemed.total, redeemed.redemption_entries[0].voucher.code], [1, code]);
  const published = (await call(`GET ${publish.url}`)).body;
  assert.deepEqual([published.total, published.publications[0].voucher.code], [1, code]);
});

test("vouchers: a word that the interface has in the place of a code makes none through that path", async () => {
  const { call } = await start();
  const { id } = await campaign(call);
  const before = (await call("GET /v1/vouchers")).body.total;
  const used = ALL_ROUTES.flatMap(({ path }) => /^\/v1\/vouchers\/(\w+)/.exec(path)?.[1] ?? []);
  for (const word of [...used, "import", "importCSV", "bulk", "metadata", "qualification", "export"])
    for (const path of [`/v1/vouchers/${word}`, `/v1/campaigns/${id}/vouchers/${word}`])
      if (!ALL_ROUTES.some((route) => route.method === "POST" && route.path === path))
        for (const body of [{ discount }, [{ code: "A", discount }], undefined]) {
          // Whatever is sent: a list is what an import takes, and its maker needs the word about the path.
          const reply = await call(`POST ${path}`, body);
          assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], path);
          assert.match(
            reply.body.details,
            /^Property \.code must not be a word that paths use for an operation: import,/,
          );
        }
  assert.equal((await call("GET /v1/vouchers")).body.total, before);
  assert.equal((await call("POST /v1/vouchers/BULK", { discount })).status, 200);
  assert.equal((await make(call, { code: "import", discount })).code, "import");
});

test("vouchers: of many who create the same code at once one succeeds", async () => {
  const { call } = await start();
  const replies = await Promise.all(Array.from({ length: 12 }, () => call("POST /v1/vouchers/ONCE", { discount })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(11).fill(409)]);
});

test("vouchers: every refusal says what is wrong and changes nothing", async (t) => {
  const { call, project } = await start();
  const promotion = await post(call, "/v1/campaigns", { name: "Promotion", campaign_type: "PROMOTION" });
  await campaign(call, { name: "Gifts", voucher: { gift: { amount: 100 } } });
  await post(call, "/v1/campaigns", { name: "Generic", type: "STANDALONE", voucher: { discount, code: "ALL" } });
  const { id } = await post(call, "/v1/vouchers/TAKEN", { discount });
  const cases: [body: object, status: number, key: string, details: RegExp][] = [
    [{}, 400, "invalid_payload", /must have one of: discount, gift, loyalty_card/],
    [{ discount, gift: { amount: 1 } }, 400, "invalid_payload", /only one of/],
    [{ type: "GIFT_VOUCHER", discount }, 400, "invalid_payload", /\.type must be DISCOUNT_VOUCHER/],
    [{ type: "COIN", discount }, 400, "invalid_payload", /allowed values/],
    [{ loyalty_card: { points: 1 } }, 400, "invalid_payload", /'campaign'/],
    [{ gift: {} }, 400, "invalid_payload", /'amount'/],
    [{ gift: { amount: -1 } }, 400, "invalid_payload", /\.gift\.amount must be >= 0/],
    [{ gift: { amount: 1.5 } }, 400, "invalid_payload", /whole number of cents/],
    [{ gift: { amount: 2 ** 53 } }, 400, "invalid_payload", /./],
    [{ discount: { type: "PERCENT" } }, 400, "invalid_payload", /'percent_off'/],
    [{ discount: { type: "PERCENT", percent_off: 101 } }, 400, "invalid_payload", /<= 100/],
    [{ discount, redemption: { quantity: -1 } }, 400, "invalid_payload", /quantity/],
    [{ discount, code: "x".repeat(201) }, 400, "invalid_payload", /1 to 200/],
    [{ discount, code: " \t" }, 400, "invalid_payload", /1 to 200/],
    [{ discount, code: "a\u0007b" }, 400, "invalid_payload", /control/],
    [{ discount, code: "a\u200bb" }, 400, "invalid_payload", /zero-width/],
    [{ discount, code: "a\u202eb" }, 400, "invalid_payload", /bidirectional/],
    [{ discount, code_config: { prefix: "a\u202e" } }, 400, "invalid_code_config", /bidirectional/],
    [{ discount, code: id.replace(/..$/, "ff") }, 400, "invalid_payload", /look like the id/],
    [{ discount, code: id.toUpperCase() }, 400, "invalid_payload", /look like the id/],
    [{ discount, code: "taken" }, 409, "duplicate_found", /with id taken/],
    [{ discount, code_config: { length: 500 } }, 400, "invalid_payload", /length/],
    [{ discount, start_date: "soon" }, 400, "invalid_payload", /\.start_date/],
    [{ discount, expiration_date: "9999-12-31T23:59:59-05:00" }, 400, "invalid_payload", /\.expiration_date/],
    [
      { discount, start_date: "2026-02-01T00:00:00Z", expiration_date: "2026-01-01T00:00:00Z" },
      400,
      "invalid_payload",
      /after start_date/,
    ],
    [
      { discount, validity_timeframe: { interval: "P1W", duration: "P1D" } },
      400,
      "invalid_payload",
      /requires start_date/,
    ],
    [{ discount, category_id: "cat_none" }, 404, "not_found", /Cannot find category with id cat_none/],
    [{ discount, campaign: "None" }, 404, "not_found", /Cannot find campaign with id None/],
    [{ discount, campaign_id: "camp_none" }, 404, "not_found", /Cannot find campaign/],
    [{ discount, campaign: "Gifts" }, 400, "invalid_payload", /whose codes are GIFT_VOUCHER/],
    [{ discount, campaign_id: promotion.id }, 400, "invalid_campaign", /has no codes/],
    [{ discount, campaign: "Generic" }, 400, "invalid_campaign", /STANDALONE type campaign/],
    [{ discount, validation_rules: ["val_none"] }, 404, "not_found", /val_none/],
    [{ discount, metadata: "x" }, 400, "invalid_payload", /\.metadata/],
  ];
  const before = [
    (await call("GET /v1/vouchers")).text,
    await eventsOf(project),
    (await call("GET /v1/categories")).text,
  ];
  for (const [body, status, key, details] of cases)
    await t.test(JSON.stringify(body).slice(0, 90), async () => {
      const found = await refused(call, "POST /v1/vouchers", { category: "New", ...body });
      assert.deepEqual(found.slice(0, 2), [status, key], String(found[2]));
      assert.match(found[2], details);
    });
  const now = [(await call("GET /v1/vouchers")).text, await eventsOf(project), (await call("GET /v1/categories")).text];
  assert.deepEqual(now, before);
});

test("vouchers: a category is named by its id or its name, and shown at once; one that is deleted is shown as none", async () => {
  const { call } = await start();
  const made = await make(call, { discount, category: "New", code: "A" });
  assert.deepEqual([made.category, made.categories.length], ["New", 1]);
  assert.deepEqual(made.categories[0].id, made.category_id);
  const { id } = await post(call, "/v1/categories", { name: "Other", hierarchy: 2 });
  const changed = (await call("PUT /v1/vouchers/A", { category_id: id })).body;
  assert.deepEqual([changed.category, changed.category_id], ["Other", id]);
  const cleared = (await call("PUT /v1/vouchers/A", { category_id: null })).body;
  assert.deepEqual([cleared.category, cleared.category_id, cleared.categories], [null, null, []]);
  await call("PUT /v1/vouchers/A", { category_id: id });
  await call(`DELETE /v1/categories/${id}`);
  assert.deepEqual((await call("GET /v1/vouchers/A")).body.category_id, null);
});

test("vouchers: an update changes what is sent and nothing else; metadata is merged by its keys", async () => {
  const { call, project } = await start();
  const made = await make(call, {
    ...{ code: "A", discount, metadata: { a: 1, b: { c: 1, d: 1 } }, additional_info: "x" },
    ...{ start_date: NOW, redemption: { quantity: 5 } },
  });
  const sent = {
    discount: { type: "PERCENT", percent_off: 25, amount_limit: 100 },
    expiration_date: "2027-01-01T00:00:00Z",
    metadata: { b: { c: 2 } },
    active: false,
    redemption: { quantity: 9 },
    code: "B",
    campaign: "ignored",
  };
  const updated = (await call("PUT /v1/vouchers/a", sent)).body;
  assert.deepEqual(updated, {
    ...made,
    discount: sent.discount,
    expiration_date: "2027-01-01T00:00:00.000Z",
    metadata: { a: 1, b: { c: 2 } },
    active: false,
    updated_at: NOW,
  });
  const cleared = await call("PUT /v1/vouchers/A", {
    start_date: null,
    additional_info: null,
    expiration_date: null,
    metadata: null,
    active: null,
  });
  assert.deepEqual(cleared.body, { ...updated, start_date: null, additional_info: null, expiration_date: null });
  assert.deepEqual((await call("PUT /v1/vouchers/A", {})).body, cleared.body);
  assert.deepEqual((await call("GET /v1/vouchers/A")).body, cleared.body);
  assert.deepEqual(await eventsOf(project), ["voucher.created", ...Array(3).fill("voucher.updated")]);
});

test("vouchers: an update changes neither the kind of a code or its discount, nor a balance", async () => {
  const { call } = await start();
  const before = await make(call, { code: "A", discount });
  const gift = await make(call, { code: "G", gift: { amount: 100 } });
  const kind = "It is not possible to change Voucher type";
  const cases: [string, object, string][] = [
    ["A", { discount: { type: "AMOUNT", amount_off: 1 } }, "It is not possible to change Voucher discount type"],
    ["A", { type: "GIFT_VOUCHER" }, kind],
    ["A", { gift: { effect: "APPLY_TO_ITEMS" } }, kind],
    ["G", { discount }, kind],
  ];
  for (const [code, body, details] of cases)
    assert.deepEqual(await refused(call, `PUT /v1/vouchers/${code}`, { additional_info: "x", ...body }), [
      400,
      "invalid_voucher",
      details,
    ]);
  assert.deepEqual(
    (await refused(call, "PUT /v1/vouchers/A", { expiration_date: "2026-01-01T00:00:00Z", start_date: NOW }))[0],
    400,
  );
  assert.deepEqual((await refused(call, "PUT /v1/vouchers/A", { discount: { type: "PERCENT" } }))[0], 400);
  assert.deepEqual((await call("GET /v1/vouchers/A")).body, before);
  const changed = (await call("PUT /v1/vouchers/G", { gift: { amount: 999, balance: 999, effect: "APPLY_TO_ITEMS" } }))
    .body;
  assert.deepEqual(changed.gift, { ...gift.gift, effect: "APPLY_TO_ITEMS" });
});

test("vouchers: metadata fits the schema of vouchers or, where the campaign says so, that of campaigns", async () => {
  const { call, project } = await start();
  const schema = (related_object: string, name: string) =>
    post(call, `/management/v1/projects/${project.id}/metadata-schemas`, {
      related_object,
      properties: { [name]: { type: "number", optional: true, array: false } },
    });
  await schema("voucher", "v");
  await schema("campaign", "c");
  await campaign(call, { use_voucher_metadata_schema: false });
  const bad = async (request: string, body: object) => (await refused(call, request, body))[1];
  assert.equal(await bad("POST /v1/vouchers", { discount, metadata: { v: "x" } }), "metadata_validation_failed");
  await make(call, { discount, metadata: { v: 1, c: "x" }, code: "A" });
  assert.equal(await bad("PUT /v1/vouchers/A", { metadata: { v: "x" } }), "metadata_validation_failed");
  assert.equal(
    await bad("POST /v1/campaigns/Summer/vouchers/B", { metadata: { c: "x" } }),
    "metadata_validation_failed",
  );
  await post(call, "/v1/campaigns/Summer/vouchers/B", { metadata: { v: "x", c: 1 } });
  assert.equal(await bad("PUT /v1/vouchers/B", { metadata: { c: "x" } }), "metadata_validation_failed");
});

test("vouchers: a code of a campaign follows it until one of its own settings is changed", async () => {
  const { call } = await start();
  const { id } = await campaign(call, { metadata: { from: "campaign" } });
  await post(call, "/v1/campaigns/Summer/vouchers/A", {});
  await post(call, "/v1/campaigns/Summer/vouchers/B", {});
  const percent = async (code: string) => (await call(`GET /v1/vouchers/${code}`)).body.discount.percent_off;
  const raise = (percent_off: number) =>
    call(`PUT /v1/campaigns/${id}`, { discount: { type: "PERCENT", percent_off } });
  await call("PUT /v1/vouchers/A", {
    active: false,
    category: "Own",
    additional_info: "note",
    start_date: null,
    metadata: { from: "campaign" },
  });
  assert.equal((await raise(20)).status, 200);
  assert.deepEqual([await percent("A"), await percent("B")], [20, 20], "what is no setting does not end it");
  const own = (await call("PUT /v1/vouchers/A", { metadata: { mine: true } })).body;
  assert.deepEqual([own.discount.percent_off, own.metadata], [20, { from: "campaign", mine: true }]);
  await raise(30);
  assert.deepEqual([await percent("A"), await percent("B")], [20, 30]);
  const listed = (await call("GET /v1/vouchers?order=code")).body.vouchers;
  assert.deepEqual(
    listed.map(({ discount }: any) => discount.percent_off),
    [20, 30],
  );
});

test("vouchers: enabled and disabled, and told only when it changed", async () => {
  const { call, project } = await start();
  const made = await make(call, { code: "A", discount });
  const off = await post(call, "/v1/vouchers/A/disable");
  assert.deepEqual(off, { ...made, active: false, updated_at: NOW });
  assert.deepEqual(await post(call, `/v1/vouchers/${made.id}/disable`), off);
  assert.equal((await post(call, "/v1/vouchers/a/enable")).active, true);
  assert.deepEqual(await eventsOf(project), ["voucher.created", "voucher.disabled", "voucher.enabled"]);
  assert.equal((await call("POST /v1/vouchers/none/enable")).status, 404);
});

test("vouchers: updated_at moves with every change of a code, and with nothing else", async () => {
  const project = await testProject(db);
  let now = NOW;
  const { call } = await testEngine(db, project, { now: () => now });
  const gift = { type: "GIFT_VOUCHER", gift: { amount: 1000 } };
  const { code, id, updated_at } = await make(call, { code: "CARD", ...gift });
  assert.equal(updated_at, null);
  const redeem = (body: object) =>
    post(call, "/v1/redemptions", { redeemables: [{ object: "voucher", id: code }], ...body });
  let redemption = "";
  const steps: readonly [string, () => Promise<unknown>, moves: boolean][] = [
    ["validated", () => post(call, `/v1/vouchers/${code}/validate`, { order: { amount: 100 } }), false],
    ["published", () => post(call, "/v1/publications", { voucher: code, customer: { source_id: "ann" } }), true],
    ["balance added", () => post(call, `/v1/vouchers/${code}/balance`, { amount: 50 }), true],
    [
      "redeemed",
      async () => {
        redemption = (await redeem({ order: { amount: 100 } })).redemptions[0].id;
      },
      true,
    ],
    ["refused", () => call(`POST /v1/vouchers/${code}/redemption`, { gift: { credits: 9999 } }), false],
    ["rolled back", () => post(call, `/v1/redemptions/${redemption}/rollback`), true],
    ["disabled", () => post(call, `/v1/vouchers/${code}/disable`), true],
    ["disabled again", () => post(call, `/v1/vouchers/${code}/disable`), false],
    ["enabled", () => post(call, `/v1/vouchers/${code}/enable`), true],
    ["edited", () => call(`PUT /v1/vouchers/${code}`, { additional_info: "x" }), true],
    ["its holder deleted", () => call("DELETE /v1/customers/ann"), true],
  ];
  let last: string | null = null;
  for (const [n, [name, run, moves]] of steps.entries()) {
    now = at(n + 1);
    await run();
    if (moves) last = now;
    assert.equal((await call(`GET /v1/vouchers/${code}`)).body.updated_at, last, name);
  }
  const { body } = await call(`GET /v1/vouchers?updated_at[after]=${at(steps.length - 1)}`);
  assert.deepEqual(
    body.vouchers.map((one: { id: string }) => one.id),
    [id],
  );
});

test("vouchers: updated_at of a loyalty card is when its points moved, however late they are swept", async () => {
  const world = await cardWorld(db);
  await world.program("Club", { points: 0, expiration_rules: { period_type: "MONTH", period_value: 1 } });
  const { code } = await world.join("Club", "ann");
  assert.equal((await world.member(code)).updated_at, NOW);
  await world.move("2026-01-05T12:00:00.000Z");
  await world.add(code, 10);
  assert.equal((await world.member(code)).updated_at, "2026-01-05T12:00:00.000Z");
  await world.move("2026-12-05T12:00:00.000Z");
  const [expired] = await world.transactions(code);
  assert.equal(expired.type, "POINTS_EXPIRATION");
  assert.equal((await world.member(code)).updated_at, expired.created_at);
});

test("vouchers: rules that are sent are assigned, and shown with the code", async () => {
  const { call, project } = await start();
  const rule = (await post(call, "/v1/validation-rules", { name: "Rule" })).id;
  const made = await make(call, { code: "A", discount, validation_rules: [rule, rule] });
  const { data, total } = made.validation_rules_assignments;
  assert.equal(total, 1);
  assert.deepEqual(
    [data[0].rule_id, data[0].related_object_id, data[0].related_object_type],
    [rule, made.id, "voucher"],
  );
  assert.deepEqual((await call("GET /v1/vouchers/A")).body, made);
  assert.deepEqual(await eventsOf(project, "business%assignment%"), ["business_validation_rule.assignment.created"]);
  const another = (await post(call, "/v1/validation-rules", { name: "Other" })).id;
  const path = `/v1/validation-rules/${another}/assignments`;
  assert.equal((await post(call, path, { voucher: "a" })).related_object_id, made.id, "by its code");
  assert.equal((await refused(call, `POST ${path}`, { voucher: "none" }))[2], "Cannot find voucher with id none");
  assert.equal((await call("GET /v1/vouchers/A")).body.validation_rules_assignments.total, 2);
  await call("DELETE /v1/vouchers/A?force=true");
  assert.equal((await call(`GET ${path}`)).body.total, 0, "they go with the code");
});

test("codes of a campaign: added one by one, with what the body says of them, and counted", async () => {
  const { call, project } = await start();
  const { id } = await campaign(call, {
    voucher: { discount, redemption: { quantity: 4 } },
    metadata: { from: "campaign" },
    start_date: NOW,
  });
  const follows = await post(call, `/v1/campaigns/${id}/vouchers`);
  assert.deepEqual(
    [follows.campaign, follows.campaign_id, follows.discount, follows.redemption.quantity, follows.start_date],
    ["Summer", id, discount, 4, NOW],
  );
  const [row] = await db`select settings from vouchers where id = ${follows.id}`;
  assert.equal(row!.settings, null);
  const own = await post(call, "/v1/campaigns/Summer/vouchers?vouchers_count=1", {
    code: " OWN ",
    category: "Cat",
    metadata: { mine: 1 },
    redemption: { quantity: 1 },
    additional_info: "note",
    expiration_date: "2027-01-01T00:00:00Z",
  });
  assert.deepEqual(
    [
      own.code,
      own.category,
      own.metadata,
      own.redemption.quantity,
      own.additional_info,
      own.start_date,
      own.expiration_date,
    ],
    ["OWN", "Cat", { from: "campaign", mine: 1 }, 1, "note", NOW, "2027-01-01T00:00:00.000Z"],
  );
  assert.deepEqual(own.discount, discount);
  const named = await post(call, `/v1/campaigns/${id}/vouchers/NAMED`, {
    discount: { type: "AMOUNT", amount_off: 5 },
    code: "ignored",
  });
  assert.deepEqual([named.code, named.discount], ["NAMED", { type: "AMOUNT", amount_off: 5 }]);
  const config = { pattern: "X-##", charset: "1" };
  assert.equal((await post(call, `/v1/campaigns/${id}/vouchers`, { code_config: config })).code, "X-11");
  assert.equal((await call(`POST /v1/campaigns/${id}/vouchers/named`, {})).body.key, "duplicate_found");
  assert.equal(await countOf(project, id), 4);
  assert.deepEqual(await eventsOf(project), Array(4).fill("voucher.created"));
  await call("DELETE /v1/vouchers/OWN");
  await call("DELETE /v1/vouchers/NAMED?force=true");
  assert.equal(await countOf(project, id), 2);
  const [entry] = (await call("GET /v1/trash-bin")).body.data;
  assert.equal(entry.resource_parent_id, id);
  await call(`DELETE /v1/trash-bin/${entry.id}`);
  assert.equal(await countOf(project, id), 2, "what is purged was counted out before");
  assert.equal((await call("GET /v1/vouchers")).body.total, 2);
});

test("codes of a campaign: more than one are made after the answer, as the body says", async () => {
  const { call, project } = await start();
  const { id } = await campaign(call, { voucher: { discount, code_config: { length: 3, charset: "ABC" } } });
  const reply = await call(`POST /v1/campaigns/${id}/vouchers?vouchers_count=20`, {
    metadata: { a: 1 },
    additional_info: "n",
  });
  assert.equal(reply.status, 202, reply.text);
  assert.match(reply.body.async_action_id, /^aa_/);
  const [action] = await db`select * from async_actions where project_id = ${project.id}`;
  assert.deepEqual(
    [action!.id, action!.type, action!.status],
    [reply.body.async_action_id, "CAMPAIGN.VOUCHERS_GENERATE", "ENQUEUED"],
  );
  const { code_config, overrides, ...work } = action!.work;
  assert.deepEqual(work, { campaign_id: id, count: 20, is_addition: true });
  assert.deepEqual([code_config.length, code_config.charset], [3, "ABC"]);
  const settings = { ...NO_WINDOW, discount, gift: null, loyalty_card: null, quantity: null, metadata: { a: 1 } };
  assert.deepEqual(overrides, { settings, category_id: null, additional_info: "n" });
  assert.equal((await call(`GET /v1/campaigns/${id}`)).body.vouchers_generation_status, "IN_PROGRESS");
  assert.equal(await countOf(project, id), 0);
  const more = `POST /v1/campaigns/${id}/vouchers?vouchers_count=28`;
  assert.deepEqual(
    (await refused(call, more, {})).slice(0, 2),
    [400, "invalid_code_config"],
    "27 codes are all there are",
  );
  assert.equal((await call(more, { code_config: { length: 8 } })).status, 202);
  for (const [query, body, key] of [
    ["vouchers_count=2", { code: "A" }, "invalid_payload"],
    ["vouchers_count=0", {}, "invalid_query_params"],
    ["vouchers_count=x", {}, "invalid_query_params"],
    ["vouchers_count=1000001", {}, "invalid_query_params"],
    ["vouchers_count=2", { gift: { amount: 1 } }, "invalid_payload"],
  ] as const)
    assert.deepEqual(
      (await refused(call, `POST /v1/campaigns/${id}/vouchers?${query}`, body)).slice(0, 2),
      [400, key],
      query,
    );
  assert.equal((await db`select 1 from async_actions where project_id = ${project.id}`).length, 2);
});

test("codes of a campaign: one request has so many made at most, and says how many", async () => {
  const { call } = await testShop(db, {}, { vouchersCountMax: 3 });
  const said = /vouchers_count must be <= 3 \(LAUREL_VOUCHERS_COUNT_MAX\)/;
  const sent = { voucher: { type: "DISCOUNT_VOUCHER", discount }, name: "Summer" };
  for (const path of ["/v1/campaigns", "/v1/loyalties"]) {
    const voucher = path === "/v1/campaigns" ? sent.voucher : { type: "LOYALTY_CARD", loyalty_card: { points: 1 } };
    const [status, key, details] = await refused(call, `POST ${path}`, { ...sent, voucher, vouchers_count: 4 });
    assert.deepEqual([status, key], [400, "invalid_payload"]);
    assert.match(details, said);
  }
  const { id } = await post(call, "/v1/campaigns", { ...sent, vouchers_count: 3 });
  const [status, key, details] = await refused(call, `POST /v1/campaigns/${id}/vouchers?vouchers_count=4`, {});
  assert.deepEqual([status, key], [400, "invalid_query_params"]);
  assert.match(details, said);
  assert.equal((await call(`POST /v1/campaigns/${id}/vouchers?vouchers_count=3`, {})).status, 202);
});

test("codes of a campaign: a promotion has none, and one with a code for all gets no other", async () => {
  const { call, project } = await start();
  const promotion = await post(call, "/v1/campaigns", { name: "Promotion", campaign_type: "PROMOTION" });
  const generic = await post(call, "/v1/campaigns", {
    name: "Generic",
    type: "STANDALONE",
    voucher: { discount, code: "ALL" },
  });
  for (const path of ["", "/CODE", "?vouchers_count=2"]) {
    const [status, key] = await refused(call, `POST /v1/campaigns/${promotion.id}/vouchers${path}`, {});
    assert.deepEqual([status, key], [400, "invalid_campaign"]);
    assert.deepEqual(await refused(call, `POST /v1/campaigns/Generic/vouchers${path}`, {}), [
      400,
      "invalid_campaign",
      "You can not generate vouchers for STANDALONE type campaign.",
    ]);
    assert.equal((await call(`POST /v1/campaigns/none/vouchers${path}`, {})).status, 404);
  }
  assert.equal(await countOf(project, generic.id), 1);
  // Clients send the code of such a campaign by itself.
  assert.equal((await make(call, { discount, campaign: "Generic", code: "ANOTHER" })).campaign_id, generic.id);
  assert.equal(await countOf(project, generic.id), 2);
});

test("codes of a campaign: those of one that is in the bin are nowhere to be found", async () => {
  const { call } = await start();
  const { id } = await campaign(call);
  const made = await post(call, `/v1/campaigns/${id}/vouchers/A`);
  assert.equal((await call(`DELETE /v1/campaigns/${id}`)).status, 202);
  for (const reference of ["A", made.id]) {
    assert.equal((await call(`GET /v1/vouchers/${reference}`)).status, 404);
    assert.equal((await call(`PUT /v1/vouchers/${reference}`, {})).status, 404);
    assert.equal((await call(`POST /v1/vouchers/${reference}/disable`)).status, 404);
    assert.equal((await call(`DELETE /v1/vouchers/${reference}`)).status, 404);
  }
  assert.equal((await call("GET /v1/vouchers")).body.total, 0);
  assert.equal((await call("POST /v1/vouchers", { discount, code: "a" })).status, 409, "the code stays taken");
});

test("codes of a campaign: many who add and delete at once are all counted", async () => {
  const { call, project } = await start();
  const { id } = await campaign(call);
  const codes = Array.from({ length: 12 }, (_, n) => `CODE-${n}`);
  await Promise.all(codes.slice(0, 6).map((code) => post(call, `/v1/campaigns/${id}/vouchers/${code}`)));
  const replies = await Promise.all([
    ...codes.slice(6).map((code) => call(`POST /v1/campaigns/${id}/vouchers/${code}`, {})),
    ...codes.slice(0, 6).map((code, n) => call(`DELETE /v1/vouchers/${code}?force=${n % 2 === 0}`)),
  ]);
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200, 204]));
  assert.equal(await countOf(project, id), 6);
  assert.equal((await call("GET /v1/vouchers")).body.total, 6);
});

test("codes of a referral program say so", async () => {
  const { call } = await start();
  await campaign(call, {
    campaign_type: "REFERRAL_PROGRAM",
    referral_program: { conversion_event_type: "redemption" },
  });
  assert.equal((await post(call, "/v1/campaigns/Summer/vouchers/R")).is_referral_code, true);
  await make(call, { code: "N", discount });
  const codes = async (value: string) =>
    (await call(`GET /v1/vouchers?filters[is_referral_code][conditions][$is]=${value}`)).body.vouchers.map(
      (one: any) => one.code,
    );
  assert.deepEqual([await codes("TRUE"), await codes("false")], [["R"], ["N"]]);
});

test("vouchers: lists by page, order, dates, code, ids, campaign, category and customer", async () => {
  let minute = 0;
  const { call } = await testShop(db, {}, { now: () => at(minute) });
  const { id } = await campaign(call);
  const ids: string[] = [];
  for (minute = 1; minute <= 12; minute += 1)
    ids.push((await make(call, { discount, code: `C${String(minute).padStart(2, "0")}` })).id);
  await post(call, `/v1/campaigns/${id}/vouchers/OF-CAMPAIGN`);
  const find = async (query: string) => {
    const { body, text } = await call(`GET /v1/vouchers?${query}`);
    return body.vouchers ? `${body.vouchers.map((one: any) => one.code).join(" ")} of ${body.total}` : text;
  };
  assert.equal(await find("limit=3"), "OF-CAMPAIGN C12 C11 of 13", "newest first");
  assert.equal(await find("order=created_at&limit=2&page=2"), "C03 C04 of 13");
  assert.equal(await find("order=-code&limit=2"), "OF-CAMPAIGN C12 of 13");
  assert.equal(await find("page=3"), " of 13");
  assert.equal(await find("page=2"), "C03 C02 C01 of 13", "pages of ten");
  assert.equal(await find(`created_at[after]=${at(3)}&created_at[before]=${at(6)}`), "C05 C04 of 2");
  minute = 30;
  await call("PUT /v1/vouchers/C07", { category: "Cat" });
  assert.equal(await find(`updated_at[after]=${at(13)}`), "C07 of 1");
  assert.equal(await find("order=-updated_at&limit=1&updated_at[before]=2030-01-01"), "C07 of 1");
  assert.equal(await find("code=c08"), "C08 of 1");
  assert.equal(await find(`ids[]=${ids[0]}&ids[]=${ids[2]}&ids[]=none`), "C03 C01 of 2");
  assert.equal(await find(`ids=${ids[0]}`), "C01 of 1");
  assert.equal(await find(`campaign_id=${id}`), "OF-CAMPAIGN of 1");
  assert.equal(await find("campaign=Summer"), "OF-CAMPAIGN of 1");
  assert.equal(await find("campaign=None"), " of 0");
  assert.equal(await find("category=Cat"), "C07 of 1");
  const customer = await post(call, "/v1/customers", { source_id: "ada" });
  await db`update vouchers set holder_id = ${customer.id} where id = ${ids[4]!}`;
  assert.equal(await find("customer=ada"), "C05 of 1");
  assert.equal(await find(`customer=${customer.id}`), "C05 of 1");
  assert.equal(await find("customer=nobody"), " of 0");
  for (const query of [
    "limit=101",
    "limit=0",
    "page=100",
    "page=0",
    "order=type",
    "created_at[before]=soon",
    "filters[colour][conditions][$is]=1",
  ])
    assert.deepEqual(
      (await refused(call, `GET /v1/vouchers?${query}`)).slice(0, 2),
      [400, "invalid_query_params"],
      query,
    );
});

test("vouchers: a code that may never be redeemed is neither redeemed nor redeemable", async () => {
  const { call } = await start();
  await make(call, { code: "NEVER", discount, redemption: { quantity: 0 } });
  await make(call, { code: "ONCE", discount, redemption: { quantity: 1 } });
  for (const [state, expected] of [
    ["$redeemed", []],
    ["$redeemable", ["ONCE"]],
  ]) {
    const { body } = await call(`GET /v1/vouchers?filters[redemption_status][conditions][${state}]=true`);
    assert.deepEqual(
      [body.total, body.vouchers.map(({ code }: any) => code)],
      [expected!.length, expected],
      `${state}`,
    );
  }
});

test("vouchers: lists by filters, on settings of their own and on those of their campaigns", async () => {
  const { call, project } = await start();
  await campaign(call, {
    voucher: { discount, redemption: { quantity: 2 } },
    metadata: { colour: "red", size: 3 },
    start_date: "2026-02-01T00:00:00Z",
    expiration_date: "2026-03-01T00:00:00Z",
    validity_timeframe: { interval: "P1W", duration: "P1D" },
    validity_day_of_week: [1, 2],
  });
  const follower = await post(call, "/v1/campaigns/Summer/vouchers/FOLLOWER", { category: "Cat" });
  await make(call, {
    code: "OWN",
    discount,
    metadata: { colour: "blue", size: 7 },
    expiration_date: "2027-01-01T00:00:00Z",
    active: false,
  });
  await make(call, { code: "BARE", discount });
  await make(call, { code: "Gone", discount, expiration_date: "2025-12-31T00:00:00Z" });
  await db`insert into voucher_states ${db({ project_id: project.id, voucher_id: follower.id, redeemed_quantity: 2 })}`;
  const find = async (...filters: string[]) => {
    const query = filters.map((one) => `filters${one}`).join("&");
    const { body, text } = await call(`GET /v1/vouchers?order=code&${query}`);
    assert.equal(body.vouchers?.length, body.total, text);
    return body.vouchers.map((one: any) => one.code).join(" ");
  };
  const cases: [expected: string, ...filters: string[]][] = [
    ["FOLLOWER", "[metadata.colour][conditions][$is]=red"],
    ["OWN", "[metadata.size][conditions][$more_than]=3"],
    ["BARE Gone", "[metadata.colour][conditions][$is_unknown]="],
    ["FOLLOWER OWN", "[metadata.colour][conditions][$in][0]=red", "[metadata.colour][conditions][$in][1]=blue"],
    ["OWN", "[active][conditions][$is]=false"],
    ["BARE FOLLOWER Gone", "[active][conditions][$enabled]="],
    ["OWN", "[active][conditions][$disabled]=true"],
    ["Gone", "[active][$expired]=true"],
    ["BARE", "[active][conditions][$active]="],
    ["FOLLOWER", `[campaign_ids][conditions][$in][0]=${follower.campaign_id}`],
    ["BARE Gone OWN", "[campaign_ids][conditions][$is_unknown]="],
    ["FOLLOWER", "[redemption.redeemed_quantity][conditions][$more_than]=1"],
    ["FOLLOWER", "[redemption_status][conditions][$redeemed]=true"],
    ["BARE Gone OWN", "[redemption_status][conditions][$redeemable]="],
    ["FOLLOWER", "[start_date][conditions][$after]=2026-01-15"],
    ["FOLLOWER Gone", "[expiration_date][conditions][$before]=2026-06-01"],
    ["BARE", "[expiration_date][conditions][$is_unknown]="],
    ["FOLLOWER", "[validity_timeframe][conditions][$has_value]="],
    ["FOLLOWER", "[validity_day_of_week][conditions][$is]=2"],
    ["FOLLOWER", "[categories][conditions][$is]=Cat"],
    ["FOLLOWER", `[category_ids][conditions][$in][0]=${follower.category_id}`],
    ["BARE Gone OWN", "[code][conditions][$not_contain]=follow"],
    ["Gone", "[code][conditions][$is]=GONE"],
    ["Gone OWN", "[code][conditions][$in][0]=gOnE", "[code][conditions][$in][1]=own"],
    ["BARE FOLLOWER Gone OWN", "[holder_id][conditions][$is_unknown]="],
    ["BARE FOLLOWER Gone OWN", "[created_at][conditions][$less_than]=1"],
    ["BARE OWN", "[junction]=or", "[code][conditions][$is]=BARE", "[metadata.size][conditions][$is]=7"],
  ];
  for (const [expected, ...filters] of cases) assert.equal(await find(...filters), expected, filters.join(" "));
});

test("codes in filters fold case as the project does", async () => {
  for (const [case_sensitive_codes, found] of [
    [false, ["Summer", "Summer"]],
    [true, ["", "Summer"]],
  ] as const) {
    const { call } = await start({ case_sensitive_codes });
    await make(call, { code: "Summer", discount });
    await make(call, { code: "Winter", discount });
    await post(call, "/v1/vouchers/Summer/redemption");
    await post(call, "/v1/vouchers/Winter/redemption");
    for (const [operator, ...texts] of [
      ["$is", "SUMMER", "Summer"],
      ["$in][0", "SUMMER", "Summer"],
      ["$contains", "MME", "mme"],
      ["$starts_with", "sUM", "Sum"],
    ])
      for (const [n, text] of texts.entries()) {
        const condition = `[conditions][${operator}]=${text}`;
        const { vouchers } = (await call(`GET /v1/vouchers?filters[code]${condition}`)).body;
        assert.equal(vouchers.map(({ code }: any) => code).join(), found[n], `${case_sensitive_codes} ${condition}`);
        const { redemptions } = (await call(`GET /v1/redemptions?filters[voucher_code]${condition}`)).body;
        assert.equal(redemptions.map(({ voucher }: any) => voucher.code).join(), found[n], condition);
      }
  }
});

test("vouchers: what a session holds of a code is given back, once and only while it holds", async () => {
  const { call, project } = await start();
  const { id } = await make(call, { code: "A", discount });
  const lock = { project_id: project.id, redeemable_id: id, quantity: 1, expires_at: at(1) };
  await db`insert into session_locks ${db([
    { ...lock, session_key: "mine" },
    { ...lock, session_key: "other" },
    { ...lock, session_key: "over", expires_at: NOW },
  ])}`;
  const { call: stranger } = await start();
  assert.equal((await stranger("DELETE /v1/vouchers/A/sessions/mine")).status, 404);
  assert.equal((await call("DELETE /v1/vouchers/a/sessions/mine")).status, 204);
  for (const key of ["mine", "over", "none"]) {
    const reply = await call(`DELETE /v1/vouchers/${id}/sessions/${key}`);
    assert.deepEqual([reply.status, reply.body.resource_type, reply.body.resource_id], [404, "session", key]);
  }
  const left = await db`select session_key from session_locks where project_id = ${project.id} order by 1`;
  assert.deepEqual(
    left.map(({ session_key }) => session_key),
    ["other", "over"],
  );
});

test("vouchers: deleted for good, nothing of a code is left; another project never sees it", async () => {
  const { call, project } = await start();
  const { call: stranger } = await start();
  const { id } = await make(call, { code: "A", discount });
  for (const reference of ["A", id]) {
    assert.equal((await stranger(`GET /v1/vouchers/${reference}`)).status, 404);
    assert.equal((await stranger(`PUT /v1/vouchers/${reference}`, { active: false })).status, 404);
    assert.equal((await stranger(`DELETE /v1/vouchers/${reference}?force=true`)).status, 404);
  }
  assert.equal((await stranger("GET /v1/vouchers")).body.total, 0);
  const customer = await post(call, "/v1/customers", { source_id: "ada" });
  const held = { id: newId("rh"), voucher_id: id, campaign_id: null, customer_id: customer.id, metadata: {} };
  await db.begin((tx) => insertHolders(tx, project.id, [{ ...held, holder_role: "OWNER", created_at: NOW }]));
  await db`insert into session_locks ${db({ project_id: project.id, redeemable_id: id, session_key: "s", quantity: 1, expires_at: at(1) })}`;
  assert.equal((await call(`DELETE /v1/vouchers/${id}?force=true`)).status, 204);
  for (const table of ["vouchers", "redeemable_holders", "session_locks"])
    assert.equal((await db`select 1 from ${db(table)} where project_id = ${project.id}`).length, 0, table);
  assert.deepEqual(await eventsOf(project), ["voucher.created", "voucher.deleted"]);
  assert.equal((await call(`DELETE /v1/vouchers/${id}`)).status, 404);
});
