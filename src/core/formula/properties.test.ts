import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sampleFacts, sampleItem, sampleOrder } from "../../../test/support/formula-facts.ts";
import { evaluateFormula, type FormulaStep } from "./evaluate.ts";
import { FUNCTIONS } from "./functions.ts";
import { FORMULA_OPERATORS } from "./operators.ts";
import { parseFormula } from "./parse.ts";
import { countFormula, moneyFormula, percentFormula } from "./results.ts";
import type { FormulaNode, OperatorName } from "./syntax.ts";
import { VARIABLES } from "./variables.ts";

const KEYS = ["a", "b", "c"];
const values = fc.oneof(
  fc.double(),
  fc.string(),
  fc.boolean(),
  fc.constant("2026-02-28"),
  fc.array(fc.oneof(fc.string(), fc.integer())),
  fc.constant(null),
  fc.object(),
);
const metadata = fc.dictionary(fc.constantFrom(...KEYS), values);
const amounts = fc.option(fc.maxSafeNat());
const items = fc
  .record({ price: amounts, quantity: fc.nat({ max: 1000 }), amount: amounts, discount_amount: fc.nat(), metadata })
  .map(sampleItem);
const facts = fc
  .record({
    now: fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString()),
    zone: fc.constantFrom("Europe/Warsaw", "America/New_York", "+05:30"),
    order: fc.option(
      fc.record({ amount: amounts, items: fc.array(items, { maxLength: 5 }), metadata }).map(sampleOrder),
    ),
    item: fc.option(items),
    customer: fc.option(fc.record({ metadata, birthdate: fc.constantFrom(null, "", "2000-02-29", "2000-02-30", "x") })),
    bundle_quantity: fc.option(fc.nat()),
  })
  .map(sampleFacts);

const literals = fc
  .oneof(
    fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat({ max: 99 })).map(([whole, part]) => `${whole}.${part}`),
    fc.constantFrom("0", "1", "2", "0.5", "1000", "999.999"),
  )
  .map((value): FormulaNode => ({ kind: "number", value }));
const leaves = fc.oneof(
  literals,
  fc.constantFrom(...VARIABLES.keys()).map((name): FormulaNode => ({ kind: "variable", name })),
  fc
    .constantFrom("a,b", "a", "2026-01-31", "2026-01-31T10:00:00Z", "")
    .map((value): FormulaNode => ({ kind: "string", value })),
  fc
    .tuple(
      fc.constantFrom(...[...FUNCTIONS.keys()].filter((name) => name.endsWith("METADATA"))),
      fc.constantFrom(...KEYS),
    )
    .map(([name, value]): FormulaNode => ({ kind: "call", name, args: [{ kind: "string", value }] })),
);
const CALLS = [...FUNCTIONS.entries()].filter(([name]) => !name.endsWith("METADATA"));
const { node } = fc.letrec<{ node: FormulaNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    leaves,
    tie("node").map((operand): FormulaNode => ({ kind: "negate", operand })),
    fc
      .tuple(fc.constantFrom(...(Object.keys(FORMULA_OPERATORS) as OperatorName[])), tie("node"), tie("node"))
      .map(([operator, left, right]): FormulaNode => ({ kind: "binary", operator, left, right })),
    fc
      .tuple(fc.constantFrom(...CALLS), fc.array(tie("node"), { minLength: 3, maxLength: 3 }))
      .map(
        ([[name, { least }], args]): FormulaNode => ({ kind: "call", name, args: args.slice(0, Math.max(least, 1)) }),
      ),
    fc.tuple(tie("node"), tie("node"), tie("node"), tie("node")).map(
      ([subject, value, result, fallback]): FormulaNode => ({
        kind: "switch",
        subject,
        cases: [{ value, result }],
        fallback,
      }),
    ),
  ),
}));

test("no formula throws on any facts, and results are within their bounds", () => {
  fc.assert(
    fc.property(node, facts, (ast, given) => {
      const trace: FormulaStep[] = [];
      evaluateFormula(ast, given, trace);
      assert(trace.length <= 200);
      const money = moneyFormula(ast, given);
      assert(money === null || (Number.isSafeInteger(money) && money >= 0));
      const percent = percentFormula(ast, given);
      assert(percent === null || (percent.gte(0) && percent.lte(100)));
      const count = countFormula(ast, given);
      assert(count === null || (Number.isInteger(count) && count >= 0 && count <= 1_000_000));
      assert.equal(percent === null, count === null);
      assert(money === null || percent !== null);
    }),
    { numRuns: 3000 },
  );
});

const FACTS = sampleFacts({
  order: sampleOrder({ amount: 1, items: Array.from({ length: 500 }, (_, index) => sampleItem({ price: index })) }),
  customer: {
    metadata: {
      list: Array.from({ length: 1500 }, (_, index) => String(index)),
      long: "a".repeat(500_000),
      part: `b${"a".repeat(250_000)}`,
    },
    birthdate: null,
  },
});
/** The dearest formulas that the limits allow. */
const SLOW = [
  `0${"+POW(1.0000001;999.99999)".repeat(120)}`,
  `${"POW(".repeat(31)}9${";1000)".repeat(31)}`,
  `${"POW(".repeat(31)}1.5${";999.5)".repeat(31)}`,
  `0${"+9999999999%0.0000001".repeat(120)}`,
  `POW(10;399)${"%POW(10;-399)".repeat(80)}`,
  `0${"+CHEAPEST_ORDER_ITEM_PRICE+ORDER_UNITS_QUANTITY".repeat(80)}`,
  `TRUE${' AND CUSTOMER_METADATA("list") contains "1499"'.repeat(80)}`,
  `FALSE${' OR CUSTOMER_METADATA("long") contains CUSTOMER_METADATA("part")'.repeat(60)}`,
  `FALSE${' OR CUSTOMER_METADATA("long") IN_ARRAY CUSTOMER_METADATA("part")'.repeat(60)}`,
  `"${"a,".repeat(1900)}" IN_ARRAY "${",".repeat(190)}"`,
];
for (const text of SLOW)
  test(`${text.slice(0, 40)}… does not take long`, () => {
    const ast = parseFormula(text);
    const before = process.cpuUsage();
    evaluateFormula(ast, FACTS);
    // Not by the clock: others use the machine, too.
    const ms = process.cpuUsage(before).user / 1000;
    assert(ms < 250, `took ${ms} ms`);
  });

test("an evaluation stops after its steps: a list of 1,500 can be searched three times and not four", () => {
  const search = 'CUSTOMER_METADATA("list") contains "1499"';
  assert.equal(evaluateFormula(parseFormula(Array(3).fill(search).join(" AND ")), FACTS), true);
  assert.equal(evaluateFormula(parseFormula(Array(4).fill(search).join(" AND ")), FACTS), null);
});

test("what is slow costs more steps: 30 roots can be taken and not 50, and a long text is not searched for a long one", () => {
  const roots = (count: number) => evaluateFormula(parseFormula(Array(count).fill("POW(2;0.5)").join("+")), FACTS);
  assert.notEqual(roots(30), null);
  assert.equal(roots(50), null);
  const search = (part: string) => evaluateFormula(parseFormula(`CUSTOMER_METADATA("long") contains ${part}`), FACTS);
  assert.equal(search('"aaa"'), true);
  assert.equal(search('CUSTOMER_METADATA("part")'), null);
});
