import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { sources } from "./source.ts";

const WALKS = ["POST /v1/categories", "a batch of validations", "a batch of redemptions", "an earning", "a rollback"];
const walks = readFileSync("ARCHITECTURE.md", "utf8")
  .split(/^## /m)
  .filter((section) => section.startsWith("Walk: "));
const files = new Map(sources().map(({ path, text }) => [path.slice("src/".length), text]));

/** A path, and before it the name that a walk says is there: "`a` (`b.ts`", "(`a`, `b/c`)" or "`a` of `b/c.ts`". */
const PATHS = /(?:`(\w+)`(?: of|,)?\s+\(?)?`(?:src\/)?((?:[\w.-]+\/)*[\w.-]+\.ts|(?:[\w.-]+\/)+[\w.-]+|src\/[\w-]+)`/g;

/** A name without a folder is a file of the folder that the walk named last, of those that have such a file. */
function placesOf(path: string, folders: readonly string[]): string[] {
  const room = `${path.replace(/^src\//, "")}/`;
  if (!path.endsWith(".ts")) return [...files.keys()].filter((file) => file.startsWith(room));
  const paths = path.includes("/") ? [path] : folders.map((folder) => `${folder}/${path}`);
  return paths.filter((file) => files.has(file)).slice(-1);
}

/** The pairs of a name and a file, and those of them of which the file does not define the name. */
function pairsOf(walk: string): { pairs: string[]; faults: string[] } {
  const folders: string[] = [];
  const [pairs, faults]: [string[], string[]] = [[], []];
  for (const [, name, path] of walk.matchAll(PATHS)) {
    const places = placesOf(path!, folders);
    folders.push(...places.slice(0, 1).map((place) => dirname(place)));
    if (!name) continue;
    const defines = new RegExp(`^(?:export )?(?:async )?(?:function\\*?|const|type|class|interface) ${name}\\b`, "m");
    pairs.push(`${name} in ${path}`);
    if (!places.some((place) => defines.test(files.get(place)!))) faults.push(`${name} in ${path}`);
  }
  return { pairs, faults };
}

test("the walks of ARCHITECTURE.md name functions, types and fields that the sources have", () => {
  for (const name of WALKS)
    assert.ok(
      walks.some((walk) => walk.replaceAll("`", "").startsWith(`Walk: ${name}\n`)),
      name,
    );
  const tables = globSync("migrations/*.sql").map((path) => readFileSync(path, "utf8"));
  const text = [...files.values(), ...tables].join("\n");
  const words = new Set(text.match(/[A-Za-z_]\w*/g));
  const named = walks.flatMap((walk) => [...walk.matchAll(/`([A-Za-z_]\w*)`/g)].map(([, word]) => word!));
  assert.ok(named.length > 50);
  assert.deepEqual(
    named.filter((word) => !words.has(word)),
    [],
  );
});

test("what the walks say is in a file is defined in that file", () => {
  const found = walks.map(pairsOf);
  assert.ok(found.flatMap(({ pairs }) => pairs).length > 30);
  assert.deepEqual(
    found.flatMap(({ faults }) => faults),
    [],
  );
});

test("a name that a walk says is in another file is found", () => {
  const faultsOf = (walk: string) => pairsOf(walk).faults;
  assert.deepEqual(faultsOf("`redeem` (`flows/redeem/redeem.ts`), `readFirst` (`first.ts`)"), []);
  assert.deepEqual(faultsOf("`redeem` (`flows/validate/validate.ts`)"), ["redeem in flows/validate/validate.ts"]);
  assert.deepEqual(faultsOf("`flows/redeem/redeem.ts`: `readFirst` (`ahead.ts`)"), ["readFirst in ahead.ts"]);
  assert.deepEqual(faultsOf("`readFirst` (`first.ts`)"), ["readFirst in first.ts"]);
  assert.deepEqual(faultsOf("(`redeem`, `core/stacking`), (`walkStack`,\n   `core/stacking`)"), [
    "redeem in core/stacking",
  ]);
  assert.deepEqual(faultsOf("`hotFlow`\n   (`src/idempotency`), `redeem` (`src/idempotency`)"), [
    "redeem in src/idempotency",
  ]);
  assert.deepEqual(faultsOf("`redeem` of `core/loyalty/card/card-at-work.ts`"), [
    "redeem in core/loyalty/card/card-at-work.ts",
  ]);
});
