import assert from "node:assert/strict";
import { test } from "node:test";
import { ANY_TIME, isInWindow, parseHours, type Window, windowFault } from "./window.ts";

const open: Window = { start_date: null, end_date: null, validity_hours: ANY_TIME };
const hours = (start_time: string, end_time: string, days_of_week = [0, 1, 2, 3, 4, 5, 6]) => ({
  ...open,
  validity_hours: parseHours({ daily: [{ days_of_week, start_time, end_time }] }),
});

test("a window is open from its start date on, and closed from its end date on", () => {
  const window = { ...open, start_date: "2026-02-01T00:00:00Z", end_date: "2026-03-01T00:00:00Z" };
  const at = (now: string) => isInWindow(window, now, "UTC");
  assert.deepEqual(
    [
      "2026-01-31T23:59:59.999Z",
      "2026-02-01T00:00:00.000Z",
      "2026-02-28T23:59:59.999Z",
      "2026-03-01T00:00:00.000Z",
    ].map(at),
    [false, true, true, false],
  );
  assert.equal(isInWindow(open, "2026-01-01T00:00:00Z", "UTC"), true);
});

test("hours are those of the project's zone; the minutes in which they start and end are open", () => {
  const at = (now: string) => isInWindow(hours("09:00", "17:30"), now, "Europe/Warsaw");
  // In winter Warsaw is an hour ahead.
  assert.deepEqual(
    ["2026-01-05T07:59:59Z", "2026-01-05T08:00:00Z", "2026-01-05T16:30:59.999Z", "2026-01-05T16:31:00Z"].map(at),
    [false, true, true, false],
  );
});

test("a day of the week is that of the zone, and 24:00 ends a whole day", () => {
  const sunday = hours("00:00", "24:00", [0]);
  assert.equal(isInWindow(sunday, "2026-01-04T23:59:59Z", "UTC"), true);
  assert.equal(isInWindow(sunday, "2026-01-04T23:59:59Z", "Asia/Tokyo"), false);
  assert.equal(isInWindow(sunday, "2026-01-03T15:00:00Z", "Asia/Tokyo"), true);
});

test("windows that meet are fine, and windows that overlap on a day are not", () => {
  const two = (start: string, days = [1]) =>
    windowFault({
      ...open,
      validity_hours: parseHours({
        daily: [
          { days_of_week: [1, 2], start_time: "09:00", end_time: "12:00" },
          { days_of_week: days, start_time: start, end_time: "15:00" },
        ],
      }),
    });
  assert.equal(two("12:00"), null);
  assert.equal(two("11:00", [3]), null);
  assert.match(two("11:59")!, /overlaps/);
});

test("the end has to come after the start, whatever the offsets they are written with", () => {
  const dates = (start_date: string, end_date: string) => windowFault({ ...open, start_date, end_date });
  assert.equal(dates("2026-01-01T00:00:00+02:00", "2026-01-01T00:00:00Z"), null);
  assert.match(dates("2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02")!, /end_date/);
});
