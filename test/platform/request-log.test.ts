import assert from "node:assert/strict";
import { test } from "node:test";
import { transaction } from "../../src/db/batches/commit.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { FORM, form, insertRequest, NOW, newId, testDatabase } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { loggedShop, testRequestQueue } from "../support/request-log.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const LOG = "/v1/request-log";
const discount = { type: "PERCENT", percent_off: 10 };

test("request log: what was asked and answered is found by its request id, with both bodies", async () => {
  const { call, entryOf, project } = await loggedShop(db);
  const reply = await call("POST /v1/categories", { name: "Summer", hierarchy: 1, colour: "ignored" });
  const { duration_ms, created_at, ...entry } = await entryOf(reply);
  assert.ok(duration_ms > 0 && duration_ms < 120_000);
  assert.equal(Date.parse(NOW) - Date.parse(created_at) - duration_ms < 2, true);
  assert.deepEqual(entry, {
    id: reply.headers["x-request-id"],
    method: "POST",
    route: "/v1/categories",
    url: "/v1/categories",
    operation: "createCategory",
    status: 200,
    error_key: null,
    key: { type: "server_key", id: project.app.id },
    channel: null,
    codes: [],
    customers: [],
    request_body: { name: "Summer", hierarchy: 1, colour: "ignored" },
    response_body: reply.body,
    object: "logged_request",
  });
});

test("request log: a refusal has its key, and the answer that explains it", async () => {
  const { call, entryOf } = await loggedShop(db);
  const wrong = await call("POST /v1/categories", { name: 1 });
  const { status, error_key, response_body } = await entryOf(wrong);
  assert.deepEqual([status, error_key, response_body.details], [400, "invalid_payload", wrong.body.details]);
  const broken = await entryOf(await call("POST /v1/categories", '{"name":'));
  assert.deepEqual([broken.status, broken.request_body], [400, null]);
  const redeemables = [{ object: "voucher", id: "NONE" }];
  const none = await entryOf(await call("POST /v1/redemptions", { redeemables, customer: { source_id: "ann" } }));
  assert.deepEqual([none.error_key, none.codes, none.customers], ["not_found", ["NONE"], ["ann"]]);
});

test("request log: what a database cannot store takes no other request with it", async () => {
  const { call, entryOf, dropped } = await loggedShop(db);
  const replies = [];
  for (const id of ["\0", "\ud800", "a\u0000b", "x".repeat(900)]) {
    const body = { redeemables: [{ object: "voucher", id }], customer: { source_id: id }, [id]: id };
    replies.push(await call("POST /v1/validations", body));
    replies.push(await call(`GET /v1/vouchers/${encodeURIComponent(id.toWellFormed())}`));
  }
  for (const reply of replies) assert.equal((await entryOf(reply)).status, reply.status);
  assert.equal(dropped.count, 0);
});

test("request log: a code that is written in two ways in one request is found by both", async () => {
  const { call, entryOf, find } = await loggedShop(db, { case_sensitive_codes: false });
  const redeemables = ["Spring", "SPRING"].map((id) => ({ object: "voucher", id }));
  const reply = await call("POST /v1/validations", { redeemables });
  assert.deepEqual((await entryOf(reply)).codes, ["Spring", "SPRING"]);
  for (const { id } of redeemables) {
    const found = await find(`code=${id}`);
    assert.deepEqual(
      found.map((one) => one.id),
      [reply.headers["x-request-id"]],
    );
  }
});

test("request log: search by code, customer, status, route, method, key, error, time and request id", async () => {
  const { call, entryOf, find, project } = await loggedShop(db);
  const redeem = (id: string, source_id: string) =>
    call("POST /v1/validations", { redeemables: [{ object: "voucher", id }], customer: { source_id } });
  const made = await call("POST /v1/vouchers/SUMMER", { discount });
  const tried = await redeem("summer", "ann@example.com");
  const missing = await call("GET /v1/vouchers/WINTER");
  for (const reply of [made, tried, missing]) await entryOf(reply);
  const ids = async (query: string) => (await find(query)).map(({ id }) => id).sort();
  const of = (...replies: (typeof made)[]) => replies.map(({ headers }) => headers["x-request-id"]).sort();
  assert.deepEqual(await ids("code=Summer"), of(made, tried), "codes are compared as the project does");
  assert.deepEqual(await ids("code=WINTER"), of(missing));
  assert.deepEqual(await ids("customer=ann@example.com"), of(tried), "also by a name that is not shown");
  assert.equal((await find("customer=ann@example.com"))[0].customers[0], "***");
  assert.deepEqual(await ids("status=404"), of(missing));
  assert.deepEqual(await ids("status=4xx"), of(missing));
  assert.deepEqual(await ids("status=2xx"), of(made, tried));
  assert.deepEqual(await ids("status=5xx"), []);
  assert.deepEqual(await ids("error_key=not_found"), of(missing));
  assert.deepEqual(await ids("route=/v1/vouchers/{code}"), of(made, missing));
  assert.deepEqual(await ids("route=/v1/vouchers/{code}&method=GET"), of(missing));
  assert.deepEqual(await ids(`request_id=${missing.headers["x-request-id"]}`), of(missing));
  assert.deepEqual(await ids(`key_id=${project.app.id}`), of(made, tried, missing));
  assert.deepEqual(await ids("key_id=other"), []);
  assert.deepEqual(await ids(`created_at[before]=2025-01-01T00:00:00Z`), []);
  assert.deepEqual(await ids(`created_at[after]=2025-01-01T00:00:00Z`), of(made, tried, missing));
});

test("request log: a request is found by what its query names, and goes with the customer who is erased", async () => {
  const { ok, call, entryOf, find } = await loggedShop(db);
  await ok("POST /v1/customers", { source_id: "ann" });
  const filter = (field: string, value: string) => `filters[${field}][conditions][$is]=${value}`;
  const asking = [
    "GET /v1/redemptions?customer=ann",
    `GET /v1/vouchers?${filter("customer_id", "ann")}`,
    `GET /v1/customers?${filter("source_id", "ann")}`,
    "GET /client/v1/promotions/tiers?customer[source_id]=ann",
  ];
  const ids: unknown[] = [];
  for (const line of asking) {
    const reply = await call(line, undefined, { origin: "https://shop.example" });
    await entryOf(reply);
    ids.push(reply.headers["x-request-id"]);
  }
  const named = (await find("customer=ann")).map(({ id }) => id);
  for (const [n, id] of ids.entries()) assert.ok(named.includes(id), asking[n]!);
  const reply = await call(`GET /v1/vouchers?${filter("code", "SUMMER")}`);
  await entryOf(reply);
  assert.deepEqual(
    (await find("code=SUMMER")).map(({ id }) => id),
    [reply.headers["x-request-id"]],
  );
  const deep = await entryOf(await call(`GET /v1/vouchers?customer=ann&${"a".concat("[b]".repeat(12))}=1`));
  assert.deepEqual([deep.status, deep.url], [400, "/v1/vouchers?***"]);
  await ok("POST /v1/customers/ann/permanent-deletion");
  assert.deepEqual(await find("customer=ann"), []);
});

test("request log: of a list no more customers are noted than twenty, and who is not noted is not shown", async () => {
  const { ok, call, entryOf, find } = await loggedShop(db);
  for (let n = 0; n < 25; n += 1) await ok("POST /v1/customers", { source_id: `s-${n}`, name: `Name ${n}.` });
  const { customers, response_body } = await entryOf(await call("GET /v1/customers?limit=100"));
  // Each has two names: the id and the source id.
  assert.deepEqual([customers.length, response_body.customers.length, response_body.total], [20, 11, 25]);
  const [{ source_id }] = response_body.customers;
  const isList = ({ operation }: { operation: string }) => operation === "listCustomers";
  assert.equal((await find(`customer=${source_id}`)).filter(isList).length, 1);
  await ok(`POST /v1/customers/${source_id}/permanent-deletion`);
  assert.equal((await find("")).filter(isList).length, 0);
});

test("request log: pages show each request once, the newest first", async () => {
  const { ok, project } = await testShop(db);
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) made.push(await insertRequest(project.id, `C-${n}`, "ann"));
  const seen: string[] = [];
  for (let query = "limit=2"; query !== ""; ) {
    const { data, has_more, more_starting_after } = await ok(`GET ${LOG}?${query}`);
    seen.push(...data.map(({ id }: { id: string }) => id));
    query = has_more ? `limit=2&starting_after_id=${more_starting_after}` : "";
  }
  assert.deepEqual(seen, made.toReversed());
});

test("request log: what it does not take is refused", async () => {
  const { call } = await testShop(db);
  for (const query of ["limit=0", "limit=101", "status=4x", "status=600", "code=", "created_at[after]=x", "limit=a"])
    assertRefused(await call(`GET ${LOG}?${query}`), "invalid_query_params");
  assertRefused(await call(`GET ${LOG}?starting_after_id=v-1`), "not_found");
  assertRefused(await call(`GET ${LOG}/v-1`), "not_found", "Cannot find logged_request with id v-1");
  assertRefused(await call(`GET /management/v1/projects/proj_none/request-log`), "not_found");
});

test("request log: who may read it, and that another project's requests are not there", async () => {
  const { call, project } = await testShop(db);
  const other = await testShop(db);
  const id = await insertRequest(project.id, "C", "ann");
  const managed = `/management/v1/projects/${project.id}/request-log`;
  for (const path of [LOG, managed]) {
    assert.equal((await call(`GET ${path}/${id}`)).body.codes[0], "C");
    assert.equal((await call(`GET ${path}`)).body.data.length, 1);
    const headers = { "x-app-token": "wrong", "x-management-token": "wrong" };
    assertRefused(await call(`GET ${path}`, undefined, headers), "unauthorized");
    assertRefused(await call(`GET ${path}/${id}`, undefined, headers), "unauthorized");
  }
  assert.deepEqual((await other.call(`GET ${LOG}`)).body.data, []);
  assertRefused(await other.call(`GET ${LOG}/${id}`), "not_found");
  assertRefused(await other.call(`GET ${LOG}?starting_after_id=${id}`), "not_found");
  assertRefused(await call(`GET /management/v1/request-log/${id}`), "not_found");
  const none = { "x-app-id": "", "x-app-token": "" };
  const bearer = async (scope: string) => ({ ...none, authorization: `Bearer ${await tokenOf(call, scope)}` });
  assert.equal((await call(`GET ${LOG}`, undefined, await bearer("request-log"))).status, 200);
  assertRefused(await call(`GET ${LOG}`, undefined, await bearer("vouchers")), "missing_required_permission");
});

test("request log: operations of no project are in the log of the installation", async () => {
  const { call, entryOf, find, project } = await loggedShop(db);
  const log = "/management/v1/request-log";
  const listed = await call("GET /management/v1/projects");
  const entry = await entryOf(listed, log);
  assert.deepEqual(
    [entry.operation, entry.key],
    ["listProjects", { type: "management_key", id: project.management.id }],
  );
  const read = await call(`GET /management/v1/projects/${project.id}`);
  const { response_body } = await entryOf(read);
  assert.deepEqual([response_body.id, response_body.webhook_token], [project.id, "***"]);
  assert.deepEqual(await find(`request_id=${read.headers["x-request-id"]}`, log), []);
});

test("request log: strangers are not logged, nor is reading the log, nor what has no operation", async () => {
  const { call, requests, entryOf } = await loggedShop(db);
  await call("GET /v1/categories", undefined, { "x-app-token": "wrong" });
  await call("GET /nothing");
  await call(`GET ${LOG}`);
  await entryOf(await call("GET /v1/categories"));
  await requests.flush();
  const { data } = (await call(`GET ${LOG}?limit=100`)).body;
  assert.deepEqual(
    data.map(({ route }: { route: string }) => route),
    ["/v1/categories"],
  );
});

test("request log: no row holds a secret, an e-mail address or a phone number, in any column", async () => {
  const { call, entryOf, project } = await loggedShop(db);
  const person = { source_id: "eve.smith@mail.example", email: "eve@mail.example", phone: "0170 5558123", name: "Eve" };
  const replies = [
    await call("POST /v1/customers", { ...person, metadata: { note: "write to eve@mail.example or 0170 5558123" } }),
    await call("GET /v1/customers/eve.smith@mail.example"),
    await call("GET /v1/customers/eve.smith%40mail.example"),
    await call("GET /v1/customers?email=eve@mail.example"),
    await call("GET /v1/customers?filters[email][conditions][$is]=eve@mail.example"),
    await call("POST /v1/customers", { email: "no address", note: "+48 123 456 789" }),
    await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM),
    await call("POST /management/v1/projects", {
      ...{ name: "Other", timezone: "UTC", currency: "EUR", case_sensitive_codes: true },
    }),
    await call("POST /v1/exports", { exported_object: "customer", parameters: { fields: ["email"] } }),
    await call("GET /v1/categories", undefined, { "x-voucherify-channel": `${"c".repeat(195)} eve@mail.example` }),
  ];
  const token = replies[6]!.body.access_token;
  const secrets = [replies[7]!.body.server_side_key.app_token, project.app.secret, project.management.secret];
  for (const reply of replies) await entryOf(reply, reply === replies[7] ? "/management/v1/request-log" : LOG);
  const rows = await db<{ text: string }[]>`select to_jsonb(r)::text as text from request_log r`;
  const all = rows.map(({ text }) => text).join("\n");
  assert.ok(all.includes("Eve") && all.includes("/v1/oauth/token"));
  for (const one of ["eve.smith", "eve@", "mail.example", "5558123", "123 456 789", token, ...secrets])
    assert.ok(!all.includes(one), one);
});

test("request log: webhooks show no header value and no query, and neither users nor deliveries have bodies", async () => {
  const { call, entryOf, project } = await loggedShop(db);
  const own = `/management/v1/projects/${project.id}`;
  const headers = { "x-shop": "s3cret-value" };
  const webhook = { target_url: "https://shop.example/hook?s3cret-query", events: ["customer.created"], headers };
  const made = await call(`POST ${own}/webhooks`, webhook);
  const { request_body, response_body } = await entryOf(made);
  const shown = { target_url: "https://shop.example/hook?***", headers: { "x-shop": "***" } };
  assert.equal(made.status, 200);
  for (const { target_url, headers } of [request_body, response_body]) assert.deepEqual({ target_url, headers }, shown);
  await call("POST /v1/customers", { source_id: "zoe", name: "Zoe" });
  const bodiless = [await call(`GET ${own}/webhooks/${made.body.id}/deliveries`), await call(`GET ${own}/users`)];
  bodiless.push(await call(`GET ${own}/webhooks/${made.body.id}/deliveries/${bodiless[0]!.body.data[0].id}`));
  bodiless.push(await call(`POST ${own}/users`, { login: "u@mail.example", first_name: "Ursula" }));
  for (const reply of bodiless) {
    const entry = await entryOf(reply);
    assert.deepEqual([entry.status, entry.request_body], [reply.status, null]);
    if (reply.status < 400) assert.equal(entry.response_body, null);
  }
});

test("request log: a request that finds no place is dropped and counted, and nobody waits for a database that does not answer", async () => {
  const { call, requests, dropped, find } = await loggedShop(db, {}, { queue: { waitingMax: 3, perSecond: 2 } });
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const lock = transaction(db, async (tx) => {
    await tx`lock table request_log in access exclusive mode`;
    held();
    await isOver;
  });
  await isHeld;
  const flushed: Promise<void>[] = [];
  for (let n = 0; n < 20; n += 1) {
    assert.equal((await call("GET /v1/categories")).status, 200);
    if (n === 0) flushed.push(requests.flush());
  }
  const refused = await call("GET /v1/categories/cat_none");
  assert.ok(dropped.count >= 15, `${dropped.count} were dropped`);
  const before = dropped.count;
  end();
  await lock;
  await Promise.all([...flushed, requests.flush()]);
  const written = await find("");
  assert.equal(dropped.count, before);
  assert.equal(written.length + dropped.count, 21, "each is written or counted");
  assert.ok(
    written.some(({ id }) => id === refused.headers["x-request-id"]),
    "a refusal has a place of its own",
  );
});

test("request log: a redemption sends the same statements with the log as without it", async () => {
  const statements = async (isLogged: boolean): Promise<string[]> => {
    const seen: string[] = [];
    const pool = open({ max: 4, onQuery: (text) => void seen.push(text) });
    const { requests, dropped } = testRequestQueue(db);
    const { ok } = await testShop(pool, {}, { hot: pool, ...(isLogged && { requests }) });
    const redeem = (id: string) =>
      ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id }], order: { amount: 1000 } });
    for (const code of ["FIRST", "SECOND"]) await ok(`POST /v1/vouchers/${code}`, { discount });
    // What the first one prepares or loads is not counted.
    await redeem("FIRST");
    seen.length = 0;
    await redeem("SECOND");
    await requests.flush();
    assert.equal(dropped.count, 0);
    return seen.toSorted();
  };
  const plain = await statements(false);
  assert.ok(plain.length > 3 && !plain.some((text) => text.includes("request_log")));
  assert.deepEqual(await statements(true), plain);
});

test("request log: what the database refuses is dropped, counted and reported", async () => {
  const reported: unknown[] = [];
  const save = async () => {
    throw new Error("no");
  };
  const queue = { save, report: (error: unknown) => void reported.push(error) };
  const { call, requests, dropped } = await loggedShop(db, {}, { queue });
  await call("GET /v1/categories");
  await requests.flush();
  assert.deepEqual([dropped.count, reported.length], [1, 1]);
});

test("request log: what waited for half a minute is not written any more", async () => {
  let now = NOW;
  const { call, requests, dropped, find } = await loggedShop(db, {}, { queue: { now: () => now } });
  await call("GET /v1/categories");
  now = "2026-01-01T12:01:00.000Z";
  await requests.flush();
  assert.deepEqual([dropped.count, await find("")], [1, []]);
});

test("request log: a server that ends writes what waits", async () => {
  const { call, app } = await loggedShop(db, {}, { own: true });
  const { headers } = await call("GET /v1/categories");
  await app.close();
  const rows = await db`select id from request_log where id = ${String(headers["x-request-id"])}`;
  assert.equal(rows.length, 1);
});

test("request log: entries go when their days are over and not before, and all of them when the log is off", async () => {
  const { project, ok } = await testShop(db);
  await insertRequest(project.id, "C", "ann");
  const names = async () =>
    (await db`select count(*) from request_log_names where project_id = ${project.id}`)[0]!.count;
  const at = (now: string, requestLogDays?: number) =>
    purgeExpired.run({
      ...{ db, now: () => now, newId, random: Buffer.alloc },
      ...(requestLogDays !== undefined && { requestLogDays }),
    });
  const left = async () => (await ok(`GET ${LOG}`)).data.length;
  await at("2026-01-08T11:59:00.000Z");
  assert.deepEqual([await left(), await names()], [1, 2]);
  await at("2026-01-08T12:01:00.000Z");
  await at("2026-01-08T12:01:00.000Z");
  assert.deepEqual([await left(), await names()], [0, 0]);
  await insertRequest(project.id, "C", "ann");
  await at("2026-01-08T12:01:00.000Z", 30);
  assert.equal(await left(), 1);
  await at("2026-01-01T12:00:01.000Z", 0);
  assert.equal(await left(), 0);
});

test("request log: a customer who is erased is in no request any more, also in one that is written later", async () => {
  const { ok, call, entryOf, find, project } = await loggedShop(db);
  const reply = await call("POST /v1/customers", { source_id: "ann", name: "Ann" });
  await entryOf(reply);
  await entryOf(await call("POST /v1/customers", { source_id: "bob", name: "Bob" }));
  // What was said of a code that she holds.
  for (const code of ["HERS", "OTHER"])
    await ok(`POST /v1/vouchers/${code}`, { type: "GIFT_VOUCHER", gift: { amount: 1 } });
  await ok("POST /v1/publications", { voucher: "HERS", customer: { source_id: "ann" } });
  await entryOf(await call("POST /v1/vouchers/hers/balance", { amount: 1, reason: "for Ann" }));
  const erased = await call("POST /v1/customers/ann/permanent-deletion");
  const entry = await entryOf(erased);
  assert.deepEqual([entry.url, entry.request_body, entry.response_body], [entry.route, null, null]);
  assert.deepEqual(await find("customer=ann"), []);
  assert.equal((await find("customer=bob")).length, 1);
  assert.deepEqual([(await find("code=HERS")).length, (await find("code=OTHER")).length], [0, 1]);
  // One that was on its way.
  const late = await insertRequest(project.id, "C", "ann");
  const at = (now: string) => purgeExpired.run({ db, now: () => now, newId, random: Buffer.alloc });
  await at(NOW);
  assertRefused(await call(`GET ${LOG}/${late}`), "not_found");
  await at("2026-01-01T13:00:01.000Z");
  await ok("POST /v1/customers", { source_id: "ann" });
  await insertRequest(project.id, "C", "ann");
  await at("2026-01-01T13:10:00.000Z");
  assert.equal((await find("customer=ann&code=C")).length, 1, "somebody who comes later is logged");
});
