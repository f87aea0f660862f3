import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDefinition } from "./definition.ts";
import type { EvaluateOptions } from "./evaluate.ts";
import { completeFacts, type ExampleFacts, product } from "./examples.ts";
import { type TracedRule, traceRules } from "./trace.ts";

const trace = (rules: object, facts: ExampleFacts, options: EvaluateOptions = { phase: "before" }) =>
  traceRules(
    parseDefinition({ rules }, () => null),
    completeFacts(facts),
    options,
  );
const traceRule = (rule: object, facts: ExampleFacts, options?: EvaluateOptions) =>
  trace({ "1": rule }, facts, options) as TracedRule;

test("each rule tells what it saw, what it expected, and whether it held", () => {
  const rules = {
    "1": { name: "customer.metadata", property: "city", conditions: { $is: ["Oslo"] } },
    "2": { name: "order.amount", conditions: { $more_than_or_equal: [5000] }, error: { message: "Spend more" } },
    logic: "1 or 2",
  };
  assert.deepEqual(trace(rules, { customer: { metadata: { city: "Rome" } }, order: { amount: 3760 } }), {
    kind: "or",
    passed: false,
    terms: [
      {
        kind: "rule",
        key: "1",
        name: "customer.metadata",
        property: "city",
        passed: false,
        seen: "Rome",
        conditions: [{ operator: "$is", expected: ["Oslo"], passed: false }],
      },
      {
        kind: "rule",
        key: "2",
        name: "order.amount",
        property: null,
        passed: false,
        seen: 3760,
        conditions: [
          {
            operator: "$more_than_or_equal",
            expected: [5000],
            passed: false,
            missing: { amount: 1240, text: "12.40 more" },
          },
        ],
        message: "Spend more",
      },
    ],
  });
});

const SHORT = [
  ["order.amount", { $more_than: [1000] }, { order: { amount: 876 } }, { amount: 125, text: "1.25 more" }],
  [
    "order.items.count",
    { $more_than: ["2.5"] },
    { order: { items: [{ quantity: 2 }] } },
    { amount: 1, text: "1 more" },
  ],
  ["order.amount", { $is: [1000] }, { order: { amount: 1 } }, { amount: 999, text: "9.99 more" }],
  ["order.items.count", { $more_than: [3] }, { order: { items: [{ quantity: 2 }] } }, { amount: 2, text: "2 more" }],
  ["order.amount", { $is: [1000] }, { order: { amount: 1001 } }, undefined],
  ["order.amount", { $less_than: [1000] }, { order: { amount: 1001 } }, undefined],
  ["order.amount", { $more_than: [1000] }, { order: { amount: 1001 } }, undefined],
  ["order.amount", { $more_than: [1000] }, {}, undefined],
] as const;
for (const [name, conditions, facts, missing] of SHORT) {
  test(`${name} ${JSON.stringify(conditions)} of ${JSON.stringify(facts)} is ${missing?.text ?? "not short"}`, () => {
    assert.deepEqual(traceRule({ name, conditions }, facts).conditions[0]!.missing, missing);
  });
}

test("a rule that picks lines tells which, and the rules below it are told too", () => {
  const rule = {
    name: "order.items.any",
    conditions: { $is: [{ id: "prod_a", object: "product" }] },
    rules: { "1": { name: "order.items.quantity", conditions: { $more_than: [1] } } },
  };
  const line = (id: string) => ({ product: product(id) });
  const traced = traceRule(rule, { order: { items: [line("prod_b"), line("prod_a"), line("prod_a")] } });
  assert.deepEqual([traced.passed, traced.lines, traced.conditions[0]!.passed], [false, [1, 2], true]);
  const below = traced.below as TracedRule;
  assert.deepEqual([below.name, below.seen, below.passed], ["order.items.quantity", [1, 1], false]);
});

test("what was not asked tells why", () => {
  const segment = { name: "customer.segment", conditions: { $is: ["seg_1"] } };
  const total = { name: "order.total_amount", conditions: { $is: [1] } };
  const traced = [
    traceRule(segment, {}),
    traceRule(total, {}),
    traceRule(total, {}, { phase: "before", only: "customer" }),
    traceRule(segment, {}, { phase: "before", ignore: new Set(["customer.segment"]) }),
  ];
  assert.deepEqual(
    traced.map(({ passed, skipped, lacks }) => [passed, skipped, lacks]),
    [
      [false, undefined, "customer"],
      [true, "later", undefined],
      [true, "omitted", undefined],
      [true, "ignored", undefined],
    ],
  );
});

test("long lists and texts are cut, and nested values are told as text", () => {
  const rule = { name: "order.metadata", property: "a", conditions: { $is: Array(100).fill("x".repeat(500)) } };
  const seenOf = (a: unknown) => traceRule(rule, { order: { metadata: { a } } }).seen;
  const traced = traceRule(rule, { order: { metadata: { a: Array(50).fill("b") } } });
  assert.equal(traced.conditions[0]!.expected.length, 21);
  assert.deepEqual((traced.seen as string[]).slice(-2), ["b", "… and 30 more"]);
  assert.equal(seenOf("y".repeat(300)), `${"y".repeat(200)}…`);
  assert.deepEqual(seenOf({ b: 1 }), { b: 1 });
  assert.equal(seenOf({ b: { c: 1 } }), '{"b":{"c":1}}');
  assert.equal(seenOf(undefined), null);
});
