import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { candidates, compileRules } from "./compile.ts";
import { parseDefinition, type RuleDefinition } from "./definition.ts";
import { type EvaluateOptions, evaluateRules } from "./evaluate.ts";
import { completeFacts, type ExampleFacts, product, sku } from "./examples.ts";
import type { RuleFacts } from "./facts.ts";
import { RULE_OPERATORS } from "./operators.ts";
import { RULES } from "./registry.ts";
import type { Rule } from "./rule.ts";
import { traceRules } from "./trace.ts";
import { RULE_VALUES } from "./values.ts";

// Few different values, so that rules and carts meet often.
const texts = fc.constantFrom("a", "b", "c", "1", "2", "true", "2026-03-04", "2026-03-04T10:00:00Z", "", "a\nb");
const ids = fc.constantFrom("a", "b", "c");
const numbers = fc.constantFrom(0, 1, 2, 3, 100, 1000, 2.5);
const products = fc.oneof(
  ids,
  fc.record(
    {
      id: ids,
      object: fc.constantFrom("product", "sku", "products_collection"),
      type: fc.constantFrom("product_or_sku", "products_collection"),
      source_id: fc.option(ids),
    },
    { requiredKeys: ["id"], noNullPrototype: true },
  ),
);
const VALUE_OF = new Map<unknown, fc.Arbitrary<unknown>>([
  [RULE_VALUES.scalar, fc.oneof(texts, numbers, fc.boolean())],
  [RULE_VALUES.text, texts],
  [RULE_VALUES.id, ids],
  [RULE_VALUES.number, fc.oneof(numbers, fc.constantFrom("1", "2.50", "1000"))],
  [RULE_VALUES.comparable, fc.oneof(numbers, fc.constantFrom("1", "2026-03-04", "2026-03-04T12:00:00"))],
  [RULE_VALUES.date, fc.constantFrom("2026-03-04", "2026-03-05T00:00:00Z", "2026-03-04T12:00:00")],
  [RULE_VALUES.days, fc.constantFrom(0, 1, 2.5)],
  [RULE_VALUES.count, fc.constantFrom(0, 1, 2)],
  [RULE_VALUES.weekday, fc.integer({ min: 0, max: 6 })],
  [
    RULE_VALUES.timeframe,
    fc.constantFrom("2026-03-01;P1D;PT12H", "2020-01-31T10:00:00Z;P1M;P2D", "0001-01-01;PT1S;PT1S"),
  ],
  [RULE_VALUES.span, fc.constantFrom("2026-03-01;2026-03-08", "2026-03-08;2026-03-01")],
  [RULE_VALUES.daily_hours, fc.constantFrom("09:00;18:00;1,2,3", "00:00;23:59", "10:00;11:00;")],
  [RULE_VALUES.flag, fc.constantFrom(true, false, "true", "false")],
  [RULE_VALUES.product, products],
]);

const cents = fc.constantFrom(0, 1, 100, 299, 1000, -1, "1", "1000");

/** A condition that the rule takes. Rules are mostly asked for what they are asked for in life. */
const conditionsOf = (rule: Rule): fc.Arbitrary<object> => {
  const operators = RULE_OPERATORS.filter(({ values }) => values[rule.takes]);
  const condition = fc.constantFrom(...operators).chain((operator) => {
    const most = rule.takes === "flag" ? 1 : Math.min(3, operator.values_max);
    const name = fc.constantFrom(operator.name, ...operator.aliases);
    const isMoney = rule.kind === "value" && rule.unit === "money";
    const value = isMoney ? cents : VALUE_OF.get(operator.values[rule.takes])!;
    const values = fc.array(value, { minLength: 1, maxLength: most });
    return fc.tuple(name, values);
  });
  return fc.array(condition, { minLength: 1, maxLength: 2 }).map((list) => Object.fromEntries(list));
};

const isBelowOnly = (rule: Rule): boolean => rule.kind === "value" && rule.place === "below";
const rulesOf = (wanted: (rule: Rule) => boolean, depth: number): fc.Arbitrary<object> =>
  fc.constantFrom(...RULES.filter(wanted)).chain((rule) => {
    const allows = rule.kind === "lines" && rule.allows_below && depth > 0;
    return fc.record({
      name: fc.constantFrom(rule.name, rule.name.replaceAll(".", "_")),
      property: rule.property ? fc.constantFrom("a", "b", "n.m", "x\ny") : fc.constant(null),
      conditions: conditionsOf(rule),
      rules: allows
        ? fc.option(
            mapsOf((below) => isBelowOnly(below) || below.kind === "lines", depth - 1),
            { nil: {} },
          )
        : fc.constant({}),
    });
  });
const LOGICS = ["", "1", "1 and 2", "1 or 2", "1 and (2 or 3)", "(1 or 2) and 3", "1 or 2 and 3", "3"];
const mapsOf = (wanted: (rule: Rule) => boolean, depth: number): fc.Arbitrary<object> =>
  fc
    .tuple(rulesOf(wanted, depth), rulesOf(wanted, depth), rulesOf(wanted, depth), fc.constantFrom(...LOGICS))
    .map(([one, two, three, logic]) => ({ "1": one, "2": two, "3": three, logic }));

const define = (rules: object): RuleDefinition => parseDefinition({ rules }, () => null);
const definitions = mapsOf((rule) => !isBelowOnly(rule), 2).map(define);

/** Definitions as shops write them: a few conditions that an index can find. */
const INDEXED = new Set([
  "customer.segment",
  "customer.metadata",
  "order.metadata",
  "order.initial_amount",
  "order.items.any",
  "order.items.every",
  "order.items.cheapest",
  "product.id",
  "sku.id",
  "order.total_amount",
]);
const indexed = mapsOf((rule) => INDEXED.has(rule.name), 1).map(define);

const values = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null), fc.array(texts, { maxLength: 3 }));
const metadata = fc.dictionary(fc.constantFrom("a", "b", "n", "x\ny"), fc.oneof(values, fc.record({ m: values })), {
  maxKeys: 4,
});
const items = fc.record(
  {
    product: fc
      .tuple(ids, fc.option(ids), metadata)
      .map(([id, source_id, m]) => product(id, { source_id, metadata: m })),
    sku: fc.option(fc.tuple(ids, fc.option(ids)).map(([id, source_id]) => sku(id, { source_id }))),
    collections: fc.uniqueArray(ids, { maxLength: 2 }),
    price: fc.option(fc.constantFrom(0, 1, 100, 1000)),
    amount: fc.constantFrom(1, 300),
    quantity: fc.integer({ min: 1, max: 3 }),
    discount_amount: fc.constantFrom(0, 1),
    metadata,
  },
  { requiredKeys: [] },
);
const orders = fc.record(
  {
    amount: fc.constantFrom(0, 1, 2, 3, 1000),
    initial_amount: fc.constantFrom(null, 0, 1, 2, 3, 1000),
    discount_amount: fc.constantFrom(0, 1),
    metadata,
    items: fc.array(items, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const counts = fc.integer({ min: 0, max: 3 });
const facts: fc.Arbitrary<RuleFacts> = fc
  .record(
    {
      zone: fc.constantFrom("UTC", "Europe/Berlin", "-03:00"),
      customer: fc.record({
        id: fc.option(ids),
        metadata,
        segments: fc.uniqueArray(ids),
        loyalty_tiers: fc.uniqueArray(ids),
      }),
      order: orders,
      discounted: orders,
      redemption: fc.record({ metadata, api_key_id: fc.option(ids), user_login: fc.option(ids), points_used: counts }),
      custom_event: fc.option(fc.record({ metadata })),
      member: fc.option(fc.record({ metadata })),
      holder_ids: fc.array(ids),
      counts: fc.record({ campaign: fc.record({ total: counts }), incentive_api_key: counts }),
    },
    { requiredKeys: [] },
  )
  .map((given) => completeFacts(given as ExampleFacts));

const options: fc.Arbitrary<EvaluateOptions> = fc.record(
  {
    phase: fc.constantFrom("before", "after"),
    only: fc.constant("customer"),
    ignore: fc
      .uniqueArray(fc.constantFrom(...RULES.map(({ name }) => name)), { maxLength: 30 })
      .map((list) => new Set(list)),
  },
  { requiredKeys: ["phase"] },
);

test("every kind of value has a generator here", () => {
  for (const kind of Object.values(RULE_VALUES)) assert.ok(VALUE_OF.has(kind), kind.says);
});

test("evaluating never throws, tells what its type says, and a trace agrees with it", () => {
  let held = 0;
  fc.assert(
    fc.property(definitions, facts, options, (definition, given, chosen) => {
      const result = evaluateRules(definition, given, chosen);
      if (result.holds) held += 1;
      else assert.match(result.key, /^missing_|_rules_violated$/);
      assert.equal(traceRules(definition, given, chosen).passed, result.holds);
      assert.doesNotThrow(() => JSON.stringify(traceRules(definition, given, chosen)));
    }),
    { numRuns: 3000 },
  );
  assert.ok(held > 300 && held < 2700, `${held} of 3,000 hold: the generator shows both sides`);
});

test("what does not hold before the calculation does not hold after it", () => {
  fc.assert(
    fc.property(definitions, facts, options, (definition, given, chosen) => {
      const before = evaluateRules(definition, given, { ...chosen, phase: "before" });
      const after = evaluateRules(definition, given, { ...chosen, phase: "after" });
      assert.ok(before.holds || !after.holds);
    }),
    { numRuns: 1000 },
  );
});

test("a stored definition is evaluated like the one that was checked", () => {
  fc.assert(
    fc.property(definitions, facts, options, (definition, given, chosen) => {
      const stored = JSON.parse(JSON.stringify(definition)) as RuleDefinition;
      assert.deepEqual(
        parseDefinition(stored, () => null),
        definition,
      );
      assert.deepEqual(evaluateRules(stored, given, chosen), evaluateRules(definition, given, chosen));
    }),
    { numRuns: 500 },
  );
});

test("the index finds every definition that holds", () => {
  let [considered, all, holding] = [0, 0, 0];
  fc.assert(
    fc.property(fc.array(fc.oneof(indexed, definitions), { maxLength: 12 }), facts, options, (list, given, chosen) => {
      const found = candidates(compileRules(list), given, chosen);
      assert.deepEqual(
        found,
        [...new Set(found)].sort((a, b) => a - b),
      );
      const missed = list.flatMap((definition, position) =>
        evaluateRules(definition, given, chosen).holds && !found.includes(position) ? [position] : [],
      );
      assert.deepEqual(missed, []);
      considered += found.length;
      all += list.length;
      holding += list.filter((definition) => evaluateRules(definition, given, chosen).holds).length;
    }),
    { numRuns: 1500 },
  );
  assert.ok(considered < all && holding > 0, `${considered} of ${all} were looked at, ${holding} hold`);
});
