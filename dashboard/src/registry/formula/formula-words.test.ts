import assert from "node:assert/strict";
import { test } from "node:test";
import { formulaFaultAt } from "../../../../src/core/formula/parse.ts";
import { REGISTRY } from "../../../../src/core/registry/registry.ts";
import { faults, help } from "../../text/de/formula.ts";
import { faultWord } from "./formula-words.ts";

test("everything that a formula may hold is explained in German", () => {
  const { formula_functions, formula_variables, formula_operators } = REGISTRY;
  const words = formula_operators.filter(({ name }) => /^\w+$/.test(name));
  const missing = [...formula_functions, ...formula_variables, ...words].filter(({ name }) => !help[name]);
  assert.deepEqual(missing, []);
});

test("what is wrong with a formula is said in German", () => {
  const wrong = [
    "1 +",
    "1 2",
    "1.",
    "MIN(",
    "MIN(1,2)",
    "MIN(1",
    "FOO(1)",
    "POW(1)",
    "TODAY()",
    "SWITCH(1;2)",
    '"a',
    "1a",
    ".",
  ];
  const more = [
    "SWITCH_CASE(1;2)",
    "ORDER_METADATA(1)",
    'DATE("x")',
    'DATE_TIME("x")',
    "1 < 2 < 3",
    "IF(1)",
    "(",
    "#",
    `${"(".repeat(200)}1`,
  ];
  for (const formula of [...wrong, ...more]) {
    const fault = formulaFaultAt(formula);
    assert.ok(fault, formula);
    const said = faultWord(fault.says, faults);
    assert.notEqual(said, fault.says, `${formula}: ${said}`);
    assert.doesNotMatch(said, /\b(expected|found|takes|unknown|the formula)\b/, `${formula}: ${said}`);
  }
});
