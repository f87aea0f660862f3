import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cart } from "../../../test/support/carts.ts";
import { payStepWithPoints } from "../discounts/credits.ts";
import { totalsOf } from "../order/order.ts";
import { pointsFor, rewardPrice, worthOf } from "./reward.ts";

const product = { product: { id: "prod_1", sku_id: null } };
const coin = (exchange_ratio: number, points_ratio = 1) => ({ coin: { exchange_ratio, points_ratio } });
const loyalty = (points: number) => ({ loyalty: { points } });

test("points are worth their ratio in minor units, a part of one is dropped", () => {
  assert.equal(worthOf(100, { exchange_ratio: 20, points_ratio: 100 }), 2000);
  assert.equal(worthOf(150, { exchange_ratio: 0.01, points_ratio: 1 }), 150);
  assert.equal(worthOf(8000, { exchange_ratio: 900, points_ratio: 8000 }), 90_000);
  assert.equal(worthOf(199, { exchange_ratio: 1, points_ratio: 300 }), 66);
});

test("what divides without a rest is worth all of it, also where one point is not", () => {
  assert.equal(worthOf(3, { exchange_ratio: 1, points_ratio: 3 }), 100);
  assert.equal(worthOf(7, { exchange_ratio: 0.07, points_ratio: 7 }), 7);
  assert.equal(worthOf(29, { exchange_ratio: 0.01, points_ratio: 1 }), 29);
});

test("when less is left to pay, only as many points are used as it takes", () => {
  const paid = payStepWithPoints(cart([], { amount: 3950 }), 200, { exchange_ratio: 20, points_ratio: 100 });
  assert.deepEqual([paid.points, totalsOf(paid.order).total_amount], [198, 0]);
  assert.equal(pointsFor(100, { exchange_ratio: 0, points_ratio: 1 }), null);
  assert.equal(pointsFor(0, { exchange_ratio: 5, points_ratio: 1 }), 0);
});

test("the fewest points that are worth an amount are worth it, and one less is not", () => {
  const ratio = fc.double({ min: 0.0001, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), ratio, fc.integer({ min: 1, max: 1e6 }), (amount, exchange, per) => {
      const rate = { exchange_ratio: exchange, points_ratio: per };
      const points = pointsFor(amount, rate);
      if (points === null) return;
      assert(worthOf(points, rate) >= amount);
      assert(points === 0 || worthOf(points - 1, rate) < amount);
    }),
  );
});

test("paying with points: what comes off is what the points are worth, and never more than the order", () => {
  const ratio = fc.double({ min: 0, max: 1e5, noNaN: true });
  const whole = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(whole(1e9), whole(1e7), ratio, fc.integer({ min: 1, max: 1e4 }), (amount, points, exchange, per) => {
      const rate = { exchange_ratio: exchange, points_ratio: per };
      const paid = payStepWithPoints(cart([], { amount }), points, rate);
      const off = paid.order.applied_discount_amount;
      assert(paid.points <= points);
      assert.equal(off, Math.min(amount, worthOf(points, rate)));
      assert(worthOf(paid.points, rate) >= off, "nobody pays less than what comes off");
    }),
  );
});

test("a price is that of the assignment, as the tier of the card has it", () => {
  assert.deepEqual(rewardPrice(product, loyalty(30), undefined), { points: 30 });
  assert.deepEqual(rewardPrice(product, loyalty(30), { type: "CUSTOM", points: 300 }), { points: 300 });
  assert.deepEqual(rewardPrice(product, loyalty(15), { type: "MULTIPLY", multiplier: 0.5 }), { points: 7 });
  assert.equal(rewardPrice(product, loyalty(30), { type: "NOT_AVAILABLE" }), null);
  assert.equal(rewardPrice(product, null, undefined), null);
});

test("of paying with points a tier multiplies the points that so much money costs", () => {
  const exchange = { exchange_ratio: 20, points_ratio: 100 };
  assert.deepEqual(rewardPrice(coin(20, 100), null, undefined), { exchange });
  const dear = rewardPrice(coin(20, 100), null, { type: "MULTIPLY", multiplier: 1.1 });
  assert.deepEqual(dear, { exchange: { exchange_ratio: 20, points_ratio: 110 } });
  assert.deepEqual(rewardPrice(coin(20, 100), null, { type: "MULTIPLY", multiplier: 0 }), { exchange });
  assert.equal(rewardPrice(coin(20, 100), null, { type: "NOT_AVAILABLE" }), null);
});
