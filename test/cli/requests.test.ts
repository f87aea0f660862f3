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

test("requests list has an option for each thing that requests are found by", async () => {
  const { project } = await testShop(db);
  const of = ["--project", project.id];
  const old = await insertRequest(project.id, "A", "ann", {
    ...{ created_at: "2025-12-31T10:00:00.000Z", key_id: "key of ann", error_key: "voucher_expired", method: "POST" },
  });
  const recent = await insertRequest(project.id, "B", "bob");
  const cases: [options: string[], ids: string[]][] = [
    [[], [recent, old]],
    [["--request", old], [old]],
    [["--request", "v-none"], []],
    [["--key", "key of ann"], [old]],
    [["--error", "not_found"], [recent]],
    [["--method", "post"], [old]],
    [["--after", "2026-01-01"], [recent]],
    [["--before", "2026-01-01"], [old]],
    [["--after", "2025-12-31T10:00:00Z"], [recent]],
    [["--after", "2025-12-31T11:00:00+02:00", "--before", "2026-01-01T12:00:00Z"], [old]],
  ];
  for (const [options, ids] of cases) {
    const { code, stdout, stderr } = await run("list", ...of, ...options);
    assert.equal(code, 0, stderr);
    const listed = [...stdout.matchAll(/^v-\w+/gm)].map(([id]) => id);
    assert.deepEqual(listed, ids, options.join(" "));
  }
  for (const flag of ["--after", "--before"]) {
    const { code, stderr } = await run("list", ...of, flag, "yesterday");
    assert.deepEqual([code, stderr.startsWith(`${flag} must be a day or a moment`)], [2, true], stderr);
  }
});

test("requests --installation reads the calls that name no project", async () => {
  const { project } = await testShop(db);
  const own = await insertRequest(project.id, "A", "ann");
  const call = {
    key_kind: "management",
    method: "GET",
    route: "/management/v1/roles",
    url: "/management/v1/roles",
  } as const;
  const whole = await insertRequest("", "A", "ann", {
    ...call,
    codes: [],
    customers: [],
    names: { code: [], customer: [] },
  });
  const { stdout } = await run("list", "--installation");
  assert.match(stdout, new RegExp(`^${whole} .* GET /management/v1/roles `, "m"));
  assert.ok(!stdout.includes(own));
  const shown = await run("show", whole, "--installation");
  assert.equal(JSON.parse(shown.stdout).route, "/management/v1/roles");
  assert.equal((await run("show", own, "--installation")).code, 2);
  const both = await run("list", "--installation", "--project", project.id);
  assert.deepEqual([both.code, both.stderr], [2, "Say either --project or --installation.\n"]);
});
