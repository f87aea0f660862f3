import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "./scenario.ts";

test("limits of a campaign and of a customer are never asked, nor is the amount before discounts", () => {
  assert.deepEqual([...SCENARIOS.ALL.asked.ignore!].sort(), [
    "campaign.orders.amount_discounted",
    "campaign.redemptions.count",
    "campaign.redemptions.count.daily",
    "campaign.redemptions.count.monthly",
    "campaign.redemptions.count.weekly",
    "campaign.redemptions.customers_count",
    "campaign.redemptions.customers_count.daily",
    "campaign.redemptions.customers_count.monthly",
    "campaign.redemptions.customers_count.weekly",
    "order.amount",
    "redemption.count.per_customer",
    "redemption.count.per_customer.daily",
    "redemption.count.per_customer.monthly",
    "redemption.count.per_customer.weekly",
  ]);
});

test("product scenarios ask about products, those by customer about the customer too", () => {
  const asks = (name: keyof typeof SCENARIOS, rule: string) => !SCENARIOS[name].asked.ignore?.has(rule);
  for (const name of ["PRODUCTS", "PRODUCTS_DISCOUNT"] as const) {
    assert.deepEqual(
      ["order.items.any", "product.id", "customer.segment", "order.initial_amount"].map((rule) => asks(name, rule)),
      [true, true, false, false],
    );
  }
  for (const name of ["PRODUCTS_BY_CUSTOMER", "PRODUCTS_DISCOUNT_BY_CUSTOMER"] as const) {
    assert.deepEqual(
      ["sku.id", "customer.segment", "publication.redeemable_by_linked_customer", "redemption.metadata"].map((rule) =>
        asks(name, rule),
      ),
      [true, true, true, false],
    );
  }
});
