import assert from "node:assert/strict";
import { test } from "node:test";
import { movementsShown, reportPeriods } from "./report.ts";

test("days begin at midnight of the zone, also when clocks change", () => {
  const range = { start_date: "2026-03-07", end_date: "2026-03-09", resolution: "day" } as const;
  assert.deepEqual(reportPeriods(range, "America/New_York"), {
    start_date: "2026-03-07",
    end_date: "2026-03-09",
    dates: ["2026-03-07", "2026-03-08", "2026-03-09"],
    starts: ["2026-03-07T05:00:00.000Z", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
    since: "2026-03-07T05:00:00.000Z",
    until: "2026-03-10T04:00:00.000Z",
  });
});

test("the first period begins where the calendar says, and the report where it was asked to", () => {
  const asked = (resolution: "week" | "month" | "quarter") => {
    const periods = reportPeriods({ start_date: "2026-05-13", end_date: "2026-07-01", resolution }, "UTC");
    assert.equal(periods.since, "2026-05-13T00:00:00.000Z");
    assert.equal(periods.until, "2026-07-02T00:00:00.000Z");
    return periods.dates;
  };
  assert.deepEqual(asked("week").slice(0, 2), ["2026-05-11", "2026-05-18"]);
  assert.equal(asked("week").at(-1), "2026-06-29");
  assert.deepEqual(asked("month"), ["2026-05-01", "2026-06-01", "2026-07-01"]);
  assert.deepEqual(asked("quarter"), ["2026-04-01", "2026-07-01"]);
});

test("movements count what they count on the card, and a refused spending only locks and unlocks", () => {
  const counted = movementsShown([
    { kind: "accrual", moved: 40, refused: 0 },
    { kind: "activation_out", moved: 5, refused: 0 },
    { kind: "activation_in", moved: 5, refused: 0 },
    { kind: "order_spend", moved: 10, refused: 3 },
  ]);
  const { points_total, points_earned, points_spent, points_locked, points_unlocked } = counted;
  assert.deepEqual([points_total, points_earned, points_spent], [45, 45, 10]);
  assert.deepEqual([points_locked, points_unlocked], [13, 13]);
  assert.equal(counted.pending_points_activated, 5);
});
