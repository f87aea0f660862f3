import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FORMULA_NAMES, formulaFault, formulaFaultAt, parseFormula } from "./parse.ts";
import { formulaText } from "./render.ts";
import { FormulaFault, type FormulaNode } from "./syntax.ts";

const number = (value: string): FormulaNode => ({ kind: "number", value });
const variable = (name: string): FormulaNode => ({ kind: "variable", name });

/** [text, how it is written out again] */
const TEXTS: [string, string][] = [
  ["1+2*3", "1 + 2 * 3"],
  ["(1+2)*3", "(1 + 2) * 3"],
  ["((1)+(2*3))", "1 + 2 * 3"],
  ["1-(2-3)", "1 - (2 - 3)"],
  ["(1-2)-3", "1 - 2 - 3"],
  ["8÷2×4", "8 / 2 * 4"],
  ["-1 - -2", "-1 - -2"],
  ["-(1+2)", "-(1 + 2)"],
  ["--1", "--1"],
  ["007.500", "7.5"],
  ["0.0", "0"],
  ["100", "100"],
  ["order_amount>=5", "ORDER_AMOUNT >= 5"],
  ["if(1<2;\n3;4)", "IF(1 < 2; 3; 4)"],
  ["1=1 and 2=2 or 3=3", "1 = 1 AND 2 = 2 OR 3 = 3"],
  ["1=1 AND (2=2 OR 3=3)", "1 = 1 AND (2 = 2 OR 3 = 3)"],
  ["(1 > 2) = FALSE", "(1 > 2) = FALSE"],
  ['CUSTOMER_METADATA("a")is"b"', 'CUSTOMER_METADATA("a") is "b"'],
  ['CUSTOMER_METADATA("a") ISNOT "b"', 'CUSTOMER_METADATA("a") isNot "b"'],
  ['"a" in_array "a,b"', '"a" IN_ARRAY "a,b"'],
  [String.raw`"C:\dir\\" is "\""`, String.raw`"C:\dir\\" is "\""`],
  ["SWITCH(1;SWITCH_CASE(1;2)SWITCH_CASE(3;4);5)", "SWITCH(1; SWITCH_CASE(1; 2) SWITCH_CASE(3; 4); 5)"],
  ["SWITCH(1;SWITCH_CASE(1;2);switch_case(3;4);5)", "SWITCH(1; SWITCH_CASE(1; 2) SWITCH_CASE(3; 4); 5)"],
];
for (const [text, written] of TEXTS)
  test(`${text} is read as ${written}`, () => {
    assert.equal(formulaText(parseFormula(text)), written);
    assert.deepEqual(parseFormula(written), parseFormula(text));
  });

test("a formula is frozen data", () => {
  const ast = parseFormula("IF(ORDER_AMOUNT > 10; 2; SWITCH(1; SWITCH_CASE(1; 2); 3))");
  assert.deepEqual(JSON.parse(JSON.stringify(ast)), ast);
  const isFrozen = (value: unknown): boolean =>
    typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  assert(isFrozen(ast));
});

const nest = (count: number) => `${"(".repeat(count)}1${")".repeat(count)}`;
const FAULTS: [string, RegExp][] = [
  ["", /^a formula is not empty$/],
  ["  ", /^a formula is not empty$/],
  ["1 +", /^at character 4: expected a value, but the formula ends$/],
  ["1 2", /^at character 3: expected an operator or the end, but found 2$/],
  ["(1", /^at character 3: expected \), but the formula ends$/],
  ["1)", /^at character 2: expected an operator or the end, but found \)$/],
  ["* 2", /^at character 1: expected a value, but found \*$/],
  ["AND", /^at character 1: expected a value, but found AND$/],
  ["MIN(1;2", /^at character 8: expected ; or \), but the formula ends$/],
  ["MIN(1,2)", /^at character 6: "," is not part of a formula; arguments are separated by ;$/],
  [".5", /^at character 1: "." is not part of a formula; a number starts with a digit$/],
  ["5.", /^at character 3: expected a digit after the point$/],
  ["5x", /^at character 2: expected an operator or a space after the number$/],
  ["1".repeat(41), /^at character 1: expected a number of at most 40 digits$/],
  ['"abc', /^at character 1: expected a closing " for this text$/],
  ["1 & 2", /^at character 3: "&" is not part of a formula$/],
  ["1 > 2 > 3", /^at character 7: expected AND or OR between two comparisons, but found >$/],
  ["COST * 2", /^at character 1: COST is unknown; there are MIN, MAX, POW, .*ORDER_AMOUNT/],
  ["order_amo * 2", /^at character 1: order_amo is unknown; did you mean ORDER_AMOUNT\?$/],
  ["ITEM_PRICE", /^at character 1: ITEM_PRICE is unknown; did you mean ORDER_ITEM_PRICE, .*_ITEM_PRICE\?$/],
  ["constructor", /^at character 1: constructor is unknown/],
  ["__proto__(1)", /^at character 1: __proto__ is unknown/],
  ["POW(2)", /^at character 1: POW takes 2 arguments, not 1$/],
  ["1 + IF(1;2)", /^at character 5: IF takes 3 arguments, not 2$/],
  ["MIN()", /^at character 1: MIN takes 1 or more arguments, not 0$/],
  ["ROUND(1;2;3)", /^at character 1: ROUND takes 1 to 2 arguments, not 3$/],
  ["MIN", /^at character 4: expected \(, but the formula ends$/],
  ["TODAY()", /^at character 1: TODAY is a value without \( \)$/],
  ["ORDER_METADATA(1)", /^at character 1: ORDER_METADATA takes the name of a property in quotes/],
  ['DATE("2026-02-30")', /^at character 1: DATE takes a day in the form "2026-12-31"$/],
  ['DATE_TIME("2026-02-28")', /^at character 1: DATE_TIME takes a moment in the form/],
  ["SWITCH_CASE(1;2)", /^at character 1: SWITCH_CASE stands only inside SWITCH/],
  ["SWITCH(1;2;3)", /^at character 10: expected SWITCH_CASE, but found 2$/],
  ["SWITCH(1;SWITCH_CASE(1;2))", /^at character 26: expected SWITCH_CASE or ; and a default, but found \)$/],
  [nest(33), /^at character 34: a formula is at most 32 levels deep$/],
  [`${"-".repeat(33)}1`, /at most 32 levels deep/],
  [`1${"+1".repeat(250)}`, /^a formula has at most 500 parts$/],
  [" ".repeat(4097), /^a formula has at most 4096 characters$/],
];
for (const [text, message] of FAULTS)
  test(`${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)} is refused: ${message.source}`, () => {
    assert.throws(
      () => parseFormula(text),
      (error) => error instanceof FormulaFault && message.test(error.message),
    );
  });

test("what is just within the limits is taken", () => {
  parseFormula(nest(32));
  parseFormula(`1${"+1".repeat(249)}`);
  parseFormula(`"${"x".repeat(4094)}"`);
});

const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("\\", '\\"', 'a\\\\"', "", "a,b"),
);
const literals = fc.oneof(
  fc.tuple(fc.nat(), fc.nat({ max: 999 })).map(([whole, part]) => number(String(Number(`${whole}.${part}`)))),
  texts.map((value): FormulaNode => ({ kind: "string", value })),
  fc.constantFrom("ORDER_AMOUNT", "TODAY", "CHEAPEST_ORDER_ITEM_PRICE", "TRUE").map(variable),
  texts.map((value): FormulaNode => ({ kind: "call", name: "ORDER_METADATA", args: [{ kind: "string", value }] })),
);
const OPERATORS = [
  "OR",
  "AND",
  ">",
  "<=",
  "=",
  "is",
  "isNot",
  "contains",
  "IN_ARRAY",
  "IS_AFTER",
  "+",
  "-",
  "*",
  "/",
  "%",
] as const;
const { node } = fc.letrec<{ node: FormulaNode }>((tie) => {
  const [child, two] = [tie("node"), fc.tuple(tie("node"), tie("node"))];
  const cases = fc.array(
    two.map(([value, result]) => ({ value, result })),
    { minLength: 1, maxLength: 2 },
  );
  return {
    node: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      literals,
      child.map((operand): FormulaNode => ({ kind: "negate", operand })),
      fc
        .tuple(fc.constantFrom(...OPERATORS), two)
        .map(([operator, [left, right]]): FormulaNode => ({ kind: "binary", operator, left, right })),
      fc
        .tuple(fc.constantFrom("MIN", "DEFAULT_TO"), fc.array(child, { minLength: 2, maxLength: 3 }))
        .map(([name, args]): FormulaNode => ({ kind: "call", name, args })),
      fc
        .tuple(child, cases, child)
        .map(([subject, list, fallback]): FormulaNode => ({ kind: "switch", subject, cases: list, fallback })),
    ),
  };
});

test("a formula that is written out and read again is the same formula", () => {
  fc.assert(
    fc.property(node, (ast) => {
      const text = formulaText(ast);
      fc.pre(text.length <= 4096);
      let read: FormulaNode;
      try {
        read = parseFormula(text);
      } catch (error) {
        // Random formulas may have too many parts; nothing else may be wrong with them.
        assert(error instanceof FormulaFault && /at most/.test(error.message), String(error));
        return;
      }
      assert.deepEqual(read, ast);
    }),
    { numRuns: 2000 },
  );
});

test("a formula at the limit of length is written without spaces and can still be read", () => {
  const text = `MIN(1;2)is 3 OR"${"x".repeat(4074)}"is"y"`;
  assert.equal(text.length, 4096);
  assert.equal(formulaText(parseFormula(text)), text);
});

const words = fc.constantFrom(
  ...FORMULA_NAMES,
  ...OPERATORS,
  "(",
  ")",
  ";",
  "1",
  "0.5",
  '"',
  '"a"',
  "-",
  " ",
  "é",
  "\\",
  "x",
);
/** What this process has used: the clock would tell of others, too. */
const cpuMs = () => process.cpuUsage().user / 1000;
test("any text is read or refused with a FormulaFault, in little time; what is read can be written and read again", () => {
  const soup = fc.array(words, { maxLength: 60 }).map((list) => list.join(" "));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 4096, size: "max" }), soup), (text) => {
      const spent = cpuMs();
      try {
        const ast = parseFormula(text);
        assert.deepEqual(parseFormula(formulaText(ast)), ast);
      } catch (error) {
        assert(error instanceof FormulaFault, String(error));
      }
      assert(cpuMs() - spent < 500, "slow");
    }),
    { numRuns: 2000 },
  );
  for (const char of ["(", "-", '"', "\\", "0", "1+", "A", "IF(", "é", ";", "1;", "SWITCH("])
    assert.throws(() => parseFormula(char.repeat(4096 / char.length)), FormulaFault);
});

test("an editor is told the place of a fault, and nothing of a formula that is right", () => {
  assert.equal(formulaFaultAt("ORDER_AMOUNT * 0.1"), null);
  assert.deepEqual(formulaFaultAt("1 + "), { at: 4, says: "expected a value, but the formula ends" });
  assert.equal(formulaFaultAt("MIN(1;NOBODY)")?.at, 6);
  assert.deepEqual(formulaFaultAt(""), { at: null, says: "a formula is not empty" });
});

test("law: whatever stands there, the place of a fault is in the text, and there is one where there is a fault", () => {
  const text = fc.string({ unit: fc.constantFrom(...'1+-*/()";. ABORDER_\n'), maxLength: 40 });
  fc.assert(
    fc.property(text, (one) => {
      const fault = formulaFaultAt(one);
      assert.equal(fault === null, formulaFault(one) === null);
      assert.ok(
        fault === null || fault.at === null || (fault.at >= 0 && fault.at <= one.length),
        JSON.stringify(fault),
      );
    }),
  );
});
