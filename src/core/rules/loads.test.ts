import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefinitionBody, parseDefinition } from "./definition.ts";
import { evaluateRules } from "./evaluate.ts";
import { completeFacts } from "./examples.ts";
import type { RuleFacts } from "./facts.ts";
import { anyLoads, loadsOf } from "./loads.ts";
import { findRule, RULES } from "./registry.ts";
import type { LoadedFact, Rule, RuleExample } from "./rule.ts";

const parse = (given: DefinitionBody) => parseDefinition(given, () => null);
const where = (...nodes: readonly object[]) =>
  parse({ rules: Object.fromEntries(nodes.map((node, n) => [String(n + 1), node])) });
const definitionOf = ({ name }: Rule, { above, property, conditions, rules }: RuleExample) => {
  const node = { name, property, conditions, rules };
  return where(above ? { ...above, rules: { "1": node } } : node);
};

const FIELDS: Readonly<Record<string, LoadedFact>> = {
  segments: "segments",
  loyalty_tiers: "tiers",
  collections: "collections",
  campaign: "campaign_counts",
  campaign_orders_amount: "campaign_counts",
  campaign_discount_amount: "campaign_counts",
  campaign_gift_amount: "campaign_counts",
  campaign_customer: "customer_counts",
  incentive_customer: "customer_counts",
  incentive: "own_counts",
  incentive_api_key: "own_counts",
  incentive_user: "own_counts",
};

/** The same facts, which note what is read of what is loaded. */
function watched(facts: RuleFacts, read: Set<LoadedFact>): RuleFacts {
  const watch = <T extends object | null>(part: T): T =>
    part &&
    (new Proxy(part, {
      get: (own, name, self) => {
        const fact = FIELDS[String(name)];
        if (fact) read.add(fact);
        return Reflect.get(own, name, self);
      },
    }) as T);
  const { order } = facts;
  return {
    ...facts,
    customer: watch(facts.customer),
    counts: watch(facts.counts),
    order: order && { ...order, items: order.items.map(watch) },
  };
}

for (const rule of RULES)
  test(`${rule.name} reads of what is loaded only what it declares: ${rule.loads.join(", ") || "nothing"}`, () => {
    const readByAny = new Set<LoadedFact>();
    for (const example of rule.examples) {
      const definition = definitionOf(rule, example);
      const read = new Set<LoadedFact>();
      evaluateRules(definition, watched(completeFacts(example.facts), read), { phase: "after" });
      const { facts } = loadsOf(definition);
      assert.deepEqual(
        [...read].filter((fact) => !facts.has(fact)),
        [],
      );
      for (const fact of read) readByAny.add(fact);
    }
    for (const fact of rule.loads) assert.ok(readByAny.has(fact), `it declares ${fact}, and no example reads it`);
  });

test("what is loaded is what the rules name: segments, tiers and collections by id", () => {
  const loads = loadsOf(
    parse({
      rules: {
        "1": { name: "customer.segment", conditions: { $in: ["seg_a", "seg_b"] } },
        "2": { name: "customer_loyalty_tier", conditions: { $is: ["ltr_a"] } },
        "3": { name: "customer.metadata", property: "x", conditions: { $is: ["seg_c"] } },
        "4": {
          name: "order.items.any",
          conditions: {
            $is: [{ id: "pc_a", object: "products_collection" }],
            $from: [{ id: "pc_b", type: "products_collection" }],
          },
        },
        "5": { name: "order.items.none", conditions: { $is: [{ id: "pc_no", object: "product" }] } },
        logic: "1 and 2 and 3 and 4 and 5",
      },
      bundle_rules: {
        "1": {
          name: "order.items.any",
          conditions: { $is: [{ id: "pc_c", type: "products_collection", object: "products_collection" }] },
        },
        limit: 2,
      },
      applicable_to: {
        included: [{ object: "products_collection", id: "pc_d" }],
        excluded: [
          { object: "products_collection", id: "pc_e" },
          { object: "product", id: "prod_a" },
        ],
      },
    }),
  );
  assert.deepEqual(loads, {
    facts: new Set(["segments", "tiers", "collections"]),
    segments: new Set(["seg_a", "seg_b"]),
    tiers: new Set(["ltr_a"]),
    collections: new Set(["pc_a", "pc_b", "pc_c", "pc_d", "pc_e"]),
  });
  assert.equal(loadsOf(where()).facts.size, 0);
});

test("a rule that is planted loads exactly the facts that it declares, and no other list knows it", () => {
  const planted = findRule("redemption.api_key") as { loads: readonly LoadedFact[] };
  const asked = () => ({
    definition: where({ name: "redemption.api_key", conditions: { $is: ["key_1"] } }),
  });
  const before = planted.loads;
  try {
    for (const fact of new Set(Object.values(FIELDS))) {
      planted.loads = [fact];
      const { definition } = asked();
      assert.deepEqual(loadsOf(definition).facts, new Set([fact]));
      for (const other of new Set(Object.values(FIELDS)))
        assert.equal(anyLoads([{ definition }], other), other === fact, `${fact} ${other}`);
    }
  } finally {
    planted.loads = before;
  }
  assert.equal(loadsOf(asked().definition).facts.size, 0);
});
