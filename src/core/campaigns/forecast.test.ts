import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { forecastOf, leftByDay, SPEED_DAYS } from "./forecast.ts";

const NOW = "2026-03-10T12:00:00.000Z";
const days = (count: number, each: number) => Array.from({ length: count }, () => each);

test("a limit runs out when the speed of the last whole days says so; today does not count", () => {
  const by_day = [...days(20, 100), 7];
  const { left, per_day, runs_out_at } = forecastOf({ limit: 5000, used: 4000, by_day, whole_days: 20 }, NOW);
  assert.deepEqual([left, per_day, runs_out_at], [1000, 100, "2026-03-20T12:00:00.000Z"]);
});

test("nothing is told from fewer than seven whole days, of what stands still, and of what is used up", () => {
  const by_day = [...days(20, 100), 100];
  const told = (more: object) => forecastOf({ limit: 5000, used: 4000, by_day, whole_days: 20, ...more }, NOW);
  assert.deepEqual([told({ whole_days: 6 }).per_day, told({ whole_days: 6 }).runs_out_at], [null, null]);
  assert.equal(told({ whole_days: 7 }).per_day, 100);
  assert.equal(told({ by_day: days(21, 0) }).runs_out_at, null);
  assert.deepEqual([told({ used: 6000 }).left, told({ used: 6000 }).runs_out_at], [0, null]);
  assert.equal(told({ limit: 10 ** 12 }).runs_out_at, null);
});

test("law: at the speed that is told exactly what is left would be used by then", () => {
  const use = fc.record({
    limit: fc.integer({ min: 1, max: 10 ** 9 }),
    used: fc.nat(10 ** 9),
    by_day: fc.array(fc.nat(10 ** 6), { minLength: SPEED_DAYS + 1, maxLength: 90 }),
    whole_days: fc.nat(90),
  });
  fc.assert(
    fc.property(use, (one) => {
      const { left, runs_out_at } = forecastOf(one, NOW);
      if (runs_out_at === null) return;
      const count = Math.min(SPEED_DAYS, one.whole_days);
      const spent = one.by_day.slice(-1 - count, -1).reduce((sum, day) => sum + day, 0);
      const lasts = (Date.parse(runs_out_at) - Date.parse(NOW)) / 86_400_000;
      assert.ok(Math.abs((lasts * spent) / count - left) <= 1 + left * 1e-6);
    }),
  );
});

test("law: what is left falls by what each day used and rises by what it gave back, to what is left now", () => {
  const by_day = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 90 });
  fc.assert(
    fc.property(by_day, fc.nat(1000), (all, spare) => {
      // So much is left now that it never was used up, whatever was given back since.
      const more = spare + 90_000;
      const left = leftByDay({ limit: 100_000, used: 100_000 - more, by_day: all });
      assert.equal(left.at(-1), more);
      for (let day = 1; day < all.length; day += 1) assert.equal(left[day - 1]! - left[day]!, all[day]);
    }),
  );
});
