import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { createLogger, createRequestLog } from "../../src/cli/log.ts";
import { staticFile } from "../../src/http/documents/static-files.ts";
import { mountOpenRoutes } from "../../src/http/open-routes.ts";
import { masked } from "../../src/http/refusal-log.ts";
import { read, write } from "../../src/http/route.ts";
import { open } from "../../src/http/schemas.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { FORM, form, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { exchange, http, logged, portOf, tokenOf } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const CANARY = "canary7f3a";
const ok = Type.Object({});
const routes = [
  ...ALL_ROUTES,
  write(
    "POST /v1/orders/{code}/fail",
    { id: "fail", summary: "", body: open({}), ok, params: Type.Object({ code: Type.String() }) },
    async (c) => {
      await c.db`select ${c.params.code}::text, ${JSON.stringify(c.body)}::text from no_such_table`;
      return {};
    },
  ),
  write(
    "POST /v1/orders/{code}/cast",
    { id: "cast", summary: "", ok, params: Type.Object({ code: Type.String() }) },
    async (c) => {
      await c.db`select ${c.params.code}::text::int`;
      return {};
    },
  ),
  write(
    "POST /v1/orders/{code}/json",
    { id: "json", summary: "", ok, params: Type.Object({ code: Type.String() }) },
    async (c) => {
      await c.db`select ${c.params.code}::text::jsonb`;
      return {};
    },
  ),
  read(
    "GET /v1/orders/{code}/log",
    { id: "log", summary: "", ok, params: Type.Object({ code: Type.String() }) },
    async () => ({}),
  ),
];

test("no log line at any level holds a secret, a body, a query, a code or an idempotency key", async () => {
  const log = logged();
  const project = await testProject(db);
  const quiet = await testEngine(db, project);
  const token = await tokenOf(quiet.call, "api");
  const { app, call } = await testEngine(db, project, {
    routes,
    log: createLogger("trace", log.stream),
    requestLog: createRequestLog("trace", log.stream),
  });
  const port = await portOf(app);
  const secret = `${CANARY}-secret`;
  const path = `/v1/orders/${CANARY}`;

  const answers = [
    await call("POST /v1/categories", { name: secret, hierarchy: 1 }, { "idempotency-key": `${CANARY}-key` }),
    await call("POST /v1/categories", { name: secret, hierarchy: 1 }),
    await call("POST /v1/categories", { name: secret, password: secret, hierarchy: secret }),
    await call("POST /v1/categories", `{"name":"${secret}"`),
    await call("POST /v1/categories", secret, { "content-type": "text/plain" }),
    await call(`GET /v1/categories?q=${secret}&limit=${secret}`),
    await call(`GET /v1/categories?filters${"[a]".repeat(20)}=${secret}`),
    await call(`GET /v1/categories/${secret}`),
    await call(`GET /v1/categories/${secret}%`),
    await call(`GET /v1/categories/${secret.repeat(100)}`),
    await call(`GET /${secret}`),
    await call(`PATCH /v1/categories/${secret}`),
    await call("GET /v1/categories", undefined, { "x-app-token": secret }),
    await call("GET /v1/categories", undefined, { "x-app-id": secret, "x-app-token": secret }),
    await call("GET /v1/categories", undefined, {
      "x-app-id": "",
      "x-app-token": "",
      authorization: `Bearer ${secret}`,
    }),
    await call("GET /v1/categories", undefined, { accept: `text/${secret}`, cookie: secret }),
    await call(`GET ${path}/log`, undefined, {
      authorization: `Bearer ${secret}`,
      referer: secret,
      "user-agent": secret,
    }),
    await call("POST /v1/oauth/token", form({ grant_type: secret, scope: secret }), FORM),
    await call("POST /v1/oauth/introspect", form({ access_token: secret }), FORM),
    await call("POST /v1/oauth/introspect", form({ access_token: token }), FORM),
    await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM),
    await call("POST /v1/oauth/token/revoke", form({ access_token: token }), FORM),
    await call("POST /management/v1/projects", {
      name: secret,
      timezone: "UTC",
      currency: "EUR",
      case_sensitive_codes: true,
    }),
    await call(`POST ${path}/fail`, { password: secret }),
    await call(`POST ${path}/cast`),
    await call(`POST ${path}/json`),
    await exchange(port, `${secret} ${secret}\r\n\r\n`),
    await exchange(port, http(`GET ${path}/log`, { ...project.headers, "x-big": secret.repeat(2000) })),
  ];

  const statuses = answers.map(({ status }) => status);
  for (const expected of [200, 204, 400, 401, 404, 405, 406, 409, 415, 431, 500])
    assert.ok(statuses.includes(expected), `one of the answers is ${expected}: ${statuses}`);
  const secrets = [CANARY, token, ...Object.values(project.headers).filter((value) => /^[0-9a-f]{64}$/.test(value))];
  for (const { body } of answers)
    secrets.push(...[body?.access_token, body?.server_side_key?.app_token, body?.webhook_token].filter(Boolean));
  assert.ok(secrets.length >= 7);
  for (const line of log.text().split("\n"))
    for (const one of secrets) assert.ok(!line.includes(one), `a log line holds ${one.slice(0, 12)}: ${line}`);

  const requests = log.lines().filter(({ msg }) => msg === "request");
  assert.ok(requests.length >= answers.length - 4, "every request that has a path is logged");
  assert.ok(
    requests.some(({ route }) => route === "GET /v1/orders/{code}/log"),
    "as its pattern",
  );
  const errors = log.lines().filter(({ level }) => level >= 50);
  assert.equal(errors.length, 3);
  for (const { err } of errors) assert.ok(err.code && err.stack);
});

test("a refusal is logged with its key and its details, without what the client sent", async () => {
  const log = logged();
  const { call } = await testShop(db, {}, { routes, log: createLogger("info", log.stream) });
  const last = () => {
    const { key, details, status } = log.lines().findLast(({ msg }) => msg === "request")!;
    return { status, key, details };
  };
  await call("POST /v1/categories", { name: CANARY, hierarchy: "one" });
  assert.deepEqual(last(), { status: 400, key: "invalid_payload", details: "Property .hierarchy must be integer" });
  await call(`GET /v1/categories/${CANARY}`);
  assert.deepEqual(last(), { status: 404, key: "not_found", details: "Cannot find category with id …" });
  for (let n = 0; n < 2; n += 1) await call("POST /v1/categories", { name: CANARY, hierarchy: 1 });
  assert.deepEqual(last(), { status: 409, key: "duplicate_found", details: "Duplicated category exists with name …" });
  const redeemables = [{ object: "voucher", id: CANARY.toUpperCase() }];
  await call("POST /v1/redemptions", { redeemables });
  const { status, key } = last();
  assert.deepEqual([status, key], [404, "not_found"], "what the lanes answer, too");
  assert.ok(!log.text().toLowerCase().includes(CANARY));
  await call("GET /v1/categories");
  assert.deepEqual(last(), { status: 200, key: undefined, details: undefined });
});

test("parts of a text are masked where they stand for themselves, the longest first, in any case", () => {
  assert.equal(masked("Cannot find CODE-1 of code", ["code", "code-1", "an"]), "Cannot find … of …");
  assert.equal(masked("Use a (b)+ [c]", ["(b)+", "[c]", " ", ""]), "Use a … …");
});

test("whoever asks whether the server is well fills no log", async () => {
  const log = logged();
  const { app } = await testShop(db, {}, { log: createLogger("info", log.stream) });
  const other = {
    metricsText: async () => "",
    metricsFor: "off" as const,
    openApi: staticFile("application/json", async () => "{}"),
    reference: null,
  };
  mountOpenRoutes(app, { db, now: () => new Date(0).toISOString(), ...other });
  for (const [url, status] of [
    ["/health/live", 200],
    ["/health/ready", 200],
    ["/openapi.json", 200],
  ] as const)
    assert.equal((await app.inject({ method: "GET", url })).statusCode, status);
  assert.equal(log.lines().filter(({ msg }) => msg === "request").length, 1);
});

test("a log line has no address of a caller, the connection's own or the forwarded one: it may be a shopper's", async () => {
  for (const trustProxy of [false, true]) {
    const log = logged();
    const { call } = await testShop(db, {}, { trustProxy, strangersMax: 1, log: createLogger("trace", log.stream) });
    const from = { "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9" };
    await call("GET /v1/categories", undefined, from);
    await call("GET /client/v1/promotions/tiers", undefined, from);
    for (let n = 0; n < 3; n += 1) await call("POST /invitations/read", { token: "none" }, from);
    assert.equal(log.lines().filter(({ msg }) => msg === "request").length, 5);
    for (const address of ["203.0.113.9", "127.0.0.1", "::1"])
      assert.ok(!log.text().includes(address), `${address} in ${log.text()}`);
  }
});

test("the address that is counted is the connection's own, or the forwarded one where the proxy is trusted", async () => {
  const isForwarded = async (trustProxy: boolean | string) => {
    const { call } = await testShop(db, {}, { trustProxy, strangersMax: 1 });
    const from = (address: string) => call("POST /invitations/read", { token: "none" }, { "x-forwarded-for": address });
    const [first, second] = [await from("203.0.113.9"), await from("198.51.100.7")];
    assert.equal(first.status, 404);
    return second.status === 404;
  };
  assert.deepEqual([await isForwarded(false), await isForwarded("10.0.0.0/8")], [false, false]);
  assert.deepEqual([await isForwarded(true), await isForwarded("loopback")], [true, true]);
});

test("refusals of what a process cannot work on are one line a second with their number, and none without any", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const log = logged();
  const [entered, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => held.resolve());
  const hold = write("POST /v1/orders/hold", { id: "hold", summary: "", body: open({}), ok }, async () => {
    entered.resolve();
    await held.promise;
    return {};
  });
  const options = { routes: [hold], requestsMax: 1, log: createLogger("info", log.stream) };
  const { app, project } = await testShop(db, {}, options);
  const url = `http://127.0.0.1:${await portOf(app)}/v1/orders/hold`;
  const send = () =>
    fetch(url, {
      ...{ method: "POST", body: "{}" },
      headers: { ...project.headers, "content-type": "application/json" },
    }).then(({ status }) => status);
  const lines = () => log.lines().filter(({ msg }) => msg.startsWith("requests were refused"));
  const first = send();
  await entered.promise;
  for (let n = 0; n < 5; n += 1) assert.equal(await send(), 503);
  t.mock.timers.tick(999);
  assert.deepEqual(lines(), []);
  t.mock.timers.tick(1);
  t.mock.timers.tick(5_000);
  const told = lines().map(({ refused, status, key }) => ({ refused, status, key }));
  assert.deepEqual(told, [{ refused: 5, status: 503, key: "overloaded" }]);
  held.resolve();
  assert.equal(await first, 200);
});
