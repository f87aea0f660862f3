import assert from "node:assert/strict";
import { test } from "node:test";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { NOW, newId, type Reply, testDatabase, testEngine } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { refusingShop, testRefusalQueue } from "../support/refusals.ts";

const { db } = await testDatabase();
const discount = { type: "AMOUNT", amount_off: 500 };
const cart = (code: string, more: object = {}) => ({ redeemables: [{ object: "voucher", id: code }], ...more });
const requestOf = ({ headers }: Reply) => headers["x-request-id"];
const without = (headers: Record<string, string>) => ({ ...headers, "x-app-id": "", "x-app-token": "" });
const holds = async (name: string) => (await INVARIANTS[name]!(db))[0]!.count;

/** A campaign with a code whose rule asks for an order of 100. */
async function world(options: Parameters<typeof refusingShop>[2] = {}) {
  const shop = await refusingShop(db, { client_trusted_domains: ["https://shop.example"] }, options);
  const { ok } = shop;
  const rules = { "1": { name: "order.amount", conditions: { $more_than: [10_000] } }, logic: "1" };
  const rule = await ok("POST /v1/validation-rules", { name: "big orders", rules });
  const campaign = await ok("POST /v1/campaigns", {
    name: "Big",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 1 } },
  });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/BIG`, {});
  await ok(`POST /v1/validation-rules/${rule.id}/assignments`, { campaign: campaign.id });
  return { ...shop, rule: rule.id as string, campaign: campaign.id as string };
}

test("refusals: a refused validation is kept with the request, the answer, the deciding rule and what it saw", async () => {
  const { call, refusalOf, rule, campaign, project } = await world();
  const body = cart("big", { order: { amount: 4_000 }, customer: { source_id: "ann" } });
  const reply = await call("POST /v1/validations", body);
  assert.equal(reply.body.valid, false);
  const { id, url, request, answer, trace, ...listed } = await refusalOf(reply);
  assert.match(id, /^rfsl_/);
  assert.deepEqual(listed, {
    created_at: NOW,
    request_id: requestOf(reply),
    kind: "validation",
    operation: "validateStackedDiscounts",
    status: 200,
    reason: "order_rules_violated",
    message: reply.body.redeemables[0].result.error.message,
    redeemables: [
      {
        ...{ object: "voucher", id: "BIG", campaign_id: campaign, reason: "order_rules_violated" },
        ...{ check: null, rule_id: rule },
      },
    ],
    redemption_id: null,
    key: { type: "server_key", id: project.app.id },
    channel: null,
    codes: ["big", "BIG"],
    customers: ["ann", reply.body.tracking_id],
    object: "refusal",
  });
  assert.deepEqual([url, request, answer], ["/v1/validations", body, reply.body]);
  const [{ rules, checks, decided_by }] = trace;
  assert.equal(decided_by, "order_rules_violated");
  assert.ok(checks.length > 0 && checks.every(({ passed }: any) => passed));
  assert.deepEqual([rules[0].id, rules[0].passed, rules[0].trace.seen], [rule, false, 4_000]);
  const shown = await call("POST /v1/validations", { ...body, options: { expand: ["trace"] } });
  assert.deepEqual(trace, [shown.body.redeemables[0].trace], "the trace is that of the validation");
});

test("refusals: a refused redemption names the failed redemption; what succeeds is not kept", async () => {
  const { call, ok, refusalOf, find, campaign } = await world();
  const order = { amount: 20_000 };
  await ok("POST /v1/redemptions", cart("BIG", { order }));
  const reply = await call("POST /v1/redemptions", cart("BIG", { order }));
  assertRefused(reply, "quantity_exceeded");
  const refusal = await refusalOf(reply);
  assert.deepEqual(
    [refusal.kind, refusal.status, refusal.reason, refusal.redemption_id, refusal.redeemables[0].check],
    ["redemption", 400, "quantity_exceeded", reply.body.resource_id, "quantity"],
  );
  assert.deepEqual(refusal.redeemables[0].limit, { name: "quantity", most: 1, with_this: 2 });
  assert.equal((await ok(`GET /v1/redemptions/${refusal.redemption_id}`)).failure_code, "quantity_exceeded");
  const older = await call("POST /v1/vouchers/BIG/redemption", { order });
  assert.equal((await refusalOf(older)).url, "/v1/vouchers/BIG/redemption");
  assert.equal((await find(`campaign=${campaign}`)).length, 2);
  assert.equal((await find("")).length, 2);
});

test("refusals: a rule that counts says which limit was reached, alone or among others", async () => {
  const { call, ok, refusalOf } = await world();
  const rules = {
    "1": { name: "redemption.count.per_customer", conditions: { $less_than: [1.5] } },
    "2": { name: "campaign.orders.amount_discounted", conditions: { $less_than_or_equal: [900] } },
    logic: "1 and 2",
  };
  const { id: rule } = await ok("POST /v1/validation-rules", { name: "limits", rules });
  const voucher = { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: null } };
  const limited = { name: "Limited", campaign_type: "DISCOUNT_COUPONS", voucher, validation_rules: [rule] };
  const { id } = await ok("POST /v1/campaigns", limited);
  await ok(`POST /v1/campaigns/${id}/vouchers/LIMITED`, {});
  const by = (source_id: string) => cart("LIMITED", { order: { amount: 20_000 }, customer: { source_id } });
  await ok("POST /v1/redemptions", by("ann"));
  const limitOf = async (who: string) =>
    (await refusalOf(await call("POST /v1/redemptions", by(who)))).redeemables[0].limit;
  assert.deepEqual(await limitOf("ann"), { name: "redemption.count.per_customer", most: 1, with_this: 2 });
  assert.deepEqual(await limitOf("bo"), { name: "campaign.orders.amount_discounted", most: 900, with_this: 1_000 });
});

test("refusals: found by code, customer, request id, reason, campaign and time, and page by page", async () => {
  const { call, ok, refusalOf, find, campaign } = await world();
  const { id: ann } = await ok("POST /v1/customers", { source_id: "ann@example.com" });
  const small = await call("POST /v1/validations", cart("BIG", { order: { amount: 1 }, customer: { id: ann } }));
  const missing = await call("POST /v1/validations", cart("NONE"));
  const origin = { origin: "https://shop.example" };
  const client = await call("POST /client/v1/validations", cart("none"), origin);
  assert.equal(client.status, 200, client.text);
  for (const reply of [small, missing, client]) await refusalOf(reply);
  const ids = async (query: string) => (await find(query)).map(({ request_id }) => request_id).sort();
  const of = (...replies: Reply[]) => replies.map(requestOf).sort();
  assert.deepEqual(await ids("code=Big"), of(small));
  assert.deepEqual(await ids("code=NONE"), of(missing, client), "codes are compared as the project does");
  assert.deepEqual(await ids(`customer=${ann}`), of(small));
  assert.deepEqual(await ids("customer=ann@example.com"), of(small), "by the source id, though the request had the id");
  assert.deepEqual(await ids("reason=not_found"), of(missing, client));
  assert.deepEqual(await ids(`campaign=${campaign}`), of(small));
  assert.deepEqual(await ids(`campaign=${campaign}&reason=not_found`), []);
  assert.deepEqual(await ids(`request_id=${requestOf(client)}`), of(client));
  assert.deepEqual(await ids(`created_at[before]=${NOW}`), []);
  assert.equal((await find("created_at[after]=2025-01-01T00:00:00Z")).length, 3);
  const first = await ok("GET /v1/refusals?limit=2");
  const second = await ok(`GET /v1/refusals?limit=2&starting_after_id=${first.more_starting_after}`);
  assert.deepEqual([first.data.length, first.has_more, second.data.length, second.has_more], [2, true, 1, false]);
  assert.deepEqual(
    [...first.data, ...second.data].map((one: any) => one.request_id),
    (await find("")).map((one) => one.request_id),
  );
});

test("refusals: e-mail addresses, phone numbers and secrets are masked everywhere", async () => {
  const { call, refusalOf, project } = await world();
  const customer = { source_id: "x", email: "eve@example.com", phone: "601602603", metadata: { note: "601602603" } };
  const reply = await call("POST /v1/validations", cart("eve@example.com", { customer, order: { amount: 1 } }));
  const text = JSON.stringify(await refusalOf(reply));
  assert.ok(!text.includes("eve@") && !text.includes("601602603") && text.includes("***"), text);
  const rows = await db`select to_jsonb(r)::text as text from refusals r where project_id = ${project.id}`;
  assert.ok(rows.length === 1 && !rows[0]!.text.includes("eve@"));
});

test("refusals: what a database cannot store takes no other refusal with it", async () => {
  const { call, refusalOf } = await world();
  const replies = [];
  for (const id of ["a\u0000b", "\ud800", "x".repeat(300)])
    replies.push(await call("POST /v1/validations", cart(id, { customer: { source_id: id } })));
  for (const reply of replies) if (reply.status === 200) assert.equal((await refusalOf(reply)).reason, "not_found");
});

test("refusals: a request repeated with its key is refused once; promotions that are only looked at not at all", async () => {
  const { call, ok, refusals, find, refusalOf } = await world();
  const key = { "idempotency-key": "again" };
  const first = await call("POST /v1/redemptions", cart("NONE"), key);
  await refusalOf(first);
  const again = await call("POST /v1/redemptions", cart("NONE"), key);
  assert.equal(again.headers["idempotent-replayed"], "true");
  await ok("POST /v1/promotions/validation", { order: { amount: 1 } });
  await refusalOf(await call("POST /v1/redemptions", cart("LAST")));
  await refusals.flush();
  assert.deepEqual((await find("")).map(({ request_id }) => request_id).includes(requestOf(again)), false);
  assert.equal((await find("")).length, 2);
});

test("refusals: beyond so many a minute, or so many bytes, only counts are kept, and they are exact", async () => {
  for (const limits of [{ perMinute: 3 }, { perProcess: 3 }, { bytesMax: 1 }]) {
    const { call, ok, refusals, find, project } = await world({ limits });
    const kept = "bytesMax" in limits ? 0 : 3;
    for (let n = 0; n < 7; n += 1) {
      await call("POST /v1/validations", cart(n < 5 ? "NONE" : "BIG", { order: { amount: 1 } }));
      if (n % 2 === 0) await refusals.flush();
    }
    assert.equal((await find("")).length, kept);
    const { count, not_kept, reasons } = await ok("GET /v1/refusals/summary");
    assert.deepEqual([count, not_kept], [7, 7 - kept]);
    assert.deepEqual(reasons, [
      { reason: "not_found", count: 5, not_kept: 5 - kept },
      { reason: "order_rules_violated", count: 2, not_kept: 2 },
    ]);
    const [usage] = await db`select * from refusal_usage where project_id = ${project.id}`;
    assert.equal(usage!.in_minute, kept);
  }
  assert.equal(await holds("what refusals take is the sum of what each takes"), 0);
  assert.equal(await holds("as many refusals are counted as were kept, or more"), 0);
});

test("refusals: two processes share what a project may have in a minute, and the next minute begins anew", async () => {
  let now = NOW;
  const limits = { perMinute: 3, now: () => now };
  const { call, refusals, find, project, ok } = await world({ limits, now: () => now });
  const other = testRefusalQueue(db, limits);
  const second = await testEngine(db, project, { refusals: other, now: () => now });
  for (const one of [call, second.call, call, second.call]) await one("POST /v1/validations", cart("NONE"));
  await refusals.flush();
  await other.flush();
  assert.equal((await find("")).length, 3);
  now = "2026-01-01T12:01:00.000Z";
  await call("POST /v1/validations", cart("NONE"));
  assert.equal((await find("")).length, 4);
  assert.deepEqual((await ok("GET /v1/refusals/summary?to=2026-01-02T00:00:00Z")).not_kept, 1);
});

test("refusals: the summary counts each refused redeemable in its campaign and its hour", async () => {
  const { call, ok, refusals, campaign, project } = await world();
  const partial = { redeemables_application_mode: "PARTIAL" };
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, partial);
  const both = [
    { object: "voucher", id: "BIG" },
    { object: "voucher", id: "NONE" },
  ];
  await call("POST /v1/validations", { redeemables: both, order: { amount: 1 } });
  await refusals.flush();
  const all = await ok("GET /v1/refusals/summary?from=2026-01-01T12:30:00Z&to=2026-01-01T13:00:00Z");
  assert.deepEqual(
    all.reasons.map(({ reason, count }: any) => [reason, count]),
    [
      ["not_found", 1],
      ["order_rules_violated", 1],
    ],
  );
  const own = await ok(`GET /v1/refusals/summary?campaign=${campaign}&to=2026-01-01T13:00:00Z`);
  assert.deepEqual([own.count, own.reasons[0].reason], [1, "order_rules_violated"]);
  assert.equal((await ok("GET /v1/refusals/summary?to=2026-01-01T12:00:00Z")).count, 0);
  assertRefused(await call("GET /v1/refusals/summary?from=2027-01-01T00:00:00Z"), "invalid_query_params");
});

test("refusals: after 30 days they go, and their counts stay, one row for each hour", async () => {
  const { call, ok, refusals, find, project } = await world();
  for (let n = 0; n < 3; n += 1) {
    await call("POST /v1/validations", cart("NONE"));
    await refusals.flush();
  }
  const purge = (now: string) => purgeExpired.run({ db, now: () => now, newId, random: (n) => new Uint8Array(n) });
  await purge("2026-01-31T11:00:00.000Z");
  assert.equal((await find("")).length, 3);
  for (const now of ["2026-01-31T12:00:01.000Z", "2026-01-31T12:00:01.000Z"]) await purge(now);
  assert.equal((await find("")).length, 0);
  const left = await db`select count, kept from refusal_counts where project_id = ${project.id}`;
  assert.deepEqual(
    left.map(({ count, kept }) => [count, kept]),
    [[3, 3]],
  );
  assert.equal((await db`select 1 from refusal_names where project_id = ${project.id}`).length, 0);
  assert.equal((await ok("GET /v1/refusals/summary?to=2026-01-02T00:00:00Z")).count, 3);
  assert.equal(await holds("what refusals take is the sum of what each takes"), 0);
});

test("refusals: erasing a customer takes their refusals, also one that was under way", async () => {
  const { call, ok, refusals, find, project } = await world();
  const { id } = await ok("POST /v1/customers", { source_id: "ann" });
  const ask = (customer: object) => call("POST /v1/validations", cart("NONE", { customer }));
  await ask({ id });
  await ask({ source_id: "bob" });
  await refusals.flush();
  await ask({ source_id: "ann" });
  await ok(`POST /v1/customers/${id}/permanent-deletion`);
  assert.equal((await find("customer=bob")).length, 1);
  await purgeExpired.run({ db, now: () => NOW, newId, random: (n) => new Uint8Array(n) });
  assert.deepEqual(
    (await find("")).map(({ customers }) => customers[0]),
    ["bob"],
  );
  assert.equal((await db`select 1 from refusals where project_id = ${project.id}`).length, 1);
  assert.equal(await holds("what refusals take is the sum of what each takes"), 0);
});

test("refusals: keys, scopes, projects and bad queries", async () => {
  const { call, refusalOf, project } = await world();
  const { id } = await refusalOf(await call("POST /v1/validations", cart("NONE")));
  for (const path of ["/v1/refusals", `/v1/refusals/${id}`, "/v1/refusals/summary"]) {
    const none = without(project.headers);
    assertRefused(await call(`GET ${path}`, undefined, none), "unauthorized");
    const bearer = async (scope: string) => ({ ...none, authorization: `Bearer ${await tokenOf(call, scope)}` });
    assertRefused(await call(`GET ${path}`, undefined, await bearer("vouchers")), "missing_required_permission");
    assert.equal((await call(`GET ${path}`, undefined, await bearer("refusals"))).status, 200);
  }
  assertRefused(await call("GET /v1/refusals/rfsl_none"), "not_found");
  assertRefused(await call("GET /v1/refusals?starting_after_id=rfsl_none"), "not_found");
  assertRefused(await call("GET /v1/refusals?limit=1000"), "invalid_query_params");
  assertRefused(await call("GET /v1/refusals/summary?from=yesterday"), "invalid_query_params");
  const stranger = await world();
  assertRefused(await stranger.call(`GET /v1/refusals/${id}`), "not_found");
  assert.deepEqual((await stranger.ok("GET /v1/refusals")).data, []);
});
