import assert from "node:assert/strict";
import { test } from "node:test";
import { asksEverything, SCENARIOS } from "./scenario.ts";

test("three scenarios ask every rule, so that a validation confirms what they offer", () => {
  const names = Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[];
  assert.deepEqual(
    names.filter((name) => asksEverything(SCENARIOS[name])),
    ["ALL", "CUSTOMER_WALLET", "PROMOTION_STACKS"],
  );
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
