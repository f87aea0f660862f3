import assert from "node:assert/strict";
import { test } from "node:test";
import { type SourceFile, sources, withoutComments } from "./source.ts";

/** Names that files of one role share, and what they mean in each of them. */
type Convention = { names: RegExp | readonly string[]; files: RegExp; reason: string };
const CONVENTIONS: readonly Convention[] = [
  {
    names: /^(?:By|Of|In)[A-Z]/,
    files: /^src\/resources\/.*schema\.ts$/,
    reason: "the parameters of a path; each resource describes its own",
  },
  { names: ["view"], files: /^src\/resources\/.*\/store\.ts$/, reason: "a row as its resource answers it" },
  { names: ["ORDERS"], files: /^src\/resources\/.*\/schema\.ts$/, reason: "what lists of the resource are ordered by" },
  {
    names: ["roundsOf", "loadState", "planRound", "saveRound"],
    files: /^src\/flows\/[\w-]+\/(?:rounds|load|plan|save)\.ts$/,
    reason: "the chapters of a hot flow, each in the file of that name",
  },
  {
    names: ["readFirst", "readAhead", "FirstRead", "ReadAhead"],
    files: /^src\/flows\/[\w-]+\/(?:first|ahead)\.ts$/,
    reason: "what a hot flow reads with the first message of a batch",
  },
  {
    names: ["createCommand", "listCommand"],
    files: /^src\/cli\/\w+\.ts$/,
    reason: "`create` and `list` of the command that the file is named after",
  },
  {
    names: [
      ...["Benefit", "EarningRule", "Metadata", "MetadataSchema", "Order", "Project", "Receipt", "Reward", "RuleNode"],
      ...["Segment", "TierProgress", "TierTransaction"],
    ],
    files: /^src\/(?:request|core\/.*|resources\/.*\/schema)\.ts$/,
    reason: "an object of the interface: its schema, and what decisions know of it",
  },
  {
    names: ["KeyKind"],
    files: /^src\/(?:http\/callers\/unauthorized|resources\/platform\/keys\/store)\.ts$/,
    reason: "the same three kinds of keys; neither of the rooms may import the other",
  },
  {
    names: ["Turn"],
    files: /^src\/(?:db\/batches\/turns|http\/limits\/heavy-requests)\.ts$/,
    reason: "what is under way while others wait: a batch of a lane, a heavy request",
  },
];

const DECLARED =
  /^export (?:declare )?(?:async )?(?:(?:abstract )?(?:function\*?|const|let|type|interface|class) (\w+)|(?:const|let) \{([^}]*)\})/gm;

/** What a file exports of its own: `const { update: updateSku } = …` is `updateSku`. What it passes on is not. */
const exportsOf = (text: string): string[] =>
  [...withoutComments(text).matchAll(DECLARED)].flatMap(([, name, list]) =>
    name ? [name] : list!.split(",").flatMap((part) => /(\w+)\s*$/.exec(part)?.[1] ?? []),
  );

/** The names that two files or more export, with these files. */
function sharedNames(files: readonly SourceFile[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const name of new Set(exportsOf(text))) found.set(name, [...(found.get(name) ?? []), path]);
  return new Map([...found].filter(([, paths]) => paths.length > 1));
}

const covers = ({ names, files }: Convention, name: string, paths: readonly string[]): boolean =>
  (names instanceof RegExp ? names.test(name) : names.includes(name)) && paths.every((path) => files.test(path));
const faultsOf = (files: readonly SourceFile[]): string[] =>
  [...sharedNames(files)]
    .filter(([name, paths]) => !CONVENTIONS.some((convention) => covers(convention, name, paths)))
    .map(([name, paths]) => `${name}: ${paths.join(", ")}`);

const product = sources();

test("a name that is exported has one meaning in the whole tree", () => {
  assert.deepEqual(faultsOf(product), []);
});

test("each name that files may share is shared", () => {
  const shared = sharedNames(product);
  for (const { names } of CONVENTIONS)
    if (names instanceof RegExp) assert.ok([...shared.keys()].some((name) => names.test(name)));
    else
      assert.deepEqual(
        names.filter((name) => !shared.has(name)),
        [],
      );
});

test("a name that a second file exports is found", () => {
  const planted = (path: string, text: string): string[] => faultsOf([...product, { path, text }]);
  const second = (name: string) =>
    planted("src/core/a.ts", name)
      .map((fault) => fault.split(": ")[0])
      .sort();
  assert.deepEqual(second("export function spendOnReward() {}"), ["spendOnReward"]);
  assert.deepEqual(second("export async function readFirst() {}"), ["readFirst"]);
  assert.deepEqual(second("export const view = 1;\nexport type Turn = 1;"), ["Turn", "view"]);
  assert.deepEqual(second("export const { insert, update: updateSku } = store;"), ["updateSku"]);
  assert.deepEqual(second("export type RedeemState<T> = T;\nexport function* planBatch() {}"), [
    "RedeemState",
    "planBatch",
  ]);
  assert.deepEqual(second('// export const view = 1;\nconst view = 1;\nexport { Amount } from "./b.ts";'), []);
  assert.deepEqual(planted("src/resources/platform/a/store.ts", "export const view = 1;"), []);
});
