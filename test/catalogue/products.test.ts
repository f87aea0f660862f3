import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, NOW, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const NO_SKUS = { object: "list", data_ref: "data", data: [], total: 0 };
const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;
test("products: create, read, list, update, delete, by id and by source id", async () => {
  const { call } = await testShop(db);
  const sent = {
    source_id: "shirt/1",
    name: "Shirt",
    price: 9_007_199_254_740_991,
    attributes: ["size", "colour"],
    metadata: { brand: "Lark", tags: ["a", "b"], deep: { a: { b: [null, 1.5] } } },
    image_url: "https://shop.example/shirt.png",
  };
  const created = await call("POST /v1/products", { ...sent, colour: "ignored", created_at: "ignored" });
  assert.equal(created.status, 200, created.text);
  const { id } = created.body;
  assert.match(id, /^prod_[0-9a-f]{24}$/);
  const expected = { id, ...sent, created_at: NOW, updated_at: null, object: "product", skus: NO_SKUS };
  assert.deepEqual(created.body, expected);
  for (const reference of [id, "shirt%2F1"])
    assert.deepEqual((await call(`GET /v1/products/${reference}`)).body, expected);

  const list = await call("GET /v1/products");
  const products = [expected];
  assert.deepEqual(list.body, { object: "list", data_ref: "products", products, total: 1 });

  const body = { price: 0, metadata: { brand: null, new: 1 }, source_id: "ignored", id: "ignored" };
  const updated = await call("PUT /v1/products/shirt%2F1", body);
  const metadata = { ...sent.metadata, brand: null, new: 1 };
  assert.deepEqual(updated.body, { ...expected, price: 0, metadata, updated_at: NOW });
  const cleared = await call(`PUT /v1/products/${id}`, { name: null, price: null, image_url: null, attributes: [] });
  const empty = { name: null, price: null, image_url: null, attributes: [] };
  assert.deepEqual(cleared.body, { ...expected, ...empty, metadata, updated_at: NOW });
  assert.deepEqual((await call(`PUT /v1/products/${id}`, {})).body, cleared.body);

  const deleted = await call("DELETE /v1/products/shirt%2F1");
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const reference of [id, "shirt%2F1"]) {
    assert.equal((await call(`GET /v1/products/${reference}`)).status, 404);
    assert.equal((await call(`PUT /v1/products/${reference}`, {})).status, 404);
    assert.equal((await call(`DELETE /v1/products/${reference}?force=true`)).status, 404);
  }
  assert.deepEqual((await call("GET /v1/products")).body.total, 0);
});

test("products: created with nothing at all, every field has its empty value", async () => {
  const { call } = await testShop(db);
  const { id, ...product } = (await call("POST /v1/products", {})).body;
  assert.deepEqual(product, {
    source_id: null,
    name: null,
    price: null,
    attributes: [],
    metadata: {},
    image_url: null,
    created_at: NOW,
    updated_at: null,
    object: "product",
    skus: NO_SKUS,
  });
  assert.notEqual((await call("POST /v1/products", { source_id: null, id: null })).body.id, id);
});

test("products: one with the id or the source id that is sent is updated, the id first", async () => {
  const { call } = await testShop(db);
  const post = async (body: object) => (await call("POST /v1/products", body)).body;
  const a = await post({ source_id: "a", name: "A", price: 1, metadata: { x: 1, y: 1 } });
  const again = await post({ source_id: "a", price: 2, metadata: { y: 2 } });
  assert.deepEqual(again, { ...a, price: 2, metadata: { x: 1, y: 2 }, updated_at: NOW });
  const b = await post({ name: "B" });
  assert.deepEqual(await post({ id: b.id, source_id: "b" }), { ...b, source_id: "b", updated_at: NOW });
  assert.equal((await post({ id: b.id, name: "B2" })).source_id, "b");
  assert.equal((await call("GET /v1/products")).body.total, 2);
  const taken = await call("POST /v1/products", { id: b.id, source_id: "a" });
  assert.deepEqual([taken.status, taken.body.key], [409, "duplicate_found"]);
  assert.equal(taken.body.details, "Duplicated product exists with source_id a");
});

test("products: a path is read as an id first, then as a source id", async () => {
  const { call } = await testShop(db);
  const { id } = (await call("POST /v1/products", { name: "by id" })).body;
  await call("POST /v1/products", { name: "by source id", source_id: id });
  assert.equal((await call(`GET /v1/products/${id}`)).body.name, "by id");
  assert.equal((await call(`PUT /v1/products/${id}`, { price: 5 })).body.name, "by id");
  await call(`DELETE /v1/products/${id}`);
  assert.equal((await call(`GET /v1/products/${id}`)).body.name, "by source id");
});

test("products: a source id in the bin, or deleted for good, may be used again", async () => {
  const { call } = await testShop(db);
  const make = async () => (await call("POST /v1/products", { source_id: "once more" })).body.id;
  const first = await make();
  assert.equal((await call("DELETE /v1/products/once%20more")).status, 204);
  const second = await make();
  assert.notEqual(second, first);
  assert.equal((await call("DELETE /v1/products/once%20more?force=true")).status, 204);
  const third = await make();
  assert.equal((await call("GET /v1/products/once%20more")).body.id, third);
  const inBin = (await call("GET /v1/trash-bin")).body.data.map((entry: any) => entry.resource_id);
  assert.deepEqual(inBin, [first]);
});

test("products: as many writers as you like with one source id make one product, and none fails", async () => {
  const { call } = await testShop(db);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => call("POST /v1/products", { source_id: "one", metadata: { [`n${n}`]: n } })),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
  const { products, total } = (await call("GET /v1/products")).body;
  assert.equal(total, 1);
  assert.equal(Object.keys(products[0].metadata).length, 20, "no merge is lost");
});

test("products: creating and deleting the same source id at once never fails", async () => {
  const { call } = await testShop(db);
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      n % 3 === 2
        ? call(`DELETE /v1/products/busy?force=${n % 2 === 0}`)
        : call("POST /v1/products", { source_id: "busy" }),
    ),
  );
  for (const { status, text } of replies) assert.ok([200, 204, 404].includes(status), text);
});

test("products: pages, order and ranges of dates", async () => {
  let minute = 0;
  const { call } = await testShop(db, {}, { now: () => at(minute) });
  for (; minute < 12; minute += 1) await call("POST /v1/products", { name: `${minute}` });
  const names = async (query: string) => {
    const { body } = await call(`GET /v1/products?${query}`);
    return body.products.map(({ name }: { name: string }) => name).join(" ");
  };
  assert.equal(await names(""), "0 1 2 3 4 5 6 7 8 9");
  assert.equal(await names("page=2"), "10 11");
  assert.equal(await names("page=3"), "");
  assert.equal(await names("order=-created_at&limit=3"), "11 10 9");
  assert.equal(await names(`start_date=${at(3)}&end_date=${at(5)}`), "3 4 5");
  assert.equal(await names(`created_at[after]=${at(3)}&created_at[before]=${at(5)}`), "4");
  assert.equal((await call(`GET /v1/products?limit=1&start_date=${at(3)}`)).body.total, 9);
  const { id } = (await call("GET /v1/products?limit=1")).body.products[0];
  const { updated_at } = (await call(`PUT /v1/products/${id}`, { price: 1 })).body;
  assert.equal(await names(`updated_at[after]=${at(11)}`), "0");
  assert.equal(await names(`updated_at[before]=${updated_at}`), "");
  assert.equal(await names("order=updated_at&limit=2"), "0 1");
});

test("products: filters over every field", async (t) => {
  const { call } = await testShop(db);
  const made: Record<string, string> = {};
  for (const [name, body] of Object.entries({
    a: { source_id: "s-1", price: 100, metadata: { brand: "Lark", size: 3 } },
    b: { source_id: "s-2", price: 200, metadata: { brand: "Finch", size: 30 }, image_url: "https://x.example/b" },
    c: {},
  }))
    made[name] = (await call("POST /v1/products", { name: `name ${name}`, ...body })).body.id;
  const cases: [query: string, names: string][] = [
    ["filters[name][conditions][$contains]=E B", "b"],
    ["filters[price][conditions][$more_than]=100", "b"],
    ["filters[price][conditions][$is_unknown]=", "c"],
    ["filters[source_id][conditions][$starts_with]=s-", "ab"],
    ["filters[image_url][conditions][$has_value]=", "b"],
    ["filters[metadata.brand][conditions][$in][0]=Lark&filters[metadata.brand][conditions][$in][1]=Finch", "ab"],
    ["filters[metadata.size][conditions][$less_than]=10", "a"],
    [`filters[id][conditions][$is]=${made.c}`, "c"],
    ["filters[created_at][conditions][$after]=2025-12-31", "abc"],
    ["filters[updated_at][conditions][$has_value]=", ""],
    ["filters[junction]=or&filters[price][conditions][$is]=100&filters[name][conditions][$is]=name c", "ac"],
  ];
  for (const [query, names] of cases)
    await t.test(query, async () => {
      const { body } = await call(`GET /v1/products?${encodeURI(query)}`);
      assert.equal(body.products.map((one: { name: string }) => one.name.slice(-1)).join(""), names);
      assert.equal(body.total, names.length);
    });
});

test("products: dates beyond the years 1 to 9999 are refused, those within are compared", async () => {
  const { call } = await testShop(db);
  await call("POST /v1/products", {});
  for (const query of [
    "start_date=0000-01-01",
    "end_date=9999-12-31T23:59:59-23:59",
    "created_at[after]=0000-01-01T00:00:00%2B01:00",
    "filters[created_at][conditions][$before]=-271821-04-20T00:00:00Z",
    "filters[created_at][conditions][$more_than]=999999",
  ])
    assert.equal((await call(`GET /v1/products?${query}`)).body.key, "invalid_query_params", query);
  const totals = [];
  for (const query of ["start_date=0001-01-01", "end_date=0001-01-01", "created_at[before]=9999-12-31T23:59:59Z"])
    totals.push((await call(`GET /v1/products?${query}`)).body.total);
  assert.deepEqual(totals, [1, 0, 1]);
});

const define = async (call: Call, project: { id: string }) => {
  const properties = {
    brand: { type: "string", optional: false, array: false },
    size: { type: "number", optional: true, array: false, gte: 1 },
  };
  const body = { related_object: "product", properties, allow_defined_only: true };
  assert.equal((await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, body)).status, 200);
};

test("products: metadata is checked against the schema, what is required only when it is created", async () => {
  const { call, project } = await testShop(db);
  const { id: old } = (await call("POST /v1/products", { source_id: "old", metadata: { free: 1 } })).body;
  await define(call, project);
  const cases: [request: string, body: object, details: string | null][] = [
    ["POST /v1/products", {}, "brand: must be a string, property is required (actual value is 'undefined')"],
    ["POST /v1/products", { source_id: "new", metadata: { brand: "Lark", size: 1 } }, null],
    ["POST /v1/products", { source_id: "new", metadata: { size: 2 } }, null],
    [
      "POST /v1/products",
      { source_id: "new", metadata: { size: 0 } },
      "size: must be a number, must be greater than or equal to 1 (actual value is '0')",
    ],
    [`PUT /v1/products/${old}`, { price: 1 }, null],
    [
      `PUT /v1/products/${old}`,
      { metadata: { brand: null } },
      "brand: must be a string, property is required (actual value is 'null')",
    ],
    [
      `PUT /v1/products/${old}`,
      { metadata: { other: 1 } },
      "other: property is not defined in the schema (actual value is '1')",
    ],
  ];
  for (const [request, body, details] of cases) {
    const reply = await call(request, body);
    if (details === null) assert.equal(reply.status, 200, reply.text);
    else
      assert.deepEqual(
        [reply.status, reply.body.key, reply.body.details],
        [400, "metadata_validation_failed", details],
      );
  }
  assert.deepEqual((await call("GET /v1/products/new")).body.metadata, { brand: "Lark", size: 2 });
});

test("products: every refusal has the error body and changes nothing", async (t) => {
  const { call } = await testShop(db);
  const { id } = (await call("POST /v1/products", { source_id: "kept" })).body;
  const missing = (reference: string) => `Cannot find product with id ${reference}`;
  const post = (body: unknown, details: string) =>
    ["POST /v1/products", body, 400, "invalid_payload", details] as const;
  const cases: (readonly [request: string, body: unknown, status: number, key: string, details: string])[] = [
    ["GET /v1/products/nope", undefined, 404, "not_found", missing("nope")],
    ["PUT /v1/products/nope", {}, 404, "not_found", missing("nope")],
    ["DELETE /v1/products/nope", undefined, 404, "not_found", missing("nope")],
    ["POST /v1/products", { id: "prod_1", source_id: "kept" }, 404, "not_found", missing("prod_1")],
    ["POST /v1/products", { id: "kept" }, 404, "not_found", missing("kept")],
    ["GET /v1/products/%00", undefined, 400, "invalid_payload", "Text must not hold U+0000"],
    post({ id: 1 }, "Property .id must be string,null"),
    post({ source_id: "" }, "Property .source_id must NOT have fewer than 1 characters"),
    post({ source_id: "x".repeat(201) }, "Property .source_id must NOT have more than 200 characters"),
    post({ name: 5 }, "Property .name must be string,null"),
    post({ name: "\0" }, "Property .name must not hold U+0000"),
    post({ price: -1 }, "Property .price must be >= 0"),
    post({ price: 1.5 }, "Property .price must be a whole number of cents (4999 for 49.99)"),
    post({ price: "1" }, "Property .price must be a whole number of cents (4999 for 49.99)"),
    post({ price: 2 ** 53 }, "Property .price must be between -9007199254740991 and 9007199254740991"),
    post({ attributes: "size" }, "Property .attributes must be array"),
    post({ attributes: [1] }, "Property .attributes[0] must be string"),
    post({ attributes: Array(101).fill("a") }, "Property .attributes must NOT have more than 100 items"),
    post({ metadata: [] }, "Property .metadata must be object"),
    post({ metadata: null }, "Property .metadata must be object"),
    post(`{"metadata":${'{"a":'.repeat(40)}1${"}".repeat(40)}}`, "The body must not be nested deeper than 32 levels"),
    post([], "The body must be a JSON object"),
    [`PUT /v1/products/${id}`, { price: -1 }, 400, "invalid_payload", "Property .price must be >= 0"],
    [
      `DELETE /v1/products/${id}?force=maybe`,
      undefined,
      400,
      "invalid_query_params",
      "Property .force must be boolean",
    ],
    ["GET /v1/products?limit=101", undefined, 400, "invalid_query_params", "Property .limit must be <= 100"],
    ["GET /v1/products?page=100", undefined, 400, "invalid_query_params", "Property .page must be <= 99"],
    [
      "GET /v1/products?order=price",
      undefined,
      400,
      "invalid_query_params",
      "Property .order must be equal to one of the allowed values [ created_at, -created_at, updated_at, -updated_at ]",
    ],
    [
      "GET /v1/products?end_date=2026-02-30",
      undefined,
      400,
      "invalid_query_params",
      "Property .end_date cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31, or a time such as 2027-01-01T00:00:00Z",
    ],
    [
      "GET /v1/products?filters[secret][conditions][$is]=1",
      undefined,
      400,
      "invalid_query_params",
      "filters.secret is unknown; there are id, source_id, name, price, image_url, created_at, updated_at, metadata.*",
    ],
    [
      "GET /v1/products?filters[price][conditions][$is]=cheap",
      undefined,
      400,
      "invalid_query_params",
      "filters.price $is takes a number",
    ],
  ];
  const before = (await call("GET /v1/products")).text;
  for (const [request, body, status, key, details] of cases)
    await t.test(`${request} ${JSON.stringify(body)?.slice(0, 60) ?? ""} gives ${status} ${key}`, async () => {
      const reply = await call(request, body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [status, status, key], reply.text);
      assert.equal(reply.body.details, details);
      assert.equal(reply.body.request_id, reply.headers["x-request-id"]);
    });
  assert.equal((await call("GET /v1/products")).text, before);
});

test("products: source ids of two projects have nothing to do with each other", async () => {
  const [a, b] = [await testShop(db), await testShop(db)];
  const mine = (await a.call("POST /v1/products", { source_id: "same", name: "mine" })).body;
  const other = (await b.call("POST /v1/products", { source_id: "same", name: "other" })).body;
  assert.notEqual(mine.id, other.id);
  assert.equal((await b.call("GET /v1/products/same")).body.name, "other");
  for (const request of [`GET /v1/products/${mine.id}`, `DELETE /v1/products/${mine.id}`])
    assert.equal((await b.call(request)).status, 404);
  assert.equal((await b.call("POST /v1/products", { id: mine.id, name: "stolen" })).status, 404);
  assert.equal((await a.call("GET /v1/products/same")).body.name, "mine");
});
