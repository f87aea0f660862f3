import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

test("categories: create, list, read, update, delete", async () => {
  const { call } = await testShop(db);
  const created = await call("POST /v1/categories", { name: "Summer", hierarchy: 1, colour: "ignored" });
  assert.equal(created.status, 200);
  const { id } = created.body;
  assert.match(id, /^cat_[0-9a-f]{24}$/);
  const expected = { id, name: "Summer", hierarchy: 1, created_at: NOW, updated_at: null, object: "category" };
  assert.deepEqual(created.body, expected);
  assert.deepEqual((await call(`GET /v1/categories/${id}`)).body, expected);

  const list = await call("GET /v1/categories?limit=5&page=1");
  assert.deepEqual(list.body, { object: "list", data_ref: "data", data: [expected], total: 1 });
  const updated = await call(`PUT /v1/categories/${id}`, { name: "Winter" });
  assert.deepEqual(updated.body, { ...expected, name: "Winter", updated_at: NOW });
  assert.equal((await call(`PUT /v1/categories/${id}`, {})).body.name, "Winter");
  const deleted = await call(`DELETE /v1/categories/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal((await call(`GET /v1/categories/${id}`)).status, 404);
});

test("categories: without a limit the whole list, with one a page of it, in the order that is asked for", async () => {
  const { call } = await testShop(db);
  const names = Array.from({ length: 12 }, (_, n) => `Category ${String(n).padStart(2, "0")}`);
  for (const [n, name] of names.entries()) await call("POST /v1/categories", { name, hierarchy: 20 - n });
  const listed = async (query: string) => {
    const { data, total } = (await call(`GET /v1/categories${query}`)).body;
    assert.equal(total, 12);
    return data.map((category: { name: string }) => category.name);
  };
  assert.deepEqual(await listed("?order=name"), names);
  assert.deepEqual(await listed("?order=-name"), names.toReversed());
  assert.deepEqual(await listed("?order=hierarchy"), names.toReversed());
  assert.deepEqual(await listed("?order=name&limit=5&page=3"), names.slice(10));
  assert.deepEqual(await listed("?order=name&limit=5&page=4"), []);
});

test("categories: every refusal has the error body and changes nothing", async (t) => {
  const { call } = await testShop(db);
  const { id } = (await call("POST /v1/categories", { name: "Taken", hierarchy: 1 })).body;
  await call("POST /v1/categories", { name: "Other", hierarchy: 1 });
  const cases = [
    ["GET /v1/categories/nope", undefined, 404, "not_found", "Cannot find category with id nope"],
    ["POST /v1/categories", { hierarchy: 1 }, 400, "invalid_payload", "Payload must have required property 'name'"],
    [
      "POST /v1/categories",
      { name: "A", hierarchy: "1" },
      400,
      "invalid_payload",
      "Property .hierarchy must be integer",
    ],
    ["POST /v1/categories", { name: "A", hierarchy: -1 }, 400, "invalid_payload", "Property .hierarchy must be >= 0"],
    [
      "POST /v1/categories",
      { name: "", hierarchy: 1 },
      400,
      "invalid_payload",
      "Property .name must NOT have fewer than 1 characters",
    ],
    [
      "POST /v1/categories",
      { name: "Taken", hierarchy: 1 },
      409,
      "duplicate_found",
      "Duplicated category exists with name Taken",
    ],
    [
      `PUT /v1/categories/${id}`,
      { name: "Other" },
      409,
      "duplicate_found",
      "Duplicated category exists with name Other",
    ],
    ["PUT /v1/categories/nope", { name: "New" }, 404, "not_found", "Cannot find category with id nope"],
    ["DELETE /v1/categories/nope", undefined, 404, "not_found", "Cannot find category with id nope"],
    [
      "GET /v1/categories?order=secret",
      undefined,
      400,
      "invalid_query_params",
      "Property .order must be equal to one of the allowed values [ created_at, -created_at, name, -name, hierarchy, -hierarchy ]",
    ],
    ["GET /v1/categories?limit=101", undefined, 400, "invalid_query_params", "Property .limit must be <= 100"],
    ["GET /v1/categories?limit=0", undefined, 400, "invalid_query_params", "Property .limit must be >= 1"],
    ["GET /v1/categories?page=100&limit=1", undefined, 400, "invalid_query_params", "Property .page must be <= 99"],
  ] as const;
  const before = (await call("GET /v1/categories")).text;
  for (const [request, body, status, key, details] of cases) {
    await t.test(`${request} ${JSON.stringify(body) ?? ""} gives ${status} ${key}`, async () => {
      const reply = await call(request, body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [status, status, key]);
      assert.equal(reply.body.details, details);
      assert.equal(reply.body.request_id, reply.headers["x-request-id"]);
    });
  }
  assert.equal((await call("GET /v1/categories")).text, before);
});

test("categories: one that the stacking rules name is kept, unless it shall be taken out of them", async () => {
  const { call, project } = await testShop(db);
  const { id } = (await call("POST /v1/categories", { name: "Exclusive", hierarchy: 1 })).body;
  const rules = `/management/v1/projects/${project.id}/stacking-rules`;
  const set = (
    await call(`POST ${rules}`, { exclusive_categories: [id], applicable_redeemables_category_limits: { [id]: 2 } })
  ).body;
  const refused = await call(`DELETE /v1/categories/${id}`);
  assert.deepEqual([refused.status, refused.body.key], [400, "resource_in_use"]);
  assert.deepEqual(refused.body.related_object_ids, [set.id]);
  assert.equal((await call(`DELETE /v1/categories/${id}?remove_from_stacking_rules=true`)).status, 204);
  const after = (await call(`GET ${rules}/${set.id}`)).body;
  assert.deepEqual(after.exclusive_categories, []);
  assert.deepEqual(after.applicable_redeemables_category_limits, {});
});
