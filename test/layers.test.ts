import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { importsOf, type SourceFile, sources, withoutComments } from "./source.ts";

// A file may import from the layers that are named here, and from nowhere else in src. Flows never import flows.
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: ["core"],
  db: ["db", "core"],
  ctx: ["db", "core"],
  idempotency: ["idempotency", "core", "db", "ctx"],
  events: ["events", "core", "db", "ctx"],
  "http/schemas": ["core"],
  schema: ["schema", "http/schemas", "core"],
  store: ["schema", "http/schemas", "core", "db", "ctx"],
  catalog: ["catalog", "schema", "store", "events", "core", "db", "ctx"],
  flows: ["schema", "store", "catalog", "idempotency", "events", "core", "db", "ctx"],
  http: ["http", "http/schemas", "catalog", "idempotency", "core", "db", "ctx"],
  routes: ["flows", "store", "schema", "events", "http", "http/schemas", "catalog", "core", "ctx"],
  jobs: ["jobs", "flows", "store", "catalog", "events", "core", "db", "ctx"],
};
const WIRING = /^src\/(?:main|config|routes|sources|version|warm-up)\.ts$|^src\/(?:cli|demo)\//;
/** What the core may use of the world: a schema builder, exact decimals, assertions. */
const PURE_MAY_IMPORT = /^(?:node:assert\/strict|typebox(?:\/\w+)?|decimal\.js)$/;
const IMPURE =
  /\b(?:async|await|Promise|setTimeout|setInterval|queueMicrotask|Date\.now|Math\.random|randomUUID|Temporal\.Now|process|fetch|performance|globalThis|console)\b|\bnew Date\(\)|\bDate\(\)/;

function layerOf(path: string): string {
  if (path === "src/http/schemas.ts") return "http/schemas";
  if (WIRING.test(path)) return "wiring";
  const inResource = /^src\/resources\/[^/]+\/(?:[\w-]+-)?(schema|store|routes)\.ts$/.exec(path);
  return inResource?.[1] ?? /^src\/(?!resources\/)([a-z-]+)/.exec(path)?.[1] ?? "";
}
const folderOf = (path: string) => /^src\/resources\/[^/]+/.exec(path)?.[0];

/** What a file imports that it may not. */
function trespasses({ path, text }: SourceFile): string[] {
  const from = layerOf(path);
  if (from === "wiring") return [];
  return importsOf(text).flatMap((target) => {
    if (!target.startsWith("."))
      return from === "core" && !PURE_MAY_IMPORT.test(target) ? [`core imports ${target}`] : [];
    const other = join(dirname(path), target);
    const to = layerOf(other);
    if (!MAY_IMPORT[from]?.includes(to)) return [`${from || path} imports ${to || other}`];
    if (from === "routes" && to === "store" && folderOf(other) !== folderOf(path))
      return [`routes import the store of ${folderOf(other)}`];
    return [];
  });
}
const impurities = ({ text }: SourceFile) => withoutComments(text).match(IMPURE)?.[0] ?? null;

test("every file of src belongs to a layer and imports only what its layer may", async (t) => {
  for (const file of sources())
    await t.test(file.path, () => {
      assert.ok(layerOf(file.path) === "wiring" || MAY_IMPORT[layerOf(file.path)], `${file.path} belongs to no layer`);
      assert.deepEqual(trespasses(file), []);
    });
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
    ["src/http/a.ts", "../resources/oauth/store.ts", "http imports store"],
    ["src/http/a.ts", "../flows/create-project.ts", "http imports flows"],
    ["src/http/a.ts", "../config.ts", "http imports wiring"],
    ["src/flows/a.ts", "./b.ts", "flows imports flows"],
    ["src/flows/a.ts", "../http/route.ts", "flows imports http"],
    ["src/resources/a/routes.ts", "../b/store.ts", "routes import the store of src/resources/b"],
    ["src/resources/a/routes.ts", "../../db/db.ts", "routes imports db"],
    ["src/resources/a/store.ts", "../../http/route.ts", "store imports http"],
    ["src/resources/a/schema.ts", "../../db/db.ts", "schema imports db"],
    ["src/catalog/a.ts", "../flows/b.ts", "catalog imports flows"],
    ["src/jobs/a.ts", "../http/mount.ts", "jobs imports http"],
  ];
  for (const [path, target, fault] of cases)
    for (const text of [
      `import { x } from "${target}";`,
      `import type { X } from "${target}";`,
      `await import("${target}");`,
    ])
      assert.deepEqual(trespasses({ path, text }), [fault]);
  const fine = {
    path: "src/resources/a/routes.ts",
    text: 'import "./store.ts";\nimport { b } from "../../flows/b.ts";',
  };
  assert.deepEqual(trespasses(fine), []);
  assert.deepEqual(trespasses({ path: "src/core/a.ts", text: '// as in import x from "../db/db.ts"' }), []);
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
