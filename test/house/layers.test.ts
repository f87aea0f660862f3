import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { FLOW_FOLDERS, HOT_FLOWS, LAYERS, layerOf, STEPS, WIRING } from "../../scripts/layers.ts";
import { importsOf, type SourceFile, sources, withoutComments } from "./source.ts";

const FILES_MAX = 25;
const IMPORTS_MAX = 25;
const CONTENTS_LINES_MAX = 60;
/** Folders with one file for each entry of a registry grow with it. */
const REGISTRIES = ["src/core/rules", "src/core/discounts"];
/** What the core may use of the world: a schema builder, exact decimals, assertions. */
const PURE_MAY_IMPORT = /^(?:node:assert\/strict|typebox(?:\/\w+)?|decimal\.js|lru-cache)$/;
const IMPURE =
  /\b(?:async|await|Promise|setTimeout|setInterval|queueMicrotask|Date\.now|Math\.random|randomUUID|Temporal\.Now|process|fetch|performance|globalThis|console)\b|\bnew Date\(\)|\bDate\(\)/;

const folderOf = (path: string) => /^src\/resources\/[^/]+\/[^/]+/.exec(path)?.[0];
const roomOf = (path: string) => /^src\/(?:steps|flows)\/([^/]+)\//.exec(path)?.[1] ?? "";
const targetsOf = ({ path, text }: SourceFile): string[] =>
  importsOf(text).flatMap((target) => (target.startsWith(".") ? [join(dirname(path), target)] : []));

/** What a file imports that it may not. */
function trespasses(file: SourceFile): string[] {
  const { path, text } = file;
  const from = layerOf(path);
  if (from === "wiring") return [];
  const packages = importsOf(text).filter((target) => !target.startsWith(".") && !PURE_MAY_IMPORT.test(target));
  const outside = from === "core" ? packages.map((target) => `core imports ${target}`) : [];
  return [...outside, ...targetsOf(file).flatMap((other) => trespass(path, other) ?? [])];
}

function trespass(path: string, other: string): string | null {
  const [from, to] = [layerOf(path), layerOf(other)];
  if (!LAYERS[from]?.may.includes(to)) return `${from || path} imports ${to || other}`;
  if (from === "routes" && to === "store" && folderOf(other) !== folderOf(path))
    return `routes import the store of ${folderOf(other)}`;
  if (from === "store" && to === "store" && folderOf(other) !== folderOf(path))
    return `a store imports the store of ${folderOf(other)}`;
  const [room, otherRoom] = [roomOf(path), roomOf(other)];
  if (from === "steps" && to === "steps" && STEPS.indexOf(otherRoom as never) > STEPS.indexOf(room as never))
    return `steps of ${room} import steps of ${otherRoom}, which come later`;
  if (from === "flows" && to === "flows" && !(room === otherRoom && FLOW_FOLDERS.includes(room)))
    return "flows import flows";
  return null;
}
const impurities = ({ text }: SourceFile) => withoutComments(text).match(IMPURE)?.[0] ?? null;

/** Files that import each other, directly or through others: each circle as a list of paths. */
function circles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const [found, done, open]: [string[][], Set<string>, string[]] = [[], new Set(), []];
  const visit = (path: string): void => {
    const at = open.indexOf(path);
    if (at !== -1) found.push(open.slice(at));
    if (at !== -1 || done.has(path)) return;
    open.push(path);
    for (const target of targets.get(path) ?? []) visit(target);
    open.pop();
    done.add(path);
  };
  for (const { path } of files) visit(path);
  return found;
}

test("every file of src belongs to a layer and imports only what its layer may", async (t) => {
  for (const file of sources())
    await t.test(file.path, () => {
      assert.ok(layerOf(file.path) === "wiring" || LAYERS[layerOf(file.path)], `${file.path} belongs to no layer`);
      assert.deepEqual(trespasses(file), []);
    });
});

test("every room of steps stands in their order, and the flows that run in lanes are those called hot", () => {
  const rooms = (layer: string) => new Set(sources(`src/${layer}/*/*.ts`).map(({ path }) => roomOf(path)));
  assert.deepEqual(rooms("steps"), new Set(STEPS));
  const isHot = ({ text }: SourceFile) => /\bhotFlow[<(]|: ReadFlow</.test(text);
  const hot = sources("src/flows/**/*.ts").filter(isHot);
  assert.deepEqual(new Set(hot.map(({ path }) => roomOf(path))), new Set(HOT_FLOWS));
});

/** Flows with a folder whose first file, `redeem/redeem.ts` of `redeem`, is longer than a table of contents. */
const longContents = (files: readonly SourceFile[]): string[] =>
  FLOW_FOLDERS.filter((name) => {
    const first = files.find(({ path }) => path === `src/flows/${name}/${name}.ts`);
    assert.ok(first, `src/flows/${name}/${name}.ts is where the flow begins`);
    return first.text.split("\n").length - 1 > CONTENTS_LINES_MAX;
  });

test("the first file of a flow with a folder is a table of contents of at most 60 lines", () => {
  assert.deepEqual(longContents(sources()), []);
  const longer = { path: "src/flows/redeem/redeem.ts", text: "\n".repeat(CONTENTS_LINES_MAX + 1) };
  assert.deepEqual(longContents([longer, ...sources()]), ["redeem"], "a longer one is found");
});

test("no files import each other in a circle", () => {
  assert.deepEqual(circles(sources()), []);
});

test("a folder has at most 25 files, and a file at most 25 imports", () => {
  const folders = Map.groupBy(sources(), ({ path }) => dirname(path));
  const crowded = [...folders].filter(([folder, files]) => files.length > FILES_MAX && !REGISTRIES.includes(folder));
  assert.deepEqual(
    crowded.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
  const counted = sources().map(({ path, text }) => [path, new Set(importsOf(text)).size] as const);
  const busy = counted.filter(([path, count]) => count > IMPORTS_MAX && !WIRING.test(path));
  assert.deepEqual(busy, []);
});

test("the core is pure: nothing in it waits, reads a clock or draws a random number", () => {
  const files = sources("src/core/**/*.ts");
  assert.ok(files.length > 5);
  for (const file of files) assert.equal(impurities(file), null, file.path);
});

test("the check finds an import that crosses a layer", () => {
  const cases: [path: string, target: string, fault: string][] = [
    ["src/core/a.ts", "../db/db.ts", "core imports db"],
    ["src/core/a.ts", "node:fs", "core imports node:fs"],
    ["src/core/a.ts", "../ctx.ts", "core imports ctx"],
    ["src/db/a.ts", "../http/mount.ts", "db imports http"],
    ["src/http/a.ts", "../resources/platform/oauth/store.ts", "http imports store"],
    ["src/http/a.ts", "../flows/platform/create-project.ts", "http imports flows"],
    ["src/http/a.ts", "../config.ts", "http imports wiring"],
    ["src/flows/promotions/a.ts", "./b.ts", "flows import flows"],
    ["src/flows/redeem/a.ts", "../validate/b.ts", "flows import flows"],
    ["src/flows/redeem/a.ts", "../../http/route.ts", "flows imports http"],
    ["src/steps/goods/a.ts", "../points/b.ts", "steps of goods import steps of points, which come later"],
    ["src/steps/goods/a.ts", "../../flows/redeem/b.ts", "steps imports flows"],
    ["src/resources/x/a/routes.ts", "../b/store.ts", "routes import the store of src/resources/x/b"],
    ["src/resources/x/a/store.ts", "../b/store.ts", "a store imports the store of src/resources/x/b"],
    ["src/resources/x/a/routes.ts", "../../../db/db.ts", "routes imports db"],
    ["src/resources/x/a/store.ts", "../../../http/route.ts", "store imports http"],
    ["src/resources/x/a/schema.ts", "../../../db/db.ts", "schema imports db"],
    ["src/catalog/a.ts", "../steps/goods/b.ts", "catalog imports steps"],
    ["src/jobs/a.ts", "../http/mount.ts", "jobs imports http"],
  ];
  for (const [path, target, fault] of cases)
    for (const text of [
      `import { x } from "${target}";`,
      `import type { X } from "${target}";`,
      `await import("${target}");`,
    ])
      assert.deepEqual(trespasses({ path, text }), [fault]);
  const fine = [
    ["src/resources/x/a/routes.ts", "./store.ts"],
    ["src/resources/x/a/routes.ts", "../../../flows/promotions/b.ts"],
    ["src/flows/redeem/a.ts", "./b.ts"],
    ["src/steps/points/a.ts", "../goods/b.ts"],
  ];
  for (const [path, target] of fine)
    assert.deepEqual(trespasses({ path: path!, text: `import { x } from "${target}";` }), []);
  assert.deepEqual(trespasses({ path: "src/core/a.ts", text: '// as in import x from "../db/db.ts"' }), []);
});

test("the check finds a circle, also one of types", () => {
  const file = (path: string, target: string) => ({ path, text: `import type { X } from "${target}";` });
  const [a, b, c] = [file("src/a.ts", "./b.ts"), file("src/b.ts", "./c.ts"), file("src/c.ts", "./b.ts")];
  assert.deepEqual(circles([a, b, c]), [["src/b.ts", "src/c.ts"]]);
  assert.deepEqual(circles([a, b]), []);
});

test("the check finds what is not pure, and does not read comments", () => {
  for (const text of [
    "const a = async () => 1;",
    "new Date()",
    "Date.now()",
    "Math.random()",
    "Temporal.Now.instant()",
  ])
    assert.notEqual(impurities({ path: "", text }), null, text);
  assert.equal(impurities({ path: "", text: "/* async */ new Date(now); // await" }), null);
});
