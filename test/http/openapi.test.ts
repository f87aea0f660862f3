import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Type } from "typebox";
import { undocumentedRefusals } from "../../scripts/refusals.ts";
import { openApiText } from "../../src/cli/openapi.ts";
import { Metadata } from "../../src/core/shapes.ts";
import { openApi } from "../../src/http/documents/openapi.ts";
import { OPERATION_ERRORS } from "../../src/http/documents/operation-errors.ts";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { checkAnswer, closed } from "../support/engine.ts";

const ROOT = join(import.meta.dirname, "../..");
const BIN = join(ROOT, "node_modules/.bin");
const document = JSON.parse(openApiText());
const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-openapi-"));
after(() => fs.rmSync(dir, { recursive: true }));
fs.writeFileSync(join(dir, "openapi.json"), openApiText());

/** Runs a tool of the packages with the Node that runs this. */
function run(tool: string, args: readonly string[]): string {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [fs.realpathSync(join(BIN, tool)), ...args], {
    cwd: dir,
    env,
    encoding: "utf8",
  });
  assert.equal(status, 0, `${tool} ${args.join(" ")}\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

test("the document is valid OpenAPI 3.1, and redocly finds no error and nothing to warn of", () => {
  const said = run("redocly", ["lint", "openapi.json", "--config", join(ROOT, "redocly.yaml")]);
  assert.match(said, /is valid/);
  assert.doesNotMatch(said, /warning/i);
});

test("a checkout against a client that is generated from the document passes the type check", () => {
  fs.symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  run("oazapfts", ["openapi.json", "client.ts"]);
  fs.copyFileSync(join(ROOT, "test/http/generated-client/checkout.ts"), join(dir, "checkout.ts"));
  const compilerOptions = {
    ...JSON.parse(fs.readFileSync(join(ROOT, "tsconfig.json"), "utf8")).compilerOptions,
    ...{ lib: ["esnext", "dom", "dom.iterable"], types: [] },
  };
  fs.writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  fs.writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["checkout.ts"] }));
  run("tsc", ["-p", "."]);
});

/** Objects of the document without fields of their own, and values of any type, by their names or places. */
function openParts(schema: unknown, place: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((part) => openParts(part, place));
  if (typeof schema !== "object" || schema === null) return [];
  const {
    $ref,
    type,
    properties,
    patternProperties,
    additionalProperties: others = true,
    title,
    ...rest
  } = schema as any;
  if ($ref) return [];
  const isAny = [type, properties, rest.anyOf, rest.oneOf, rest.allOf, rest.enum, rest.const].every(
    (one) => one === undefined,
  );
  const isMap = [type].flat().includes("object") && !properties && !patternProperties && others === true;
  const inner = [
    ...Object.entries({ ...properties, ...patternProperties }).map(
      ([name, part]) => [part, `${place}.${name}`] as const,
    ),
    ...["items", "anyOf", "oneOf", "allOf", "not"].map((key) => [rest[key], place] as const),
    [others, `${place}.*`] as const,
  ];
  const lacksItems = [type].flat().includes("array") && rest.items === undefined;
  return [
    ...(isAny || isMap || lacksItems ? [title ?? place] : []),
    ...inner.flatMap(([part, at]) => openParts(part, at)),
  ];
}

test("every object of a request names its fields, in bodies and in queries; only maps of the caller's own are free", () => {
  const requests = Object.values(document.paths as Record<string, Record<string, any>>)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, requestBody, parameters = [] }) => [
      ...Object.values<any>(requestBody?.content ?? {}).map(({ schema }) => [schema, `${operationId} body`] as const),
      ...parameters.map(({ name, schema }: any) => [schema, `${operationId} ${name}`] as const),
    ]);
  const named = Object.entries<any>(document.components.schemas).filter(([name]) =>
    referredTo(requests.map(([schema]) => schema)).has(name),
  );
  const found = [
    ...requests.flatMap(([schema, place]) => openParts(schema, place)),
    ...named.flatMap(([name, schema]) => openParts(schema, name)),
  ];
  assert.deepEqual([...new Set(found)].sort(), ["Metadata", "SkuAttributes"]);
});

/** The names of the components that schemas refer to, and those that these refer to. */
function referredTo(schemas: unknown[], names = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(schemas).matchAll(/"#\/components\/schemas\/(\w+)"/g))
    if (!names.has(name!)) {
      names.add(name!);
      referredTo([document.components.schemas[name!]], names);
    }
  return names;
}

/** Objects without fields of their own, by their names. */
function freeMaps(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(freeMaps);
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, additionalProperties, title } = schema as Record<string, unknown>;
  return [
    ...(!properties && additionalProperties === true ? [String(title)] : []),
    ...Object.values(schema).flatMap(freeMaps),
  ];
}

test("every object of an answer names its fields; only maps whose fields are the caller's own are free", () => {
  const found = ALL_ROUTES.flatMap(({ ok, accepted }) => freeMaps([ok, accepted]));
  assert.deepEqual([...new Set(found)].sort(), [
    "ActivityData",
    "AuditedObject",
    "CampaignTemplateContent",
    "ConfigurationFragment",
    "FilterConditions",
    "JsonSchema",
    "Metadata",
    "RegistryDiscountExample",
    "RegistryRuleExample",
    "SkuAttributes",
  ]);
});

test("an answer with a field that its schema does not name fails the check, at any depth", () => {
  const ok = Type.Object({
    order: Type.Object({ amount: Type.Integer() }, { additionalProperties: true }),
    metadata: Metadata,
  });
  const route = read("GET /v1/somewhere", { id: "x", summary: "", ok }, async () => null as never);
  checkAnswer(route, 200, '{"order":{"amount":1},"metadata":{"mine":1}}');
  for (const body of ['{"order":{"amount":1,"more":2},"metadata":{}}', '{"order":{"amount":1},"metadata":{},"more":2}'])
    assert.throws(() => checkAnswer(route, 200, body), /answered outside its schema/);
  assert.throws(() => closed(Type.Object({}, { additionalProperties: true, properties: undefined })), /without a name/);
});

test("a title names one schema", () => {
  const route = (n: number, ok: object) =>
    read(`GET /v1/orders/${n}`, { id: `op${n}`, summary: "", ok: ok as never }, async () => null as never);
  const [one, other] = [Type.Object({ a: Type.String() }, { title: "Same" }), Type.Object({}, { title: "Same" })];
  openApi([route(1, one), route(2, one)], "1");
  assert.throws(() => openApi([route(1, one), route(2, other)], "1"), /Two different schemas have the title Same/);
});

/** What strangers are told who have nothing but a link. */
const STRANGERS: Readonly<Record<string, readonly string[]>> = {
  acceptInvitation: ["404", "410"],
  readInvitation: ["404", "410"],
  acceptPasswordReset: ["404", "410"],
  askPasswordReset: [],
  createSessionWithLink: ["404"],
  getSingleSignOn: [],
  startSingleSignOn: ["404"],
};

test("every operation documents its refusals, each status with its keys", () => {
  for (const item of Object.values(document.paths) as Record<string, any>[])
    for (const { operationId, responses } of Object.values(item)) {
      const statuses = Object.keys(responses).filter((status) => status.startsWith("4"));
      const own = STRANGERS[operationId] ?? ["401"];
      for (const status of ["400", ...own, "429"]) assert.ok(statuses.includes(status), `${operationId} ${status}`);
      for (const status of statuses) {
        const { $ref } = responses[status];
        const response = $ref ? document.components.responses[$ref.split("/").at(-1)] : responses[status];
        const keys = response.content["application/json"].schema.allOf[1].properties.key.enum as string[];
        assert.ok(keys.length > 0);
        for (const key of keys) assert.ok(response.description.includes(`\`${key}\``), `${operationId} ${key}`);
      }
    }
  const ids = new Set(ALL_ROUTES.map(({ id }) => id));
  assert.deepEqual(
    Object.keys(OPERATION_ERRORS).filter((id) => !ids.has(id)),
    [],
  );
});

test("the test run finds a refusal that is not documented", () => {
  const lines = [
    "createCategory 409 duplicate_found",
    "createCategory 400 duplicate_found",
    "createCategory 400 invalid_grant_type",
    "createCategory 503 overloaded",
    "listCategories 401 unauthorized",
    "operationOfATest 400 invalid_payload",
  ];
  assert.deepEqual(undocumentedRefusals(lines), [
    "createCategory 400 duplicate_found",
    "createCategory 400 invalid_grant_type",
  ]);
});

test("every tag is described, is in one group, and loyalty v1 and v2 have none in common", () => {
  const tags = document.tags.map(({ name }: { name: string }) => name);
  const grouped = document["x-tagGroups"].flatMap((group: { tags: string[] }) => group.tags);
  assert.deepEqual([...grouped].sort(), [...tags].sort());
  const used = Object.entries(document.paths as Record<string, Record<string, any>>).flatMap(([path, item]) =>
    Object.values(item).flatMap((operation) => operation.tags.map((tag: string) => ({ path, tag }))),
  );
  assert.deepEqual([...new Set(used.map(({ tag }) => tag))].sort(), [...tags].sort());
  for (const { path, tag } of used) {
    if (path.startsWith("/v1/loyalties")) assert.match(tag, /^(Loyalty v1: )/, path);
    if (path.startsWith("/v2/loyalties")) assert.match(tag, /^(Loyalty v2: )/, path);
  }
});
