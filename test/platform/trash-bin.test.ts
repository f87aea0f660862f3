import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

/** How many rows a project still has of products and SKUs, in the bin or not. */
const rowsOf = async (projectId: string) => {
  const [row] = await db<[{ products: number; skus: number }]>`
    select (select count(*) from products where project_id = ${projectId}) as products,
      (select count(*) from skus where project_id = ${projectId}) as skus`;
  return { ...row };
};

test("bin: a product and a SKU lie in it with all their fields until they are purged", async () => {
  const { call, project } = await testShop(db);
  const product = (await call("POST /v1/products", { source_id: "shirt", name: "Shirt" })).body;
  const sku = (await call("POST /v1/products/shirt/skus", { sku: "Red shirt" })).body;
  await call("POST /v1/products/shirt/skus", { source_id: "along" });
  await call(`DELETE /v1/products/shirt/skus/${sku.id}`);
  await call("DELETE /v1/products/shirt");
  const bin = (await call("GET /v1/trash-bin")).body;
  const [first, second] = bin.data;
  assert.match(first.id, /^tbe_[0-9a-f]{24}$/);
  const common = { created_at: NOW, deleted_by_user_id: null };
  assert.deepEqual(bin, {
    object: "list",
    data_ref: "data",
    data: [
      {
        ...common,
        id: first.id,
        resource_id: product.id,
        resource_type: "product",
        resource_name: "Shirt",
        resource_parent_id: null,
        object: "product",
      },
      {
        ...common,
        id: second.id,
        resource_id: sku.id,
        resource_type: "sku",
        resource_name: "Red shirt",
        resource_parent_id: product.id,
        object: "sku",
      },
    ],
    total: 2,
    has_more: false,
  });
  assert.equal((await call("GET /v1/skus/along")).status, 404, "it went along");
  assert.deepEqual(await rowsOf(project.id), { products: 1, skus: 2 });

  const purged = await call(`DELETE /v1/trash-bin/${first.id}`);
  assert.deepEqual([purged.status, purged.text], [204, ""]);
  assert.deepEqual(await rowsOf(project.id), { products: 0, skus: 0 });
  assert.deepEqual((await call("GET /v1/trash-bin")).body.data, [], "the entry of its SKU is gone too");
  assert.equal((await call(`DELETE /v1/trash-bin/${first.id}`)).status, 404);
});

test("bin: purging a SKU leaves its product; a name is the source id or the id when there is none", async () => {
  const { call } = await testShop(db);
  await call("POST /v1/products", { source_id: "shirt" });
  await call("POST /v1/products/shirt/skus", { source_id: "red" });
  const { id } = (await call("POST /v1/products/shirt/skus", {})).body;
  await call("DELETE /v1/products/shirt/skus/red");
  await call(`DELETE /v1/products/shirt/skus/${id}`);
  const { data } = (await call("GET /v1/trash-bin?order=id")).body;
  assert.deepEqual(
    data.map((entry: any) => entry.resource_name),
    ["red", id],
  );
  const again = await call("POST /v1/products/shirt/skus", { source_id: "red" });
  assert.equal(again.status, 200, "a source id in the bin is free");
  assert.equal((await call(`DELETE /v1/trash-bin/${data[0].id}`)).status, 204);
  assert.equal((await call("GET /v1/skus/red")).body.id, again.body.id);
  assert.equal((await call("GET /v1/products/shirt")).body.skus.total, 1);
});

test("bin: force deletes for good and leaves nothing in it, also of SKUs that were there before", async () => {
  const { call, project } = await testShop(db);
  await call("POST /v1/products", { source_id: "shirt" });
  for (const source_id of ["a", "b", "c"]) await call("POST /v1/products/shirt/skus", { source_id });
  await call("DELETE /v1/products/shirt/skus/a");
  assert.equal((await call("DELETE /v1/products/shirt/skus/b?force=true")).status, 204);
  assert.deepEqual(await rowsOf(project.id), { products: 1, skus: 2 });
  assert.equal((await call("GET /v1/trash-bin")).body.total, 1);
  assert.equal((await call("DELETE /v1/products/shirt?force=TRUE")).status, 204);
  assert.deepEqual(await rowsOf(project.id), { products: 0, skus: 0 });
  assert.equal((await call("GET /v1/trash-bin")).body.total, 0);
});

test("bin: pages go on after the last id, in both directions, and filters", async () => {
  const { call } = await testShop(db);
  for (const name of ["a", "b", "c", "d", "e"]) {
    const { id } = (await call("POST /v1/products", { name })).body;
    await call(`DELETE /v1/products/${id}`);
  }
  const walk = async (order: string) => {
    const seen: string[] = [];
    let next = "";
    for (let n = 0; n < 5; n += 1) {
      const { body } = await call(`GET /v1/trash-bin?limit=2&order=${order}${next && `&starting_after_id=${next}`}`);
      assert.equal(body.total, body.data.length);
      seen.push(body.data.map((entry: any) => entry.resource_name).join(""));
      assert.equal("more_starting_after" in body, body.has_more);
      if (!body.has_more) break;
      assert.equal(body.more_starting_after, body.data.at(-1).id);
      next = body.more_starting_after;
    }
    return seen;
  };
  assert.deepEqual(await walk("id"), ["ab", "cd", "e"]);
  assert.deepEqual(await walk("-id"), ["ed", "cb", "a"]);
  const found = async (query: string) =>
    (await call(`GET /v1/trash-bin?${query}`)).body.data.map((entry: any) => entry.resource_name).join("");
  const [last] = (await call("GET /v1/trash-bin")).body.data;
  assert.equal(await found("filters[resource_name][conditions][$in]=c"), "c");
  assert.equal(await found("filters[resource_type][conditions][$is]=sku"), "");
  assert.equal(await found("filters[resource_type][conditions][$starts_with]=sk"), "");
  assert.equal(await found(`filters[resource_id][conditions][$ends_with]=${last.resource_id.slice(-8)}`), "e");
  assert.equal(await found(`filters[id][conditions][$is]=${last.id}`), "e");
  assert.equal(await found(`filters[resource_id][conditions][$is]=${last.resource_id}`), "e");
});

test("bin: refusals", async (t) => {
  const { call } = await testShop(db);
  const cases: (readonly [request: string, status: number, key: string, details: string])[] = [
    ["DELETE /v1/trash-bin/nope", 404, "not_found", "Cannot find trash_bin_entry with id nope"],
    [
      "GET /v1/trash-bin?starting_after_id=nope",
      400,
      "invalid_query_params",
      "Property .starting_after_id names no entry of the bin: nope",
    ],
    ["GET /v1/trash-bin?limit=101", 400, "invalid_query_params", "Property .limit must be <= 100"],
    [
      "GET /v1/trash-bin?order=created_at",
      400,
      "invalid_query_params",
      "Property .order must be equal to one of the allowed values [ id, -id ]",
    ],
    [
      "GET /v1/trash-bin?filters[name][conditions][$is]=a",
      400,
      "invalid_query_params",
      "filters.name is unknown; there are id, resource_type, resource_name, resource_id",
    ],
  ];
  for (const [request, status, key, details] of cases)
    await t.test(`${request} gives ${status} ${key}`, async () => {
      const reply = await call(request);
      assert.deepEqual([reply.status, reply.body.key, reply.body.details], [status, key, details]);
    });
});

test("bin: of an entry that many purge at once, one does, and the others find nothing", async () => {
  const { call, project } = await testShop(db);
  await call("POST /v1/products", { source_id: "shirt" });
  await call("POST /v1/products/shirt/skus", { source_id: "red" });
  await call("DELETE /v1/products/shirt/skus/red");
  await call("DELETE /v1/products/shirt");
  const ids = (await call("GET /v1/trash-bin")).body.data.map((entry: any) => entry.id);
  const replies = await Promise.all([...ids, ...ids, ...ids].map((id) => call(`DELETE /v1/trash-bin/${id}`)));
  for (const { status, text } of replies) assert.ok(status === 204 || status === 404, text);
  assert.equal(replies.filter(({ status }) => status === 204).length <= 2, true);
  assert.deepEqual(await rowsOf(project.id), { products: 0, skus: 0 });
});

test("bin: another project's entry is not there", async () => {
  const [a, b] = [await testShop(db), await testShop(db)];
  const { id } = (await a.call("POST /v1/products", {})).body;
  await a.call(`DELETE /v1/products/${id}`);
  const [entry] = (await a.call("GET /v1/trash-bin")).body.data;
  assert.equal((await b.call("GET /v1/trash-bin")).body.total, 0);
  assert.equal((await b.call(`DELETE /v1/trash-bin/${entry.id}`)).status, 404);
  assert.equal((await b.call(`GET /v1/trash-bin?starting_after_id=${entry.id}`)).status, 400);
  assert.equal((await a.call("GET /v1/trash-bin")).body.total, 1);
});
