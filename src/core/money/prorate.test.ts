import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FormulaNumber } from "../formula/values.ts";
import { percentOf, scaleHalfUp, sum, timesPercent } from "./amounts.ts";
import { prorate, prorateCapped, prorateLimited } from "./prorate.ts";

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

test("lines that would pass a limit together share it, and the others share the rest", () => {
  const equal = [1, 1, 1].map((weight) => ({ weight, most: 1000 }));
  assert.deepEqual(prorateLimited(900, equal, []), [300, 300, 300]);
  assert.deepEqual(prorateLimited(900, equal, [{ limit: 300, members: [0, 1] }]), [150, 150, 600]);
  assert.deepEqual(prorateLimited(900, equal, [{ limit: 600, members: [0, 1] }]), [300, 300, 300]);
  // The second limit is passed only by what the first one leaves over.
  const groups = [
    { limit: 100, members: [0] },
    { limit: 350, members: [1] },
  ];
  assert.deepEqual(prorateLimited(900, equal, groups), [100, 350, 450]);
  const line = fc.record({
    weight: fc.integer({ min: 0, max: 50 }),
    most: fc.integer({ min: 0, max: 300 }),
    group: fc.nat(2),
  });
  const limits = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 500 })));
  fc.assert(
    fc.property(fc.nat(2000), fc.array(line, { maxLength: 9 }), limits, (amount, lines, most) => {
      const groups = most.map((limit, g) => ({ limit, members: lines.flatMap((l, i) => (l.group === g ? [i] : [])) }));
      const shares = prorateLimited(amount, lines, groups);
      const room = sum(
        groups.map(({ limit, members }) =>
          Math.min(limit, sum(members.map((i) => (lines[i]!.weight > 0 ? lines[i]!.most : 0)))),
        ),
      );
      assert.equal(sum(shares), Math.min(amount, room));
      for (const { limit, members } of groups) assert.ok(sum(members.map((i) => shares[i]!)) <= limit);
      for (const [i, share] of shares.entries()) assert.ok(share >= 0 && share <= lines[i]!.most);
    }),
  );
});

test("percentages and parts are exact and rounded half up once", () => {
  const third = new FormulaNumber(10).div(3);
  assert.equal(percentOf(1515, third), 51);
  assert.equal(percentOf(1514, third), 50);
  assert.equal(percentOf(500, timesPercent(5.1, 3)), 77);
  assert.equal(timesPercent(40, 3), 100);
  assert.equal(percentOf(8_999_999_999_999_999, 99.99999999999999), 8_999_999_999_999_998);
  assert.equal(percentOf(103350, 3), 3101);
  assert.equal(percentOf(1, 50), 1);
  assert.equal(percentOf(8_999_999_999_999_999, 100), 8_999_999_999_999_999);
  assert.equal(percentOf(1000, 33.33), 333);
  assert.equal(scaleHalfUp(5, 1, 2), 3);
  assert.equal(scaleHalfUp(9_007_199_254_740_991, 2, 3), 6_004_799_503_160_661);
});
