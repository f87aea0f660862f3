import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { openApi } from "../../src/http/documents/openapi.ts";
import { staticFile } from "../../src/http/documents/static-files.ts";
import { mountOpenRoutes, OPEN_ROUTES } from "../../src/http/open-routes.ts";
import { type Route, write } from "../../src/http/route.ts";
import { Empty, Metadata, open, strict } from "../../src/http/schemas.ts";
import { SCOPES } from "../../src/http/scopes.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { parametersOf } from "../support/one-of-everything.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const repeated = (values: readonly string[]) => values.filter((value, n) => values.indexOf(value) !== n);
const lineOf = ({ method, path }: Pick<Route, "method" | "path">) => `${method} ${path}`;

test("an operation id is a verb and a noun, and stands once", () => {
  const ids = ALL_ROUTES.map(({ id }) => id);
  assert.deepEqual(repeated(ids), []);
  assert.deepEqual(
    ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]*)+$/.test(id)),
    [],
  );
});

test("a method and path stand once, whatever the parameters are called", () => {
  assert.deepEqual(repeated(ALL_ROUTES.map((route) => lineOf(route).replace(/\{\w+\}/g, "{}"))), []);
});

test("the parameters that a path names are those of its schema", () => {
  for (const route of ALL_ROUTES) {
    const { properties = {}, required = [] } = (route.params ?? {}) as { properties?: object; required?: string[] };
    assert.deepEqual(Object.keys(properties).sort(), parametersOf(route.path).sort(), lineOf(route));
    assert.deepEqual([...required].sort(), parametersOf(route.path).sort(), lineOf(route));
  }
});

/** The public interface has the older validation of client applications so, which may hold a code for a session. */
const BATCHED_GETS = ["/client/v1/validate", "/client/v1/promotions/validation"];

test("what a GET does changes nothing, and every other operation says what it is", () => {
  for (const { method, runs, summary, path } of ALL_ROUTES) {
    if (method === "GET") assert.equal(runs, BATCHED_GETS.includes(path) ? "hot" : "read", path);
    assert.match(summary, /^[A-Z].*[^.]$/, path);
  }
});

test("the scope of every operation is one that a token can have; management and token operations have none", () => {
  for (const { path, scope } of ALL_ROUTES) {
    const closed = /^\/(?:management|v1\/oauth|invitations)\//.test(path);
    assert.equal(scope === null, closed, path);
    if (scope !== null) assert.ok((SCOPES as readonly string[]).includes(scope), `${path}: ${scope}`);
  }
});

type Schema = { properties?: Record<string, Schema>; additionalProperties?: boolean | Schema; [key: string]: unknown };

/** Where an object of a body does not say what becomes of unknown fields, or says the wrong thing. */
function undecided(schema: unknown, expected: boolean, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, n) => undecided(one, expected, `${path}[${n}]`));
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, additionalProperties, ...rest } = schema as Schema;
  const isMap = properties === undefined || (Object.keys(properties).length === 0 && path !== "");
  const isObject = rest.type === "object" || (Array.isArray(rest.type) && rest.type.includes("object"));
  const own = isMap
    ? isObject && additionalProperties === undefined
    : typeof additionalProperties === "object"
      ? false
      : additionalProperties !== expected;
  const inner = Object.entries(properties ?? {}).flatMap(([name, one]) => undecided(one, expected, `${path}.${name}`));
  const others = [additionalProperties, ...["items", "anyOf", "oneOf", "allOf"].map((key) => rest[key])];
  return [
    ...(own ? [path || "the body"] : []),
    ...inner,
    ...others.flatMap((one) => undecided(one, expected, `${path}.*`)),
  ];
}
const ignoresUnknown = ({ path }: Route) => path.startsWith("/v1/") || path.startsWith("/client/");

test("every object of a body says what becomes of unknown fields: ignored on v1 and client, refused on v2 and management", () => {
  for (const route of ALL_ROUTES) assert.deepEqual(undecided(route.body, ignoresUnknown(route), ""), [], lineOf(route));
});

test("the check of the bodies finds one that did not choose, at any depth", () => {
  const silent = Type.Object({ a: Type.Optional(Type.String()) });
  assert.deepEqual(undecided(silent, true, ""), ["the body"]);
  assert.deepEqual(undecided(strict({ a: silent }), false, ""), [".a"]);
  assert.deepEqual(undecided(open({ a: Type.Array(strict({ b: Type.String() })) }), true, ""), [".a.*"]);
  assert.deepEqual(undecided(strict({ a: { type: "object", additionalProperties: silent } as never }), false, ""), [
    ".a.*",
  ]);
  assert.deepEqual(undecided(strict({ a: { type: "object" } as never }), false, ""), [".a"]);
  assert.deepEqual(undecided(open({ a: Metadata, b: Type.Optional(open({})) }), true, ""), []);
});

/** Every route that the server knows, read from its own listing. */
function served(listing: string): string[] {
  const parents: string[] = [];
  return listing.split("\n").flatMap((line) => {
    const match = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (!match) return [];
    const [, indent = "", part = "", methods] = match;
    const depth = indent.length / 4;
    const path = `${parents[depth - 1] ?? ""}${part}`;
    parents.length = depth;
    parents.push(path);
    return (methods?.split(", ") ?? []).map((method) => `${method} ${path}`);
  });
}

test("the server answers the operations of the table, the open paths and preflights, and nothing else", async () => {
  const { app } = await testShop(db, {}, { own: true });
  const metrics = { metricsText: async () => "", metricsFor: "off" as const };
  mountOpenRoutes(app, {
    db,
    now: () => NOW,
    openApi: staticFile("application/json", () => "{}"),
    reference: null,
    ...metrics,
  });
  await app.ready();
  const known = served(app.printRoutes());
  const expected = [
    ...ALL_ROUTES.map((route) => lineOf(route).replace(/\{(\w+)\}/g, ":$1")),
    ...Object.keys(OPEN_ROUTES).map((path) => `GET ${path}`),
    "OPTIONS /client/v1/*",
  ];
  assert.deepEqual(known.sort(), expected.sort());
});

test("every operation of the table needs credentials", () => {
  // A password is what opens a session; the token of an invitation is what opens it, and its user has nothing else yet.
  const open = [
    ...["POST /management/v1/session", "POST /management/v1/session/link"],
    ...["GET /management/v1/single-sign-on", "POST /management/v1/single-sign-on/start"],
    ...["POST /management/v1/single-sign-on/finish", "POST /management/v1/single-sign-on/confirm"],
    ...["POST /management/v1/password-reset", "POST /management/v1/password-reset/accept"],
    "POST /invitations/read",
    "POST /invitations/accept",
  ];
  assert.deepEqual(ALL_ROUTES.filter(({ access }) => access === "none").map(lineOf), open);
  const bare = write("POST /somewhere", { id: "x", summary: "", ok: Empty }, async () => null);
  assert.equal(bare.access, "none", "the check can fail");
});

test("the OpenAPI document has the operations of the table, all of them and no others", () => {
  const document = openApi(ALL_ROUTES, "1.2.3") as {
    info: { version: string };
    paths: Record<string, Record<string, any>>;
    components: { schemas: object };
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })),
  );
  assert.deepEqual(operations.map(({ line }) => line).sort(), ALL_ROUTES.map(lineOf).sort());
  assert.equal(document.info.version, "1.2.3");
  for (const { line, operation } of operations) {
    const route = ALL_ROUTES.find((one) => lineOf(one) === line)!;
    assert.equal(operation.operationId, route.id);
    const inPath = (operation.parameters ?? []).filter((one: { in: string }) => one.in === "path");
    assert.deepEqual(inPath.map((one: { name: string }) => one.name).sort(), parametersOf(route.path).sort());
    assert.equal(operation.requestBody !== undefined, route.body !== undefined, line);
    assert.equal(operation.security.length > 0, route.access !== "none", line);
    const success = Object.keys(operation.responses).find((status) => status.startsWith("2"));
    if (!("not" in route.ok))
      assert.equal(success, (route.ok as { type?: string }).type === "null" ? "204" : `${route.status ?? 200}`, line);
  }
  const named = JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  for (const [, name = ""] of named) assert.ok(name in document.components.schemas, name);
});
