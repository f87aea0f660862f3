import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { CUSTOMER_FIELDS } from "../../src/core/filters/fields.ts";
import { namedIn } from "../../src/core/filters/filter.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { runExports } from "../../src/jobs/run-exports.ts";
import { insertRequest, NOW, newId, testDatabase } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { loggedShop } from "../support/request-log.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const job = { db, now: () => NOW, newId, random: Buffer.alloc };
const NO_KEYS = { "x-app-id": "", "x-app-token": "" };

type Shop = Awaited<ReturnType<typeof testShop>>;

/** Starts an export, lets it be made, and downloads it. */
async function exported({ ok, call }: Shop, body: object, path = "/v1/exports") {
  const started = await ok(`POST ${path}`, body);
  await runExports.run(job);
  const done = await ok(`GET /v1/exports/${started.id}`);
  assert.equal(done.status, "DONE", JSON.stringify(done));
  const file = await call(`GET ${done.result.url}`, undefined, NO_KEYS);
  assert.equal(file.status, 200, file.text);
  return { started, done, file, text: file.text, lines: file.text.split("\n") };
}
const asked = (exported_object: string, fields?: string[], more: object = {}) => ({
  exported_object,
  parameters: { ...(fields && { fields }), ...more },
});

test("an export is scheduled, made in the background, downloaded by its token, listed and deleted", async () => {
  const shop = await testShop(db);
  const { ok, call } = shop;
  await ok("POST /v1/vouchers/TEN", { discount: { type: "AMOUNT", amount_off: 200000 } });
  const body = {
    exported_object: "voucher",
    parameters: { order: "code", fields: ["id", "code", "voucher_type", "value"] },
  };
  const { started, done, file } = await exported(shop, body);
  const { id, ...rest } = started;
  assert.match(id, /^exp_\w+$/);
  assert.deepEqual(rest, {
    object: "export",
    created_at: NOW,
    status: "SCHEDULED",
    channel: "API",
    exported_object: "voucher",
    parameters: { ...body.parameters, response_format: "CSV" },
    result: null,
    user_id: null,
  });
  const { url, ...result } = done.result;
  assert.ok(url.startsWith(`/v1/exports/${id}?token=`));
  assert.deepEqual(result, { rows: 1, is_snapshot: true });
  assert.equal(file.headers["content-type"], "text/csv; charset=utf-8");
  const voucher = await ok("GET /v1/vouchers/TEN");
  assert.equal(file.text, `ID,Code,Voucher Type,Value\n${voucher.id},TEN,DISCOUNT_VOUCHER,2000.00\n`);

  const second = await ok("POST /v1/exports", asked("order"));
  const list = await ok("GET /v1/exports?order=-status");
  assert.deepEqual([list.object, list.data_ref, list.total], ["list", "exports", 2]);
  assert.deepEqual(
    list.exports.map((one: { status: string }) => one.status),
    ["SCHEDULED", "DONE"],
  );
  assert.deepEqual(list.exports[1], done);
  assert.equal((await ok("GET /v1/exports?limit=1&page=2&order=created_at")).exports[0].id, second.id);

  assert.equal((await call(`DELETE /v1/exports/${id}`)).status, 204);
  assertRefused(await call(`GET /v1/exports/${id}`), "not_found");
  assertRefused(await call(`GET ${url}`), "unauthorized");
  assertRefused(await call(`DELETE /v1/exports/${id}`), "not_found");
  assert.equal((await db`select 1 from files where id = ${id}`).length, 0);
});

test("what cannot be exported is refused, with the fields, orders and filters that there are", async () => {
  const { call, ok } = await testShop(db);
  const refused = async (body: object, key: string, details: RegExp) => {
    const reply = await call("POST /v1/exports", body);
    assertRefused(reply, key as never);
    assert.match(reply.body.details, details);
  };
  await refused({}, "invalid_payload", /exported_object/);
  await refused(asked("receipts"), "invalid_payload", /exported_object/);
  await refused(asked("voucher", ["code", "secret"]), "invalid_export_fields", /secret; there are code, voucher_type/);
  await refused(asked("points_expiration", ["metadata.x"]), "invalid_export_fields", /metadata\.x/);
  await refused(asked("order", ["metadata."]), "invalid_export_fields", /metadata\./);
  await refused(asked("order", ["constructor"]), "invalid_export_fields", /constructor/);
  await refused(asked("voucher", undefined, { order: "value" }), "invalid_payload", /order .*-code/);
  const filter = (field: string, conditions: object) => ({ filters: { [field]: { conditions } } });
  await refused(
    asked("order", undefined, filter("colour", { $is: "x" })),
    "invalid_payload",
    /filters\.colour is unknown/,
  );
  await refused(asked("order", undefined, filter("redemption.x", { $is: 1 })), "invalid_payload", /redemption\.x/);
  await refused(asked("order", undefined, filter("amount", { $contains: 1 })), "invalid_payload", /does not take/);
  await refused(asked("order", undefined, filter("amount", { $more_than: 10.5 })), "invalid_payload", /cents/);
  await refused(asked("order", undefined, { filters: { junction: "xor" } }), "invalid_payload", /junction/);
  await refused(asked("order", undefined, { response_format: "XLSX" }), "invalid_payload", /CSV/);
  await refused(asked("order", undefined, { campaign_id: "camp_1" }), "invalid_payload", /campaign_id/);
  assert.equal((await ok("GET /v1/exports")).total, 0);
  for (const path of ["vouchers/NONE/transactions", "campaigns/none/transactions", "loyalties/none/transactions"])
    assertRefused(await call(`POST /v1/${path}/export`, {}), "not_found");
  for (const path of ["loyalties/members/NONE/transactions", "loyalties/none/points-expiration"])
    assertRefused(await call(`POST /v1/${path}/export`, {}), "not_found");
  assertRefused(await call("POST /v1/loyalties/none/members/NONE/transactions/export", {}), "not_found");
});

test("every object can be exported with all of its fields, in every order, as CSV and as JSONL", async (t) => {
  const { EXPORT_OBJECTS } = await import("../../src/steps/bulk/export-objects.ts");
  const shop = await testShop(db);
  await fill(shop);
  for (const code of ["A", "B"]) await insertRequest(shop.project.id, code, "ann");
  for (const [name, { fields, orders, filters }] of Object.entries(EXPORT_OBJECTS))
    await t.test(name, async () => {
      const all = Object.keys(fields);
      const expected = 2;
      for (const order of Object.keys(orders).flatMap((one) => [one, `-${one}`])) {
        const { done } = await exported(shop, asked(name, all, { order }));
        assert.ok(done.result.rows >= expected, `${name} by ${order}: ${done.result.rows} rows`);
      }
      const csv = await exported(shop, asked(name));
      const jsonl = await exported(shop, asked(name, all, { response_format: "JSONL" }));
      assert.equal(jsonl.file.headers["content-type"], "application/x-ndjson; charset=utf-8");
      const rows = jsonl.lines.slice(0, -1).map((line) => JSON.parse(line));
      assert.equal(rows.length, csv.done.result.rows);
      for (const row of rows) assert.deepEqual(Object.keys(row), all);
      // Each filter that there is makes a statement that runs.
      for (const [field, kind] of Object.entries(filters)) {
        const path = field.replace("*", field.startsWith("loyalty") ? "Club" : "city");
        const states = typeof kind === "object" ? ("states" in kind ? kind.states : kind) : [];
        const conditions = states.length > 0 ? { [states[0]!]: true } : OPERATORS[kind as keyof typeof OPERATORS];
        await exported(shop, asked(name, undefined, { filters: { [path]: { conditions } } }));
      }
    });
});
test("values are those that the interface shows: amounts with two decimals, points plain, moments in UTC", async () => {
  const shop = await testShop(db);
  const { ok } = shop;
  const voucher = {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "PERCENT", percent_off: 12.5, amount_limit: 2050, effect: "APPLY_TO_ORDER" },
    redemption: { quantity: 3 },
    start_date: "2025-12-01T00:00:00Z",
    expiration_date: "2026-12-01T10:00:00Z",
    validity_day_of_week: [1, 2],
    additional_info: 'a, "b"',
    metadata: { colour: "red", size: 4 },
  };
  await ok("POST /v1/vouchers/PERCENT", voucher);
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 10000 } });
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "GIFT", gift: { credits: 2505 } }],
    order: { amount: 9999 },
  });
  const fields = [
    ...[
      "code",
      "value",
      "discount_type",
      "discount_amount_limit",
      "gift_balance",
      "redemption_quantity",
      "redemption_count",
    ],
    ...[
      "start_date",
      "expiration_date",
      "active",
      "validity_day_of_week",
      "additional_info",
      "metadata",
      "discount_effect",
    ],
  ];
  const { text } = await exported(shop, asked("voucher", fields, { order: "-code" }));
  assert.equal(
    text,
    [
      "Code,Value,Discount Type,Discount Amount Limit,Gift Balance,Redemption Quantity,Redemption Count," +
        "Start Date,Expiration Date,Active,Validity Day Of Week,Additional Info,Metadata,Discount Effect",
      'PERCENT,12.5,PERCENT,20.50,,3,0,2025-12-01T00:00:00.000Z,2026-12-01T10:00:00.000Z,true,"[1, 2]",' +
        '"a, ""b""","{""size"": 4, ""colour"": ""red""}",APPLY_TO_ORDER',
      "GIFT,100.00,,,74.95,,1,,,true,,,{},APPLY_TO_ORDER",
      "",
    ].join("\n"),
  );
  const { lines } = await exported(
    shop,
    asked("voucher", ["code", "value", "gift_balance", "metadata"], { order: "code", response_format: "JSONL" }),
  );
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line)),
    [
      { code: "GIFT", value: 10000, gift_balance: 7495, metadata: {} },
      { code: "PERCENT", value: 12.5, gift_balance: null, metadata: { colour: "red", size: 4 } },
    ],
  );
  const { text: redeemed } = await exported(
    shop,
    asked("redemption", ["object", "voucher_code", "order_amount", "gift_amount", "loyalty_points", "result", "date"]),
  );
  assert.equal(redeemed.split("\n")[1], `redemption,GIFT,99.99,25.05,,SUCCESS,${NOW}`);
  const { text: moved } = await exported(
    shop,
    asked("voucher_transactions", ["type", "amount", "balance", "voucher_id"]),
  );
  const { id } = await ok("GET /v1/vouchers/GIFT");
  assert.equal(moved, `Type,Amount,Balance,Voucher ID\nCREDITS_REDEMPTION,-25.05,74.95,${id}\n`);
});

test("what is exported of a card is what its list of transactions shows", async () => {
  const shop = await testShop(db);
  const { ok } = shop;
  await fill(shop);
  const path = "/v1/vouchers/GIFT1/transactions";
  const listed = (await ok(`GET ${path}?limit=100`)).data;
  const fields = [
    "id",
    "source_id",
    "voucher_id",
    "campaign_id",
    "source",
    "reason",
    "type",
    "details",
    "related_transaction_id",
    "created_at",
  ];
  const { lines, started } = await exported(
    shop,
    { parameters: { fields, response_format: "JSONL" } },
    `${path}/export`,
  );
  assert.ok(listed.length > 0);
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line)),
    listed,
  );
  assert.deepEqual(started.parameters.filters, { voucher_id: { conditions: { $in: [listed[0].voucher_id] } } });
  // The junction of what was sent does not open the path to other cards.
  const filters = { junction: "or", created_at: { conditions: { $after: "2020-01-01" } } };
  assert.equal((await exported(shop, { parameters: { filters } }, `${path}/export`)).done.result.rows, listed.length);

  const members = (await ok("GET /v1/loyalties/Club/members")).vouchers;
  const [one] = members;
  const own = (await ok(`GET /v1/loyalties/members/${one.code}/transactions`)).data;
  for (const from of [`/v1/loyalties/members/${one.code}`, `/v1/loyalties/Club/members/${one.code}`]) {
    const made = await exported(
      shop,
      { parameters: { fields: ["id"], order: "-created_at" } },
      `${from}/transactions/export`,
    );
    assert.deepEqual(
      made.lines.slice(1, -1),
      own.map(({ id }: { id: string }) => id),
    );
  }
  for (const from of ["/v1/loyalties/Club", "/v1/campaigns/Club"])
    assert.equal((await exported(shop, {}, `${from}/transactions/export`)).done.result.rows, 2);
  const expiring = await exported(
    shop,
    { parameters: { fields: ["voucher_id", "points", "status", "expires_at"] } },
    "/v1/loyalties/Club/points-expiration/export",
  );
  const expected = [];
  for (const { id, code } of members) {
    const buckets = await ok(`GET /v1/loyalties/Club/members/${code}/points-expiration`);
    for (const { bucket, expires_at } of buckets.data)
      expected.push(`${id},${bucket.total_points},ACTIVE,${expires_at}`);
  }
  assert.deepEqual(expiring.lines.slice(1, -1).sort(), expected.sort());
  const orders = await exported(
    shop,
    { parameters: { order: "status", fields: ["source_id", "total_amount"] } },
    "/v1/orders/export",
  );
  assert.equal(orders.started.exported_object, "order");
  assert.ok(orders.lines.includes("o2,100.00"));
});

test("codes have the addresses of their pictures, and rows of what is deleted are left out", async () => {
  const shop = await testShop(db);
  const { ok, call } = shop;
  for (const code of ["A", "B"])
    await ok(`POST /v1/vouchers/${code}`, { discount: { type: "AMOUNT", amount_off: 100 } });
  for (const id of ["A", "B"])
    await ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id }], order: { amount: 900 } });
  const { lines } = await exported(shop, asked("voucher", ["code", "qr_code", "bar_code"], { order: "code" }));
  const { assets } = await ok("GET /v1/vouchers/A");
  assert.equal(lines[1], `A,${assets.qr.url},${assets.barcode.url}`);
  await call("DELETE /v1/vouchers/B");
  assert.equal((await exported(shop, asked("voucher"))).done.result.rows, 1);
  assert.equal((await exported(shop, asked("redemption"))).done.result.rows, 1);
  assert.equal((await exported(shop, asked("voucher_transactions"))).done.result.rows, 0);
});

test("metadata is a column for each property of its schema, or those that are named; a formula is text", async () => {
  const shop = await testShop(db);
  const { ok, project } = shop;
  const metadata = { note: '=HYPERLINK("x")', size: -4 };
  await ok("POST /v1/customers", { source_id: "@SUM(1)", name: "+49 1", metadata });
  const without = await exported(shop, asked("customer", ["name", "source_id", "metadata", "metadata.note"]));
  assert.equal(without.lines[0], "Name,Source ID,Metadata,note");
  assert.equal(
    without.lines[1],
    `"'+49 1","'@SUM(1)","{""note"": ""=HYPERLINK(\\""x\\"")"", ""size"": -4}","'=HYPERLINK(""x"")"`,
  );
  const property = (type: string) => ({ type, optional: true, array: false });
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "customer",
    properties: {
      ...{ note: property("string"), size: property("number"), "=odd": property("string") },
      gone: { ...property("string"), deleted: true },
    },
  });
  const { lines } = await exported(shop, asked("customer", ["metadata", "name"]));
  assert.equal(lines[0], `"'=odd",note,size,Name`);
  assert.equal(lines[1], `,"'=HYPERLINK(""x"")",-4,"'+49 1"`);
  const json = await exported(shop, asked("customer", ["metadata", "name"], { response_format: "JSONL" }));
  assert.deepEqual(JSON.parse(json.lines[0]!), { metadata, name: "+49 1" });
});

test("filters choose the rows, and codes are compared as the project folds them", async () => {
  const shop = await testShop(db);
  const { ok } = shop;
  await fill(shop);
  const rows = async (object: string, filters: object, more: object = {}) =>
    (await exported(shop, asked(object, undefined, { filters, ...more }))).done.result.rows;
  const is = (field: string, conditions: object) => ({ [field]: { conditions } });
  assert.equal(await rows("voucher", is("code", { $is: "gift1" })), 1);
  assert.equal(await rows("voucher", is("redemption.redeemed_quantity", { $more_than: 0 })), 2);
  assert.equal(await rows("voucher", {}, { campaign_id: (await ok("GET /v1/campaigns/Club")).id }), 2);
  assert.equal(await rows("redemption", is("voucher", { $is: ["GIFT1"] })), 1);
  assert.equal(await rows("redemption", is("customer", { $is: ["c1"] })), 1);
  assert.equal(
    await rows("redemption", {
      junction: "or",
      ...is("customer", { $is: "c1" }),
      ...is("voucher_code", { $is: "GIFT2" }),
    }),
    2,
  );
  assert.equal(await rows("order", is("amount", { $more_than: 5000 })), 1);
  assert.equal(await rows("order", is("created_at", { $before: "2020-01-01" })), 0);
  assert.equal(await rows("publication", is("customer", { $is: "c2" })), 2, "the gift card and the loyalty card");
  assert.equal(await rows("customer", is("address.city", { $is: "Berlin" })), 2);
  assert.equal(await rows("customer", is("summary.orders.total_amount", { $more_than: 10000 })), 1);
  assert.equal(await rows("customer", is("loyalty.campaigns.Club.points", { $more_than: 100 })), 1);
  assert.equal(await rows("customer", is("loyalty.points", { $is: 100 })), 1);
  assert.equal(await rows("customer", is("loyalty.campaigns.Club.loyalty_tier", { $has_value: "" })), 0);
  assert.equal(await rows("customer", is("summary.redemptions.gift.redeemed_amount", { $is: 1000 })), 2);
  assert.equal(await rows("customer", is("summary.redemptions.gift.amount_to_go", { $is: 9000 })), 2);
  assert.equal(await rows("voucher", is("redemption.redeemed_amount", { $is: 1000 })), 2);
  assert.equal(await rows("voucher", is("redemption.redeemed_points", { $more_than: 0 })), 0);
  assertRefused(
    await shop.call(
      "POST /v1/exports",
      asked("customer", undefined, { filters: is("loyalty.campaigns.Club.size", { $is: 1 }) }),
    ),
    "invalid_payload",
    /filters\.loyalty\.campaigns\.Club\.size is unknown/,
  );
  assert.equal(await rows("customer", is("system_metadata.source", { $has_value: "" })), 0);
});

test("exports of customers are filtered by the tiers of their cards", async () => {
  const shop = await testShop(db);
  const { ok } = shop;
  await fill(shop);
  const club = await ok("GET /v1/campaigns/Club");
  await ok(`POST /v1/loyalties/${club.id}/tiers`, [{ name: "Low", points: { from: 1 } }]);
  const { vouchers } = await ok(`GET /v1/loyalties/${club.id}/members`);
  const held = vouchers.filter((one: { holder_id: string | null }) => one.holder_id !== null);
  for (const { code } of held) await ok(`POST /v1/loyalties/members/${code}/balance`, { points: 5 });
  const rows = async (field: string, conditions: object) =>
    (await exported(shop, asked("customer", undefined, { filters: { [field]: { conditions } } }))).done.result.rows;
  assert.ok(held.length > 0);
  for (const field of ["loyalty.campaigns.Club.loyalty_tier", "loyalty_tier.campaigns.Club", "loyalty.tiers"]) {
    assert.equal(await rows(field, { $in: ["Low"] }), held.length, field);
    assert.equal(await rows(field, { $in: ["High"] }), 0, field);
  }
});

test("exports of customers take all filters that segments take, but those of events", async () => {
  const { EXPORT_OBJECTS } = await import("../../src/steps/bulk/export-objects.ts");
  const known = EXPORT_OBJECTS.customer.filters;
  const missing = Object.keys(CUSTOMER_FIELDS).filter((field) => namedIn(known, field) === "");
  assert.deepEqual(missing, ["events.*.count", "events.*.last_date"]);
});

const OPERATORS = {
  id: { $is: "x" },
  enum: { $is: "x" },
  string: { $contains: "x" },
  code: { $is: "x" },
  number: { $more_than: 1 },
  money: { $more_than: 100 },
  boolean: { $is: true },
  date: { $after: "2020-01-01", $less_than: 3 },
  metadata: { $more_than: 1 },
  list: { $in: ["x"] },
};

/** A shop with at least two of everything that can be exported. */
async function fill({ ok }: Shop) {
  for (const n of [1, 2]) {
    await ok("POST /v1/products", {
      source_id: `p${n}`,
      name: `Product ${n}`,
      price: 1050,
      attributes: ["size", "colour"],
    });
    await ok(`POST /v1/products/p${n}/skus`, { source_id: `s${n}`, sku: `Sku ${n}`, price: 990, currency: "EUR" });
    await ok("POST /v1/customers", { source_id: `c${n}`, name: `Customer ${n}`, address: { city: "Berlin" } });
    await ok("POST /v1/orders", {
      source_id: `o${n}`,
      amount: 5000 * n,
      status: "PAID",
      customer: { source_id: `c${n}` },
    });
    await ok(`POST /v1/vouchers/GIFT${n}`, { type: "GIFT_VOUCHER", gift: { amount: 10000 } });
    await ok("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id: `GIFT${n}`, gift: { credits: 1000 } }],
      order: { amount: 4000 },
      customer: { source_id: `c${n}` },
    });
    await ok("POST /v1/publications", { voucher: `GIFT${n}`, customer: { source_id: `c${n}` } });
  }
  await ok("POST /v1/campaigns", {
    name: "Club",
    campaign_type: "LOYALTY_PROGRAM",
    voucher: {
      type: "LOYALTY_CARD",
      loyalty_card: { points: 0, expiration_rules: { period_type: "MONTH", period_value: 3 } },
    },
  });
  for (const n of [1, 2]) {
    const { code } = await ok("POST /v1/loyalties/Club/members", { customer: { source_id: `c${n}` } });
    await ok(`POST /v1/loyalties/members/${code}/balance`, {
      points: 100 * n,
      expiration_type: "CUSTOM_DATE",
      expiration_date: "2026-06-01",
    });
  }
}

test("the request log is exported as api_log: what was asked, with which key, and what was answered", async () => {
  const shop = await loggedShop(db, { client_trusted_domains: ["https://shop.example"] });
  const { call, entryOf, project } = shop;
  const made = await call("POST /v1/categories", { name: "A", hierarchy: 1 }, { "x-voucherify-channel": "SDK" });
  const refused = await call("GET /client/v1/promotions/tiers?limit=0", undefined, { origin: "https://shop.example" });
  for (const reply of [made, refused]) await entryOf(reply);
  const fields = ["id", "created_at", "status", "request_id", "channel", "method", "endpoint", "url", "user_email"];
  const more = ["app_id", "client_app_id", "request_duration", "request_body", "response_body"];
  const only = {
    filters: { endpoint: { conditions: { $in: ["POST_v1_categories", "GET_client_v1_promotions_tiers"] } } },
  };
  const { lines } = await exported(
    shop,
    asked("api_log", [...fields, ...more], { order: "-created_at", response_format: "JSONL", ...only }),
  );
  const rows = lines.slice(0, -1).map((line) => JSON.parse(line));
  const [first, second] = rows.toSorted((a, b) => b.method.localeCompare(a.method));
  const id = made.headers["x-request-id"];
  const { created_at, request_duration, response_body, ...rest } = first;
  assert.deepEqual(rest, {
    ...{ id, status: 200, request_id: id, channel: "SDK", method: "POST", endpoint: "POST_v1_categories" },
    ...{ url: "/v1/categories", user_email: null, app_id: project.app.id, client_app_id: null },
    request_body: '{"name":"A","hierarchy":1}',
  });
  assert.ok(created_at < NOW && Number.isInteger(request_duration));
  assert.deepEqual(JSON.parse(response_body), made.body);
  assert.deepEqual(
    [second.status, second.app_id, second.client_app_id, JSON.parse(second.response_body).key],
    [400, null, project.client.id, "invalid_query_params"],
  );
  const found = await exported(
    shop,
    asked("api_log", ["id"], { filters: { request_id: { conditions: { $is: refused.headers["x-request-id"] } } } }),
  );
  assert.equal(found.text, `ID\n${refused.headers["x-request-id"]}\n`);
});

test("the request log is not exported around its scope: neither begun, nor read, nor downloaded", async () => {
  const shop = await testShop(db);
  const { call } = shop;
  const bearer = async (scope: string) => ({
    ...{ "x-app-id": "", "x-app-token": "" },
    authorization: `Bearer ${await tokenOf(call, scope)}`,
  });
  const [exportsOnly, both] = [await bearer("exports"), await bearer("exports request-log")];
  const body = asked("api_log", ["id"]);
  assertRefused(await call("POST /v1/exports", body, exportsOnly), "missing_required_permission");
  assert.equal((await call("POST /v1/exports", asked("customer", ["id"]), exportsOnly)).status, 200);
  assert.equal((await call("POST /v1/exports", body, both)).status, 200);
  const { id } = (await exported(shop, body)).done;
  assertRefused(await call(`GET /v1/exports/${id}`, undefined, exportsOnly), "missing_required_permission");
  const listed = async (headers: Record<string, string>) =>
    (await call("GET /v1/exports?limit=100", undefined, headers)).body.exports.find(
      (one: { id: string }) => one.id === id,
    );
  assert.deepEqual([(await listed(exportsOnly)).result, (await listed(both)).result.rows >= 0], [null, true]);
  assert.equal((await call(`GET /v1/exports/${id}`, undefined, both)).body.exported_object, "api_log");
});

test("the addresses of an export and of a report begin with how the world calls the server", async () => {
  const { ok, call } = await testShop(db, {}, { publicUrl: "https://laurel.example/shop" });
  const { id } = await ok("POST /v1/exports", asked("customer", ["name"]));
  const bulk = await call("POST /v1/customers/bulk/async", [{ source_id: "ann" }]);
  await runExports.run(job);
  await runAsyncActions.run({ ...job, random: randomBytes });
  const { url } = (await ok(`GET /v1/exports/${id}`)).result;
  assert.match(url, /^https:\/\/laurel\.example\/shop\/v1\/exports\/exp_/);
  const { reports } = (await ok(`GET /v1/async-actions/${bulk.body.async_action_id}`)).result;
  assert.match(reports[0], /^https:\/\/laurel\.example\/shop\/v1\/task-results\/file_/);
  for (const address of [url, reports[0]])
    assert.equal(
      (await call(`GET ${address.slice("https://laurel.example/shop".length)}`, undefined, NO_KEYS)).status,
      200,
    );
});
