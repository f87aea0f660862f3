import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { importsOf, type SourceFile, sources, withoutComments } from "./source.ts";

// What is planned is a value: a plan, and what decides it, cannot reach the database. It has no handle, waits for nothing,
// and takes no value from a file that only reads or writes. Types of such files it may use.
const PLAN = /\/(?:[\w-]+-)?(?:plan|decide|succeed|attempt)\.ts$/;
const CORE = /^src\/core\//;
/** Files whose values read or write: stores, the database, what loads, locks and saves. */
const READS = /(?:^|[/-])store\.ts$|^src\/(?:db|idempotency)\/|\/(?:[\w-]+-)?(?:load|lock|save)\.ts$/;
const HANDLE = /\b(?:async|await|Promise|PromiseLike|Tx|Db|Pool|WriteCtx)\b/;
/** A function that waits, or is given a handle. */
const waits = (name: string) =>
  new RegExp(
    `export async function ${name}\\b|export const ${name} = async\\b|export (?:const ${name} =|function ${name}\\b)[^{;]*?\\b(?:tx|db): `,
  );

type ValueImport = { path: string; names: readonly string[] };

/** The values that a file takes from other files of `src`. */
const valuesOf = ({ path, text }: SourceFile): ValueImport[] =>
  [...withoutComments(text).matchAll(/^(?:import|export) (?!type\b)(?:\{([^}]*)\}|[^"{]*?) from "(\.[^"]+)"/gm)].map(
    ([, list, target]) => ({
      path: join(dirname(path), target!),
      names: (list ?? "*").split(",").flatMap((one) => one.trim().replace(/ as .*$/, "") || []),
    }),
  );

/** How a file that plans reaches the database. */
function reaches(file: SourceFile, textOf: (path: string) => string): string[] {
  const handle = HANDLE.exec(withoutComments(file.text))?.[0];
  const later = importsOf(file.text).filter((target) => file.text.includes(`import("${target}")`));
  const taken = valuesOf(file).flatMap(({ path, names }) => {
    const values = names.filter((name) => !name.startsWith("type "));
    if (READS.test(path)) return values.map((name) => `${name} of ${path}`);
    return values.filter((name) => waits(name).test(textOf(path))).map((name) => `${name} of ${path}`);
  });
  return [...(handle ? [handle] : []), ...later, ...taken];
}

/** The plans, and the files of their own folder of a flow that they take values from. */
function planning(files: readonly SourceFile[]): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Set(files.filter(({ path }) => PLAN.test(path) || CORE.test(path)));
  for (const file of found)
    if (file.path.startsWith("src/flows/"))
      for (const { path, names } of valuesOf(file))
        if (dirname(path) === dirname(file.path) && names.some((name) => !name.startsWith("type ")))
          if (byPath.has(path)) found.add(byPath.get(path)!);
  return [...found];
}

test("what plans and decides cannot reach the database", async (t) => {
  const files = sources();
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const plans = planning(files);
  for (const flow of ["validate", "qualify", "redeem", "roll-back", "track-event", "publish", "save-order"])
    assert.ok(plans.some(({ path }) => path === `src/flows/${flow}/plan.ts`));
  for (const file of plans)
    await t.test(file.path, () =>
      assert.deepEqual(
        reaches(file, (path) => texts.get(path) ?? ""),
        [],
      ),
    );
});

test("the check finds a plan that reads", () => {
  const other = "export async function loadGoods(db: Db) {}\nexport const rowsOf = (rows) => rows;";
  const find = (text: string) => reaches({ path: "src/flows/redeem/plan.ts", text }, () => other);
  const goods = "../../steps/goods/goods.ts";
  const store = "../../resources/orders/orders/store.ts";
  assert.deepEqual(find(`import { loadGoods, rowsOf } from "${goods}";`), ["loadGoods of src/steps/goods/goods.ts"]);
  assert.deepEqual(find(`import { type Row, view } from "${store}";`), [
    "view of src/resources/orders/orders/store.ts",
  ]);
  assert.deepEqual(find('import { namedIn } from "./load.ts";'), ["namedIn of src/flows/redeem/load.ts"]);
  assert.deepEqual(find('import type { Tx } from "../../db/db.ts";'), ["Tx"]);
  assert.deepEqual(find("export const plan = async () => 1;"), ["async"]);
  assert.deepEqual(find(`const later = () => import("${store}");`), [store]);
  assert.deepEqual(find(`import type { OrderRow } from "${store}";\nimport { rowsOf } from "${goods}";`), []);
  const files = [
    { path: "src/flows/redeem/plan.ts", text: 'import { spend } from "./spending.ts";' },
    { path: "src/flows/redeem/spending.ts", text: "" },
    { path: "src/flows/redeem/load.ts", text: "" },
  ];
  assert.equal(planning(files).length, 2, "what a plan takes from its own folder is a part of it");
});
