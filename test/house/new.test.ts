import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeNew } from "../../scripts/new.ts";
import { openDb } from "../../src/db/db.ts";
import { migrate, readMigrations } from "../../src/db/migrate.ts";
import { testDatabase } from "../support/engine.ts";
import { closeOnNodes } from "../support/nodes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLES = [
  ["resource", "catalogue/gift-wraps"],
  ["rule", "order.items.weight"],
  ["discount", "ROUND_DOWN"],
  ["event", "customer.gift_wrap.chosen"],
  ["flow", "catalogue/merge-gift-wraps"],
] as const;

// A copy of the tree, without what is installed.
const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-new-"));
after(() => fs.rmSync(dir, { recursive: true, force: true }));
for (const name of fs.readdirSync(ROOT).filter((name) => !/^(?:\.git|node_modules|data|openapi\.json)$/.test(name)))
  fs.cpSync(join(ROOT, name), join(dir, name), { recursive: true });
fs.symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
const made = EXAMPLES.flatMap(([kind, name]) => makeNew(dir, kind, name));

/** A database with the table of the new resource, for the generated tests. */
const template = testDatabase().then(async ({ url }) => {
  const pool = openDb(url, { max: 2 });
  await migrate(pool, readMigrations(join(dir, "migrations")));
  await pool.end();
  const name = url.split("/").at(-1)!;
  await closeOnNodes(name);
  return name;
});

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const run = async (command: string, ...args: string[]): Promise<string> => {
  const options = { cwd: dir, env: { ...env, TEST_TEMPLATE: await template } };
  const done = await promisify(execFile)(command, args, options).catch((error) => error);
  assert.ok(!(done instanceof Error), `${done.stdout}\n${done.stderr}`);
  return done.stdout;
};
const bin = (name: string) => join(ROOT, "node_modules/.bin", name);

test("npm run new makes a resource, a rule, a discount, an event and a flow that biome, tsc, knip, the house and their tests accept", async () => {
  const code = [...new Set(made)].filter((path) => path.endsWith(".ts"));
  assert.equal(code.length, 14);
  await run(bin("biome"), "check", "--write", "--error-on-warnings", ...code);
  await run(bin("tsc"), "-p", ".");
  assert.match(
    fs.readFileSync(join(dir, "src/routes.ts"), "utf8"),
    /^import \{ giftWrapRoutes \} from "\.\/resources\/catalogue\/gift-wraps\/routes\.ts";\n[\s\S]*^ {2}\.\.\.giftWrapRoutes,\n\];$/m,
  );
  const houses = ["test/house/layers.test.ts", "test/house/tidy.test.ts"];
  const registries = ["src/core/rules/registry.test.ts", "src/core/discounts/registry.test.ts"];
  const generated = code.filter((path) => path.startsWith("test/"));
  const inOne = ["--test", "--test-isolation=none", "--test-reporter=tap"];
  const said = await run(process.execPath, ...inOne, ...houses, ...registries, ...generated);
  assert.match(said, /^# fail 0$/m);
  assert.match(said, /ok \d+ - gift wraps: create, list, read, update, delete/);
  assert.match(said, /ok \d+ - merge gift wraps: say what it does, and what it refuses/);
  assert.match(said, /order\.items\.weight.*holds for/);
  assert.match(said, /ROUND_DOWN has an example for each effect/);
  await run(bin("knip"));
});

test("npm run gen asks for the tag of the new resource, and writes all that is made of the new files", async () => {
  const gen = (...args: string[]) =>
    promisify(execFile)(process.execPath, ["scripts/gen.ts", ...args], { cwd: dir, env }).catch((error) => error);
  assert.match((await gen()).stderr, /No tag of the OpenAPI document fits \/v1\/gift-wraps\./);
  const tags = join(dir, "src/http/documents/tags.ts");
  const lines = fs.readFileSync(tags, "utf8").split(/(?<=\n)/);
  const tag = '    { name: "Gift wraps", description: "Papers and ribbons.", paths: /^\\/v1\\/gift-wraps/ },\n';
  lines.splice(lines.findIndex((line) => line.includes('name: "Categories"')) + 1, 0, tag);
  fs.writeFileSync(tags, lines.join(""));
  const old = (await gen("--check")).stderr;
  for (const file of ["openapi.json", "dashboard/src/api/operations.gen.ts", "docs/reference/rules.md"])
    assert.ok(old.includes(`${file} is not current. Run \`npm run gen\`.\n`), old);
  await run(process.execPath, "scripts/gen.ts");
  assert.equal(await run(process.execPath, "scripts/gen.ts", "--check"), "");
  assert.ok("/v1/gift-wraps" in JSON.parse(fs.readFileSync(join(dir, "openapi.json"), "utf8")).paths);
});

test("npm run new refuses a name of another form, a kind that is none, and what is there already; nothing changes then", () => {
  const before = made.map((path) => fs.readFileSync(join(dir, path), "utf8"));
  for (const [kind, name, message] of [
    ["resource", "gift-wraps", /gift-wraps is not a name like catalogue\/gift-wraps/],
    ["resource", "nowhere/gift-wraps", /no area/],
    ["resource", "catalogue/gift", /not a plural/],
    ["resource", "catalogue/gift-wraps", /migrations|already/],
    ["rule", "order.items.weight", /already/],
    ["discount", "ROUND_DOWN", /already/],
    ["event", "customer.created", /has "customer\.created" already/],
    ["flow", "catalogue/merge-gift-wraps", /already/],
    ["table", "x", /none of discount, event, flow, resource, rule/],
  ] as const)
    assert.throws(() => makeNew(dir, kind, name), message, `${kind} ${name}`);
  assert.deepEqual(
    made.map((path) => fs.readFileSync(join(dir, path), "utf8")),
    before,
  );
});

test("npm run new -- --help names every kind with an example; another word is refused with the same text", async () => {
  const help = await run(process.execPath, "scripts/new.ts", "--help");
  for (const [kind, name] of EXAMPLES) assert.ok(help.includes(`npm run new -- ${kind} ${name}\n`), kind);
  const { code, stderr } = await promisify(execFile)(process.execPath, ["scripts/new.ts", "job"], { cwd: dir }).catch(
    (error) => error,
  );
  assert.deepEqual([code, stderr.includes(help)], [2, true]);
});

test("CONTRIBUTING.md has a recipe for each kind, with the command that makes it and a file of the tree to look at", () => {
  const text = fs.readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const recipeOf = (title: string) => new RegExp(`^## Add ${title}\n([\\s\\S]*?)(?=^## )`, "m").exec(text)?.[1] ?? "";
  const titles = { resource: "a resource", rule: "a rule", discount: "a discount type", event: "an event kind" };
  for (const [kind, title] of Object.entries({ ...titles, flow: "a flow", job: "a job" })) {
    const recipe = recipeOf(title);
    assert.match(recipe, /<!-- (?:file|part of): \S+ -->/, `${title}: a file`);
    const example = EXAMPLES.find(([one]) => one === kind);
    if (example) assert.ok(recipe.includes(`npm run new -- ${kind} `), `${title}: the command`);
  }
});
