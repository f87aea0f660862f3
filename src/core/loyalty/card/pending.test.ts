import assert from "node:assert/strict";
import { test } from "node:test";
import { waitingOf } from "./pending.ts";
import type { PendingPoints } from "./wallet.ts";

const noon = (day: string) => ({ now: `${day}T12:00:00Z`, zone: "UTC" });
const period = (value: number, unit: "DAY" | "MONTH" | "YEAR"): PendingPoints => ({
  type: "PERIOD_BASED",
  period_based: { period: { value, unit } },
});
const fixed = (...dates: [number, number][]): PendingPoints => ({
  type: "FIXED_DATES",
  fixed_dates: { dates: dates.map(([day, month]) => ({ day, month })) },
});

const CASES: [earned: string, settings: PendingPoints, date: string][] = [
  ["2026-06-11", period(10, "DAY"), "2026-06-21"],
  ["2026-08-06", period(10, "DAY"), "2026-08-16"],
  ["2026-01-31", period(1, "MONTH"), "2026-02-28"],
  ["2026-12-23", fixed([23, 12]), "2027-12-23"],
  ["2026-12-22", fixed([23, 12]), "2026-12-23"],
  ["2026-12-24", fixed([23, 12], [1, 1]), "2027-01-01"],
  ["2026-02-01", fixed([29, 2]), "2026-02-28"],
  ["2026-02-28", fixed([29, 2]), "2027-02-28"],
];
for (const [earned, settings, date] of CASES)
  test(`points of ${earned} wait until the beginning of ${date} with ${JSON.stringify(settings)}`, () => {
    assert.deepEqual(waitingOf(settings, noon(earned)), {
      activates_at: `${date}T00:00:00.000Z`,
      expires_at: null,
      bucket_date: date,
      bucket_type: settings.type,
    });
  });

test("points that wait for an event have until the end of their day, and points that do not wait have no day", () => {
  const settings: PendingPoints = {
    type: "EVENT_BASED",
    event_based: { event_types: ["ms_1"], cancel_period: { value: 1, unit: "MONTH" } },
  };
  assert.deepEqual(waitingOf(settings, noon("2026-06-01")), {
    activates_at: null,
    expires_at: "2026-07-02T00:00:00.000Z",
    bucket_date: "2026-07-01",
    bucket_type: "EVENT_BASED",
  });
  assert.equal(waitingOf({ type: "IMMEDIATE" }, noon("2026-06-01")), null);
});

test("days are those of the zone", () => {
  const late = waitingOf(period(1, "DAY"), { now: "2026-03-28T23:30:00Z", zone: "Europe/Warsaw" });
  // It is the 29th there, and clocks are changed that night.
  assert.deepEqual([late?.bucket_date, late?.activates_at], ["2026-03-30", "2026-03-29T22:00:00.000Z"]);
});
