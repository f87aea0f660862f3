import assert from "node:assert/strict";
import { test } from "node:test";
import { findBundles } from "../discounts/bundle.ts";
import { describedBundle, parseDefinition, type RuleDefinition } from "./definition.ts";
import { type EvaluateOptions, evaluateRules } from "./evaluate.ts";
import { completeFacts, type ExampleFacts, product } from "./examples.ts";

const BEFORE = { phase: "before" } as const;
const AFTER = { phase: "after" } as const;

const define = (rules: object, message?: string): RuleDefinition =>
  parseDefinition({ rules, error: message === undefined ? undefined : { message } }, () => null);
const evaluate = (rules: object, facts: ExampleFacts, options: EvaluateOptions = BEFORE, message?: string) =>
  evaluateRules(define(rules, message), completeFacts(facts), options);
const holds = (rules: object, facts: ExampleFacts, options: EvaluateOptions = BEFORE) =>
  evaluate(rules, facts, options).holds;

const vip = { name: "customer.segment", conditions: { $is: ["seg_vip"] } };
const above = (amount: number) => ({ name: "order.amount", conditions: { $more_than: [amount] } });
const once = { name: "redemption.count.per_customer", conditions: { $less_than_or_equal: [1] } };
const totalFrom = (amount: number) => ({ name: "order.total_amount", conditions: { $more_than_or_equal: [amount] } });
const anyA = { name: "order.items.any", conditions: { $is: [{ id: "prod_a", object: "product" }] } };
const isVip = { customer: { segments: ["seg_vip"] } };
const told = (node: object, message: string) => ({ ...node, error: { message } });

// The numbers of the published examples.
test("the running amount changes through a stack, the initial amount does not", () => {
  const rules = {
    "1": above(1000),
    "2": { name: "order.initial_amount", conditions: { $less_than: [1100] } },
    logic: "1 and 2",
  };
  assert.equal(holds(rules, { order: { amount: 1050 } }), true);
  assert.equal(holds(rules, { order: { amount: 1050, discount_amount: 100 } }), false);
});
test("more than is strict", () => {
  assert.deepEqual(
    [10000, 10001, 3000].map((amount) => holds({ "1": above(10000) }, { order: { amount } })),
    [false, true, false],
  );
});
test("once per customer", () => {
  const by = (total: number) => ({ customer: {}, counts: { incentive_customer: { total } } });
  assert.deepEqual(
    [0, 1].map((total) => holds({ "1": once }, by(total))),
    [true, false],
  );
});
test("a rule that the logic does not name is not asked", () => {
  const rules = {
    "1": { name: "order.metadata", property: "location", conditions: { $is: ["Santorini"] } },
    "2": { name: "custom_event.metadata", property: "test", conditions: { $greater_than_or_equal: [1] } },
    "3": {
      name: "order.items.every",
      conditions: { $is: [{ id: "prod_x", object: "product" }] },
      rules: { "1": { name: "order.items.metadata", property: "test", conditions: { $greater_than_or_equal: [1] } } },
    },
    logic: "1 or 2",
  };
  assert.equal(holds(rules, { order: { metadata: { location: "Santorini" } } }), true);
});
test("a redemption rule that fails, and a customer who is missing", () => {
  const daily = { name: "redemption.count.daily", conditions: { $less_than_or_equal: [1] } };
  assert.deepEqual(evaluate({ "1": daily }, { counts: { incentive: { day: 1 } } }), {
    holds: false,
    key: "redemption_rules_violated",
    message: null,
  });
  for (const rule of [
    vip,
    once,
    { ...vip, name: "publication.redeemable_by_linked_customer", conditions: { $is: [true] } },
  ])
    assert.deepEqual(evaluate({ "1": rule }, {}), { holds: false, key: "missing_customer", message: null });
});
test("two laptops and two bags are two bundles", () => {
  const part = (id: string) => ({
    name: "order.items.any",
    conditions: { $is: [{ id, type: "product_or_sku", object: "product" }] },
    rules: { "1": { name: "order.items.aggregated_quantity", conditions: { $is: [1] } }, logic: "1" },
  });
  const { bundle_rules } = parseDefinition(
    { bundle_rules: { "1": part("laptop"), "2": part("bag"), limit: 5 } },
    () => null,
  );
  const items = Object.entries({ laptop: 2, bag: 2, mouse: 3 }).map(([id, quantity]) => ({
    product: product(id),
    quantity,
  }));
  assert.equal(findBundles(completeFacts({ order: { items } }).order!, describedBundle(bundle_rules)!).quantity, 2);
});
test("the quantity of all lines of a product together", () => {
  const rules = {
    "1": {
      name: "order.items.any",
      conditions: { $is: [{ id: "prod_b", type: "product_or_sku", object: "product", source_id: null }] },
      rules: {
        "1": { name: "order.items.aggregated_quantity", conditions: { $more_than_or_equal: [4] }, rules: {} },
        logic: "1",
      },
    },
    logic: "1",
  };
  const lines = (...quantities: number[]) => ({
    order: { items: quantities.map((quantity) => ({ product: product("prod_b"), quantity })) },
  });
  assert.deepEqual(
    [lines(3), lines(2, 2), lines(4)].map((facts) => holds(rules, facts)),
    [false, true, true],
  );
});

test("no rules always hold", () => {
  assert.deepEqual(evaluate({}, {}), { holds: true, omitted: [] });
  assert.deepEqual(evaluate({ logic: "" }, {}), { holds: true, omitted: [] });
});

test("without a logic all rules have to hold", () => {
  const rules = { "1": vip, "2": above(10) };
  assert.equal(holds(rules, { ...isVip, order: { amount: 11 } }), true);
  assert.equal(holds(rules, { ...isVip, order: { amount: 10 } }), false);
});

const KEYS: readonly (readonly [string, object, ExampleFacts, string])[] = [
  [
    "only customer rules fail",
    { "1": vip, "2": above(1) },
    { customer: {}, order: { amount: 9 } },
    "customer_rules_violated",
  ],
  ["only order rules fail", { "1": vip, "2": above(9) }, { ...isVip, order: { amount: 9 } }, "order_rules_violated"],
  [
    "rules of two families fail",
    { "1": vip, "2": above(9) },
    { customer: {}, order: { amount: 9 } },
    "redemption_rules_violated",
  ],
  [
    "a rule fails beside one that holds",
    { "1": vip, "2": above(1), "3": above(99), logic: "(1 or 2) and 3" },
    { customer: {}, order: { amount: 9 } },
    "order_rules_violated",
  ],
  ["the order is missing", { "1": above(1) }, {}, "missing_order"],
  ["the items are missing", { "1": anyA }, { order: { amount: 5 } }, "missing_order_items"],
  ["the order is missing for items", { "1": anyA }, {}, "missing_order"],
  ["the amount is missing", { "1": above(1) }, { order: {} }, "missing_amount"],
  [
    "the amount of a line is missing",
    { "1": { ...anyA, rules: { "1": { name: "order.items.aggregated_amount", conditions: { $less_than: [5] } } } } },
    { order: { items: [{ product: product("prod_a") }] } },
    "missing_amount",
  ],
  ["customer and order are missing", { "1": above(1), "2": vip }, {}, "missing_customer"],
  [
    "the customer is missing and might have decided",
    { "1": vip, "2": above(9), logic: "1 or 2" },
    { order: { amount: 9 } },
    "missing_customer",
  ],
  [
    "the customer is missing and could not have helped",
    { "1": vip, "2": above(9) },
    { order: { amount: 9 } },
    "order_rules_violated",
  ],
  [
    "there is no event",
    { "1": { name: "custom_event.metadata", property: "a", conditions: { $is_not: ["b"] } } },
    {},
    "redemption_rules_violated",
  ],
];
for (const [when, rules, facts, key] of KEYS) {
  test(`when ${when} the key is ${key}`, () => {
    assert.deepEqual(evaluate(rules, facts), { holds: false, key, message: null });
  });
}

test("what is missing does not matter where another rule is enough", () => {
  assert.equal(holds({ "1": vip, "2": above(1), logic: "1 or 2" }, { order: { amount: 9 } }), true);
});

test("the message is that of the first rule that fails and has one, else that of the definition", () => {
  const rules = {
    "1": vip,
    "2": told(above(9), "Spend more"),
    "3": told(above(99), "Spend much more"),
    logic: "1 and 3 and 2",
  };
  const poor = { customer: {}, order: { amount: 5 } };
  const messageOf = (given: object, facts: ExampleFacts, fallback?: string) => {
    const result = evaluate(given, facts, BEFORE, fallback);
    return result.holds ? undefined : result.message;
  };
  assert.equal(messageOf(rules, poor, "Sorry"), "Spend much more");
  assert.equal(messageOf({ "1": vip }, poor, "Sorry"), "Sorry");
  assert.equal(messageOf({ "1": told(vip, "Members only") }, {}, "Sorry"), "Members only");
});

test("a rule below another tells its own message first", () => {
  const below = (message?: string) => {
    const node = { name: "order.items.quantity", conditions: { $more_than: [5] } };
    return { "1": told({ ...anyA, rules: { "1": message ? told(node, message) : node } }, "Take A") };
  };
  const facts = { order: { items: [{ product: product("prod_a") }] } };
  assert.deepEqual(
    [below("Take six"), below()].map((rules) => evaluate(rules, facts)),
    ["Take six", "Take A"].map((message) => ({ holds: false, key: "order_rules_violated", message })),
  );
});

test("for an audience only rules about the customer are asked, and the others are told by their keys", () => {
  const rules = { "1": above(999), "2": vip, "3": once, logic: "2 and 3 and 1 and 3" };
  const only = { phase: "before", only: "customer" } as const;
  assert.deepEqual(evaluate(rules, isVip, only), { holds: true, omitted: ["3", "1"] });
  assert.deepEqual(evaluate(rules, { customer: {} }, only), {
    holds: false,
    key: "customer_rules_violated",
    message: null,
  });
});

test("an ignored rule counts as true, under either of its names", () => {
  const ignore = new Set(["redemption.count.per_customer"]);
  assert.equal(
    holds(
      { "1": once, "2": vip },
      { ...isVip, counts: { incentive_customer: { total: 9 } } },
      { phase: "before", ignore },
    ),
    true,
  );
  assert.equal(
    holds({ "1": { ...once, name: "redemption_count_per_customer" } }, {}, { phase: "before", ignore }),
    true,
  );
});

test("what only the calculation tells counts as true before it, and refuses after it with its own key", () => {
  const rules = { "1": totalFrom(950), "2": vip, logic: "1 or 2" };
  const order = { amount: 1000 };
  const facts = { customer: {}, order, discounted: { amount: 1000, discount_amount: 100 } };
  assert.equal(holds(rules, facts), true);
  // The customer is not in the segment either, but that was known before.
  assert.deepEqual(evaluate(rules, facts, AFTER), { holds: false, key: "order_rules_violated", message: null });
  assert.equal(holds(rules, { ...facts, ...isVip }, AFTER), true);
});

for (const [name, facts] of [
  [
    "campaign.orders.amount_discounted",
    { order: { amount: 9 }, discounted: { amount: 9, discount_amount: 5, applied_discount_amount: 5 } },
  ],
  ["redemption.gift.amount", { redemption: { gift_credits: 5 } }],
  ["redemption.reward.pay_with_points.points_used", { redemption: { points_used: 5 } }],
] as const) {
  test(`${name} is asked after the calculation`, () => {
    const rules = { "1": { name, conditions: { $less_than: [5] } } };
    assert.equal(holds(rules, facts), true);
    assert.deepEqual(evaluate(rules, facts, AFTER), { holds: false, key: "redemption_rules_violated", message: null });
  });
}

test("a rule below another may pick lines itself, among those that were picked", () => {
  const inner = { name: "order.items.any", conditions: { $is: [{ id: "pc_1", object: "products_collection" }] } };
  const rules = { "1": { ...anyA, rules: { "1": inner } } };
  const lines = (...collections: string[][]) => ({
    order: {
      items: collections.map((list, n) => ({ product: product(n === 0 ? "prod_a" : "prod_b"), collections: list })),
    },
  });
  assert.deepEqual(
    [lines(["pc_1"], []), lines([], ["pc_1"])].map((facts) => holds(rules, facts)),
    [true, false],
  );
});
