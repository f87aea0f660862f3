import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Cart, cartOf, parseCart, printCart, questionOf } from "./cart.ts";

const name = fc.stringMatching(/^[\w-]{1,12}$/);
const line = fc
  .record({
    id: fc
      .oneof(
        name,
        name.map((id) => `prod_${id}`),
      )
      .filter((id) => !id.startsWith("sku_")),
    isSku: fc.boolean(),
    quantity: fc.integer({ min: 1, max: 1_000 }),
    price: fc.option(fc.nat()),
  })
  .map((one) => ({ ...one }));
const cart: fc.Arbitrary<Cart> = fc
  .record({
    lines: fc.array(line, { maxLength: 5 }),
    amount: fc.option(fc.nat()),
    customer: fc.option(name),
    codes: fc.array(name, { maxLength: 3 }),
    at: fc.option(fc.constantFrom("2027-03-14T09:00:00.000Z", "2026-11-18T00:00:00.000Z")),
  })
  .map((one) => ({ ...one, amount: one.lines.length > 0 ? null : one.amount }));

test("law: a cart comes back from its address as it was, and leaves the rest of it alone", () => {
  fc.assert(
    fc.property(cart, (one) => {
      const query = printCart(one, new URLSearchParams("tab=x&code=OLD&item=old*1"));
      assert.equal(query.get("tab"), "x");
      assert.deepEqual(parseCart(new URLSearchParams(query.toString())), one);
    }),
  );
});

test("an address that nobody wrote is read as far as it goes", () => {
  const { lines, amount, at } = parseCart(new URLSearchParams("item=tee*x*-3&item=*2&amount=1.5&at=soon"));
  assert.deepEqual(lines, [{ id: "tee", isSku: false, quantity: 1, price: null }]);
  assert.deepEqual([amount, at], [null, null]);
});

test("a request that was sent becomes the cart that asks the same", () => {
  const sent = {
    customer: { source_id: "alice" },
    order: {
      items: [
        { product_id: "prod_1", quantity: 2 },
        { source_id: "tee-s", related_object: "sku", price: 499 },
      ],
    },
  };
  assert.deepEqual(questionOf(cartOf(sent, ["A", "promo_1"])), {
    redeemables: [
      { object: "voucher", id: "A" },
      { object: "promotion_tier", id: "promo_1" },
    ],
    customer: "alice",
    order: {
      items: [
        { product_id: "prod_1", quantity: 2 },
        { source_id: "tee-s", related_object: "sku", quantity: 1, price: 499 },
      ],
    },
    options: { expand: ["trace"] },
  });
  assert.equal(questionOf(cartOf(sent, [])), null);
  const at = "2027-03-14T09:00:00.000Z";
  const draft = { validation_rules: [{ id: "val_1", name: "Big" }] };
  assert.deepEqual(questionOf({ ...cartOf(sent, ["A"]), at }, draft)!.options, { expand: ["trace"], at, draft });
});
