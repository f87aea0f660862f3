import type { FormulaFacts } from "../../src/core/formula/facts.ts";
import type { Order, OrderItem } from "../../src/core/order/order.ts";

/** A line for tests of formulas: what is not given is unknown or nothing. */
export const sampleItem = (given: Partial<OrderItem> = {}): OrderItem => {
  const { price = null, quantity = 1 } = given;
  const amount = price === null ? null : price * quantity;
  return {
    id: null,
    product: null,
    sku: null,
    collections: [],
    price,
    quantity,
    amount,
    initial_quantity: quantity,
    initial_amount: amount,
    discount_amount: 0,
    discount_quantity: 0,
    applied_discount_amount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
    metadata: {},
    ...given,
  };
};

export const sampleOrder = (given: Partial<Order> = {}): Order => ({
  id: null,
  source_id: null,
  amount: null,
  initial_amount: null,
  discount_amount: 0,
  applied_discount_amount: 0,
  items: [],
  metadata: {},
  ...given,
});

export const sampleFacts = (given: Partial<FormulaFacts> = {}): FormulaFacts => ({
  now: "2026-03-15T23:30:00.000Z",
  zone: "Europe/Warsaw",
  order: null,
  item: null,
  customer: null,
  redeemable: null,
  redemption_metadata: null,
  publication_metadata: null,
  bundle_quantity: null,
  ...given,
});
