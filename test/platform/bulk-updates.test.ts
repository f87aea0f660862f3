import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { skipOnCitus } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { until } from "../support/storage.ts";
import { uploadTo } from "../support/uploads.ts";

const { db } = await testDatabase();
const LATER = "2026-01-01T12:00:30.000Z";
const runJobs = (make = newId) => runAsyncActions.run({ db, now: () => LATER, newId: make, random: randomBytes });
const NO_KEYS = { "x-app-id": "", "x-app-token": "" };

type Line = { found: string; updated: string; error_key: string; error_details: string } & Record<string, string>;

async function shop(given = {}) {
  const it = await testShop(db, given);
  /** Starts an action, has it run, and reads its result and its report. */
  const run = async (line: string, body: unknown) => {
    const started = await it.call(line, body);
    assert.equal(started.status, 202, started.text);
    await runJobs();
    const action = await it.ok(`GET /v1/async-actions/${started.body.async_action_id}`);
    const report = await it.call(`GET ${action.result.reports[0]}`, undefined, NO_KEYS);
    assert.equal(report.status, 200, report.text);
    return { action, lines: parse(report.text, { columns: true }) as Line[] };
  };
  return { ...it, run };
}
const shown = (key: string) => (line: Line) => [line[key], line.found, line.updated, line.error_key];

test("customers in bulk: who is not there is made, a bad entry stops no other, and the report tells of each", async () => {
  const { ok, run, call } = await shop();
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann", metadata: { a: 1 } });
  const { action, lines } = await run("POST /v1/customers/bulk/async", [
    { source_id: "ann", email: "ann@shop.example", metadata: { b: 2 }, id: "cust_of_nobody" },
    { source_id: "bob", name: "Bob" },
    { source_id: "eve", name: 5 },
    { name: "Nobody" },
    "nonsense",
    { source_id: "bob", phone: "1" },
  ]);
  assert.deepEqual(lines.map(shown("source_id")), [
    ["ann", "true", "true", ""],
    ["bob", "false", "true", ""],
    ["eve", "false", "false", "invalid_payload"],
    ["", "false", "false", "invalid_payload"],
    ["", "false", "false", "invalid_payload"],
    ["bob", "true", "true", ""],
  ]);
  const { reports, ...result } = action.result;
  assert.equal(reports.length, 1);
  assert.deepEqual(result, {
    message: "3 customer(s) updated successfully, 3 failed.",
    done_count: 3,
    failed_count: 3,
    reports_available_till: "2026-01-31T12:00:30.000Z",
    errors: [
      {
        source_id: "eve",
        key: "invalid_payload",
        message: "Invalid payload",
        details: "Property .name must be string,null",
      },
      {
        key: "invalid_payload",
        message: "Invalid payload",
        details: "Payload must have required property 'source_id'",
      },
      {
        key: "invalid_payload",
        message: "Invalid payload",
        details: "The body must be a JSON object with 'source_id'",
      },
    ],
  });
  assert.deepEqual(
    [action.type, action.status, action.operation_status, action.progress],
    ["CUSTOMERS.BULK_UPDATE", "DONE", "SUCCESS", 100],
  );
  const ann = await ok("GET /v1/customers/ann");
  assert.deepEqual([ann.name, ann.email, ann.metadata], ["Ann", "ann@shop.example", { a: 1, b: 2 }]);
  const bob = await ok("GET /v1/customers/bob");
  assert.deepEqual([bob.name, bob.phone, bob.created_at, bob.updated_at], ["Bob", "1", LATER, LATER]);
  assert.equal((await call("GET /v1/customers/eve")).status, 404);
  const told = (await ok("GET /v1/customers/bob/activity")).data.map(({ type }: any) => type);
  assert.deepEqual(told.sort(), ["customer.created", "customer.updated"]);
});

test("the report says that a customer was there also when what was sent of them is refused", async () => {
  const { ok, run, project } = await shop();
  await ok("POST /v1/customers", { source_id: "ann" });
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "customer",
    properties: { size: { type: "number", optional: true, array: false } },
  });
  const sent = ["ann", "bob"].map((source_id) => ({ source_id, metadata: { size: "large" } }));
  const { lines } = await run("POST /v1/customers/bulk/async", sent);
  assert.deepEqual(lines.map(shown("source_id")), [
    ["ann", "true", "false", "metadata_validation_failed"],
    ["bob", "false", "false", "metadata_validation_failed"],
  ]);
});

test("customers in bulk enter segments, as one who is saved alone does", async () => {
  const { ok, run } = await shop();
  const filter = { junction: "and", name: { conditions: { $is: ["Ann"] } } };
  const segment = await ok("POST /v1/segments", { name: "Anns", type: "auto-update", filter });
  await runJobs();
  const people = Array.from({ length: 501 }, (_, n) => ({ source_id: `c${n}`, name: n % 2 === 0 ? "Ann" : "Bob" }));
  const { action } = await run("POST /v1/customers/bulk/async", people);
  assert.equal(action.result.done_count, 501, "more than one turn");
  const { total } = await ok(`GET /v1/customers?segment_id=${segment.id}`);
  assert.equal(total, 251);
  const told = (await ok("GET /v1/customers/c0/activity")).data.map(({ type }: any) => type);
  assert.ok(told.includes("customer.segment.entered"));
});

test("webhooks are told of customers whom a list or a file makes, and not of those whom it changes", async () => {
  const { ok, run, project, ...it } = await shop();
  const events = ["customer.created", "customer.updated"];
  await ok(`POST /management/v1/projects/${project.id}/webhooks`, { target_url: "https://shop.example/hooks", events });
  await ok("POST /v1/customers", { source_id: "ann" });
  await ok("POST /v1/customers", { source_id: "ann", name: "alone" });
  const told = async () =>
    (
      await db<{ type: string }[]>`
      select type from webhook_deliveries where project_id = ${project.id} order by type`
    ).map(({ type }) => type);
  assert.deepEqual(await told(), ["customer.created", "customer.updated"]);
  await run("POST /v1/customers/bulk/async", [{ source_id: "ann", name: "listed" }, { source_id: "bob" }]);
  await run("POST /v1/customers/metadata/async", { source_ids: ["ann"], metadata: { a: 1 } });
  await uploadTo({ ...it, project }, "POST /v1/customers/importCSV", "Source_id,Name\nann,filed\ncid,Cid\n");
  await runJobs();
  assert.equal((await ok("GET /v1/customers/ann")).name, "filed");
  assert.deepEqual(await told(), ["customer.created", "customer.created", "customer.created", "customer.updated"]);
  const listed = (await ok("GET /v1/customers/ann/activity")).data.map(({ type }: any) => type);
  assert.equal(listed.filter((type: string) => type === "customer.updated").length, 4, "the activity has each");
});

test("the same metadata for many customers is merged, and checked by its schema", async () => {
  const { ok, run, project } = await shop();
  const definition = { type: "number", optional: true, array: false };
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "customer",
    properties: { level: definition },
  });
  await ok("POST /v1/customers", { source_id: "ann", metadata: { a: 1 } });
  const good = await run("POST /v1/customers/metadata/async", { source_ids: ["ann", "bob"], metadata: { level: 3 } });
  assert.deepEqual(good.lines.map(shown("source_id")), [
    ["ann", "true", "true", ""],
    ["bob", "false", "true", ""],
  ]);
  assert.deepEqual((await ok("GET /v1/customers/ann")).metadata, { a: 1, level: 3 });
  assert.deepEqual((await ok("GET /v1/customers/bob")).metadata, { level: 3 });
  const bad = await run("POST /v1/customers/metadata/async", { source_ids: ["ann", "eve"], metadata: { level: "x" } });
  assert.deepEqual(
    [bad.action.type, bad.action.status, bad.action.operation_status, bad.action.result.failed_count],
    ["CUSTOMERS.METADATA_UPDATE", "FAILED", "FAILED", 2],
  );
  assert.equal(bad.action.result.errors[0].key, "metadata_validation_failed");
  assert.deepEqual((await ok("GET /v1/customers/ann")).metadata, { a: 1, level: 3 });
});

test("products in bulk: made or changed by source id, one after the other where one comes twice", async () => {
  const { ok, run } = await shop();
  const mug = await ok("POST /v1/products", { source_id: "mug", name: "Mug", price: 800, metadata: { a: 1 } });
  const { action, lines } = await run("POST /v1/products/bulk/async", [
    { source_id: "mug", price: 900, metadata: { b: 2 } },
    { source_id: "tee", name: "T-shirt", attributes: ["size"] },
    { source_id: "tee", image_url: "https://shop.example/tee.png" },
    { source_id: "bad", price: -1 },
    { source_id: "mug", metadata: { big: "x".repeat(33_000) } },
  ]);
  assert.deepEqual(lines.map(shown("source_id")), [
    ["mug", "true", "true", ""],
    ["tee", "false", "true", ""],
    ["tee", "true", "true", ""],
    ["bad", "false", "false", "invalid_payload"],
    ["mug", "false", "false", "invalid_payload"],
  ]);
  assert.equal(action.result.message, "3 product(s) updated successfully, 2 failed.");
  const after = await ok("GET /v1/products/mug");
  assert.deepEqual(after, { ...mug, price: 900, metadata: { a: 1, b: 2 }, updated_at: LATER });
  const tee = await ok("GET /v1/products/tee");
  assert.deepEqual(
    [tee.name, tee.attributes, tee.image_url, tee.created_at],
    ["T-shirt", ["size"], "https://shop.example/tee.png", LATER],
  );
  const same = await run("POST /v1/products/metadata/async", { source_ids: ["mug", "cup"], metadata: { c: 3 } });
  assert.deepEqual(same.lines.map(shown("source_id")), [
    ["mug", "true", "true", ""],
    ["cup", "false", "true", ""],
  ]);
  assert.deepEqual((await ok("GET /v1/products/mug")).metadata, { a: 1, b: 2, c: 3 });
  assert.deepEqual((await ok("GET /v1/products/cup")).metadata, { c: 3 });
});

test("codes in bulk: only their metadata, and none is made", async () => {
  const { ok, run, call } = await shop();
  const discount = { type: "PERCENT", percent_off: 10 };
  const campaign = await ok("POST /v1/campaigns", {
    name: "Mailing",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount },
  });
  await ok("POST /v1/vouchers", { code: "Alone", discount, metadata: { a: 1 } });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/OFHERS`, {});
  const { action, lines } = await run("POST /v1/vouchers/bulk/async", [
    { code: "alone", metadata: { b: 2 }, active: false, additional_info: "ignored" },
    { code: "OFHERS", metadata: { c: 3 } },
    { code: "NONE", metadata: { c: 3 } },
    { code: "Alone" },
    { code: "=1+1", metadata: {} },
  ]);
  assert.deepEqual(lines.map(shown("code")), [
    ["alone", "true", "true", ""],
    ["OFHERS", "true", "true", ""],
    ["NONE", "false", "false", "not_found"],
    ["Alone", "false", "false", "invalid_payload"],
    ["'=1+1", "false", "false", "not_found"],
  ]);
  assert.deepEqual([action.result.done_count, action.result.failed_count], [2, 3]);
  assert.equal(action.result.errors[0].code, "NONE");
  const alone = await ok("GET /v1/vouchers/Alone");
  assert.deepEqual([alone.metadata, alone.active, alone.additional_info], [{ a: 1, b: 2 }, true, null]);
  assert.deepEqual(alone.discount, (await ok("GET /v1/vouchers/OFHERS")).discount, "it keeps what its campaign gave");
  assert.deepEqual((await ok("GET /v1/vouchers/OFHERS")).metadata, { c: 3 });
  assert.equal((await call("GET /v1/vouchers/NONE")).status, 404);
  const same = await run("POST /v1/vouchers/metadata/async", { codes: ["ALONE", "NONE"], metadata: { d: 4 } });
  assert.deepEqual(same.lines.map(shown("code")), [
    ["ALONE", "true", "true", ""],
    ["NONE", "false", "false", "not_found"],
  ]);
  assert.deepEqual((await ok("GET /v1/vouchers/Alone")).metadata, { a: 1, b: 2, d: 4 });
});

const OPERATIONS = [
  ["customers", [{ source_id: "ann" }], { source_ids: ["ann"], metadata: {} }],
  ["products", [{ source_id: "mug" }], { source_ids: ["mug"], metadata: {} }],
  ["vouchers", [{ code: "A", metadata: {} }], { codes: ["A"], metadata: {} }],
] as const;
for (const [kind, list, same] of OPERATIONS)
  test(`${kind} in bulk: refused without a list, without keys, with keys of a page, and when it is too large`, async () => {
    const { call } = await testShop(db);
    for (const body of [{}, [], "x", null])
      assertRefused(await call(`POST /v1/${kind}/bulk/async`, body), "invalid_payload");
    for (const body of [
      {},
      [],
      { metadata: {} },
      { ...same, metadata: 5 },
      { metadata: {}, codes: [], source_ids: [] },
    ])
      assertRefused(await call(`POST /v1/${kind}/metadata/async`, body), "invalid_payload");
    for (const [path, body] of [
      ["bulk/async", list],
      ["metadata/async", same],
    ] as const) {
      assertRefused(await call(`POST /v1/${kind}/${path}`, body, NO_KEYS), "unauthorized");
      const narrow = await call("POST /v1/oauth/token", "grant_type=client_credentials&scope=orders", {
        "content-type": "application/x-www-form-urlencoded",
      });
      const authorization = `Bearer ${narrow.body.access_token}`;
      const token = await call(`POST /v1/${kind}/${path}`, body, { ...NO_KEYS, authorization });
      assertRefused(token, "missing_required_permission");
      const large = `[${" ".repeat(20_971_520)}]`;
      assertRefused(await call(`POST /v1/${kind}/${path}`, large), "payload_too_large");
    }
  });

test("a turn that fails is done again as a whole: nothing is written twice, and the report has each line once", async () => {
  const { ok, call } = await testShop(db);
  const products = Array.from({ length: 1_200 }, (_, n) => ({ source_id: `p${n}`, name: `Product ${n}` }));
  const { async_action_id } = await ok("POST /v1/products/bulk/async", products);
  let left = 700;
  const crashing = (prefix: string) => {
    left -= 1;
    if (left < 0) throw new Error("planted");
    return newId(prefix);
  };
  await assert.rejects(runJobs(crashing), /planted/);
  const half = await ok(`GET /v1/async-actions/${async_action_id}`);
  assert.deepEqual([half.status, half.operation_status, half.result], ["IN_PROGRESS", "UNKNOWN", null]);
  assert.equal((await ok("GET /v1/products?limit=1")).total, 500);
  await runJobs();
  const { result } = await ok(`GET /v1/async-actions/${async_action_id}`);
  assert.equal(result.done_count, 1_200);
  const report = await call(`GET ${result.reports[0]}`, undefined, NO_KEYS);
  const lines = parse(report.text, { columns: true }) as Line[];
  assert.deepEqual(
    lines.map(({ source_id, found }) => [source_id, found]),
    products.map(({ source_id }) => [source_id, "false"]),
  );
  assert.equal((await ok("GET /v1/products?limit=1")).total, 1_200);
  assert.equal((await db`select 1 from async_action_parts where async_action_id = ${async_action_id}`).length, 0);
});

test("what fails time and again is given up: it says so, and nothing of it stays", async () => {
  const { ok } = await testShop(db);
  const { async_action_id } = await ok("POST /v1/products/bulk/async", [{ source_id: "p" }]);
  const failing = (prefix: string) => {
    if (prefix === "prod") throw new Error("planted");
    return newId(prefix);
  };
  for (let n = 0; n < 5; n += 1) await assert.rejects(runJobs(failing), /planted/);
  const action = await ok(`GET /v1/async-actions/${async_action_id}`);
  assert.deepEqual([action.status, action.operation_status], ["FAILED", "FAILED"]);
  assert.match(action.result.message, /^0 product\(s\) updated successfully, 0 failed\. It failed 5 times/);
  assert.equal((await db`select 1 from async_action_parts where async_action_id = ${async_action_id}`).length, 0);
});

test("a long update keeps a short one waiting for one turn only", async () => {
  const { ok } = await testShop(db);
  const products = Array.from({ length: 2_000 }, (_, n) => ({ source_id: `p${n}` }));
  const long = await ok("POST /v1/products/bulk/async", products);
  const short = await ok("POST /v1/products/bulk/async", [{ source_id: "short" }]);
  let seconds = 0;
  const ended: string[] = [];
  const now = () => {
    seconds += 1;
    return new Date(Date.parse(NOW) + seconds * 1000).toISOString();
  };
  await runAsyncActions.run({ db, now, newId, random: randomBytes });
  for (const { async_action_id: id } of [short, long]) ended.push((await ok(`GET /v1/async-actions/${id}`)).updated_at);
  assert.ok(ended[0]! < ended[1]!, "the short one is done long before");
});

test("who is erased is erased from what is still to be done, and from what was told of it", async () => {
  const { ok, run, call } = await shop();
  const first = [{ source_id: "zz-bulk", name: 5 }, { source_id: "ann" }];
  const { action } = await run("POST /v1/customers/bulk/async", first);
  await ok("POST /v1/customers", { source_id: "zz-bulk" });
  const waiting = await ok("POST /v1/customers/bulk/async", [
    { source_id: "zz-bulk", name: "Zoe" },
    { source_id: "bob" },
  ]);
  await ok("POST /v1/customers/zz-bulk/permanent-deletion");
  for (const table of ["async_actions", "async_action_parts"]) {
    const rows = await db`select * from ${db(table)}`;
    assert.ok(!JSON.stringify(rows).includes("zz-bulk"), table);
  }
  assert.deepEqual((await ok(`GET /v1/async-actions/${action.id}`)).result.errors, []);
  await runJobs();
  const { result } = await ok(`GET /v1/async-actions/${waiting.async_action_id}`);
  assert.deepEqual([result.done_count, result.failed_count], [1, 1]);
  assert.equal(result.errors[0].details, "The customer was erased");
  assert.equal((await call("GET /v1/customers/zz-bulk")).status, 404);
  assert.equal((await ok("GET /v1/customers/bob")).source_id, "bob");
});

test("who is erased takes nothing with them that is only called as they are", async () => {
  const { ok, call, project } = await shop();
  const { id } = await ok("POST /v1/customers", { source_id: "1001", name: "CSV", phone: "PAID" });
  const actions: Record<string, string> = {};
  const start = async (name: string, path: string, body: unknown) => {
    actions[name] = (await ok(`POST ${path}`, body)).async_action_id;
  };
  await start("customers", "/v1/customers/bulk/async", [
    { source_id: "10012", metadata: { note: "1001", code: "CSV" } },
    { source_id: "1001", name: "gone" },
    { source_id: "1001", name: 5 },
  ]);
  await start("metadata", "/v1/customers/metadata/async", { source_ids: ["1002", "1001"], metadata: { from: "1001" } });
  await start("products", "/v1/products/bulk/async", [{ source_id: "1001", name: "CSV" }]);
  await start("orders", "/v1/orders/import", [
    { source_id: "1001", amount: 1 },
    { source_id: "o2", amount: 2, customer: "1001" },
    { source_id: "o3", amount: 3, customer: { source_id: "1001", name: "again" } },
    { source_id: "o4", amount: 4, referrer_id: id },
    { source_id: "o5", amount: 5, customer: { source_id: "o5", name: "CSV" } },
  ]);
  const filters = (field: string, value: string) => ({ [field]: { conditions: { $is: [value] } } });
  const exported = async (exported_object: string, parameters: object) =>
    (await ok("POST /v1/exports", { exported_object, parameters })).id as string;
  const kept = [
    await exported("voucher", { fields: ["code"], response_format: "CSV" }),
    await exported("order", { filters: filters("status", "PAID") }),
    await exported("voucher", { filters: filters("code", "1001") }),
  ];
  const gone = [
    await exported("customer", { filters: filters("name", "CSV") }),
    await exported("order", { filters: filters("customer_id", id) }),
    await exported("redemption", { filters: filters("customer", "1001") }),
  ];
  // What failed before: of a product, and of the customer.
  const failed = [{ source_id: "1001", reason: "no" }];
  for (const name of ["products", "customers"])
    await db`update async_actions set result = ${db.json({ failed })} where id = ${actions[name]!}`;
  await ok("POST /v1/customers/1001/permanent-deletion");

  for (const one of kept) assert.equal((await call(`GET /v1/exports/${one}`)).status, 200, one);
  for (const one of gone) assert.equal((await call(`GET /v1/exports/${one}`)).status, 404, one);
  const result = async (name: string) => (await ok(`GET /v1/async-actions/${actions[name]}`)).result;
  // They are under way, so nothing of it is shown yet.
  const told = async (name: string) =>
    (await db`select result -> 'failed' as failed from async_actions where id = ${actions[name]!}`)[0]!.failed;
  assert.deepEqual([await told("products"), await told("customers")], [failed, []]);
  await runJobs();
  const counts = async (name: string) => {
    const { done_count, failed_count } = await result(name);
    return [done_count, failed_count];
  };
  assert.deepEqual(await counts("customers"), [1, 2]);
  assert.deepEqual(await counts("metadata"), [1, 1]);
  assert.deepEqual(await counts("products"), [1, 0]);
  assert.deepEqual(await counts("orders"), [2, 3]);
  assert.equal((await ok("GET /v1/products/1001")).name, "CSV");
  assert.deepEqual((await ok("GET /v1/customers/10012")).metadata, { note: "1001", code: "CSV" });
  assert.equal((await ok("GET /v1/orders/1001")).amount, 1);
  assert.equal((await call("GET /v1/customers/1001")).status, 404);
  const parts = await db`select 1 from async_action_parts where project_id = ${project.id}`;
  assert.equal(parts.length, 0);
});

test("what an action could not do is told for 30 days, entry by entry; how many there were for good", async () => {
  const { ok, run } = await shop();
  const { action } = await run("POST /v1/customers/bulk/async", [{ source_id: "eve", name: 5 }, { source_id: "ann" }]);
  const toldAfter = async (days: number) => {
    const now = () => new Date(Date.parse(LATER) + days * 86_400_000).toISOString();
    await purgeExpired.run({ db, now, newId, random: randomBytes });
    const { result } = await ok(`GET /v1/async-actions/${action.id}`);
    return [result.errors.length, result.failed_count, result.done_count];
  };
  assert.deepEqual(await toldAfter(29), [1, 1, 1]);
  assert.deepEqual(await toldAfter(31), [0, 1, 1]);
});

const oneMachine = skipOnCitus("who waits does so on another machine than the session whose locks are looked at");
test("a turn holds no lock that keeps the statistics of other projects from being made", oneMachine, async () => {
  const { ok, project } = await shop();
  await db.begin(async (tx) => {
    await tx`
      insert into products (project_id, id, source_id, name, created_at)
      select ${project.id}, 'prod_' || n, 'p' || n, 'P', ${NOW} from generate_series(1, 2000) as n`;
    await tx`select pg_stat_force_next_flush()`;
  });
  const list = Array.from({ length: 500 }, (_, n) => ({ source_id: `p${n + 1}`, price: n }));
  await ok("POST /v1/products/bulk/async", list);
  const locks = await db.begin(async (tx) => {
    await tx`select 1 from products where project_id = ${project.id} for update`;
    const working = runJobs();
    const waiting = () => db<{ pid: number }[]>`
      select pid from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())
      union select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until("the turn waits for a product", async () => (await waiting()).length > 0);
    const held = await db`
      select 1 from pg_locks where pid = any(${(await waiting()).map(({ pid }) => pid)})
        and mode = 'ShareUpdateExclusiveLock' and relation = 'products'::regclass`;
    return { held, working };
  });
  await locks.working;
  assert.equal(locks.held.length, 0);
  assert.equal((await ok("GET /v1/products/p2")).price, 1);
});

test("of entries that failed the first thousand are told, and they are written only while there are fewer", async () => {
  const { ok, project } = await shop();
  // Four turns of 500.
  const list = Array.from({ length: 2_000 }, (_, n) => ({ source_id: `c${n}`, name: 5 }));
  const { async_action_id: id } = await ok("POST /v1/customers/bulk/async", list);
  const oneTurn = async () => {
    const [controller, times] = [new AbortController(), [LATER, LATER]];
    const now = () => {
      times.pop();
      // Asked when the turn begins and when it ends.
      if (times.length === 0) controller.abort();
      return LATER;
    };
    await runAsyncActions.run({ db, now, newId, random: randomBytes, signal: controller.signal });
    const [row] = await db`
      select jsonb_array_length(result -> 'errors') as told, result ? 'mark' as is_marked, work ? 'errors' as is_in_work
      from async_actions where project_id = ${project.id} and id = ${id}`;
    return [row!.told, row!.is_marked, row!.is_in_work];
  };
  assert.deepEqual(await oneTurn(), [500, false, false]);
  assert.equal((await ok(`GET /v1/async-actions/${id}`)).result, null, "nothing is told before the end");
  assert.deepEqual(await oneTurn(), [1_000, false, false]);
  await db`
    update async_actions set result = result || '{"mark": 1}' where project_id = ${project.id} and id = ${id}`;
  assert.deepEqual(await oneTurn(), [1_000, true, false], "what is told is not written again");
  await runJobs();
  const { result } = await ok(`GET /v1/async-actions/${id}`);
  assert.deepEqual([result.errors.length, result.failed_count], [1_000, 2_000]);
});
