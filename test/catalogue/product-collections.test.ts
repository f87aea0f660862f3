import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_PRODUCTS_ID } from "../../src/core/discounts/discount.ts";
import { type Call, NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;

const post = (call: Call, path: string, body: object) => ok(call, `POST /v1/${path}`, body);
const collect = (call: Call, body: object) => post(call, "product-collections", { name: "Any", ...body });
/** The names of what a collection holds, and how many it holds. */
const held = async (call: Call, id: string, query = "") => {
  const reply = await call(`GET /v1/product-collections/${id}/products?${query}`);
  assert.equal(reply.status, 200, reply.text);
  return [reply.body.data.map((one: any) => one.sku ?? one.name).join(" "), reply.body.total];
};

/** Two shirts in red and blue, a hat without SKUs. */
async function shop(call: Call) {
  const shirt = await post(call, "products", { source_id: "shirt", name: "shirt", price: 1000, metadata: { a: 1 } });
  const red = await post(call, "products/shirt/skus", { source_id: "red", sku: "red", price: 999, metadata: { b: 2 } });
  const blue = await post(call, "products/shirt/skus", { sku: "blue", metadata: { a: 5 } });
  const hat = await post(call, "products", { source_id: "hat", name: "hat", price: 500, attributes: ["size"] });
  return { shirt, red, blue, hat };
}

test("collections: a static one is created, read, listed, renamed and deleted", async () => {
  const { call } = await testShop(db);
  const { red, hat } = await shop(call);
  const products = [
    { id: hat.id, object: "product" },
    { id: red.id, object: "sku", product_id: "whatever" },
    { id: hat.id, object: "product" },
  ];
  const created = await collect(call, { type: "STATIC", name: "Sale", products, filter: {}, colour: "ignored" });
  const { id } = created;
  assert.match(id, /^pc_[0-9a-f]{24}$/);
  const expected = {
    id,
    name: "Sale",
    type: "STATIC",
    products: [
      { id: hat.id, object: "product" },
      { id: red.id, object: "sku", product_id: red.product_id },
    ],
    created_at: NOW,
    updated_at: null,
    object: "products_collection",
  };
  assert.deepEqual(created, expected);
  assert.deepEqual((await call(`GET /v1/product-collections/${id}`)).body, expected);
  const list = (await call("GET /v1/product-collections")).body;
  assert.deepEqual(list, { object: "list", data_ref: "data", data: [expected], total: 1 });
  const body = { name: "Outlet", products: [], filter: { junction: "xor" }, type: "AUTO_UPDATE" };
  const renamed = await call(`PUT /v1/product-collections/${id}`, body);
  assert.deepEqual(renamed.body, { ...expected, name: "Outlet", updated_at: NOW });
  const deleted = await call(`DELETE /v1/product-collections/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const path of [id, `${id}/products`])
    assert.equal((await call(`GET /v1/product-collections/${path}`)).status, 404);
  assert.deepEqual((await collect(call, { type: "STATIC" })).products, []);
});

test("collections: one with a filter is created, read, changed", async () => {
  const { call } = await testShop(db);
  const filter = { junction: "and", price: { conditions: { $less_than: [1000] } } };
  const created = await collect(call, {
    type: "AUTO_UPDATE",
    name: "Cheap",
    filter,
    products: [{ id: "x", object: "sku" }],
  });
  const { id } = created;
  const stamps = { created_at: NOW, updated_at: null, object: "products_collection" };
  assert.deepEqual(created, { id, name: "Cheap", type: "AUTO_UPDATE", filter, ...stamps });
  const other = { junction: "OR", name: { conditions: { $is: "hat" } } };
  const changed = (await call(`PUT /v1/product-collections/${id}`, { filter: other })).body;
  assert.deepEqual(changed, { ...created, filter: other, updated_at: NOW });
  assert.deepEqual((await call(`GET /v1/product-collections/${id}`)).body, changed);
  assert.deepEqual((await call(`PUT /v1/product-collections/${id}`, {})).body, changed);
});

test("collections: a static one holds its products, all their SKUs, and SKUs of their own", async () => {
  const { call } = await testShop(db);
  const { shirt, red, hat } = await shop(call);
  const member = ({ id, object }: { id: string; object: string }) => ({ id, object });
  const shirts = await collect(call, { type: "STATIC", products: [member(shirt)] });
  const mixed = await collect(call, { type: "STATIC", products: [member(red), member(hat)] });
  assert.deepEqual(await held(call, shirts.id), ["shirt red blue", 3]);
  assert.deepEqual(await held(call, mixed.id), ["hat red", 2]);
  assert.deepEqual(await held(call, (await collect(call, { type: "STATIC" })).id), ["", 0]);
  await post(call, "products/shirt/skus", { sku: "green" });
  assert.deepEqual(await held(call, shirts.id), ["shirt red blue green", 4]);
  await call("DELETE /v1/products/hat");
  await call("DELETE /v1/products/shirt/skus/red?force=true");
  assert.deepEqual(await held(call, mixed.id), ["", 0]);
  assert.deepEqual(await held(call, shirts.id), ["shirt blue green", 3]);
});

test("collections: what is listed is a product, or a SKU with its product and the metadata of both", async () => {
  const { call } = await testShop(db);
  const { shirt, red, hat } = await shop(call);
  const products = [hat, red].map(({ id, object }) => ({ id, object }));
  const { id } = await collect(call, { type: "STATIC", products });
  const { body } = await call(`GET /v1/product-collections/${id}/products`);
  const bare = ({ skus: _, ...product }: { skus: unknown }) => product;
  const data = [bare(hat), { ...red, metadata: { a: 1, b: 2 }, product: bare(shirt) }];
  assert.deepEqual(body, { object: "list", data_ref: "data", data, total: 2 });
});

test("collections: a filter is asked of products and SKUs, each on its own", async (t) => {
  const { call } = await testShop(db);
  const { red, shirt } = await shop(call);
  const cases: [filter: object, held: string][] = [
    [{ price: { conditions: { $less_than: [1000] } } }, "hat red"],
    [{ price: { conditions: { $more_than_equal: [1000] } } }, "shirt"],
    [{ "metadata.a": { conditions: { $is: [1] } } }, "shirt red"],
    [{ "metadata.a": { conditions: { $is: [5] } } }, "blue"],
    [{ object: { conditions: { $is: ["sku"] } } }, "red blue"],
    [{ product_id: { conditions: { $is: [shirt.id] } } }, "red blue"],
    [{ id: { conditions: { $in: [red.id, shirt.id] } } }, "shirt red"],
    [{ source_id: { conditions: { $has_value: true } } }, "shirt hat red"],
    [{ name: { conditions: { $contains: ["H"] } } }, "shirt hat"],
    [{ attributes: { conditions: { $is: ["size"] } } }, "hat"],
    [{ skus: { conditions: { $count: [2] } } }, "shirt"],
    [
      { created_at: { conditions: { $after: ["2025-01-01"] } }, image_url: { conditions: { $is_unknown: true } } },
      "shirt hat red blue",
    ],
    [{ price: { conditions: { $is: [1] } } }, ""],
    [{}, "shirt hat red blue"],
  ];
  for (const [filter, expected] of cases)
    await t.test(JSON.stringify(filter), async () => {
      const { id } = await collect(call, { type: "AUTO_UPDATE", filter: { junction: "and", ...filter } });
      assert.deepEqual(await held(call, id), [expected, expected === "" ? 0 : expected.split(" ").length]);
    });
  const either = { junction: "or", name: { conditions: { $is: ["hat"] } }, price: { conditions: { $is: [999] } } };
  const { id } = await collect(call, { type: "AUTO_UPDATE", filter: either });
  assert.deepEqual(await held(call, id), ["hat red", 2]);
  const before = (await call("GET /v1/product-collections")).body.total;
  const { body } = await call("POST /v1/product-collections/preview", { filter: either });
  assert.deepEqual([body.object, body.count, body.approximate], ["products_collection_preview", 2, false]);
  assert.deepEqual(new Set(body.products.map((one: any) => one.sku ?? one.name)), new Set(["hat", "red"]));
  assert.equal((await call("GET /v1/product-collections")).body.total, before, "nothing is stored");
  for (const filter of [{ junction: "and", colour: { conditions: {} } }, {}, undefined])
    assert.equal((await call("POST /v1/product-collections/preview", { filter })).status, 400);
});

test("collections: days of a filter are days of the project's time zone", async () => {
  const project = await testProject(db, { timezone: "Pacific/Auckland" });
  let now = "2026-01-01T10:30:00.000Z"; // 23:30 in Auckland.
  const { call } = await testEngine(db, project, { now: () => now });
  await post(call, "products", { name: "hat" });
  const filter = { junction: "and", created_at: { conditions: { $today: true } } };
  const { id } = await collect(call, { type: "AUTO_UPDATE", filter });
  assert.deepEqual(await held(call, id), ["hat", 1]);
  now = "2026-01-01T11:30:00.000Z";
  assert.deepEqual(await held(call, id), ["", 0]);
});

test("collections: pages, order and starting_after are the same for lists, filters and all products", async (t) => {
  let minute = 0;
  const { call } = await testShop(db, {}, { now: () => at(minute) });
  const products = [];
  for (; minute < 12; minute += 1) {
    const { id } = await post(call, "products", { name: `${minute}`, source_id: `${minute}` });
    products.push({ id, object: "product" });
  }
  await call("PUT /v1/products/5", { price: 1 });
  minute += 1;
  await call("PUT /v1/products/3", { price: 1 });
  const filter = { junction: "and", source_id: { conditions: { $has_value: true } } };
  const ids = {
    list: (await collect(call, { type: "STATIC", products })).id,
    filter: (await collect(call, { type: "AUTO_UPDATE", filter })).id,
    all: ALL_PRODUCTS_ID,
  };
  for (const [kind, id] of Object.entries(ids))
    await t.test(kind, async () => {
      assert.deepEqual(await held(call, id), ["0 1 2 3 4 5 6 7 8 9", 12]);
      assert.deepEqual(await held(call, id, "limit=5&page=3"), ["10 11", 12]);
      assert.deepEqual(await held(call, id, "page=99"), ["", 12]);
      assert.deepEqual(await held(call, id, "order=-created_at&limit=3"), ["11 10 9", 12]);
      assert.deepEqual(await held(call, id, "order=updated_at&limit=3"), ["5 3 0", 12]);
      assert.deepEqual(await held(call, id, "order=-updated_at&limit=11&page=2"), ["5", 12]);
      assert.deepEqual(await held(call, id, `starting_after=${at(9)}`), ["10 11", 2]);
      assert.deepEqual(await held(call, id, `starting_after=${at(2)}&order=-created_at`), ["1 0", 2]);
    });
});

test("collections: a filter goes through a catalogue of any size, part by part", async () => {
  const { call, project } = await testShop(db);
  await db`
    insert into products (project_id, id, name, price, created_at)
    select ${project.id}, 'prod_' || lpad(n::text, 5, '0'), n::text, n, ${NOW} from generate_series(1, 2400) as n`;
  await db`
    insert into skus (project_id, id, product_id, sku, price, created_at)
    select ${project.id}, 'sku_' || lpad(n::text, 5, '0'), 'prod_00001', 's' || n, n, ${NOW}
    from generate_series(1, 100) as n`;
  const filter = { junction: "and", price: { conditions: { $more_than: [98], $less_than: [2398] } } };
  const { id } = await collect(call, { type: "AUTO_UPDATE", filter });
  assert.deepEqual(await held(call, id, "limit=2"), ["99 100", 2301]);
  assert.deepEqual(await held(call, id, "limit=3&order=-created_at"), ["s100 s99 2397", 2301]);
  assert.deepEqual(await held(call, id, "limit=100&page=24"), ["s100", 2301]);
  const preview = async () => (await call("POST /v1/product-collections/preview", { filter })).body;
  assert.deepEqual([(await preview()).count, (await preview()).approximate], [2301, false]);
  const addNewer = (from: number, to: number) => db`
    insert into products (project_id, id, name, price, created_at)
    select ${project.id}, 'prod_new_' || lpad(n::text, 5, '0'), n::text, n % 2 * 1000, ${NOW}::timestamptz + interval '1 day'
    from generate_series(${from}::int, ${to}::int) as n`;
  // Half of 7,500 new ones fit, and with them there are 10,000: as many as a preview looks at.
  await addNewer(1, 7500);
  assert.deepEqual([(await preview()).count, (await preview()).approximate], [6051, false]);
  await addNewer(7501, 20_000);
  // Half of the newest 10,000 fit, and there are 22,500 in all.
  const { count, approximate, products } = await preview();
  assert.deepEqual([count, approximate, products.length], [11250, true, 10]);
});

test("collections: that of all products is in every project, holds all, and stays", async () => {
  const { call } = await testShop(db);
  await shop(call);
  const path = `/v1/product-collections/${ALL_PRODUCTS_ID}`;
  assert.deepEqual((await call(`GET ${path}`)).body, {
    id: ALL_PRODUCTS_ID,
    name: "All Products",
    type: "AUTO_UPDATE",
    filter: { junction: "and" },
    created_at: NOW,
    updated_at: null,
    object: "products_collection",
  });
  assert.deepEqual(await held(call, ALL_PRODUCTS_ID), ["shirt hat red blue", 4]);
  assert.equal((await call("GET /v1/product-collections")).body.total, 0);
  for (const reply of [await call(`PUT ${path}`, { name: "Mine" }), await call(`DELETE ${path}`)]) {
    assert.deepEqual([reply.status, reply.body.key], [400, "resource_protected"]);
    assert.equal(reply.body.details, "The collection of all products cannot be changed or deleted");
  }
});

test("collections: one that a validation rule names is kept", async () => {
  const { call, project } = await testShop(db);
  const [used, free] = [await collect(call, { type: "STATIC" }), await collect(call, { type: "STATIC" })];
  const named = { id: used.id, object: "products_collection" };
  const none = { rules: {}, bundle_rules: {}, applicable_to: { included: [], excluded: [], included_all: false } };
  const line = { name: "order.items.any", property: null, rules: {}, conditions: { $is: [named] } };
  const definitions = [
    { ...none, rules: { 1: { ...line, conditions: { $is: [used.id] } }, logic: "1" } },
    { ...none, bundle_rules: { 1: line, limit: 1 } },
    { ...none, applicable_to: { ...none.applicable_to, excluded: [named] } },
  ];
  for (const [n, definition] of definitions.entries()) {
    const row = { ...definition, project_id: project.id, id: `val_${n}`, name: `${n}`, type: "expression" };
    await db`insert into validation_rules ${db({ ...row, context_type: "global", created_at: NOW } as never)}`;
    const refused = await call(`DELETE /v1/product-collections/${used.id}`);
    assert.deepEqual([refused.status, refused.body.key], [400, "resource_in_use"]);
    assert.equal(
      refused.body.details,
      `Resource products_collection with id ${used.id} is in use by validation_rules with ids ["val_${n}"]`,
    );
    assert.deepEqual(refused.body.related_object_ids, [`val_${n}`]);
    assert.equal(refused.body.related_object_type, "validation_rules");
    assert.deepEqual([refused.body.resource_id, refused.body.resource_type], [used.id, "products_collection"]);
    await db`delete from validation_rules where project_id = ${project.id}`;
  }
  assert.equal((await call(`DELETE /v1/product-collections/${free.id}`)).status, 204);
  assert.equal((await call(`DELETE /v1/product-collections/${used.id}`)).status, 204);
});

test("collections: a project has at most 100, also when many are created at once", async () => {
  const { call, project } = await testShop(db);
  await db`
    insert into product_collections (project_id, id, name, type, created_at)
    select ${project.id}, 'pc_' || n, n::text, 'STATIC', ${NOW} from generate_series(1, 97) as n`;
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => call("POST /v1/product-collections", { type: "STATIC", name: "More" })),
  );
  const refused = replies.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 3);
  for (const { body } of refused)
    assert.deepEqual([body.key, body.details], ["invalid_payload", "A project has at most 100 product collections"]);
  assert.equal((await call("GET /v1/product-collections")).body.total, 100);
});

test("collections: a request that begins after a change finds it in the catalog", async () => {
  const { call, engine, project } = await testShop(db);
  const catalog = async () => {
    const [row] = await db<[{ catalog_revision: number }]>`
      select catalog_revision from tenants where project_id = ${project.id}`;
    return (await engine.catalogs.catalogOf({ id: project.id, ...row })).product_collections;
  };
  const { id } = await collect(call, { type: "AUTO_UPDATE", filter: { junction: "and" } });
  assert.equal((await catalog()).get(id)?.name, "Any");
  await call(`PUT /v1/product-collections/${id}`, { name: "New" });
  assert.equal((await catalog()).get(id)?.name, "New");
  await call(`DELETE /v1/product-collections/${id}`);
  assert.equal((await catalog()).has(id), false);
});

test("collections: the list has pages and an order", async () => {
  const { call } = await testShop(db);
  for (const name of ["b", "a", "c"]) await collect(call, { type: "STATIC", name });
  const names = async (query: string) =>
    (await call(`GET /v1/product-collections?${query}`)).body.data.map((one: any) => one.name).join("");
  assert.equal(await names(""), "cab");
  assert.equal(await names("order=created_at"), "bac");
  assert.equal(await names("order=name&limit=2"), "ab");
  assert.equal(await names("order=name&limit=2&page=2"), "c");
});

test("collections: every refusal has the error body and changes nothing", async (t) => {
  const { call } = await testShop(db);
  const other = await testShop(db);
  const foreign = await shop(other.call);
  const { hat } = await shop(call);
  await call("DELETE /v1/products/hat");
  const { id } = await collect(call, { type: "AUTO_UPDATE", filter: { junction: "and" } });
  const missing = "Cannot find products_collection with id nope";
  const junction = "'AUTO_UPDATE' collection must contain valid filter with 'junction' property";
  const wrong = "Property .filter has wrong `junction` property. It must be one of: and, or";
  const create = (body: object, details: string | RegExp) =>
    ["POST /v1/product-collections", { name: "A", ...body }, 400, "invalid_payload", details] as const;
  const fixed = (products: unknown, details: string) => create({ type: "STATIC", products }, details);
  const auto = (filter: unknown, details: string | RegExp) => create({ type: "AUTO_UPDATE", filter }, details);
  const cases: (readonly [request: string, body: unknown, status: number, key: string, details: string | RegExp])[] = [
    ["GET /v1/product-collections/nope", undefined, 404, "not_found", missing],
    ["GET /v1/product-collections/nope/products", undefined, 404, "not_found", missing],
    ["PUT /v1/product-collections/nope", { name: "A" }, 404, "not_found", missing],
    ["DELETE /v1/product-collections/nope", undefined, 404, "not_found", missing],
    create({}, "Payload must have required property 'type'"),
    create({ type: "DYNAMIC" }, "Property .type must be equal to one of the allowed values [ STATIC, AUTO_UPDATE ]"),
    create({ type: "STATIC", name: 1 }, "Property .name must be string"),
    create({ type: "STATIC", name: "" }, "Property .name must NOT have fewer than 1 characters"),
    fixed("all", "Property .products must be array"),
    fixed(["prod_1"], "Property .products[0] must be object"),
    fixed([{ id: "x" }], "Property .products[0] must have required property 'object'"),
    fixed(
      [{ id: "x", object: "order" }],
      "Property .products[0].object must be equal to one of the allowed values [ product, sku ]",
    ),
    fixed([{ id: "x", object: "product" }], "Property .products[0] names product x, which does not exist"),
    fixed([{ id: "shirt", object: "product" }], "Property .products[0] names product shirt, which does not exist"),
    fixed([{ id: hat.id, object: "product" }], `Property .products[0] names product ${hat.id}, which does not exist`),
    fixed(
      [{ id: foreign.red.id, object: "sku" }],
      `Property .products[0] names sku ${foreign.red.id}, which does not exist`,
    ),
    fixed(Array(1001).fill({ id: "x", object: "sku" }), "Property .products must NOT have more than 1000 items"),
    auto(undefined, junction),
    auto({}, junction),
    auto({ price: { conditions: { $is: [1] } } }, junction),
    auto("x", "Property .filter must be object"),
    auto({ junction: "xor" }, wrong),
    auto({ junction: 1 }, wrong),
    auto({ junction: "and", secret: { conditions: { $is: [1] } } }, /^Property .filter has unknown field secret/),
    auto({ junction: "and", price: 5 }, /^Property .filter.price/),
    auto({ junction: "and", price: { conditions: { $like: [1] } } }, /has unknown operator \$like/),
    auto({ junction: "and", price: { conditions: { $is: ["cheap"] } } }, /^Property .filter.price \$is takes/),
    [`PUT /v1/product-collections/${id}`, { filter: {} }, 400, "invalid_payload", junction],
    [`PUT /v1/product-collections/${id}`, { filter: { junction: "xor" } }, 400, "invalid_payload", wrong],
    [`PUT /v1/product-collections/${id}`, { name: null }, 400, "invalid_payload", "Property .name must be string"],
    [
      `GET /v1/product-collections/${id}/products?starting_after=x`,
      undefined,
      400,
      "invalid_query_params",
      "Property .starting_after cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31, or a time such as 2027-01-01T00:00:00Z",
    ],
    [
      `GET /v1/product-collections/${id}/products?order=name`,
      undefined,
      400,
      "invalid_query_params",
      "Property .order must be equal to one of the allowed values [ created_at, -created_at, updated_at, -updated_at ]",
    ],
    ["GET /v1/product-collections?limit=0", undefined, 400, "invalid_query_params", "Property .limit must be >= 1"],
  ];
  const before = (await call("GET /v1/product-collections")).text;
  for (const [request, body, status, key, details] of cases)
    await t.test(`${request} ${JSON.stringify(body)?.slice(0, 80) ?? ""} gives ${status} ${key}`, async () => {
      const reply = await call(request, body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [status, status, key], reply.text);
      if (typeof details === "string") assert.equal(reply.body.details, details);
      else assert.match(reply.body.details, details);
    });
  assert.equal((await call("GET /v1/product-collections")).text, before);
  assert.equal((await other.call(`GET /v1/product-collections/${id}`)).status, 404);
});
