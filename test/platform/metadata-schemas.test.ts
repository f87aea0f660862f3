import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase, testEngine } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function setUp() {
  const { call, project } = await testShop(db);
  const path = `/management/v1/projects/${project.id}/metadata-schemas`;
  const create = (related_object: string, properties: object = {}) =>
    call(`POST ${path}`, { related_object, properties });
  return { project, call, path, create };
}
const S = { type: "string", optional: true, array: false };
const N = { type: "number", optional: true, array: false };
const stored = (definition: object) => ({ object_type: null, ...definition });

test("metadata schemas: create, list, read, update, delete", async () => {
  const { call, path } = await setUp();
  const sent = { related_object: "customer", allow_defined_only: true, properties: { nick: { ...S, max_length: 5 } } };
  const created = await call(`POST ${path}`, sent);
  assert.equal(created.status, 200);
  const { id } = created.body;
  assert.match(id, /^ms_[0-9a-f]{24}$/);
  const expected = {
    id,
    related_object: "customer",
    properties: { nick: stored({ ...S, max_length: 5 }) },
    allow_defined_only: true,
    created_at: NOW,
    updated_at: null,
    object: "metadata_schema",
  };
  assert.deepEqual(created.body, expected);
  assert.deepEqual((await call(`GET ${path}/${id}`)).body, expected);
  const list = await call(`GET ${path}`);
  assert.deepEqual([list.status, list.body], [200, { object: "list", data_ref: "data", data: [expected], total: 1 }]);

  const updated = await call(`PUT ${path}/${id}`, { allow_defined_only: false });
  assert.deepEqual([updated.status, updated.body], [200, { ...expected, allow_defined_only: false, updated_at: NOW }]);
  const deleted = await call(`DELETE ${path}/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal((await call(`GET ${path}/${id}`)).status, 404);
  assert.equal((await call("GET /v1/metadata-schemas/customer")).status, 404);
});

test("metadata schemas: unknown keys are allowed unless the schema says otherwise, and properties may be empty", async () => {
  const { create } = await setUp();
  const { status, body } = await create("order");
  assert.deepEqual([status, body.properties, body.allow_defined_only], [200, {}, false]);
});

test("metadata schemas: every object of the interface, and any other name, can have one", async () => {
  const { create, call, path } = await setUp();
  const names = [
    ...["campaign", "customer", "earning_rule", "loyalty_tier", "order", "order_item", "product", "promotion_tier"],
    ...["publication", "redemption", "reward", "voucher", "shipping address", "ärger"],
  ];
  for (const name of names) assert.equal((await create(name, { a: S })).status, 200, name);
  assert.equal((await call(`GET ${path}`)).body.total, names.length);
});

test("metadata schemas: a definition takes every attribute of its type and gives it back", async (t) => {
  const { create, call, path } = await setUp();
  const definitions: Record<string, object> = {
    name: { ...S, optional: false, min_length: 2, max_length: 5 },
    code: { ...S, array: true, exact_length: 5, eq: ["AAAAA", "BBBBB"] },
    size: { ...N, eq: [1, 2.5], ne: [3], lt: 100.25, lte: 99, gt: -1, gte: 0 },
    address: { type: "object", optional: true, array: true, object_type: "address" },
    anything: { type: "object", optional: true, array: false, object_type: "unknown" },
    born: { type: "date", optional: true, array: false, deleted: true },
    seen: { type: "datetime", optional: true, array: false },
    place: { type: "geopoint", optional: true, array: false },
    vip: { type: "boolean", optional: false, array: false, object_type: null },
    photo: { type: "image_url", optional: true, array: true },
    constructor: S,
  };
  const { status, body } = await create("customer", definitions);
  assert.equal(status, 200);
  for (const [name, definition] of Object.entries(definitions))
    await t.test(name, () => assert.deepEqual(body.properties[name], stored(definition)));
  assert.equal((await call(`PUT ${path}/${body.id}`, { properties: definitions })).status, 200);
});

test("metadata schemas: the v1 read has camelCase attributes and names its array schemas; management has snake_case", async () => {
  const { create, call, path } = await setUp();
  const { body } = await create("customer", {
    channel_id: { ...S, array: true, exact_length: 5 },
    nick: { ...S, min_length: 2, max_length: 5 },
    home: { type: "object", optional: true, array: false, object_type: "address" },
  });
  assert.deepEqual(body.properties.nick, { ...S, object_type: null, min_length: 2, max_length: 5 });
  const expected = {
    ...body,
    properties: {
      channel_id: { ...S, array: true, objectType: null, exactLength: 5 },
      nick: { ...S, objectType: null, minLength: 2, maxLength: 5 },
      home: { type: "object", optional: true, array: false, objectType: "address" },
    },
  };
  const read = await call("GET /v1/metadata-schemas/customer");
  assert.deepEqual([read.status, read.body], [200, expected]);
  assert.deepEqual((await call(`GET /v1/metadata-schemas/${body.id}`)).body, expected);
  assert.deepEqual((await call("GET /v1/metadata-schemas")).body, {
    object: "list",
    data_ref: "schemas",
    schemas: [expected],
    total: 1,
  });
  assert.deepEqual((await call(`GET ${path}`)).body.data, [body]);
});

test("metadata schemas: an update merges by key: a sent definition is replaced whole, the others stay", async () => {
  const { create, call, path } = await setUp();
  const { id } = (await create("order", { a: { ...S, min_length: 2, deleted: true }, b: N })).body;
  const put = async (body: object) => (await call(`PUT ${path}/${id}`, body)).body.properties;
  const a = stored({ ...S, max_length: 9 });
  assert.deepEqual(await put({ properties: { a: { ...S, max_length: 9 } } }), { a, b: stored(N) });
  assert.deepEqual(await put({ properties: {} }), { a, b: stored(N) });
  assert.deepEqual(await put({}), { a, b: stored(N) });
  const b = stored({ ...N, deleted: true });
  assert.deepEqual(await put({ properties: { b: { ...N, deleted: true } } }), { a, b });
});

test("metadata schemas: updates of different keys at the same time both hold", async () => {
  const { create, call, path } = await setUp();
  const { id } = (await create("order")).body;
  const names = ["a", "b", "c", "d", "e", "f"];
  await Promise.all(names.map((name) => call(`PUT ${path}/${id}`, { properties: { [name]: S } })));
  assert.deepEqual(Object.keys((await call(`GET ${path}/${id}`)).body.properties).sort(), names);
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, S]));
const TYPES = "[ string, number, object, date, datetime, geopoint, boolean, image_url ]";
/** Properties that are refused, with what is said after `Property .properties`. */
const DEFINITION_REFUSALS: [object, string][] = [
  [{ a: { optional: true, array: false } }, ".a must have required property 'type'"],
  [{ a: { type: "string", array: false } }, ".a must have required property 'optional'"],
  [{ a: { type: "string", optional: true } }, ".a must have required property 'array'"],
  [{ a: { ...S, type: "text" } }, `.a.type must be equal to one of the allowed values ${TYPES}`],
  [{ a: { ...S, optional: "true" } }, ".a.optional must be boolean"],
  [{ a: { ...S, array: 0 } }, ".a.array must be boolean"],
  [{ a: { ...S, deleted: "yes" } }, ".a.deleted must be boolean"],
  [{ a: { ...S, minLength: 2 } }, ".a must NOT have additional property 'minLength'"],
  [{ a: { ...S, min_length: -1 } }, ".a.min_length must be >= 0"],
  [{ a: { ...S, max_length: 1.5 } }, ".a.max_length must be integer"],
  [{ a: { ...S, exact_length: 100_001 } }, ".a.exact_length must be <= 100000"],
  [{ a: { ...S, eq: [] } }, ".a.eq must NOT have fewer than 1 items"],
  [{ a: { ...S, eq: [true] } }, ".a.eq[0] must be string,number"],
  [{ a: { ...S, eq: ["x", 1] } }, ".a.eq.1 must be string"],
  [{ Size: { ...N, eq: ["S"] } }, ".Size.eq.0 must be number"],
  [{ a: { ...N, ne: ["1"] } }, ".a.ne[0] must be number"],
  [{ a: { ...N, lt: "1" } }, ".a.lt must be number"],
  [{ a: { ...N, gte: 0.125 } }, ".a.gte must have at most 2 decimals"],
  [{ a: { ...N, eq: [1, 0.001] } }, ".a.eq.1 must have at most 2 decimals"],
  [{ a: { ...N, ne: [0.001] } }, ".a.ne.0 must have at most 2 decimals"],
  [{ a: { ...N, min_length: 2 } }, ".a.min_length is for the type string only"],
  [{ a: { ...S, gt: 2 } }, ".a.gt is for the type number only"],
  [{ a: { ...S, ne: [2] } }, ".a.ne is for the type number only"],
  [{ a: { type: "boolean", optional: true, array: false, eq: [1] } }, ".a.eq is for the types string and number only"],
  [{ a: { ...S, object_type: "address" } }, ".a.object_type must be null unless the type is object"],
  [{ a: { ...S, object_type: "" } }, ".a.object_type must NOT have fewer than 1 characters"],
  [
    { a: { type: "geopoint", optional: true, array: false } },
    ".a.type must not be geopoint: only customers and products have one",
  ],
  [{ "": S }, " must NOT have fewer than 1 characters"],
  [{ ["x".repeat(201)]: S }, " must NOT have more than 200 characters"],
  [many(101), " must NOT have more than 100 properties"],
];

test("metadata schemas: a wrong definition is refused with its name, at creation and in an update", async (t) => {
  const { create, call, path } = await setUp();
  const { id } = (await create("voucher", { kept: S })).body;
  for (const [properties, says] of DEFINITION_REFUSALS) {
    await t.test(says, async () => {
      for (const reply of [await create("order", properties), await call(`PUT ${path}/${id}`, { properties })]) {
        assert.deepEqual([reply.status, reply.body.code, reply.body.key], [400, 400, "invalid_payload"]);
        assert.equal(reply.body.details, `Property .properties${says}`);
      }
    });
  }
  assert.equal((await call(`GET ${path}`)).body.total, 1);
  assert.deepEqual((await call(`GET ${path}/${id}`)).body.properties, { kept: stored(S) });
});

test("metadata schemas: create refuses a wrong body with the field's name", async (t) => {
  const { call, path } = await setUp();
  const cases: [object, string][] = [
    [{ properties: {} }, "Payload must have required property 'related_object'"],
    [{ related_object: "order" }, "Payload must have required property 'properties'"],
    [{ related_object: "", properties: {} }, "Property .related_object must NOT have fewer than 1 characters"],
    [
      { related_object: "x".repeat(201), properties: {} },
      "Property .related_object must NOT have more than 200 characters",
    ],
    [{ related_object: 5, properties: {} }, "Property .related_object must be string"],
    [{ related_object: "order", properties: [] }, "Property .properties must be object"],
    [
      { related_object: "order", properties: {}, allow_defined_only: "no" },
      "Property .allow_defined_only must be boolean",
    ],
    [{ related_object: "order", properties: {}, id: "ms_1" }, "Payload must NOT have additional property 'id'"],
    [
      { related_object: "address", properties: { a: { type: "object", optional: true, array: false } } },
      "Property .properties.a.type must not be object: a nested object has no nested objects",
    ],
  ];
  for (const [body, details] of cases) {
    await t.test(details, async () => {
      const reply = await call(`POST ${path}`, body);
      assert.deepEqual([reply.status, reply.body.key, reply.body.details], [400, "invalid_payload", details]);
    });
  }
});

test("metadata schemas: an update cannot change a type or the object, nor bring more than 100 definitions, removed ones counted", async (t) => {
  const { create, call, path } = await setUp();
  const { id } = (await create("order", { ...many(98), gone: { ...S, deleted: true } })).body;
  const cases: [object, string][] = [
    [{ related_object: "customer" }, "Payload must NOT have additional property 'related_object'"],
    [{ properties: { p0: N } }, "Property .properties.p0.type cannot change from string"],
    [{ properties: { gone: N } }, "Property .properties.gone.type cannot change from string"],
    [{ properties: { q0: S, q1: S } }, "Property .properties must NOT have more than 100 properties"],
  ];
  const before = (await call(`GET ${path}/${id}`)).text;
  for (const [body, details] of cases) {
    await t.test(details, async () => {
      const reply = await call(`PUT ${path}/${id}`, body);
      assert.deepEqual([reply.status, reply.body.key, reply.body.details], [400, "invalid_payload", details]);
    });
  }
  assert.equal((await call(`GET ${path}/${id}`)).text, before);
  assert.equal((await call(`PUT ${path}/${id}`, { properties: { p0: S, q0: S } })).status, 200);
});

test("metadata schemas: a second one for the same object is 409, also at the same time", async () => {
  const { create, call, path } = await setUp();
  const replies = await Promise.all([create("customer"), create("customer"), create("customer")]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
  const again = await create("customer", { a: S });
  for (const { body } of [...replies.filter(({ status }) => status === 409), again]) {
    const { request_id: _, ...error } = body;
    assert.deepEqual(error, {
      code: 409,
      key: "duplicate_found",
      message: "Duplicated resource found",
      details: "Duplicated metadata schema exists with related_object customer",
      resource_id: "customer",
      resource_type: "metadata schema",
    });
  }
  assert.equal((await call(`GET ${path}`)).body.total, 1);
  assert.equal((await (await setUp()).create("customer")).status, 200, "another project has its own");
});

test("metadata schemas: an unknown id or object, and one of another project, is 404 with the same body", async (t) => {
  const { call, path } = await setUp();
  const foreign = (await (await setUp()).create("product")).body.id;
  const cases = [
    ...["ms_none", foreign].flatMap((id) => [
      [`GET ${path}/${id}`, undefined, id],
      [`PUT ${path}/${id}`, {}, id],
      [`DELETE ${path}/${id}`, undefined, id],
      [`GET /v1/metadata-schemas/${id}`, undefined, id],
    ]),
    ["GET /v1/metadata-schemas/product", undefined, "product"],
  ] as [string, unknown, string][];
  for (const [request, body, id] of cases) {
    await t.test(request.replace(foreign, "of another project").replace(path, ""), async () => {
      const { status, body: error } = await call(request, body);
      assert.equal(status, 404);
      assert.deepEqual([error.key, error.resource_id, error.resource_type], ["not_found", id, "metadata schema"]);
      assert.equal(error.details, `Cannot find metadata schema with id ${id}`);
    });
  }
  assert.equal((await call("GET /v1/metadata-schemas")).body.total, 0);
});

test("metadata schemas: a change is in the catalog of another process at once", async () => {
  const { project, call, path, create } = await setUp();
  const { engine } = await testEngine(db, project);
  const held = async () => {
    const [row] = await db<
      { catalog_revision: number }[]
    >`select catalog_revision from tenants where project_id = ${project.id}`;
    const { metadata_schemas } = await engine.catalogs.catalogOf({ id: project.id, ...row! });
    const schema = metadata_schemas.get("order");
    return schema && [schema.allow_defined_only, ...Object.keys(schema.properties)];
  };
  assert.equal(await held(), undefined);
  const { id } = (await create("order", { a: S })).body;
  assert.deepEqual(await held(), [false, "a"]);
  await call(`PUT ${path}/${id}`, { properties: { b: S }, allow_defined_only: true });
  assert.deepEqual(await held(), [true, "a", "b"]);
  await call(`DELETE ${path}/${id}`);
  assert.equal(await held(), undefined);
});
