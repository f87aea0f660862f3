import assert from "node:assert/strict";
import { test } from "node:test";
import { completeFacts, type ExampleFacts, product } from "../../rules/examples.ts";
import { type RuleGroup, requireRuleGroup, ruleGroupHolds } from "./rule-group.ts";

const holds = (group: object, facts: ExampleFacts) => {
  const rules = group as RuleGroup;
  requireRuleGroup(rules, { path: ".rules", trigger: { event: "customer.order.paid" } });
  return ruleGroupHolds(rules, completeFacts(facts));
};
const one = (rule: object) => ({ logic: "1", "1": rule });

test("without rules there is nothing to fulfil", () => {
  assert.equal(ruleGroupHolds(null, completeFacts({})), true);
  assert.equal(ruleGroupHolds(undefined, completeFacts({})), true);
});

test("an order is asked for its amount before discounts, and for its total amount after them", () => {
  const amount = (name: string, value: number) => one({ name, conditions: { $is: [value] } });
  const order = { amount: 1000, discount_amount: 300 };
  assert.equal(holds(amount("order.amount", 1000), { order }), true);
  assert.equal(holds(amount("order.initial_amount", 1000), { order }), true);
  assert.equal(holds(amount("order.total_amount", 700), { order }), true);
  assert.equal(holds(amount("order.total_amount", 1000), { order }), false);
});

test("operators of one rule all have to hold, of several values one is enough, and none of those that must not match", () => {
  const city = (conditions: object) => one({ name: "customer.metadata", property: "city", conditions });
  const customer = { metadata: { city: "Oslo" } };
  assert.equal(holds(city({ $is: ["Rome", "Oslo"] }), { customer }), true);
  assert.equal(holds(city({ $is: ["Oslo"], $is_not: ["Rome"] }), { customer }), true);
  assert.equal(holds(city({ $is: ["Oslo"], $not_in: ["Rome", "Oslo"] }), { customer }), false);
});

test("the logic joins the rules by their numbers, in any case", () => {
  const group = {
    logic: "1 AND (2 or 3)",
    "1": { name: "customer.segment", conditions: { $is: ["seg_vip"] } },
    "2": { name: "order.amount", conditions: { $more_than: [100] } },
    "3": { name: "order.metadata", property: "gift", conditions: { $is: [true] } },
  };
  const customer = { segments: ["seg_vip"] };
  assert.equal(holds(group, { customer, order: { amount: 101 } }), true);
  assert.equal(holds(group, { customer, order: { amount: 1, metadata: { gift: true } } }), true);
  assert.equal(holds(group, { customer, order: { amount: 1 } }), false);
  assert.equal(holds(group, { customer: {}, order: { amount: 101 } }), false);
});

test("a rule about lines is asked of the lines that the rule above it picks, and standing alone of all lines", () => {
  const order = {
    items: [
      { product: product("prod_a"), price: 100, quantity: 1 },
      { product: product("prod_b"), price: 10, quantity: 5 },
    ],
  };
  const many = { name: "order.items.quantity", conditions: { $more_than: [3] } };
  const ofA = { name: "order.items.any", conditions: { $is: [{ id: "prod_a", object: "product" }] } };
  assert.equal(holds(one(many), { order }), true);
  assert.equal(holds(one({ ...ofA, rules: one(many) }), { order }), false);
  assert.equal(holds(one(ofA), { order }), true);
  const all = { name: "order.items.aggregated_quantity", conditions: { $is: [6] } };
  assert.equal(holds(one(all), { order }), true);
});

test("an event is asked by a rule that it started, and a member by the costs of a reward", () => {
  const colour = (name: string) =>
    one({ name, property: "colour", conditions: { $is: ["red"] } }) as unknown as RuleGroup;
  const event = colour("custom_event.metadata");
  requireRuleGroup(event, {
    path: "",
    trigger: { event: "customer.custom_event", custom_event: { schema_id: "ms_1" } },
  });
  assert.equal(ruleGroupHolds(event, completeFacts({ custom_event: { metadata: { colour: "red" } } })), true);
  assert.equal(ruleGroupHolds(event, completeFacts({})), false);
  const member = colour("member.metadata");
  requireRuleGroup(member, { path: "", trigger: null });
  assert.equal(ruleGroupHolds(member, completeFacts({ member: { metadata: { colour: "red" } } })), true);
  assert.equal(ruleGroupHolds(member, completeFacts({ member: { metadata: {} } })), false);
});
