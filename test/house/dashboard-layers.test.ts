import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { importsOf } from "./source.ts";

/** What a folder of the dashboard may import of the others. Beside them only what the browser can run of the core. */
const MAY: Record<string, readonly string[]> = {
  api: ["api", "text"],
  theme: ["theme"],
  text: ["text"],
  kit: ["kit", "api", "text", "theme", "routes"],
  registry: ["registry", "kit", "api", "text", "theme"],
  screens: ["screens", "registry", "kit", "api", "text", "theme", "routes"],
  layout: ["layout", "screens", "registry", "kit", "api", "text", "theme", "routes"],
  routes: ["routes", "api", "text", "theme", "screens"],
  "main.tsx": ["layout", "api", "text", "theme"],
};
const FILES_MAX = 25;
const OF_THE_CORE = /^src\/core\/(?:rules|formula|money)\//;
const roomOf = (path: string) => path.split("/")[2] ?? "";
const screenOf = (path: string) => /^dashboard\/src\/screens\/([^/]+)/.exec(path)?.[1];
/** Signing in is shown over every page, by the layout. */
const isOfAnotherScreen = (path: string, other: string) =>
  screenOf(path) !== undefined && screenOf(other) !== undefined && screenOf(path) !== screenOf(other);

function trespass(path: string, other: string): string | null {
  if (other.startsWith("src/")) return OF_THE_CORE.test(other) ? null : `${path} imports ${other}`;
  if (!MAY[roomOf(path)]?.includes(roomOf(other))) return `${roomOf(path)} imports ${roomOf(other)}`;
  if (isOfAnotherScreen(path, other)) return `${screenOf(path)} imports ${screenOf(other)}`;
  return roomOf(path) === "kit" && other.endsWith("/operations.gen.ts") ? "kit knows an operation" : null;
}
const trespasses = (path: string, text: string): string[] =>
  importsOf(text).flatMap((target) =>
    target.startsWith(".") ? (trespass(path, join(dirname(path), target)) ?? []) : [],
  );

test("files of the dashboard import only what their folder may, and no screen imports another", () => {
  const files = globSync("dashboard/src/**/*.{ts,tsx}").filter((path) => !/\.test\.tsx?$/.test(path));
  assert.ok(files.length > 40);
  for (const path of files) assert.deepEqual(trespasses(path, readFileSync(path, "utf8")), [], path);
});

test("a file of the dashboard has at most 250 lines, unless it is generated or a catalogue of texts", () => {
  for (const path of globSync("dashboard/src/**/*.{ts,tsx}")) {
    if (/\.gen\.ts$|\/text\/(?:en|de)\//.test(path)) continue;
    assert.ok(readFileSync(path, "utf8").split("\n").length <= 250, path);
  }
});

test("a folder of the dashboard has at most 25 files", () => {
  const folders = Map.groupBy(globSync("dashboard/{src,test}/**/*.{ts,tsx,css}"), (path) => dirname(path));
  assert.ok(folders.size > 40);
  const crowded = [...folders].filter(([, files]) => files.length > FILES_MAX);
  assert.deepEqual(
    crowded.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
});

test("the check finds what is planted", () => {
  const faults: [path: string, target: string][] = [
    ["dashboard/src/screens/home/home.tsx", "../campaigns/list.tsx"],
    ["dashboard/src/kit/list/a.ts", "../../screens/home/home.tsx"],
    ["dashboard/src/kit/list/a.ts", "../../api/operations.gen.ts"],
    ["dashboard/src/api/a.ts", "../kit/money/money.ts"],
    ["dashboard/src/screens/home/home.tsx", "../../../../src/db/db.ts"],
  ];
  for (const [path, target] of faults)
    assert.equal(trespasses(path, `import { x } from "${target}";`).length, 1, target);
  const money = 'import { x } from "../../../../src/core/money/amounts.ts";';
  assert.deepEqual(trespasses("dashboard/src/kit/money/a.ts", money), []);
});
