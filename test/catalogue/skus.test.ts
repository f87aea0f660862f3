import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, NOW, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;

const product = async (call: Call, body: object = { source_id: "shirt" }): Promise<string> =>
  (await call("POST /v1/products", body)).body.id;

test("SKUs: create, read, list, update, delete, all by id and by source id", async () => {
  const { call } = await testShop(db);
  const product_id = await product(call);
  const sent = {
    source_id: "shirt/red",
    sku: "Red shirt",
    price: 9_007_199_254_740_991,
    currency: "EUR",
    attributes: { colour: "red", size: 4 },
    metadata: { brand: "Lark" },
    image_url: "https://shop.example/red.png",
  };
  const created = await call("POST /v1/products/shirt/skus", { ...sent, product_id: "ignored", colour: "ignored" });
  assert.equal(created.status, 200, created.text);
  const { id } = created.body;
  assert.match(id, /^sku_[0-9a-f]{24}$/);
  const expected = { id, product_id, ...sent, created_at: NOW, updated_at: null, object: "sku" };
  assert.deepEqual(created.body, expected);
  const paths = [product_id, "shirt"].flatMap((p) => [id, "shirt%2Fred"].map((s) => `/v1/products/${p}/skus/${s}`));
  for (const path of [...paths, `/v1/skus/${id}`, "/v1/skus/shirt%2Fred"])
    assert.deepEqual((await call(`GET ${path}`)).body, expected, path);

  const list = await call("GET /v1/products/shirt/skus");
  assert.deepEqual(list.body, { object: "list", data_ref: "skus", skus: [expected], total: 1 });
  const inside = { object: "list", data_ref: "data", data: [expected], total: 1 };
  assert.deepEqual((await call("GET /v1/products/shirt")).body.skus, inside);
  assert.deepEqual((await call("GET /v1/products")).body.products[0].skus, inside);

  const body = { price: 1, metadata: { new: [1] }, source_id: "ignored", product_id: "ignored", id: "ignored" };
  const updated = await call(`PUT ${paths[3]}`, body);
  const after = { ...expected, price: 1, metadata: { brand: "Lark", new: [1] }, updated_at: NOW };
  assert.deepEqual(updated.body, after);
  const cleared = { sku: null, price: null, currency: null, image_url: null, attributes: {} };
  assert.deepEqual((await call(`PUT ${paths[0]}`, cleared)).body, { ...after, ...cleared });

  const deleted = await call(`DELETE ${paths[3]}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const path of [...paths, `/v1/skus/${id}`]) assert.equal((await call(`GET ${path}`)).status, 404);
  assert.equal((await call(`PUT ${paths[0]}`, {})).status, 404);
  assert.equal((await call(`DELETE ${paths[0]}`)).status, 404);
  assert.equal((await call("GET /v1/products/shirt")).body.skus.total, 0);
});

test("SKUs: one of the product with the id or the source id that is sent is updated, never one of another", async () => {
  const { call } = await testShop(db);
  await product(call);
  await product(call, { source_id: "hat" });
  const post = (to: string, body: object) => call(`POST /v1/products/${to}/skus`, body);
  const a = (await post("shirt", { source_id: "a", sku: "A", metadata: { x: 1 } })).body;
  const again = (await post("shirt", { source_id: "a", price: 2, metadata: { y: 2 } })).body;
  assert.deepEqual(again, { ...a, price: 2, metadata: { x: 1, y: 2 }, updated_at: NOW });
  assert.equal((await post("shirt", { id: a.id, source_id: "b" })).body.source_id, "b");
  const c = (await post("hat", { source_id: "c" })).body;
  const taken = [await post("shirt", { source_id: "c" }), await post("shirt", { id: a.id, source_id: "c" })];
  for (const reply of taken) {
    assert.deepEqual([reply.status, reply.body.key], [409, "duplicate_found"]);
    assert.equal(reply.body.details, "Duplicated sku exists with source_id c");
    assert.deepEqual([reply.body.resource_id, reply.body.resource_type], ["c", "sku"]);
  }
  const elsewhere = await post("shirt", { id: c.id, sku: "stolen" });
  assert.deepEqual([elsewhere.status, elsewhere.body.details], [404, `Cannot find sku with id ${c.id}`]);
  assert.deepEqual((await call("GET /v1/skus/c")).body, c);
  for (const method of ["GET", "DELETE"])
    assert.equal((await call(`${method} /v1/products/shirt/skus/${c.id}`)).status, 404);
  assert.equal((await call(`PUT /v1/products/shirt/skus/${c.id}`, {})).status, 404);
});

test("SKUs: as many writers as you like with one source id make one SKU, and none fails", async () => {
  const { call } = await testShop(db);
  await product(call);
  await product(call, { source_id: "hat" });
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      call(`POST /v1/products/${n % 2 === 0 ? "shirt" : "hat"}/skus`, { source_id: "one", metadata: { [n]: n } }),
    ),
  );
  const made = replies.filter(({ status }) => status === 200);
  assert.equal(made.length, 10, "those of the product that was first");
  assert.equal(new Set(made.map(({ body }) => body.id)).size, 1);
  for (const { status, text } of replies) assert.ok(status === 200 || status === 409, text);
  assert.equal(Object.keys((await call("GET /v1/skus/one")).body.metadata).length, 10, "no merge is lost");
});

test("SKUs: a product that is deleted while SKUs are added to it leaves none behind", async () => {
  const { call, project } = await testShop(db);
  for (const force of [true, false]) {
    await product(call);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n === 4 ? call(`DELETE /v1/products/shirt?force=${force}`) : call("POST /v1/products/shirt/skus", {}),
      ),
    );
    for (const { status, text } of replies) assert.ok([200, 204, 404].includes(status), text);
    const [{ count }] = await db<[{ count: number }]>`
      select count(*) from skus where project_id = ${project.id} and deleted_at is null`;
    assert.equal(count, 0);
  }
});

test("SKUs: pages, order and ranges of dates", async () => {
  let minute = 0;
  const { call } = await testShop(db, {}, { now: () => at(minute) });
  await product(call);
  await product(call, { source_id: "other" });
  await call("POST /v1/products/other/skus", { sku: "other" });
  for (; minute < 12; minute += 1) await call("POST /v1/products/shirt/skus", { sku: `${minute}` });
  const names = async (query: string) => {
    const { body } = await call(`GET /v1/products/shirt/skus?${query}`);
    return body.skus.map(({ sku }: { sku: string }) => sku).join(" ");
  };
  assert.equal(await names(""), "0 1 2 3 4 5 6 7 8 9");
  assert.equal(await names("page=2"), "10 11");
  assert.equal(await names("order=-created_at&limit=3&page=2"), "8 7 6");
  assert.equal(await names(`start_date=${at(3)}&end_date=${at(5)}`), "3 4 5");
  assert.equal((await call("GET /v1/products/shirt/skus?limit=1")).body.total, 12);
  const { data, total } = (await call("GET /v1/products/shirt")).body.skus;
  assert.deepEqual([data.length, data[0].sku, total], [12, "0", 12]);
});

test("SKUs: a list shows the first 100 of each product, and how many there are", async () => {
  const { call, project } = await testShop(db);
  const id = await product(call);
  await db`
    insert into skus (project_id, id, product_id, sku, created_at)
    select ${project.id}, 'sku_' || lpad(n::text, 4, '0'), ${id}, n::text, ${NOW} from generate_series(1, 120) as n`;
  const [{ skus }] = (await call("GET /v1/products")).body.products;
  assert.deepEqual([skus.data.length, skus.data[99].sku, skus.total], [100, "100", 120]);
  assert.equal((await call("GET /v1/products/shirt")).body.skus.data.length, 120);
});

test("SKUs: metadata is checked against the schema of products; a required key may stand on the product", async () => {
  const { call, project } = await testShop(db);
  await product(call, { source_id: "bare" });
  const properties = { brand: { type: "string", optional: false, array: false } };
  const schema = { related_object: "product", properties };
  await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, schema);
  await product(call, { source_id: "branded", metadata: { brand: "Lark" } });
  const made = await call("POST /v1/products/branded/skus", { source_id: "s" });
  assert.deepEqual([made.status, made.body.metadata], [200, {}]);
  const details = "brand: must be a string, property is required (actual value is 'undefined')";
  const refused = await call("POST /v1/products/bare/skus", {});
  assert.deepEqual(
    [refused.status, refused.body.key, refused.body.details],
    [400, "metadata_validation_failed", details],
  );
  for (const request of ["PUT /v1/products/branded/skus/s", "POST /v1/products/branded/skus"]) {
    const wrong = await call(request, { source_id: "s", metadata: { brand: 1 } });
    assert.deepEqual([wrong.status, wrong.body.key], [400, "metadata_validation_failed"]);
    assert.equal((await call(request, { source_id: "s", metadata: { brand: "Finch" } })).status, 200);
  }
});

test("SKUs: every refusal has the error body and changes nothing", async (t) => {
  const { call } = await testShop(db);
  await product(call);
  await call("POST /v1/products/shirt/skus", { source_id: "kept" });
  const noProduct = "Cannot find product with id nope";
  const noSku = "Cannot find sku with id nope";
  const post = (body: unknown, details: string) =>
    ["POST /v1/products/shirt/skus", body, 400, "invalid_payload", details] as const;
  const cases: (readonly [request: string, body: unknown, status: number, key: string, details: string])[] = [
    ["GET /v1/products/nope/skus", undefined, 404, "not_found", noProduct],
    ["POST /v1/products/nope/skus", {}, 404, "not_found", noProduct],
    ["GET /v1/products/nope/skus/kept", undefined, 404, "not_found", noProduct],
    ["PUT /v1/products/nope/skus/kept", {}, 404, "not_found", noProduct],
    ["DELETE /v1/products/nope/skus/kept", undefined, 404, "not_found", noProduct],
    ["GET /v1/products/shirt/skus/nope", undefined, 404, "not_found", noSku],
    ["PUT /v1/products/shirt/skus/nope", {}, 404, "not_found", noSku],
    ["DELETE /v1/products/shirt/skus/nope", undefined, 404, "not_found", noSku],
    ["GET /v1/skus/nope", undefined, 404, "not_found", noSku],
    ["GET /v1/skus/%00", undefined, 400, "invalid_payload", "Text must not hold U+0000"],
    ["POST /v1/products/shirt/skus", { id: "nope", source_id: "kept" }, 404, "not_found", noSku],
    post({ source_id: 1 }, "Property .source_id must be string,null"),
    post({ sku: {} }, "Property .sku must be string,null"),
    post({ price: -1 }, "Property .price must be >= 0"),
    post({ price: 0.5 }, "Property .price must be a whole number of cents (4999 for 49.99)"),
    post({ price: 1e300 }, "Property .price must be between -9007199254740991 and 9007199254740991"),
    post({ currency: "euro" }, "Property .currency must be a 3-letter ISO 4217 code such as EUR"),
    post({ attributes: [] }, "Property .attributes must be object"),
    post({ metadata: "x" }, "Property .metadata must be object"),
    post({ image_url: 1 }, "Property .image_url must be string,null"),
    ["PUT /v1/products/shirt/skus/kept", { price: -1 }, 400, "invalid_payload", "Property .price must be >= 0"],
    ["GET /v1/products/shirt/skus?limit=0", undefined, 400, "invalid_query_params", "Property .limit must be >= 1"],
    [
      "DELETE /v1/products/shirt/skus/kept?force=2",
      undefined,
      400,
      "invalid_query_params",
      "Property .force must be boolean",
    ],
  ];
  const before = (await call("GET /v1/products")).text;
  for (const [request, body, status, key, details] of cases)
    await t.test(`${request} ${JSON.stringify(body) ?? ""} gives ${status} ${key}`, async () => {
      const reply = await call(request, body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [status, status, key], reply.text);
      assert.equal(reply.body.details, details);
    });
  assert.equal((await call("GET /v1/products")).text, before);
});

test("SKUs: of another project are not there", async () => {
  const [a, b] = [await testShop(db), await testShop(db)];
  await product(a.call);
  await product(b.call);
  const { id } = (await a.call("POST /v1/products/shirt/skus", { source_id: "same" })).body;
  assert.equal((await b.call(`GET /v1/skus/${id}`)).status, 404);
  assert.equal((await b.call("GET /v1/skus/same")).status, 404);
  assert.equal((await b.call("POST /v1/products/shirt/skus", { id })).status, 404);
  assert.notEqual((await b.call("POST /v1/products/shirt/skus", { source_id: "same" })).body.id, id);
});
