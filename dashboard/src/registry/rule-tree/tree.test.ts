import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Logic, parseLogic, renderLogic } from "../../../../src/core/rules/logic.ts";
import {
  isComplete,
  itemsOf,
  newGroup,
  parseRules,
  printRules,
  type RuleItem,
  replaceTerm,
  type StoredRules,
  withKeys,
} from "./tree.ts";

const KEYS = ["1", "2", "3", "vip", "x.y"];
const rule = (name: string) => ({ name, property: null, conditions: { $is: [name] }, rules: {} });
const stored = (logic: string): StoredRules => ({
  ...Object.fromEntries(KEYS.map((key) => [key, rule(`rule-${key}`)])),
  logic,
});
const { logic: anyLogic } = fc.letrec<{ logic: Logic }>((tie) => ({
  logic: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...KEYS).map((key): Logic => ({ kind: "key", key })),
    fc
      .tuple(fc.constantFrom("and" as const, "or" as const), fc.array(tie("logic"), { minLength: 1, maxLength: 3 }))
      .map(([kind, terms]): Logic => ({ kind, terms })),
  ),
}));

/** Whether rules hold where those rules hold that are named in `holding`: by name, because keys may change. */
function holds(rules: StoredRules, holding: ReadonlySet<string>): boolean {
  const { logic, ...map } = rules;
  const walk = (one: Logic): boolean => {
    if (one.kind === "key") return holding.has((map[one.key] as { name: string }).name);
    return one.kind === "and" ? one.terms.every(walk) : one.terms.some(walk);
  };
  return walk(parseLogic(logic as string, Object.keys(map)));
}

test("law: what is printed means the same as what was parsed, whatever holds", () => {
  fc.assert(
    fc.property(anyLogic, fc.subarray(KEYS), (logic, keys) => {
      const before = stored(renderLogic(logic));
      const after = printRules(parseRules(before));
      const holding = new Set(keys.map((key) => `rule-${key}`));
      assert.equal(holds(after, holding), holds(before, holding), `${before.logic} became ${after.logic}`);
      // Saving twice changes nothing more.
      assert.deepEqual(printRules(parseRules(after)), after);
    }),
  );
});

test("law: each row has a key of its own, by which what the server saw finds it, and all of them keep those they had", () => {
  fc.assert(
    fc.property(anyLogic, fc.nat({ max: 3 }), (logic, count) => {
      const root = parseRules(stored(renderLogic(logic)));
      const added = Array.from({ length: count }, (_, n): RuleItem => {
        return { ...itemsOf(root)[0]!, id: `new-${n}`, key: null };
      });
      const keyed = withKeys({ ...root, terms: [...root.terms, ...added] });
      const keys = itemsOf(keyed).map(({ key }) => key);
      assert.equal(new Set(keys).size, keys.length);
      assert.deepEqual(Object.keys(printRules(keyed)).sort(), [...(keys as string[]), "logic"].sort());
      const known = new Set(itemsOf(root).map(({ key }) => key));
      assert.deepEqual(known.difference(new Set(keys)), new Set());
    }),
  );
});

test("keys, rules below and messages stay as they were", () => {
  const below = { "1": { ...rule("order.items.aggregated_amount"), error: { message: "Spend more" } }, logic: "1" };
  const before = {
    goods: { ...rule("order.items.any"), rules: below },
    "7": rule("order.amount"),
    logic: "goods or 7",
  };
  assert.deepEqual(printRules(parseRules(before)), before);
  assert.deepEqual(printRules(parseRules({})), {});
});

test("a rule that is not complete is left out, and groups that it leaves empty", () => {
  const root = parseRules(stored("1 and (2 or 3)"));
  const isSent = (name: string) => (item: { name: string }) => item.name !== name;
  assert.equal(printRules(root, isSent("rule-2")).logic, "1 and 3");
  const [, or] = root.terms;
  assert.equal(printRules(replaceTerm(root, or!.id, null)).logic, "1");
  assert.deepEqual(printRules(replaceTerm(root, root.terms[0]!.id, newGroup())).logic, "2 or 3");
  const [first] = itemsOf(root);
  assert.equal(
    isComplete(first!, () => false),
    true,
  );
  assert.equal(
    isComplete({ ...first!, conditions: [] }, () => false),
    false,
  );
  assert.equal(
    isComplete({ ...first!, conditions: [] }, () => true),
    true,
  );
  assert.equal(
    isComplete({ ...first!, conditions: [{ operator: "$is", values: [""] }] }, () => false),
    false,
  );
});
