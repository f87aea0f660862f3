import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Type } from "typebox";
import { createLogger } from "../../src/cli/log.ts";
import { refusal, success } from "../../src/core/answer.ts";
import { ERROR_TABLE } from "../../src/core/errors.ts";
import { createLanes, type Flow } from "../../src/db/batches/batch.ts";
import { staticFile } from "../../src/http/documents/static-files.ts";
import { mountOpenRoutes } from "../../src/http/open-routes.ts";
import { hot, read, write } from "../../src/http/route.ts";
import { Metadata, open } from "../../src/http/schemas.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { FORM, form, NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertErrorBody, assertRefused, exchange, http, logged, portOf, SECURITY, until } from "../support/http.ts";

const { db, open: openPool } = await testDatabase();
const project = await testProject(db);
const JSON_TYPE = { "content-type": "application/json" };

const never = Promise.withResolvers<never>();
type Command = { request_id: string };
const started: string[] = [];
/** A flow that ends when it is let go. */
const gate = Promise.withResolvers<void>();
const flow: Flow<Command, ReturnType<typeof success>> = {
  name: "test",
  run: async (_, __, commands) => {
    started.push(...commands.map(({ request_id }) => request_id));
    await gate.promise;
    return commands.map(() => success({}));
  },
  failed: ({ request_id }, key) => refusal(key, { request_id }),
};
const ok = Type.Object({});
const routes = [
  ...ALL_ROUTES,
  read("GET /v1/orders/endless", { id: "endlessRead", summary: "", ok }, () => never.promise),
  write("POST /v1/orders/endless", { id: "endlessWrite", summary: "", ok }, () => never.promise),
  read("GET /v1/orders/broken", { id: "broken", summary: "", ok }, async () => {
    throw new Error("the internals");
  }),
  write("POST /v1/orders/broken", { id: "brokenSql", summary: "", ok }, async (c) => {
    await c.db`select * from no_such_table`;
    return {};
  }),
  hot("POST /v1/orders/hot", { id: "hot", summary: "", ok }, (c) =>
    c.submit(flow, c.project.id, { request_id: c.request_id }),
  ),
  write(
    "POST /v1/orders/large",
    { id: "large", summary: "", body: open({}), ok: Metadata, bodyLimitBytes: 4_000_000 },
    async () => ({}),
  ),
];
const { app, call } = await testEngine(db, project, { routes });
mountOpenRoutes(app, {
  db,
  now: () => NOW,
  metricsText: async () => "",
  metricsFor: "off",
  openApi: staticFile("application/json", () => "{}"),
  reference: null,
});
const port = await portOf(app);

test("a path that no operation has is a 404 with the error body", async () => {
  for (const path of ["/", "/v1", "/v1/nothing", "//v1/categories", "/v3/x", "/client/v1/nothing"])
    assertRefused(await call(`GET ${path}`), "not_found", `There is no operation at ${path}`);
  assertRefused(await call("GET /v1/nothing?secret=1"), "not_found", "There is no operation at /v1/nothing");
  // Nobody asked for the body, so nothing is said of it.
  for (const type of ["application/json", "text/plain", FORM["content-type"]])
    assertRefused(await call("POST /v1/nothing", "{", { "content-type": type }), "not_found");
  assertRefused(await call("PATCH /v1/categories", "x".repeat(2_000_000)), "method_not_allowed");
});

test("a method that a path does not have is a 405 that names those it has, in the body and in Allow", async () => {
  const refused = await call("PUT /v1/categories", {});
  assertRefused(refused, "method_not_allowed", "PUT is not supported by this endpoint. Did you mean GET or POST?");
  assert.equal(refused.headers.allow, "GET, POST");
  assert.equal((await call("PATCH /v1/categories/x", {})).headers.allow, "GET, PUT, DELETE");
  for (const method of ["OPTIONS", "TRACE", "PROPFIND"])
    assertRefused(await call(`${method} /v1/categories`), "method_not_allowed");
  const openPath = await call("POST /health/live", {});
  assertRefused(openPath, "method_not_allowed");
  assert.equal(openPath.headers.allow, "GET");
  const head = await exchange(port, http("HEAD /v1/categories", project.headers));
  assert.deepEqual([head.status, head.headers.allow, head.text], [405, "GET, POST", ""]);
});

test("a path that cannot be decoded or has too long a segment is refused with the error body", async () => {
  assertRefused(await call("GET /v1/categories/%"), "invalid_payload", "The path is not valid");
  assertRefused(await call("GET /v1/categories/%E0%A4%A"), "invalid_payload");
  assertRefused(await call(`GET /v1/categories/${"x".repeat(1001)}`), "not_found");
  assertRefused(await call(`GET /v1/categories/${"x".repeat(1000)}`), "not_found", /^Cannot find category/);
  assertRefused(await call("GET /v1/categories/%00"), "invalid_payload", "Text must not hold U+0000");
});

test("a body must be JSON, or a form where the operation asks for one; anything else is a 415", async () => {
  const valid = JSON.stringify({ name: "A", hierarchy: 1 });
  const post = (type: Record<string, string>, body = valid) =>
    app.inject({ method: "POST", url: "/v1/categories", headers: { ...project.headers, ...type }, payload: body });
  for (const type of [
    "text/plain",
    "application/xml",
    "multipart/form-data; boundary=x",
    "application/ld+json",
    "json",
  ])
    assertRefused(await call("POST /v1/categories", valid, { "content-type": type }), "unsupported_media_type");
  assertRefused(await call("POST /v1/categories", valid, FORM), "unsupported_media_type", /application\/json/);
  const none = await post({});
  assert.deepEqual([none.statusCode, none.json().key], [415, "unsupported_media_type"]);
  assert.equal(none.json().details, "Send the body as application/json");
  const plain = await call("POST /v1/categories", valid, { "content-type": "text/plain" });
  assert.equal(plain.body.details, "Send the body as application/json");
  for (const path of ["token", "introspect", "token/revoke"])
    assertRefused(await call(`POST /v1/oauth/${path}`, {}), "unsupported_media_type", /x-www-form-urlencoded/);
  assert.equal((await post({ "content-type": "Application/JSON; charset=utf-8" })).statusCode, 200);
});

test("malformed JSON is a 400 with the error body, on management too", async () => {
  const paths = ["POST /v1/categories", "POST /management/v1/projects", `PUT /management/v1/projects/${project.id}`];
  for (const path of paths)
    for (const text of ["{", "{'a':1}", "{a:1}", '{"a":1,}', "nul", '{"a":1}{', '{"a":01}', "NaN"])
      assertRefused(await call(path, text), "invalid_payload", "The body is not valid JSON");
});

test("a body above 1 MiB is a 413, above the operation's own limit where it has one", async () => {
  const sized = (bytes: number) => `{"name":"${"x".repeat(bytes - 11)}"}`;
  assertRefused(await call("POST /v1/categories", sized(1_048_577)), "payload_too_large");
  assertRefused(await call("POST /v1/categories", sized(1_048_576)), "invalid_payload", /required property/);
  assert.equal((await call("POST /v1/orders/large", sized(2_000_000))).status, 200);
  assertRefused(await call("POST /v1/orders/large", sized(4_000_001)), "payload_too_large");
  // Chunks of unknown length are counted while they come.
  const chunk = `${(2 ** 20).toString(16)}\r\n${"x".repeat(2 ** 20)}\r\n`;
  const chunked = { ...project.headers, ...JSON_TYPE, "transfer-encoding": "chunked" };
  const refused = await exchange(port, http("POST /v1/categories", chunked, `${chunk}${chunk}0\r\n\r\n`));
  assertRefused(refused, "payload_too_large");
});

test("an Accept that leaves out JSON is a 406", async () => {
  for (const accept of ["text/html", "application/xml", "application/jsonp", "application/json;q=0", "text/*, image/*"])
    assertRefused(
      await call("GET /v1/categories", undefined, { accept }),
      "not_acceptable",
      `Cannot answer in ${accept}`,
    );
  for (const accept of [
    "",
    "*/*",
    "application/*",
    "text/html, application/json;q=0.5",
    "application/json;charset=utf-8",
  ])
    assert.equal((await call("GET /v1/categories", undefined, { accept })).status, 200, accept);
});

test("what Node refuses before there is a request has the error body too", async () => {
  assertRefused(await exchange(port, "this is not http\r\n\r\n"), "invalid_payload");
  assertRefused(await exchange(port, "GET /v1/categories HTTP/1.1\r\nno colon\r\n\r\n"), "invalid_payload");
  assertRefused(await exchange(port, "BREW /pot HTTP/1.1\r\nhost: a\r\n\r\n"), "invalid_payload");
  const big = http("GET /v1/categories", { "x-big": "x".repeat(20_000) });
  assertRefused(await exchange(port, big), "header_fields_too_large");
  const smuggled = http("POST /v1/categories", { "content-length": "4", "transfer-encoding": "chunked" }, "0\r\n\r\n");
  assertRefused(await exchange(port, smuggled), "invalid_payload");
  const badChunk = http("POST /v1/categories", { ...JSON_TYPE, "transfer-encoding": "chunked" }, "zz\r\n");
  assertErrorBody(await exchange(port, badChunk));
});

test("a request without Host and one with an unknown Expect are not answered with an empty body", async () => {
  const noHost = `GET /v1/categories HTTP/1.1\r\nconnection: close\r\n\r\n`;
  assertRefused(await exchange(port, noHost), "invalid_payload", "The header Host is missing");
  const expecting = await exchange(port, http("GET /v1/categories", { ...project.headers, expect: "coffee" }));
  assert.equal(expecting.status, 200);
  const old = await exchange(port, "GET /v1/categories HTTP/1.0\r\n\r\n");
  assertRefused(old, "unauthorized");
});

test("a request that trickles in is ended with a 408 when its time is over", async () => {
  const slow = await testEngine(db, project, { requestTimeoutMs: 300 });
  const slowPort = await portOf(slow.app);
  const headers = { ...project.headers, ...JSON_TYPE, "content-length": "1000" };
  const [body, head] = await Promise.all([
    exchange(slowPort, http("POST /v1/categories", headers, "{"), " "),
    exchange(slowPort, "GET /v1/categories HTTP/1.1\r\nx-slow: ", "x"),
  ]);
  assertRefused(body, "request_timeout");
  assertRefused(head, "request_timeout");
  assert.equal((await call("GET /v1/categories")).status, 200);
});

test("a request over its time limit is a 503: nothing changed for a read, outcome unknown for a write", async () => {
  const limited = await testEngine(openPool(), project, { routes, requestTimeoutMs: 200 });
  const [reading, writing] = await Promise.all([
    limited.call("GET /v1/orders/endless"),
    limited.call("POST /v1/orders/endless"),
  ]);
  assertRefused(reading, "overloaded", "The request took too long");
  assertRefused(writing, "outcome_unknown", "The request took too long");
});

test("when the lanes are full the answer is 503 with Retry-After, and what was taken in is still answered", async () => {
  const submit = createLanes(openPool(), { lanes: 1, waitingMax: 1, report: assert.fail });
  const full = await testEngine(db, project, { routes, submit });
  const first = full.call("POST /v1/orders/hot");
  await until(() => started.length === 1, "the first command runs");
  const others = [full.call("POST /v1/orders/hot"), full.call("POST /v1/orders/hot")];
  assertRefused(await Promise.race(others), "overloaded");
  gate.resolve();
  const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 200, 503]);
});

test("while the event loop is late, requests are refused with 503 and all headers, and taken again afterwards", async () => {
  const pressed = await testEngine(db, project, { eventLoopDelayMaxMs: 100 });
  pressed.app.get("/health/live", async () => ({ status: "live" }));
  const busy = () => {
    for (const end = performance.now() + 250; performance.now() < end; );
  };
  let reply = await pressed.call("GET /v1/categories");
  await until(async () => {
    busy();
    reply = await pressed.call("GET /v1/categories");
    return reply.status !== 200;
  }, "it refuses");
  assertRefused(reply, "overloaded");
  busy();
  assert.equal((await pressed.call("GET /health/live")).status, 200, "a busy process is alive");
  await until(async () => (await pressed.call("GET /v1/categories")).status === 200, "it answers again");
});

test("an unknown error is a 500 that says nothing, and the log says all under the same request id", async () => {
  const log = logged();
  const seen = await testEngine(db, project, { routes, log: createLogger("info", log.stream) });
  for (const [request, message] of [
    ["GET /v1/orders/broken", "the internals"],
    ["POST /v1/orders/broken", 'relation "no_such_table" does not exist'],
  ] as const) {
    const reply = await seen.call(request);
    assertRefused(reply, "internal_server_error");
    assert.deepEqual(Object.keys(reply.body).sort(), ["code", "key", "message", "request_id"]);
    const line = log.lines().find(({ request_id, level }) => request_id === reply.body.request_id && level === 50);
    assert.equal(line?.err.message, message);
    assert.match(line?.err.stack, /http-errors\.test\.ts/);
  }
});

test("a refused write leaves no security header out, and neither does a success", async () => {
  for (const reply of [await call("GET /v1/categories"), await call("GET /health/live"), await call("GET /v1/x")])
    for (const [name, value] of Object.entries(SECURITY)) assert.equal(reply.headers[name], value);
  const unknown = await call("POST /v1/oauth/introspect", form({}), FORM);
  assertRefused(unknown, "missing_parameters");
});

test("docs/errors.md has the errors of the table, all of them and no others", () => {
  const rows = readFileSync("docs/errors.md", "utf8").matchAll(
    /^\| `(\w+)` \| (\d+)(?: or (\d+))? \| (.*?)(?: \/ (.*?))? \| (.*) \|$/gm,
  );
  const documented = [...rows].map(([, key, code, or, message, also, help]) => [
    key,
    { code: Number(code), ...(or && { or: Number(or) }), message, ...(also && { also }), help },
  ]);
  assert.deepEqual(Object.fromEntries(documented), ERROR_TABLE);
});

test("every error of the table is raised somewhere", () => {
  const files = globSync("src/**/*.ts").filter((file) => !file.endsWith(".test.ts") && file !== "src/core/errors.ts");
  const source = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const unused = Object.keys(ERROR_TABLE).filter((key) => !source.includes(`"${key}"`));
  assert.deepEqual(unused, []);
});
