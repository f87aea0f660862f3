import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ticksUpTo } from "./scale.ts";

test("an axis begins at zero, reaches the largest value, and has few steps of one size", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (max) => {
      const ticks = ticksUpTo(max);
      assert.equal(ticks[0], 0);
      assert.ok(ticks.at(-1)! >= max && ticks.at(-2)! < max);
      assert.ok(ticks.length >= 2 && ticks.length <= 6);
      assert.equal(new Set(ticks.slice(1).map((tick, place) => tick - ticks[place]!)).size, 1);
    }),
  );
  assert.deepEqual(ticksUpTo(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticksUpTo(0), [0, 1]);
});
