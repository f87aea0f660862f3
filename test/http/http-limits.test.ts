import assert from "node:assert/strict";
import net from "node:net";
import { after, test } from "node:test";
import { Type } from "typebox";
import { openDb } from "../../src/db/db.ts";
import { openApi } from "../../src/http/documents/openapi.ts";
import { createReference } from "../../src/http/documents/reference.ts";
import { staticFile } from "../../src/http/documents/static-files.ts";
import { METRICS } from "../../src/http/metrics.ts";
import { mountOpenRoutes } from "../../src/http/open-routes.ts";
import { read, write } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, SECURITY, tokenOf } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const SHOP = "https://shop.example";
const ok = Type.Object({ done: Type.Boolean() });
const done = async () => ({ done: true });
const routes = [
  // In place of the operations themselves, of which one wants a body.
  ...ALL_ROUTES.filter(({ id }) => id !== "trackCustomEventClientSide" && id !== "listVouchersClientSide"),
  write("POST /client/v1/events", { id: "clientEvent", summary: "", ok }, done),
  read(
    "GET /client/v1/vouchers",
    { id: "clientVouchers", summary: "", ok, setting: "client_list_vouchers_enabled" },
    done,
  ),
];
const EVENT = "POST /client/v1/events";
const rateHeaders = (headers: Record<string, unknown>) =>
  ["limit", "remaining", "retry", "type"].map((name) => headers[`x-rate-limit-${name}`]);

test("rate limits count per kind of key and per key; over the limit is a 429 that says when to come back", async () => {
  const [a, b] = [await testProject(db, { client_trusted_domains: ["*"] }), await testProject(db)];
  let now = NOW;
  const rateLimits = { app: 3, client: 2, management: 1, bulk: 0 };
  const { call } = await testEngine(db, a, { routes, rateLimits, now: () => now });
  const ends = Math.ceil(Date.parse(NOW) / 1000) + 60;
  for (const left of ["2", "1", "0"]) {
    const reply = await call("GET /v1/categories");
    assert.deepEqual([reply.status, ...rateHeaders(reply.headers)], [200, "3", left, `${ends}`, undefined]);
  }
  now = "2026-01-01T12:00:20.500Z";
  const over = await call("GET /v1/categories");
  assertRefused(over, "too_many_requests");
  assert.deepEqual(rateHeaders(over.headers), ["3", "0", `${ends}`, "api_calls"]);
  assert.equal(over.headers["retry-after"], "40");

  const client = (headers = {}) => call(EVENT, undefined, { origin: SHOP, ...headers });
  assert.deepEqual([(await client()).status, (await client()).status], [200, 200]);
  const often = await client();
  assertRefused(often, "too_many_requests");
  assert.equal(often.headers["access-control-allow-origin"], SHOP, "so that a page can read it");
  assert.equal((await call("GET /management/v1/projects")).status, 200);
  assertRefused(await call("GET /management/v1/projects"), "too_many_requests");
  assert.equal((await call("GET /v1/categories", undefined, b.headers)).headers["x-rate-limit-remaining"], "2");

  now = "2026-01-01T12:01:00.000Z";
  assert.equal((await call("GET /v1/categories")).headers["x-rate-limit-remaining"], "2");
});

test("imports and updates in bulk have a limit of their own beside that of the key", async () => {
  const { call } = await testShop(db, {}, { rateLimits: { app: 2, client: 0, management: 0, bulk: 3 } });
  const bulk = () => call("POST /v1/vouchers/metadata/async", { codes: ["NONE"], metadata: { a: 1 } });
  const first = await bulk();
  assert.deepEqual([first.status, ...rateHeaders(first.headers).slice(0, 2)], [202, "3", "2"]);
  const orders = [{ source_id: "o", status: "CREATED", amount: 1 }];
  assert.deepEqual(rateHeaders((await call("POST /v1/orders/import", orders)).headers).slice(0, 2), ["3", "1"]);
  // Of another kind, and refused for what it is: it counts all the same.
  assert.equal((await call("POST /v1/customers/importCSV", {})).headers["x-rate-limit-remaining"], "0");
  const over = await bulk();
  assertRefused(over, "too_many_requests");
  assert.equal(over.headers["x-rate-limit-type"], "bulk_api_calls");
  assert.ok(Number(over.headers["retry-after"]) > 0);
  for (const left of ["1", "0"])
    assert.equal((await call("GET /v1/categories")).headers["x-rate-limit-remaining"], left);
  const often = await call("GET /v1/async-actions");
  assertRefused(often, "too_many_requests");
  assert.equal(often.headers["x-rate-limit-type"], "api_calls");
});

test("without a limit of their own, imports and updates in bulk count as other requests of the key", async () => {
  const { call } = await testShop(db, {}, { rateLimits: { app: 2, client: 0, management: 0, bulk: 0 } });
  await call("POST /v1/vouchers/metadata/async", { codes: ["NONE"], metadata: { a: 1 } });
  assert.equal((await call("GET /v1/categories")).headers["x-rate-limit-remaining"], "0");
});

test("a token counts as the key that it was issued to", async () => {
  const { call } = await testShop(db, {}, { rateLimits: { app: 2, client: 0, management: 0, bulk: 0 } });
  const authorization = `Bearer ${await tokenOf(call, "api")}`;
  const bare = { "x-app-id": "", "x-app-token": "", authorization };
  assert.equal((await call("GET /v1/categories", undefined, bare)).headers["x-rate-limit-remaining"], "0");
  assertRefused(await call("GET /v1/categories"), "too_many_requests");
});

test("each of several processes takes its share of the limit, one request at least", async () => {
  for (const [limit, processes, share] of [
    [10, 4, "2"],
    [1, 8, "1"],
  ] as const) {
    const rateLimits = { app: limit, client: 0, management: 0, bulk: 0 };
    const { call } = await testShop(db, {}, { rateLimits, processes });
    assert.equal((await call("GET /v1/categories")).headers["x-rate-limit-limit"], share);
  }
});

test("without limits no rate header is sent, and wrong credentials do not use up the window of the key", async () => {
  const project = await testProject(db);
  const free = await testEngine(db, project);
  assert.deepEqual(rateHeaders((await free.call("GET /v1/categories")).headers), Array(4).fill(undefined));
  const limited = await testEngine(db, project, { rateLimits: { app: 1, client: 0, management: 0, bulk: 0 } });
  for (let i = 0; i < 3; i += 1)
    assertRefused(await limited.call("GET /v1/categories", undefined, { "x-app-token": "wrong" }), "unauthorized");
  assert.equal((await limited.call("GET /v1/categories")).status, 200);
});

test("a preflight is answered 204 for any origin and without credentials", async () => {
  const { app } = await testShop(db, {}, { routes });
  for (const origin of [SHOP, "https://evil.example", "null"]) {
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-client-token",
    };
    const reply = await app.inject({ method: "OPTIONS", url: "/client/v1/events", headers });
    assert.deepEqual([reply.statusCode, reply.body], [204, ""]);
    assert.equal(reply.headers["access-control-allow-origin"], origin);
    assert.equal(reply.headers["access-control-allow-methods"], "GET, POST, PUT, DELETE, OPTIONS");
    const allowed = String(reply.headers["access-control-allow-headers"]).toLowerCase().split(", ");
    for (const name of [
      "content-type",
      "x-client-application-id",
      "x-client-token",
      "authorization",
      "idempotency-key",
    ])
      assert.ok(allowed.includes(name), name);
    for (const [name, value] of Object.entries(SECURITY)) assert.equal(reply.headers[name], value);
  }
  const elsewhere = await app.inject({ method: "OPTIONS", url: "/v1/categories", headers: { origin: SHOP } });
  assert.equal(elsewhere.statusCode, 405);
  assert.equal(elsewhere.headers["access-control-allow-origin"], undefined);
});

test("a client call is answered to a trusted origin only; missing and untrusted ones are strangers", async () => {
  const { call } = await testShop(
    db,
    {
      client_trusted_domains: ["HTTPS://Shop.Example:443/", "http://localhost:3000"],
    },
    { routes },
  );
  const from = (origin: string) => call(EVENT, undefined, { origin });
  for (const origin of [SHOP, "https://SHOP.example", "https://shop.example:443", "http://localhost:3000"]) {
    const reply = await from(origin);
    assert.equal(reply.status, 200, origin);
    assert.equal(reply.headers["access-control-allow-origin"], origin);
    assert.equal(reply.headers.vary, "Origin");
    assert.match(String(reply.headers["access-control-expose-headers"]), /X-Request-Id.*Retry-After/);
  }
  for (const origin of [
    "https://evil.example",
    "http://shop.example",
    "https://shop.example:8443",
    "null",
    "*",
    "shop.example",
    "",
  ]) {
    const reply = await from(origin);
    assertRefused(reply, "unauthorized", /^Origin is not allowed: /);
    assert.equal(reply.headers["access-control-allow-origin"], undefined, origin);
  }
  assertRefused(await call(EVENT), "unauthorized", /^Origin is not allowed: /);
  const wrongKey = await call(EVENT, undefined, { origin: SHOP, "x-client-token": "wrong" });
  assertRefused(wrongKey, "unauthorized");
  assert.equal(wrongKey.headers["access-control-allow-origin"], undefined);
});

test("* trusts every origin but not a missing one, and an empty list trusts none", async () => {
  const all = await testShop(db, { client_trusted_domains: ["*"] }, { routes });
  assert.equal((await all.call(EVENT, undefined, { origin: "https://any.example" })).status, 200);
  assertRefused(await all.call(EVENT), "unauthorized");
  const none = await testShop(db, {}, { routes });
  assertRefused(await none.call(EVENT, undefined, { origin: SHOP }), "unauthorized", /^Origin is not allowed: /);
});

test("a token in place of the client's key obeys origins and settings as well", async () => {
  const { call } = await testShop(db, { client_trusted_domains: [SHOP] }, { routes });
  const authorization = `Bearer ${await tokenOf(call, "client_api")}`;
  const bare = { "x-client-application-id": "", "x-client-token": "", authorization };
  assert.equal((await call(EVENT, undefined, { ...bare, origin: SHOP })).status, 200);
  assertRefused(await call(EVENT, undefined, bare), "unauthorized", /^Origin is not allowed: /);
  assertRefused(await call("GET /client/v1/vouchers", undefined, { ...bare, origin: SHOP }), "forbidden");
});

test("an operation that a setting of the project switches off is forbidden until it is on, at once", async () => {
  const { call, project } = await testShop(db, { client_trusted_domains: [SHOP] }, { routes });
  const refused = await call("GET /client/v1/vouchers", undefined, { origin: SHOP });
  assertRefused(refused, "forbidden", "The project setting client_list_vouchers_enabled is off");
  assert.equal(refused.headers["access-control-allow-origin"], SHOP);
  assertRefused(await call("GET /client/v1/vouchers"), "unauthorized");
  await call(`PUT /management/v1/projects/${project.id}`, { client_list_vouchers_enabled: true });
  assert.equal((await call("GET /client/v1/vouchers", undefined, { origin: SHOP })).status, 200);
});

type Open = Parameters<typeof mountOpenRoutes>[1];
const realNow = () => new Date().toISOString();

async function openEngine(open: Partial<Open> = {}, engine: Parameters<typeof testEngine>[2] = {}) {
  const { app } = await testShop(db, {}, { own: true, ...engine });
  const document = staticFile("application/json", () => JSON.stringify(openApi(ALL_ROUTES, "0")));
  const metrics = { metricsText: async () => "laurel_up 1\n", metricsFor: "loopback" as const };
  mountOpenRoutes(app, { db, now: realNow, openApi: document, reference: null, ...metrics, ...open });
  return async (url: string, options: { remoteAddress?: string; headers?: Record<string, string> } = {}) => {
    const reply = await app.inject({ method: "GET", url, ...options });
    const isJson = String(reply.headers["content-type"]).startsWith("application/json");
    const body = isJson ? reply.json() : null;
    return { status: reply.statusCode, body, text: reply.body, headers: reply.headers as Record<string, unknown> };
  };
}

test("health: live without a database, ready with one whose clock agrees", async () => {
  const get = await openEngine();
  assert.deepEqual((await get("/health/live")).body, { status: "live" });
  const { status, body } = await get("/health/ready");
  assert.equal(status, 200);
  assert.deepEqual([body.status, body.database], ["ready", "ok"]);
  assert.ok(Math.abs(body.clock_skew_ms) < 2000);
});

test("health: a database that is gone or does not answer is a 503 not_ready within 4 s, and live stays live", async (t) => {
  const sockets: net.Socket[] = [];
  const mute = net.createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => void mute.listen(0, "127.0.0.1", resolve));
  const pools = [1, (mute.address() as net.AddressInfo).port].map((p) => openDb(`postgres://x:y@127.0.0.1:${p}/z`));
  after(async () => {
    for (const socket of sockets) socket.destroy();
    mute.close();
    await Promise.all(pools.map((pool) => pool.end({ timeout: 0 })));
  });
  for (const away of pools) {
    const get = await openEngine({ db: away });
    // Four seconds of a clock that we move, whatever the machine takes for them.
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let answered: Awaited<ReturnType<typeof get>> | undefined;
    const asking = get("/health/ready").then((reply) => {
      answered = reply;
    });
    for (let ms = 0; ms < 4000; ms += 10) {
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(10);
    }
    t.mock.timers.reset();
    assert.ok(answered, "it has answered by then");
    await asking;
    assertRefused(answered, "not_ready", "The database does not answer");
    assert.equal((await get("/health/live")).status, 200);
  }
});

test("health: clocks more than 2 s apart are a warning that names the difference, and the server is ready", async () => {
  for (const [skew, isApart] of [
    [-2001, true],
    [-2000, false],
    [2000, false],
    [2001, true],
    [3_600_000, true],
  ] as const) {
    // A database whose clock is known to the millisecond.
    const now = new Date(Date.parse(NOW) - skew).toISOString();
    const get = await openEngine({ now: () => NOW, db: (async () => [{ now }]) as unknown as Open["db"] });
    const { status, body } = await get("/health/ready");
    const warnings = [`The clocks of Laurel and its database differ by ${skew} ms`];
    const ready = { status: "ready", database: "ok", clock_skew_ms: skew };
    assert.deepEqual([status, body], [200, isApart ? { ...ready, warnings } : ready]);
  }
});

test("/metrics is for callers on this machine: no other address, no forwarded one, whoever is trusted", async () => {
  const forwarded = { "x-forwarded-for": "127.0.0.1" };
  for (const trustProxy of [false, true, "127.0.0.1"]) {
    const get = await openEngine({}, { trustProxy });
    for (const remoteAddress of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"]) {
      const reply = await get("/metrics", { remoteAddress });
      assert.deepEqual([reply.status, reply.text], [200, "laurel_up 1\n"], remoteAddress);
      assert.match(String(reply.headers["content-type"]), /^text\/plain; version=0\.0\.4/);
    }
    for (const remoteAddress of ["10.0.0.1", "203.0.113.9", "::ffff:10.0.0.1", "2001:db8::1"])
      assertRefused(await get("/metrics", { remoteAddress }), "not_found", "There is no operation at /metrics");
    // A header is what anybody writes, and a proxy on this machine speaks for others.
    assertRefused(await get("/metrics", { remoteAddress: "203.0.113.9", headers: forwarded }), "not_found");
    assertRefused(await get("/metrics", { headers: { "x-forwarded-for": "203.0.113.9" } }), "not_found");
    assertRefused(await get("/metrics", { headers: forwarded }), "not_found");
    assertRefused(await get("/metrics", { headers: { forwarded: "for=203.0.113.9" } }), "not_found");
  }
});

test("/metrics can be for whoever comes without a proxy", async () => {
  const get = await openEngine({ metricsFor: "direct" });
  const remoteAddress = "203.0.113.9";
  assert.equal((await get("/metrics", { remoteAddress })).status, 200);
  for (const name of ["x-forwarded-for", "x-real-ip", "forwarded"])
    assertRefused(await get("/metrics", { remoteAddress, headers: { [name]: "for=198.51.100.7" } }), "not_found");
});

test("/metrics can be on for everyone and off for everyone", async () => {
  const remoteAddress = "203.0.113.9";
  assert.equal((await (await openEngine({ metricsFor: "on" }))("/metrics", { remoteAddress })).status, 200);
  assertRefused(await (await openEngine({ metricsFor: "off" }))("/metrics"), "not_found");
});

test("metrics of the process have the names that dashboards know; our own begin with laurel_", async () => {
  const { engine } = await testShop(db);
  const text = await engine.metrics.registry.metrics();
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
  for (const name of ["process_cpu_user_seconds_total", "nodejs_eventloop_lag_seconds", "nodejs_heap_size_used_bytes"])
    assert.ok(names.includes(name), name);
  assert.deepEqual(names.filter((name) => !/^(?:process|nodejs)_/.test(name)).sort(), Object.keys(METRICS).sort());
});

test("/openapi.json is the document of the route table, open to everyone", async () => {
  const get = await openEngine();
  const reply = await get("/openapi.json", { remoteAddress: "203.0.113.9" });
  assert.deepEqual(reply.body, JSON.parse(JSON.stringify(openApi(ALL_ROUTES, "0"))));
  for (const [name, value] of Object.entries({ ...SECURITY, "cache-control": "no-cache" }))
    assert.equal(reply.headers[name], value);
});

const PREFILL = { "X-App-Id": "the-id", "X-App-Token": "the-</script>-secret" };

async function docsEngine(prefill: Record<string, string> | null, trustProxy = false) {
  const { app } = await testShop(db, {}, { trustProxy });
  const reference = createReference(prefill);
  mountOpenRoutes(app, {
    db,
    now: realNow,
    metricsText: async () => "",
    metricsFor: "off",
    openApi: staticFile("application/json", () => "{}"),
    reference,
  });
  return (url: string, options: { remoteAddress?: string; headers?: Record<string, string> } = {}) =>
    app.inject({ method: "GET", url, ...options, headers: { host: "localhost:3000", ...options.headers } });
}

test("/docs works offline: its page and script load from our own origin only, under a policy that says so", async () => {
  const get = await docsEngine(null);
  const page = await get("/docs");
  assert.equal(page.statusCode, 200);
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'; script-src 'self';/);
  assert.doesNotMatch(policy, /https?:|\*|script-src[^;]*unsafe/);
  const start = await get("/docs/start.js");
  assert.doesNotMatch(page.body + start.body, /(?:https?:)?\/\/[\w.-]+\.\w+/);
  for (const [, source = ""] of page.body.matchAll(/src="([^"]+)"/g)) {
    const script = await get(source);
    assert.equal(script.statusCode, 200, source);
    assert.match(String(script.headers["content-type"]), /javascript/);
  }
  assert.doesNotMatch(page.body, /<script>/, "no script stands in the page, the policy would stop it");
});

test("/docs is filled in for a reader on this machine only: address and name are loopback, and our own page asks", async () => {
  type Options = { remoteAddress?: string; headers?: Record<string, string> };
  const isFilled = async (get: Awaited<ReturnType<typeof docsEngine>>, { headers, ...options }: Options = {}) => {
    const own = { "sec-fetch-site": "same-origin", ...headers };
    return (await get("/docs/start.js", { ...options, headers: own })).body.includes("the-id");
  };
  const get = await docsEngine(PREFILL);
  for (const host of ["localhost", "localhost:3000", "127.0.0.1:3000", "[::1]:3000", "LOCALHOST:1"])
    assert.equal(await isFilled(get, { headers: { host } }), true, host);
  for (const host of [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:3000",
    "localhost@evil",
  ])
    assert.equal(await isFilled(get, { headers: { host } }), false, host);
  // A page of another site on this machine loads the script, or something that is no browser does.
  for (const site of ["cross-site", "same-site", "none", ""])
    assert.equal(await isFilled(get, { headers: { "sec-fetch-site": site } }), false, site);
  assert.equal(await isFilled(get, { remoteAddress: "10.0.0.7" }), false);
  assert.equal(await isFilled(get, { headers: { "x-forwarded-for": "127.0.0.1" } }), false);
  const trusting = await docsEngine(PREFILL, true);
  const spoofed = { remoteAddress: "203.0.113.9", headers: { "x-forwarded-for": "127.0.0.1" } };
  assert.equal(await isFilled(trusting, spoofed), false);
  assert.equal(await isFilled(await docsEngine(null)), false);
  const filled = await get("/docs/start.js", { headers: { "sec-fetch-site": "same-origin" } });
  assert.doesNotMatch(filled.body, /<\/script>/i);
  assert.doesNotMatch((await get("/docs")).body, /the-id/);
});

test("with the reference switched off, /docs is a 404 and so is its script", async () => {
  const get = await openEngine();
  for (const path of ["/docs", "/docs/", "/docs/start.js"])
    assertRefused(await get(path), "not_found", "The API reference is off");
  assertRefused(await get("/docs/assets/scalar.js"), "not_found", "The API reference is off");
});
