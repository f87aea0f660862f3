import assert from "node:assert/strict";
import { test } from "node:test";
import { insertLocation, NOW, testDatabase, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;

test("locations: read and list, circles and polygons", async () => {
  const { call, project } = await testShop(db);
  const circle = { type: "circle", format: "distance", distance: { center: "52.23,21.01", radius: "5 km" } };
  const coordinates = [
    [
      [21, 52],
      [21.5, 52],
      [21.5, 52.5],
      [21, 52],
    ],
  ];
  const polygon = { type: "polygon", format: "geojson", geojson: { type: "Polygon", coordinates } };
  const first = await insertLocation(project.id, "Circle", { shape: circle });
  const second = await insertLocation(project.id, "Polygon", { shape: polygon, updated_at: at(1) });
  const common = { created_at: NOW, object: "location" };
  const expected = [
    { id: second, name: "Polygon", shape: polygon, updated_at: at(1), ...common },
    { id: first, name: "Circle", shape: circle, updated_at: null, ...common },
  ];
  const list = (await call("GET /v1/locations")).body;
  assert.deepEqual(list, { object: "list", data_ref: "data", data: expected, total: 2, has_more: false });
  for (const one of expected) assert.deepEqual((await call(`GET /v1/locations/${one.id}`)).body, one);
});

test("locations: pages by the date of the last one, order and filters", async () => {
  const { call, project } = await testShop(db);
  for (let n = 0; n < 12; n += 1) await insertLocation(project.id, `Shop ${n}`, { created_at: at(n) });
  const names = async (query: string) => {
    const { data, total, has_more } = (await call(`GET /v1/locations?${query}`)).body;
    return [data.map(({ name }: { name: string }) => name.slice(5)).join(" "), total, has_more];
  };
  assert.deepEqual(await names(""), ["11 10 9 8 7 6 5 4 3 2", 12, true]);
  assert.deepEqual(await names(`end_date=${at(2)}`), ["1 0", 12, false]);
  assert.deepEqual(await names(`end_date=${at(2)}&limit=1`), ["1", 12, true]);
  assert.deepEqual(await names("order=created_at&limit=3"), ["0 1 2", 12, true]);
  assert.deepEqual(await names("filters[name][conditions][$ends_with]=1"), ["11 1", 2, false]);
  assert.deepEqual(await names(`filters[created_at][conditions][$after]=${at(9)}`), ["11 10", 2, false]);
});

test("locations: refusals", async (t) => {
  const { call } = await testShop(db);
  const foreign = await insertLocation((await testProject(db)).id, "Foreign");
  const cases: (readonly [request: string, status: number, key: string, details: string])[] = [
    ["GET /v1/locations/nope", 404, "not_found", "Cannot find location with id nope"],
    [`GET /v1/locations/${foreign}`, 404, "not_found", `Cannot find location with id ${foreign}`],
    ["GET /v1/locations?limit=101", 400, "invalid_query_params", "Property .limit must be <= 100"],
    [
      "GET /v1/locations?end_date=soon",
      400,
      "invalid_query_params",
      "Property .end_date cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31, or a time such as 2027-01-01T00:00:00Z",
    ],
    [
      "GET /v1/locations?order=name",
      400,
      "invalid_query_params",
      "Property .order must be equal to one of the allowed values [ created_at, -created_at, updated_at, -updated_at ]",
    ],
    [
      "GET /v1/locations?filters[shape][conditions][$is]=1",
      400,
      "invalid_query_params",
      "filters.shape is unknown; there are name, created_at, updated_at",
    ],
  ];
  for (const [request, status, key, details] of cases)
    await t.test(`${request} gives ${status} ${key}`, async () => {
      const reply = await call(request);
      assert.deepEqual([reply.status, reply.body.key, reply.body.details], [status, key, details]);
    });
});
