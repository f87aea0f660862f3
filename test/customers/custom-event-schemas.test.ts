import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase, testEngine } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function setUp() {
  const { call, project } = await testShop(db);
  const path = `/management/v1/projects/${project.id}/custom-event-schemas`;
  const create = (name: string, properties: object = {}) => call(`POST ${path}`, { name, schema: { properties } });
  return { project, call, path, create };
}

test("custom event schemas: create, list, read, update, delete", async () => {
  const { call, path } = await setUp();
  const sent = { name: "review", schema: { properties: { published: { type: "boolean", optional: true } } } };
  const created = await call(`POST ${path}`, sent);
  assert.equal(created.status, 200);
  const { id } = created.body;
  assert.match(id, /^ms_[0-9a-f]{24}$/);
  const expected = { id, ...sent, created_at: NOW, updated_at: null, object: "custom-event-schema" };
  assert.deepEqual(created.body, expected);
  assert.deepEqual((await call(`GET ${path}/${id}`)).body, expected);
  const list = await call(`GET ${path}`);
  assert.deepEqual([list.status, list.body], [200, { object: "list", data_ref: "data", data: [expected], total: 1 }]);

  const stars = { type: "number", optional: false };
  const updated = await call(`PUT ${path}/${id}`, { schema: { properties: { stars } } });
  assert.equal(updated.status, 200);
  const schema = { properties: { ...sent.schema.properties, stars } };
  assert.deepEqual(updated.body, { ...expected, schema, updated_at: NOW });

  const deleted = await call(`DELETE ${path}/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal((await call(`GET ${path}/${id}`)).status, 404);
  assert.equal((await call(`GET ${path}`)).body.total, 0);
});

test("custom event schemas: properties may be empty, and have each of the five types", async () => {
  const { create } = await setUp();
  assert.deepEqual((await create("empty")).body.schema, { properties: {} });
  const properties = Object.fromEntries(
    ["string", "number", "date", "datetime", "boolean"].map((type) => [`of ${type}`, { type, optional: true }]),
  );
  const { status, body } = await create("full", properties);
  assert.deepEqual([status, body.schema], [200, { properties }]);
});

test("custom event schemas: an update merges by property: a sent one is replaced whole, its type may change, the others stay", async () => {
  const { call, path, create } = await setUp();
  const before = { a: { type: "string", optional: true, deleted: true }, b: { type: "number", optional: false } };
  const { id } = (await create("order_placed", before)).body;
  const a = { type: "number", optional: false };
  const put = async (body: object) => (await call(`PUT ${path}/${id}`, body)).body.schema.properties;
  assert.deepEqual(await put({ schema: { properties: { a } } }), { ...before, a });
  assert.deepEqual(await put({ schema: { properties: {} } }), { ...before, a });
  assert.deepEqual(await put({}), { ...before, a });
  const b = { ...before.b, deleted: true };
  assert.deepEqual(await put({ schema: { properties: { b } } }), { a, b });
});

test("custom event schemas: updates of different properties at the same time both hold", async () => {
  const { call, path, create } = await setUp();
  const { id } = (await create("clicked")).body;
  const names = ["a", "b", "c", "d", "e", "f"];
  await Promise.all(
    names.map((name) =>
      call(`PUT ${path}/${id}`, { schema: { properties: { [name]: { type: "string", optional: true } } } }),
    ),
  );
  assert.deepEqual(Object.keys((await call(`GET ${path}/${id}`)).body.schema.properties).sort(), names);
});

const P = { type: "string", optional: true };
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, P]));
const CREATE_REFUSALS: [object, string][] = [
  [{ schema: { properties: {} } }, "Payload must have required property 'name'"],
  [{ name: "x" }, "Payload must have required property 'schema'"],
  [{ name: "x", schema: {} }, "Property .schema must have required property 'properties'"],
  [{ name: "", schema: { properties: {} } }, "Property .name must NOT have fewer than 1 characters"],
  [{ name: "x".repeat(301), schema: { properties: {} } }, "Property .name must NOT have more than 300 characters"],
  [{ name: 5, schema: { properties: {} } }, "Property .name must be string"],
  [{ name: "x", schema: { properties: [] } }, "Property .schema.properties must be object"],
  [{ name: "x", schema: { properties: {}, more: 1 } }, "Property .schema must NOT have additional property 'more'"],
  [{ name: "x", schema: { properties: {} }, id: "ms_1" }, "Payload must NOT have additional property 'id'"],
  [
    { name: "x", schema: { properties: { a: { type: "object", optional: true } } } },
    "Property .schema.properties.a.type must be equal to one of the allowed values [ string, number, date, datetime, boolean ]",
  ],
  [
    { name: "x", schema: { properties: { a: { type: "string" } } } },
    "Property .schema.properties.a must have required property 'optional'",
  ],
  [
    { name: "x", schema: { properties: { a: { optional: true } } } },
    "Property .schema.properties.a must have required property 'type'",
  ],
  [
    { name: "x", schema: { properties: { a: { ...P, optional: "yes" } } } },
    "Property .schema.properties.a.optional must be boolean",
  ],
  [
    { name: "x", schema: { properties: { a: { ...P, deleted: 1 } } } },
    "Property .schema.properties.a.deleted must be boolean",
  ],
  [
    { name: "x", schema: { properties: { a: { ...P, array: true } } } },
    "Property .schema.properties.a must NOT have additional property 'array'",
  ],
  [
    { name: "x", schema: { properties: { "": P } } },
    "Property .schema.properties must NOT have fewer than 1 characters",
  ],
  [
    { name: "x", schema: { properties: many(101) } },
    "Property .schema.properties must NOT have more than 100 properties",
  ],
];

test("custom event schemas: create refuses a wrong body with the field's name", async (t) => {
  const { call, path } = await setUp();
  for (const [body, details] of CREATE_REFUSALS) {
    await t.test(details, async () => {
      const reply = await call(`POST ${path}`, body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [400, 400, "invalid_payload"]);
      assert.equal(reply.body.details, details);
    });
  }
  assert.equal((await call(`GET ${path}`)).body.total, 0);
});

test("custom event schemas: an update cannot rename, and refuses wrong bodies and more than 100 properties in all", async (t) => {
  const { call, path, create } = await setUp();
  const { id } = (await create("bought", many(99))).body;
  const cases: [object, string][] = [
    [{ name: "renamed" }, "Payload must NOT have additional property 'name'"],
    [{ schema: {} }, "Property .schema must have required property 'properties'"],
    [
      { schema: { properties: { p0: { type: "file", optional: true } } } },
      "Property .schema.properties.p0.type must be equal to one of the allowed values [ string, number, date, datetime, boolean ]",
    ],
    [
      { schema: { properties: { q0: P, q1: P } } },
      "Property .schema.properties must NOT have more than 100 properties",
    ],
  ];
  const before = (await call(`GET ${path}/${id}`)).text;
  for (const [body, details] of cases) {
    await t.test(details, async () => {
      const reply = await call(`PUT ${path}/${id}`, body);
      assert.deepEqual([reply.status, reply.body.key, reply.body.details], [400, "invalid_payload", details]);
    });
  }
  assert.equal((await call(`GET ${path}/${id}`)).text, before);
  assert.equal((await call(`PUT ${path}/${id}`, { schema: { properties: { p0: P, q0: P } } })).status, 200);
});

test("custom event schemas: a name of 300 characters is taken, and one that exists is 409, also at the same time", async () => {
  const { create, call, path } = await setUp();
  const name = "é".repeat(300);
  assert.equal((await create(name)).body.name, name);
  const taken = await create(name);
  assert.deepEqual([taken.status, taken.body.key], [409, "duplicate_found"]);
  const replies = await Promise.all([create("twice"), create("twice"), create("twice")]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
  const { request_id: _, ...error } = replies.find(({ status }) => status === 409)!.body;
  assert.deepEqual(error, {
    code: 409,
    key: "duplicate_found",
    message: "Duplicated resource found",
    details: "Duplicated custom_event_schema exists with name twice",
    resource_id: "twice",
    resource_type: "custom_event_schema",
  });
  assert.equal((await call(`GET ${path}`)).body.total, 2);
  assert.equal((await (await setUp()).create("twice")).status, 200, "another project may use the name");
});

test("custom event schemas: an unknown id, and the id of another project, is 404 with the same body", async (t) => {
  const { call, path } = await setUp();
  const foreign = (await (await setUp()).create("theirs")).body.id;
  for (const id of ["ms_none", foreign]) {
    for (const [method, body] of [["GET"], ["PUT", {}], ["DELETE"]] as const) {
      await t.test(`${method} ${id === foreign ? "of another project" : "unknown"}`, async () => {
        const reply = await call(`${method} ${path}/${id}`, body);
        const { key, details, resource_id, resource_type } = reply.body;
        assert.deepEqual(
          [reply.status, key, resource_id, resource_type],
          [404, "not_found", id, "custom_event_schema"],
        );
        assert.equal(details, `Cannot find custom_event_schema with id ${id}`);
      });
    }
  }
});

test("custom event schemas: a change is in the catalog of another process at once", async () => {
  const { project, call, path, create } = await setUp();
  const { engine } = await testEngine(db, project);
  const held = async () => {
    const [row] = await db<
      { catalog_revision: number }[]
    >`select catalog_revision from tenants where project_id = ${project.id}`;
    const { custom_event_schemas } = await engine.catalogs.catalogOf({ id: project.id, ...row! });
    const schema = custom_event_schemas.get("seen")?.schema;
    return schema && Object.keys(schema.properties);
  };
  assert.equal(await held(), undefined);
  const { id } = (await create("seen", { a: P })).body;
  assert.deepEqual(await held(), ["a"]);
  await call(`PUT ${path}/${id}`, { schema: { properties: { b: P } } });
  assert.deepEqual(await held(), ["a", "b"]);
  await call(`DELETE ${path}/${id}`);
  assert.equal(await held(), undefined);
});
