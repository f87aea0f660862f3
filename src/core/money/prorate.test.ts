import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { percentOf, scaleHalfUp, sum } from "./amounts.ts";
import { prorate, prorateCapped } from "./prorate.ts";

const amount = fc.integer({ min: 0, max: 10_000_000_000 });
const weights = fc.array(fc.integer({ min: 0, max: 1_000_000_000 }), { minLength: 1, maxLength: 50 });

test("the spare unit goes to the largest remainder, then to the earlier line", () => {
  assert.deepEqual(prorate(300, [3300, 3400]), [148, 152]);
  assert.deepEqual(prorate(100, [1, 1, 1]), [34, 33, 33]);
  assert.deepEqual(prorate(10, [5, 0, 15]), [3, 0, 7]);
  assert.deepEqual(prorate(5, [0, 0]), [0, 0]);
});

test("a split never makes or loses a unit, and each share is within one unit of the exact one", () => {
  fc.assert(
    fc.property(amount, weights, (amount, weights) => {
      const [shares, total] = [prorate(amount, weights), sum(weights)];
      assert.equal(sum(shares), total === 0 ? 0 : amount);
      for (const [i, share] of shares.entries())
        assert.ok(total === 0 || Math.abs(share - (amount * weights[i]!) / total) < 1.001);
    }),
  );
});

test("a split with caps fills them and sums to the amount, or to the caps of the lines that take part", () => {
  assert.deepEqual(prorateCapped(900, [1, 2], [500, 400]), [500, 400]);
  assert.deepEqual(prorateCapped(900, [1, 2], [500, 100]), [500, 100]);
  const line = fc.record({ weight: fc.integer({ min: 0, max: 1000 }), cap: fc.integer({ min: 0, max: 1000 }) });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), fc.array(line, { maxLength: 12 }), (amount, lines) => {
      const shares = prorateCapped(
        amount,
        lines.map((l) => l.weight),
        lines.map((l) => l.cap),
      );
      const room = sum(lines.map((l) => (l.weight > 0 ? l.cap : 0)));
      assert.equal(sum(shares), Math.min(amount, room));
      for (const [i, share] of shares.entries()) assert.ok(share >= 0 && share <= lines[i]!.cap);
    }),
  );
});

test("percentages and parts are exact and rounded half up once", () => {
  assert.equal(percentOf(103350, 3), 3101);
  assert.equal(percentOf(1, 50), 1);
  assert.equal(percentOf(8_999_999_999_999_999, 100), 8_999_999_999_999_999);
  assert.equal(percentOf(1000, 33.33), 333);
  assert.equal(scaleHalfUp(5, 1, 2), 3);
  assert.equal(scaleHalfUp(9_007_199_254_740_991, 2, 3), 6_004_799_503_160_661);
});
