import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { read, write } from "../../src/http/route.ts";
import { Metadata, Nullable, open, strict } from "../../src/http/schemas.ts";
import { compileBody } from "../../src/http/validation.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, exchange, http, portOf, tokenOf } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const project = await testProject(db);
const JSON_TYPE = { "content-type": "application/json" };

const fields = {
  count: Type.Optional(Type.Integer()),
  ratio: Type.Optional(Type.Number()),
  name: Type.Optional(Type.String()),
  on: Type.Optional(Type.Boolean()),
  none: Type.Optional(Nullable(Type.String())),
  list: Type.Optional(Type.Array(Type.String())),
  metadata: Type.Optional(Metadata),
};
const echo = { ok: Type.Object({ body: Type.Unknown() }), summary: "" };
const routes = [
  ...ALL_ROUTES,
  write(
    "POST /v1/orders/echo",
    { id: "echo", body: open({ ...fields, inner: Type.Optional(open({ a: Type.Integer() })) }), ...echo },
    async (c) => ({ body: c.body }),
  ),
  write(
    "POST /v2/loyalties/echo",
    { id: "v2Echo", body: strict({ ...fields, inner: Type.Optional(strict({ a: Type.Integer() })) }), ...echo },
    async (c) => ({ body: c.body }),
  ),
  write("DELETE /v1/orders/echo", { id: "deleteEcho", body: open(fields), ...echo }, async (c) => ({ body: c.body })),
  write("DELETE /v1/orders/bare", { id: "deleteBare", ...echo }, async () => ({ body: null })),
  read("GET /v1/orders/bare", { id: "getBare", ...echo }, async (c) => ({ body: c.body ?? null })),
];
const { app, call } = await testEngine(db, project, { routes });
const bearer = { authorization: `Bearer ${await tokenOf(call, "api")}` };
const port = await portOf(app);
const send = (body: unknown) => call("POST /v1/orders/echo", body);

test("a value of a body is taken as it is: text is no number, a number no text, one item no list", async () => {
  const cases: [object, string][] = [
    [{ count: "5" }, "Property .count must be integer"],
    [{ count: 5.5 }, "Property .count must be integer"],
    [{ count: null }, "Property .count must be integer"],
    [{ count: true }, "Property .count must be integer"],
    [{ ratio: "0.5" }, "Property .ratio must be number"],
    [{ name: 5 }, "Property .name must be string"],
    [{ name: null }, "Property .name must be string"],
    [{ name: ["a"] }, "Property .name must be string"],
    [{ on: "true" }, "Property .on must be boolean"],
    [{ on: 1 }, "Property .on must be boolean"],
    [{ none: 1 }, "Property .none must be string,null"],
    [{ list: "a" }, "Property .list must be array"],
    [{ list: ["a", 1] }, "Property .list[1] must be string"],
    [{ metadata: [] }, "Property .metadata must be object"],
  ];
  for (const [body, details] of cases) assertRefused(await send(body), "invalid_payload", details);
  const valid = { count: 5, ratio: 0.5, name: "5", on: false, none: null, list: [], metadata: { any: [1, "a"] } };
  assert.deepEqual((await send(valid)).body.body, valid);
  assert.deepEqual((await send('{"count":5.0}')).body.body, { count: 5 });
});

test("no body is the empty object where no field is required, and only there", async () => {
  const nothing = [undefined, ""];
  for (const body of nothing) {
    const reply = await call("POST /v1/orders/echo", body);
    assert.deepEqual([reply.status, reply.body], [200, { body: {} }]);
    const needs = "The request needs a JSON body with 'name', 'hierarchy'";
    assertRefused(await call("POST /v1/categories", body), "invalid_payload", needs);
    const list = "The request needs a JSON body: a list";
    assertRefused(await call("POST /v1/loyalties/none/earning-rules", body), "invalid_payload", list);
  }
  for (const type of ["text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application/json"]) {
    const reply = await call("POST /v1/orders/echo", "", { "content-type": type });
    assert.deepEqual([reply.status, reply.body], [200, { body: {} }], type);
  }
});

test("every POST and PUT that requires no field takes no body", async () => {
  const real = ALL_ROUTES.filter(
    ({ method, body, form, bodyRequired }) => /POST|PUT/.test(method) && body && !form && !bodyRequired,
  );
  const free = real.filter(({ body }) => compileBody(body!)({}));
  for (const { method, path } of free) {
    const line = `${method} ${path.replace("{projectId}", project.id).replace(/\{\w+\}/g, "none")}`;
    const { status, body, text } = await call(line);
    assert.doesNotMatch(body?.details ?? "", /needs a JSON body/, line);
    assert.ok(status < 500, text);
  }
  assert.ok(free.length > 50, `${free.length} operations`);
});

test("a body is an object: a list, a text and null are refused", async () => {
  for (const text of ["[]", '"a"', "1", "true"])
    assertRefused(await send(text), "invalid_payload", "The body must be a JSON object");
  assertRefused(await send("null"), "invalid_payload", "The request needs a JSON body");
  const category = "The body must be a JSON object with 'name', 'hierarchy'";
  assertRefused(await call("POST /v1/categories", "[]"), "invalid_payload", category);
  assertRefused(
    await call("POST /v1/loyalties/none/earning-rules", "{}"),
    "invalid_payload",
    "The body must be a JSON list",
  );
  assertRefused(await send("  "), "invalid_payload", "The body is not valid JSON");
});

test("fields that a v1 body does not know are ignored, at every depth", async () => {
  assert.equal((await send({ count: 1, other: 1, inner: { a: 1, other: { deep: true } } })).status, 200);
  const made = await call("POST /v1/categories", { name: "A", hierarchy: 1, id: "mine", project_id: "proj_other" });
  assert.notEqual(made.body.id, "mine");
  assert.deepEqual(Object.keys(made.body), ["id", "name", "hierarchy", "created_at", "updated_at", "object"]);
});

test("a sandbox project is told the fields that v1 ignored, a live project is not", async () => {
  const header = "laurel-ignored-fields";
  const typo = { name: "a", nmae: "b", inner: { a: 1, colour: "red" }, metadata: { free: { at: "all" } } };
  const told = await send(typo);
  assert.deepEqual([told.status, told.headers[header]], [200, "nmae, inner.colour"]);
  assert.equal((await send({ name: "a", metadata: { free: 1 } })).headers[header], undefined);
  const refused = await call("POST /v1/vouchers/IGNORED", { discount: { type: "PERCENT", percent_of: 10 } });
  assert.deepEqual([refused.status, refused.headers[header]], [400, "discount.percent_of"]);
  const { call: callLive } = await testShop(db, { is_sandbox: false }, { routes });
  const silent = await callLive("POST /v1/orders/echo", typo);
  assert.deepEqual([silent.status, silent.headers[header]], [200, undefined]);
});

test("a date, a pattern and a value of several shapes are refused with how to write them", async () => {
  const cases: [string, object, string][] = [
    [
      "POST /v1/vouchers/X",
      { type: "DISCOUNT_VOUCHER", expiration_date: "2027-01-01" },
      "Property .expiration_date cannot be recognized as a ISO-8601 compliant date: " +
        "it needs a time and a zone, such as 2027-01-01T00:00:00Z",
    ],
    [
      "POST /v1/customers",
      { birthdate: "31.12.1990" },
      "Property .birthdate cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31",
    ],
    [
      "POST /v1/orders",
      { items: [{ quantity: "many" }] },
      "Property .items[0].quantity must be a whole number such as 2",
    ],
    ["POST /v1/orders", { customer: { metadata: 5 } }, "Property .customer.metadata must be object"],
  ];
  for (const [line, body, details] of cases) assertRefused(await call(line, body), "invalid_payload", details);
  const list = await call("GET /v1/vouchers?created_at[before]=yesterday");
  assertRefused(
    list,
    "invalid_query_params",
    /write a day such as 2027-01-31, or a time such as 2027-01-01T00:00:00Z$/,
  );
});

test("fields that a v2 or management body does not know are refused by name, at every depth", async () => {
  const v2 = (body: object) => call("POST /v2/loyalties/echo", body, bearer);
  assert.equal((await v2({ count: 1, inner: { a: 1 }, metadata: { free: 1 } })).status, 200);
  assertRefused(await v2({ other: 1 }), "invalid_payload", "Payload must NOT have additional property 'other'");
  assertRefused(
    await v2({ inner: { a: 1, b: 1 } }),
    "invalid_payload",
    "Property .inner must NOT have additional property 'b'",
  );
  const update = (body: object) => call(`PUT /management/v1/projects/${project.id}`, body);
  assertRefused(
    await update({ is_sandbox: false }),
    "invalid_payload",
    "Payload must NOT have additional property 'is_sandbox'",
  );
  assertRefused(
    await update({ api_usage_notifications: { messages: { colour: 1 } } }),
    "invalid_payload",
    "Property .api_usage_notifications.messages must NOT have additional property 'colour'",
  );
});

test("what JSON.parse would let pass is refused on the wire: doubles, __proto__, rounding, depth, broken text", async () => {
  const cases: [string, string][] = [
    ['{"name":"a","name":"b"}', "The body has an object with the same key twice"],
    ['{"metadata":{"a":1,"a":1}}', "The body has an object with the same key twice"],
    ['{"__proto__":{"count":1}}', "The key __proto__ is not allowed"],
    ['{"metadata":{"a":[{"__proto__":{}}]}}', "The key __proto__ is not allowed"],
    ['{"count":9007199254740993}', "Property .count must be between -9007199254740991 and 9007199254740991"],
    ['{"metadata":{"a":1e400}}', "Property .metadata.a must be between -9007199254740991 and 9007199254740991"],
    [`{"metadata":${'{"a":'.repeat(32)}1${"}".repeat(33)}`, "The body must not be nested deeper than 32 levels"],
    ['{"name":"\\u0000"}', "Property .name must not hold U+0000"],
    ['{"name":"\\ud800"}', "Property .name must be well-formed Unicode"],
    ["\ufeff{}", "The body is not valid JSON"],
  ];
  for (const [text, details] of cases) assertRefused(await send(text), "invalid_payload", details);
  assert.equal((await send({ metadata: { constructor: 1, toString: "x" } })).status, 200);
});

test("bytes that are not UTF-8 are refused, in JSON and in a form", async () => {
  const headers = (type: string, body: Buffer) => ({
    ...project.headers,
    "content-type": type,
    "content-length": `${body.length}`,
  });
  const broken = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  for (const [line, type] of [
    ["POST /v1/orders/echo", "application/json"],
    ["POST /v1/oauth/introspect", "application/x-www-form-urlencoded"],
  ] as const) {
    const bytes = Buffer.concat([Buffer.from(http(line, headers(type, broken))), broken]);
    assertRefused(await exchange(port, bytes), "invalid_payload", "The body is not valid UTF-8");
  }
});

test("a body that comes in chunks is one body", async () => {
  const body = '{"name":"chunked"}';
  const chunks = [...body].map((one) => `1\r\n${one}\r\n`).join("");
  const headers = { ...project.headers, ...JSON_TYPE, "transfer-encoding": "chunked" };
  const reply = await exchange(port, http("POST /v1/orders/echo", headers, `${chunks}0\r\n\r\n`));
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.text, /"name":"chunked"/);
});

test("the body of a GET is ignored, whatever it is", async () => {
  for (const headers of [{}, JSON_TYPE, { "content-type": "text/plain" }] as Record<string, string>[]) {
    const request = http("GET /v1/orders/bare", { ...project.headers, ...headers, "content-length": "5" }, "{oops");
    const reply = await exchange(port, request);
    assert.deepEqual([reply.status, reply.body], [200, { body: null }]);
  }
});

test("a DELETE takes a JSON body where it names one, needs none elsewhere, and a broken one is refused", async () => {
  assert.deepEqual((await call("DELETE /v1/orders/echo", { name: "a" })).body, { body: { name: "a" } });
  assertRefused(await call("DELETE /v1/orders/echo", { name: 1 }), "invalid_payload", "Property .name must be string");
  assert.equal((await call("DELETE /v1/orders/bare")).status, 200);
  assert.equal((await call("DELETE /v1/orders/bare", "", JSON_TYPE)).status, 200);
  assert.equal((await call("DELETE /v1/orders/bare", { any: 1 })).status, 200);
  assertRefused(await call("DELETE /v1/orders/bare", "{"), "invalid_payload");
});

test("who sends nothing may name any type, where no body is asked for", async () => {
  for (const type of ["text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application/json"]) {
    const named = { "content-type": type };
    assert.equal((await call("DELETE /v1/orders/bare", "", named)).status, 200, type);
  }
  assertRefused(await call("POST /v1/categories", "", { "content-type": "text/plain" }), "unsupported_media_type");
  assertRefused(await call("DELETE /v1/orders/bare", "x", { "content-type": "text/plain" }), "unsupported_media_type");
});

test("a body that says it is compressed or not in UTF-8 is refused, not misread", async () => {
  const coded: Record<string, string>[] = [
    { "content-encoding": "gzip" },
    { "content-type": "application/json; charset=latin1" },
    { "content-type": 'application/json; charset="utf-16"' },
  ];
  for (const headers of coded) {
    const reply = await call("POST /v1/categories", { name: "Coded", hierarchy: 1 }, headers);
    assert.deepEqual([reply.status, reply.body.key], [415, "unsupported_media_type"], JSON.stringify(headers));
  }
  const plain: Record<string, string>[] = [
    { "content-encoding": "identity" },
    { "content-type": "application/json; charset=UTF-8" },
    { "content-type": "application/json;charset=utf8" },
  ];
  for (const [n, headers] of plain.entries())
    assert.equal((await call("POST /v1/categories", { name: `Plain ${n}`, hierarchy: 1 }, headers)).status, 200);
});

test("a body that is announced as too long is refused before it comes, and takes no turn", async () => {
  const { app, call, project } = await testShop(db, {}, { own: true });
  const turns: boolean[] = [];
  app.addHook("onResponse", async ({ turn }) => void turns.push(turn !== null));
  const port = await portOf(app);
  const announce = (line: string, bytes: string) =>
    exchange(port, http(line, { ...project.headers, "content-type": "application/json", "content-length": bytes }));
  // Nothing follows the headers: whoever waited for the body would wait until its time is over.
  for (const bytes of ["1048577", "999999999999999"])
    assertRefused(await announce("POST /v1/categories", bytes), "payload_too_large", "Request body is too large");
  // Bulk operations take more, and are held to their own limit.
  assertRefused(await announce("POST /v1/customers/bulk/async", "20971521"), "payload_too_large");
  assert.deepEqual(turns, [false, false, false]);
  // A stranger is not told how long a body may be.
  const stranger = { "content-type": "application/json", "content-length": "1048577" };
  assertRefused(await exchange(port, http("POST /v1/categories", stranger)), "unauthorized");
  assert.equal((await call("POST /v1/categories", { name: "Fits", hierarchy: 1 })).status, 200);
  assert.equal(turns.at(-1), true, "one that fits takes a turn");
});
