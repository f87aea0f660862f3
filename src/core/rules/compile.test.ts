import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, compileRules } from "./compile.ts";
import { parseDefinition } from "./definition.ts";
import { completeFacts, type ExampleFacts, product, sku } from "./examples.ts";

const BEFORE = { phase: "before" } as const;
const define = (...rules: object[]) =>
  parseDefinition({ rules: Object.fromEntries(rules.map((rule, n) => [String(n + 1), rule])) }, () => null);
const segment = (...ids: string[]) => ({ name: "customer.segment", conditions: { $in: ids } });
const notIn = { name: "customer.segment", conditions: { $is_not: ["seg_1"] } };
const city = (...cities: unknown[]) => ({
  name: "customer.metadata",
  property: "home.city",
  conditions: { $in: cities },
});
const channel = { name: "order.metadata", property: "channel", conditions: { $is: ["web"] } };
const from = (amount: number) => ({ name: "order.initial_amount", conditions: { $more_than_or_equal: [amount] } });
const line = (id: string, object: string) => ({ name: "order.items.any", conditions: { $is: [{ id, object }] } });

const DEFINITIONS = [
  define(segment("seg_1")),
  define(segment("seg_1", "seg_2"), from(500)),
  define(city("Oslo", 5)),
  define(channel),
  define(line("prod_a", "product")),
  define(line("sku_a", "sku")),
  define(line("pc_1", "products_collection")),
  define(from(1000)),
  define(notIn),
  define(),
];
const index = compileRules(DEFINITIONS);
const found = (facts: ExampleFacts) => candidates(index, completeFacts(facts), BEFORE);

const CASES: readonly (readonly [ExampleFacts, number[]])[] = [
  [{}, [8, 9]],
  [{ customer: { segments: ["seg_2"] } }, [1, 8, 9]],
  [{ customer: { segments: ["seg_1", "seg_2"] } }, [0, 1, 8, 9]],
  [{ customer: { metadata: { home: { city: ["Rome", "Oslo"] } } } }, [2, 8, 9]],
  [{ customer: { metadata: { "home.city": "5" } } }, [2, 8, 9]],
  [{ order: { metadata: { channel: "web" } } }, [3, 8, 9]],
  [{ order: { items: [{ product: product("x", { source_id: "prod_a" }) }] } }, [4, 8, 9]],
  [{ order: { items: [{ product: product("prod_b"), sku: sku("sku_a"), collections: ["pc_1"] }] } }, [5, 6, 8, 9]],
  [{ order: { amount: 999 } }, [8, 9]],
  [{ order: { amount: 1000 } }, [7, 8, 9]],
];
for (const [facts, positions] of CASES) {
  test(`for ${JSON.stringify(facts)} the definitions ${positions} are looked at`, () => {
    assert.deepEqual(found(facts), positions);
  });
}

test("a rule that is not asked finds nothing, so what is found by it is looked at", () => {
  const facts = completeFacts({});
  assert.deepEqual(candidates(index, facts, { phase: "before", only: "customer" }), [3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(candidates(index, facts, { phase: "before", ignore: new Set(["customer.segment"]) }), [0, 1, 8, 9]);
});

test("an or is found by all of its sides, or not at all", () => {
  const either = (...rules: object[]) => {
    const map = Object.fromEntries(rules.map((rule, n) => [String(n + 1), rule]));
    return parseDefinition({ rules: { ...map, logic: rules.map((_, n) => n + 1).join(" or ") } }, () => null);
  };
  const both = compileRules([either(segment("seg_1"), from(100)), either(segment("seg_1"), notIn)]);
  const of = (facts: ExampleFacts) => candidates(both, completeFacts(facts), BEFORE);
  assert.deepEqual(
    [of({}), of({ order: { amount: 100 } }), of({ customer: { segments: ["seg_1"] } })],
    [[1], [0, 1], [0, 1]],
  );
});

test("the rarer of two conditions is the one that finds", () => {
  const list = Array.from({ length: 50 }, (_, n) => define(segment("seg_all"), line(`prod_${n}`, "product")));
  const facts = completeFacts({
    customer: { segments: ["seg_all"] },
    order: { items: [{ product: product("prod_7") }] },
  });
  assert.deepEqual(candidates(compileRules(list), facts, BEFORE), [7]);
});
