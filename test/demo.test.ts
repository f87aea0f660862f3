import assert from "node:assert/strict";
import { test } from "node:test";
import { demoRequests, seeded } from "../src/demo/demo-data.ts";
import { loadDemo } from "../src/demo/load.ts";
import { testDatabase, testEngine, testProject } from "./support.ts";

const { db } = await testDatabase();

test("the same seed gives the same shop, another seed another one with the same well-known names", () => {
  const names = (seed: number) =>
    demoRequests("proj_1", { seed, moreCategories: 50 })
      .filter(({ line }) => line === "POST /v1/categories")
      .map(({ body }) => (body as { name: string }).name);
  assert.deepEqual(names(1), names(1));
  assert.notDeepEqual(names(1), names(2));
  assert.deepEqual(names(1).slice(0, 5), names(2).slice(0, 5));
  assert.equal(new Set(names(7)).size, 55);
});

test("a seeded generator stays in its range and reaches both ends", () => {
  const { integer } = seeded(3);
  const seen = new Set(Array.from({ length: 500 }, () => integer(2, 5)));
  assert.deepEqual([...seen].sort(), [2, 3, 4, 5]);
});

test("the demo loads through the interface into any project", async () => {
  const project = await testProject(db);
  const { app, call } = await testEngine(db, project);
  const count = await loadDemo(app, { projectId: project.id, keys: project });
  assert.equal(count, demoRequests(project.id).length);
  assert.equal((await call("GET /v1/categories")).body.total, 8);
  assert.equal((await call("GET /v1/metadata-schemas")).body.total, 3);
});
