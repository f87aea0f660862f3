import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDefinition } from "./definition.ts";
import { evaluateRules } from "./evaluate.ts";
import { completeFacts } from "./examples.ts";
import { findRule, RULES } from "./registry.ts";
import { traceRules } from "./trace.ts";

const periods = (name: string) => [".daily", ".weekly", ".monthly"].map((suffix) => `${name}${suffix}`);

/** The names of the contract. A name that leaves this list breaks stored definitions. */
const NAMES = [
  "customer.segment",
  "customer.metadata",
  "customer.loyalty.tier",
  "member.metadata",
  "order.amount",
  "order.total_amount",
  "order.initial_amount",
  "order.items.count",
  "order.items.price_any",
  "order.items.price_each",
  "order.items.metadata_any",
  "order.items.metadata_each",
  "order.metadata",
  "order.items.any",
  "order.items.every",
  "order.items.none",
  "order.items.cheapest",
  "order.items.most_expensive",
  "order.items.quantity",
  "order.items.aggregated_quantity",
  "order.items.price",
  "order.items.aggregated_amount",
  "order.items.metadata",
  "campaign.orders.amount",
  "campaign.orders.amount_discounted",
  "campaign.redemptions.count",
  ...periods("campaign.redemptions.count"),
  "campaign.redemptions.customers_count",
  ...periods("campaign.redemptions.customers_count"),
  ...periods("redemption.count"),
  "redemption.count.per_customer",
  ...periods("redemption.count.per_customer"),
  "redemption.gift.amount",
  "redemption.reward.pay_with_points.points_used",
  "redemption.api_key",
  "redemption.count.per_api_key",
  "redemption.user.login",
  "redemption.count.per_user",
  "redemption.metadata",
  "product.id",
  "sku.id",
  "product.price",
  "product.quantity",
  "sku.price",
  "sku.quantity",
  "product.discount_applicable",
  "sku.discount_applicable",
  "product.metadata",
  "product.metadata.aggregated_quantity",
  "product.metadata.aggregated_amount",
  "product.metadata.discount_applicable",
  "product.metadata.match_all",
  "publication.redeemable_by_linked_customer",
  "custom_event.metadata",
];

test("there is every rule of the contract and no other", () => {
  assert.deepEqual(RULES.map(({ name }) => name).sort(), NAMES.toSorted());
});

test("every rule is found by its name with underscores too, and no two share one", () => {
  for (const rule of RULES) {
    assert.equal(findRule(rule.name), rule);
    assert.equal(findRule(rule.name.replaceAll(".", "_")), rule);
  }
  assert.equal(findRule("toString"), undefined);
});

test("names that hold a property ask for one", () => {
  const asking = RULES.filter(({ property }) => property).map(({ name }) => name);
  assert.deepEqual(asking.sort(), [
    "custom_event.metadata",
    "customer.metadata",
    "member.metadata",
    "order.items.metadata",
    "order.items.metadata_any",
    "order.items.metadata_each",
    "order.metadata",
    "product.metadata",
    "redemption.metadata",
  ]);
});

test("a rule belongs to the family that its name begins with", () => {
  for (const { name, family } of RULES) {
    const [head] = name.split(".");
    const expected = /^(?:customer|member)$/.test(head!)
      ? "customer"
      : /^(?:order|product|sku)$/.test(head!)
        ? "order"
        : "redemption";
    assert.equal(family, expected, name);
  }
});

for (const rule of RULES) {
  for (const { above, facts, holds, note, property, conditions, rules } of rule.examples) {
    const words = `${rule.name} ${property ?? ""} ${JSON.stringify(conditions)}${note ? ` (${note})` : ""}`;
    test(`${words} ${holds ? "holds" : "does not hold"} for ${JSON.stringify(facts)}`, () => {
      const node = { name: rule.name, property, conditions, rules };
      const top = above ? { ...above, rules: { "1": node } } : node;
      const definition = parseDefinition({ rules: { "1": top, logic: "1" } }, () => null);
      const whole = completeFacts(facts);
      assert.equal(evaluateRules(definition, whole, { phase: "after" }).holds, holds);
      assert.equal(traceRules(definition, whole, { phase: "after" }).passed, holds);
    });
  }
  test(`${rule.name} has an example that holds, and one that does not unless it is a switch`, () => {
    const outcomes = new Set(rule.examples.map(({ holds }) => holds));
    assert.ok(outcomes.has(true));
    assert.ok(outcomes.has(false) || rule.takes === "flag");
  });
}
