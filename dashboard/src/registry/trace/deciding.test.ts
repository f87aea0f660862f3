import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleTrace } from "../../api/operations.gen.ts";
import { decidingOf, failedLeaves } from "./deciding.ts";

const leaf = (key: string, passed: boolean, below?: RuleTrace): RuleTrace => ({
  ...{ kind: "rule", key, name: "order.amount", passed, conditions: [] },
  ...(below && { below }),
});
const keysOf = (trace: RuleTrace) => failedLeaves(trace).map(({ key }) => key);

test("what decided is the innermost rule that does not hold; what an `or` made good does not count", () => {
  const or = (terms: RuleTrace[]): RuleTrace => ({ kind: "or", passed: terms.some(({ passed }) => passed), terms });
  assert.deepEqual(keysOf(leaf("1", false, leaf("a", false))), ["a"]);
  assert.deepEqual(keysOf(leaf("1", false)), ["1"]);
  assert.deepEqual(keysOf(or([leaf("1", false), leaf("2", true)])), []);
  assert.deepEqual(
    keysOf({ kind: "and", passed: false, terms: [or([leaf("1", false), leaf("2", true)]), leaf("3", false)] }),
    ["3"],
  );
});

test("a check that failed decides before any rule", () => {
  const of = { id: "A", object: "voucher", status: "INAPPLICABLE" as const, decided_by: "voucher_expired" };
  const check = { check: "expiration_date", passed: false, seen: "now", expected: "then" };
  const rules = [{ id: "val_1", passed: false, trace: leaf("1", false) }];
  assert.deepEqual(decidingOf({ ...of, checks: [check], rules }), { kind: "check", check });
  assert.deepEqual(decidingOf({ ...of, checks: [], rules }), { kind: "rule", ruleId: "val_1", leaf: leaf("1", false) });
  assert.equal(decidingOf({ ...of, checks: [], rules: [] }), null);
});
