import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { DISCOUNTS } from "../../src/core/discounts/registry.ts";
import { sources, withoutComments } from "./source.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ONE_FILE =
  "A type of discounts is named in `<type>-discount.ts` only: ask `definitionOf` of the registry instead.";

/** Words of other things too: gift cards are applied to the order or to items, and `units` and limits are many things. */
const SHARED = /^(?:APPLY_TO_ORDER|APPLY_TO_ITEMS|units|\w+_limit)$/;
const wordsOf = ({ type, fields, effects }: (typeof DISCOUNTS)[number]): string[] =>
  [type, ...Object.keys(fields), ...Object.keys(effects)].filter((word) => !SHARED.test(word));

const fileOf = (type: string): string => `src/core/discounts/${type.toLowerCase().replaceAll("_", "-")}-discount.ts`;

/** Other files that name a type, a field or an effect, with what they name and why they may. */
const MAY: Record<string, { words: RegExp; because: string }> = {
  "src/core/discounts/targets.ts": { words: /^UNIT$/, because: "a target of `applicable_to`: units and not lines" },
  "src/core/discounts/applicable-schema.ts": { words: /^UNIT$/, because: "the same target in its schema" },
  "src/core/loyalty/campaign/shapes.ts": { words: /^FIXED$/, because: "how points are earned: a fixed number" },
  "src/core/loyalty/campaign/earning.ts": { words: /^FIXED$/, because: "how points are earned: a fixed number" },
  "src/flows/loyalty-v1/save-campaign-earning-rules.ts": { words: /^FIXED$/, because: "how points are earned" },
  "src/core/client/parts.ts": { words: /_off|fixed_amount|unit_type/, because: "names what client applications see" },
  "src/resources/promotions/vouchers/export-store.ts": {
    words: /^unit_type$/,
    because: "the interface has a column for it",
  },
  "src/warm-up.ts": { words: /^AMOUNT$|^amount_off$/, because: "redeems a code that it makes up" },
  "src/http/documents/landing.ts": { words: /^PERCENT$|^percent_off$/, because: "shows a request" },
};
const isData = (path: string): boolean => path.startsWith("src/demo/");

test("no file but its own names a type of discounts, its fields or its effects", () => {
  const words = [...new Set(DISCOUNTS.flatMap(wordsOf))];
  const quoted = new RegExp(`["'\`](?:${words.join("|")})["'\`]`, "g");
  const asField = new RegExp(`\\b(?:${words.filter((word) => /^[a-z]/.test(word)).join("|")})\\b`, "g");
  const asKey = new RegExp(`\\b(?:${words.join("|")}):`, "g");
  const unused = new Set(Object.keys(MAY));
  for (const { path, text } of sources().filter((file) => !isData(file.path))) {
    const plain = withoutComments(text);
    const found = [quoted, asField, asKey].flatMap((pattern) =>
      [...plain.matchAll(pattern)].map(([word]) => word.replace(/\W/g, "")),
    );
    if (found.length > 0) unused.delete(path);
    const own = new Set(DISCOUNTS.filter(({ type }) => fileOf(type) === path).flatMap(wordsOf));
    const named = new Set(found.filter((word) => !own.has(word) && !MAY[path]?.words.test(word)));
    assert.deepEqual([...named], [], `${path}. ${ONE_FILE}`);
  }
  assert.deepEqual([...unused], [], "these name nothing any more: take them out of the list");
});

// A copy of the core with one type more: a file of its own, and a line of the registry.
const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-discount-"));
after(() => fs.rmSync(dir, { recursive: true, force: true }));
const PLANTED = `
import { moneyText } from "./explain.ts";
import { DiscountAmount, Formula } from "./fields.ts";
import { defineMoneyDiscount } from "./money-discount.ts";
import { valueOr } from "./definition.ts";

export const roundDownDiscount = defineMoneyDiscount({
  type: "ROUND_DOWN",
  fields: { round_to: DiscountAmount, round_to_formula: Formula },
  value: "round_to",
  ownValue: ({ round_to_formula, round_to }, { formulas }, item) =>
    valueOr(round_to_formula, round_to, (formula) => formulas.money(formula, item)),
  effects: {
    ROUND_ORDER: {
      takes_off: "the part of the order that is no multiple of \`round_to\`",
      way: {
        on: "order",
        ofInitialAmount: false,
        off: (value, base) => base % Number(value),
        words: ({ value, base, amount }) => \`\${moneyText(base)} in steps of \${moneyText(value)}: \${moneyText(amount)} off\`,
      },
    },
  },
  examples: [
    {
      discount: { type: "ROUND_DOWN", round_to: 500, effect: "ROUND_ORDER" },
      off: 400,
      explained: ["44.00 in steps of 5.00: 4.00 off"],
    },
    {
      note: "a formula",
      discount: { type: "ROUND_DOWN", round_to_formula: "30" },
      off: 1400,
      explained: ["the formula gives 3000", "44.00 in steps of 30.00: 14.00 off"],
    },
  ],
});
`;

test("a new type is one file and one line: schema, decision, trace, receipt, reference and tests follow", async () => {
  for (const path of [
    "src/core",
    "test/support/carts.ts",
    "test/support/redeemables.ts",
    "scripts/reference.ts",
    "package.json",
  ])
    fs.cpSync(join(ROOT, path), join(dir, path), { recursive: true });
  fs.symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const registry = join(dir, "src/core/discounts/registry.ts");
  const before = fs.readFileSync(registry, "utf8");
  const line = "  unitDiscount,\n";
  assert.equal(before.split(line).length, 2, "the last line of the registry");
  fs.writeFileSync(
    registry,
    `import { roundDownDiscount } from "./round-down-discount.ts";\n${before.replace(line, `${line}  roundDownDiscount,\n`)}`,
  );
  fs.writeFileSync(join(dir, "src/core/discounts/round-down-discount.ts"), PLANTED);

  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--test", "--test-reporter=tap", "src/core/discounts/registry.test.ts"],
    { cwd: dir, env },
  );
  assert.match(stdout, /^ok \d+ - \{"type":"ROUND_DOWN","round_to":500,"effect":"ROUND_ORDER"\} takes off 400$/m);
  assert.match(stdout, /^ok \d+ - ROUND_DOWN has an example for each effect/m);
  assert.match(stdout, /^# fail 0$/m);

  const inCopy = (path: string) => import(pathToFileURL(join(dir, path)).href);
  const { discountTables } = await inCopy("scripts/reference.ts");
  assert.match(discountTables(), /\| `ROUND_DOWN` \| `ROUND_ORDER` \(default\) \| the part of the order/);
  const { DiscountSchema } = await inCopy("src/core/discounts/schema.ts");
  assert.ok(DiscountSchema.properties.type.enum.includes("ROUND_DOWN"));
  assert.ok("round_to_formula" in DiscountSchema.properties);
});

test("CONTRIBUTING.md tells how to add a type: the file that it shows is a type's own, and the line the registry's", () => {
  const text = fs.readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const recipe = /## Add a discount type\n([\s\S]*?)\n## /.exec(text)?.[1] ?? "";
  const [, shown] = /<!-- file: (\S+) -->/.exec(recipe) ?? [];
  assert.ok(shown, "it shows a file");
  const module = basename(shown, ".ts").replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  assert.ok(recipe.includes(`  ${module},\n`), `it shows the line of ${module} in the registry`);
  const named = [...recipe.matchAll(/\bsrc\/[\w./-]+\.ts\b/g)].map(([path]) => path);
  assert.deepEqual(new Set(named), new Set([shown, "src/core/discounts/registry.ts"]), "two files, and no other");
});
