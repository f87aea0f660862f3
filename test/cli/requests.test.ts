import assert from "node:assert/strict";
import { test } from "node:test";
import { laurel } from "../support/child.ts";
import { insertRequest, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db, url } = await testDatabase();
const run = (...args: string[]) => laurel(["requests", ...args], { DATABASE_URL: url });

test("requests list shows the last requests, by code, customer and status; requests show prints one", async () => {
  const { project } = await testShop(db);
  await testShop(db);
  const of = ["--project", project.id];
  const [first, second] = [
    await insertRequest(project.id, "SUMMER", "ann"),
    await insertRequest(project.id, "WINTER", "bob"),
  ];
  const listed = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("list", ...of, ...args);
    assert.equal(code, 0, stderr);
    return [...stdout.matchAll(/^v-\w+/gm)].map(([id]) => id);
  };
  assert.deepEqual(await listed(), [second, first]);
  assert.deepEqual(await listed("--code", "summer"), [first]);
  assert.deepEqual(await listed("--customer", "bob", "--status", "4xx"), [second]);
  const shown = await run("show", first, ...of);
  assert.equal(JSON.parse(shown.stdout).response_body.details, "SUMMER");
  const wrong = [
    [await run("list", ...of, "--last", "0"), /--last/],
    [await run("list", ...of, "--status", "bad"), /--status/],
    [await run("list"), /several projects/],
    [await run("show", "v-none", ...of), /v-none/],
  ] as const;
  for (const [{ code, stderr }, says] of wrong) {
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
});
