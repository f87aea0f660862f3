import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { validityFault } from "../time/validity.ts";
import { hasMoment, neverHolds } from "./never-applies.ts";

const existing = {
  hasCustomers: (id: string) => id === "seg_full",
  hasGoods: (_: string, id: string) => id === "prod_1",
};
const rule = (rules: object) => ({ definition: { rules: rules as never } });
const node = (name: string, conditions: object) => ({ name, property: null, conditions, rules: {} });
const segment = (...ids: string[]) => node("customer.segment", { $is: ids });
const amount = (conditions: object) => node("order.amount", conditions);

test("rules never hold that need an empty segment, goods that are gone, or a number that there is not", () => {
  const cases: [object, string | null][] = [
    [{ 1: segment("seg_full") }, null],
    [{ 1: segment("seg_empty") }, "segment_without_customers"],
    [{ 1: segment("seg_empty", "seg_full") }, null],
    [{ 1: segment("seg_empty"), 2: segment("seg_full"), logic: "1 or 2" }, null],
    [{ 1: node("customer.segment", { $is_not: ["seg_empty"] }) }, null],
    [{ 1: node("order.items.any", { $is: [{ id: "prod_gone" }] }) }, "products_that_do_not_exist"],
    [{ 1: node("order.items.any", { $is: [{ id: "prod_gone" }, { id: "prod_1" }] }) }, null],
    [{ 1: amount({ $more_than: [100], $less_than: [50] }) }, "contradictory_rules"],
    [{ 1: amount({ $more_than: [100] }), 2: amount({ $less_than: [101] }) }, "contradictory_rules"],
    [{ 1: amount({ $more_than: [100] }), 2: amount({ $less_than: [101] }), logic: "1 or 2" }, null],
    [{ 1: amount({ $more_than: [100] }), 2: amount({ $less_than: [102] }) }, null],
  ];
  for (const [rules, reason] of cases) assert.equal(neverHolds([rule(rules)], existing), reason, JSON.stringify(rules));
  assert.equal(neverHolds([], existing), null);
});

test("something has a moment exactly when a validation of some minute finds it valid", () => {
  const zone = "Europe/Warsaw";
  const first = Date.UTC(2026, 2, 27);
  const hour = fc.option(
    fc.integer({ min: 0, max: 96 }).map((n) => new Date(first + n * 3_600_000).toISOString()),
    { nil: null },
  );
  const days = fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 2 }), { nil: null });
  const daily = fc.record({
    start_time: fc.constantFrom("00:00", "09:00", "22:30"),
    expiration_time: fc.constantFrom("22:45", "23:59"),
    days_of_week: days,
  });
  const hours = fc.option(
    fc.array(daily, { maxLength: 2 }).map((all) => ({ daily: all })),
    { nil: null },
  );
  fc.assert(
    fc.property(hour, hour, days, hours, (start_date, expiration_date, validity_day_of_week, validity_hours) => {
      const validity = { start_date, expiration_date, validity_timeframe: null, validity_day_of_week, validity_hours };
      const now = new Date(first + 24 * 3_600_000).toISOString();
      const quarters = Array.from({ length: 13 * 96 }, (_, n) => new Date(first + (n + 96) * 900_000).toISOString());
      const expected = quarters.some((at) => validityFault(validity, { now: at, zone }) === null);
      assert.equal(hasMoment(validity, { now, zone }), expected);
    }),
    { numRuns: 40 },
  );
});
