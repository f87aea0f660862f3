import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../../text/en.ts";
import { createText } from "../../text/text.ts";
import {
  ALWAYS,
  againFaults,
  daysSay,
  hoursFaults,
  NO_HOURS,
  startFault,
  timesFault,
  timesOf,
  validityOf,
} from "./times.ts";

const t = createText(en, "en-GB");
const hours = (key: number, from: string, to: string, days: number[] = []) => ({ key, from, to, days });

test("times: what was set is what the form holds, and what it sends is the same", () => {
  const always = { validity_day_of_week: null, validity_hours: null, validity_timeframe: null };
  const noon = { start_time: "11:30", expiration_time: "13:00" };
  for (const validity of [
    always,
    { ...always, validity_day_of_week: [0, 6] },
    { ...always, validity_day_of_week: [1], validity_hours: { daily: [noon] } },
    { ...always, validity_hours: { daily: [noon, { ...noon, start_time: "17:00", expiration_time: "19:00" }] } },
    {
      ...always,
      validity_hours: {
        daily: [
          { ...noon, days_of_week: [1, 2] },
          { ...noon, days_of_week: [3] },
        ],
      },
    },
    { ...always, validity_timeframe: { interval: "P1W", duration: "PT2H" } },
  ])
    assert.deepEqual(validityOf(timesOf(validity)), validity);
});

test("times: an hour that is left open ends with the day, and hours that say nothing are not sent", () => {
  const times = { ...ALWAYS, hours: [hours(1, "17:00", ""), { ...NO_HOURS, key: 2 }] };
  assert.deepEqual(validityOf(times).validity_hours?.daily, [{ start_time: "17:00", expiration_time: "23:59" }]);
  assert.equal(timesFault(times, t), null);
});

test("times: the end comes after the start, and hours of one day do not overlap", () => {
  const faults = (...all: ReturnType<typeof hours>[]) => [...hoursFaults({ ...ALWAYS, hours: all }, t).keys()];
  assert.deepEqual(faults(hours(1, "17:00", "16:00")), [1]);
  assert.deepEqual(faults(hours(1, "09:00", "12:00"), hours(2, "12:00", "15:00")), []);
  assert.deepEqual(faults(hours(1, "09:00", "12:00", [1]), hours(2, "11:00", "15:00")), [2]);
  assert.deepEqual(faults(hours(1, "09:00", "12:00", [1]), hours(2, "11:00", "15:00", [2])), []);
});

test("times: a window that comes again has a length, ends before the next one, and is counted from a start", () => {
  const times = (every: string, lasts: string) => ({ ...ALWAYS, again: { every, lasts } });
  assert.deepEqual(againFaults(times("P1W", "P1D"), t), {});
  assert.deepEqual(Object.keys(againFaults(times("P1D", "PT25H"), t)), ["lasts"]);
  assert.deepEqual(Object.keys(againFaults(times("", ""), t)), ["every", "lasts"]);
  assert.notEqual(startFault(times("P1W", "P1D"), null, t), null);
  assert.equal(startFault(times("P1W", "P1D"), "2026-01-01T00:00:00Z", t), null);
  assert.equal(startFault(ALWAYS, null, t), null);
});

test("times: days are said from Monday on", () => assert.equal(daysSay([0, 6, 5]), "Friday, Saturday and Sunday"));
