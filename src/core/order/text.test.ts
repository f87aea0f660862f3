import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Order, OrderItem, ProductInfo, SkuInfo } from "./order.ts";
import { orderWriter } from "./text.ts";
import { orderView } from "./view.ts";

const amount = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const metadata = fc.oneof(fc.constant({}), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })) as fc.Arbitrary<
  Record<string, unknown>
>;
const named = { id: maybe(fc.string()), source_id: maybe(fc.string()), price: maybe(amount), metadata };
const product: fc.Arbitrary<ProductInfo> = fc.record({ ...named, name: maybe(fc.string()) });
const sku: fc.Arbitrary<SkuInfo> = fc.record({ ...named, sku: maybe(fc.string()) });
const zeros = fc.record({ zero_discounts: fc.nat(2), applied_zero_discounts: fc.nat(2) }, { requiredKeys: [] });
const item: fc.Arbitrary<OrderItem> = fc
  .record({
    id: maybe(fc.string()),
    product: maybe(product),
    sku: maybe(sku),
    collections: fc.constant([]),
    price: maybe(amount),
    quantity: amount,
    amount: maybe(amount),
    initial_quantity: amount,
    initial_amount: maybe(amount),
    discount_amount: amount,
    discount_quantity: amount,
    applied_discount_amount: amount,
    applied_discount_quantity: amount,
    applied_quantity: fc.integer(),
    applied_quantity_amount: fc.integer(),
    metadata,
  })
  .chain((one) => zeros.map((more) => ({ ...one, ...more })));
const order: fc.Arbitrary<Order> = fc
  .record({
    id: maybe(fc.string()),
    source_id: maybe(fc.string()),
    amount: maybe(amount),
    initial_amount: maybe(amount),
    discount_amount: amount,
    applied_discount_amount: amount,
    items: fc.array(item, { maxLength: 4 }),
    metadata,
  })
  .chain((one) => zeros.map((more) => ({ ...one, ...more })));

test("an order that is written at once is, to the byte, the text of its view; also when lines come again", () => {
  fc.assert(
    fc.property(order, maybe(fc.string()), maybe(fc.string()), (one, customer_id, referrer_id) => {
      const people = { customer_id, referrer_id };
      const write = orderWriter(people);
      const next = { ...one, items: one.items.map((line) => ({ ...line, discount_amount: line.discount_amount + 1 })) };
      const more = { ...next, items: next.items.map((line) => ({ ...line, quantity: line.quantity + 1 })) };
      // The same lines, some of them, and others at their places.
      for (const each of [
        one,
        one,
        next,
        { ...more, items: more.items.slice(1) },
        more,
        { ...next, items: next.items },
      ])
        assert.equal(write(each), JSON.stringify(orderView(each, people)));
    }),
  );
});
