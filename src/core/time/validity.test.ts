import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseDuration } from "./duration.ts";
import { type ValidityFields, validityFault, validityFieldsFault } from "./validity.ts";

const ALWAYS = {
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
};
type ValidityCase = Partial<ValidityFields> & { now: string; zone?: string };
const fault = ({ now, zone = "Europe/Warsaw", ...given }: ValidityCase) =>
  validityFault({ ...ALWAYS, ...given }, { now, zone });
const START = "2026-01-10T09:00:00.000Z";

const CASES: [string, ValidityCase, ReturnType<typeof validityFault>][] = [
  ["nothing is set", { now: START }, null],
  ["a millisecond before the start", { now: "2026-01-10T08:59:59.999Z", start_date: START }, "not_started"],
  ["the start itself", { now: START, start_date: START }, null],
  ["the expiration itself", { now: START, expiration_date: START }, null],
  ["a millisecond after the expiration", { now: "2026-01-10T09:00:00.001Z", expiration_date: START }, "expired"],
  ["a start that is a day begins in the zone", { now: "2026-01-09T23:00:00.000Z", start_date: "2026-01-10" }, null],
  [
    "not started goes before the window",
    { now: "2026-01-01T00:00:00Z", start_date: START, validity_day_of_week: [0] },
    "not_started",
  ],
  // 10 January 2026 is a Saturday; 23:30 UTC is already Sunday in Warsaw.
  ["Saturday", { now: START, validity_day_of_week: [6] }, null],
  ["Sunday in the zone", { now: "2026-01-10T23:30:00Z", validity_day_of_week: [0] }, null],
  ["no longer Saturday in the zone", { now: "2026-01-10T23:30:00Z", validity_day_of_week: [6] }, "outside_window"],
  ["an empty list of days is every day", { now: START, validity_day_of_week: [] }, null],
  ["an empty list of hours is all day", { now: START, validity_hours: { daily: [] } }, null],
  [
    "a timeframe without a start",
    { now: START, validity_timeframe: { interval: "P1D", duration: "PT1H" } },
    "outside_window",
  ],
  [
    "a timeframe that is no duration",
    { now: START, start_date: START, validity_timeframe: { interval: "P0D", duration: "PT1H" } },
    "outside_window",
  ],
];
for (const [name, given, expected] of CASES)
  test(`${name}: ${expected ?? "active"}`, () => assert.equal(fault(given), expected));

test("hours hold from the first minute to the end of the last, on their days", () => {
  const validity_hours = {
    daily: [
      { start_time: "09:00", expiration_time: "12:00", days_of_week: [6] },
      { start_time: "14:00", expiration_time: "18:00", days_of_week: [] },
      { start_time: "20:00", expiration_time: "21:00" },
    ],
  };
  const at = (time: string, day = "2026-01-10") => fault({ now: `${day}T${time}+01:00`, validity_hours });
  for (const time of ["09:00:00", "12:00:59.999", "14:00:00", "18:00:30", "20:30:00"])
    assert.equal(at(time), null, time);
  for (const time of ["08:59:59.999", "12:01:00", "18:01:00", "23:00:00"])
    assert.equal(at(time), "outside_window", time);
  assert.equal(at("10:00:00", "2026-01-11"), "outside_window");
  assert.equal(at("15:00:00", "2026-01-11"), null);
  assert.equal(
    fault({ now: START, validity_hours, validity_day_of_week: [0] }),
    "outside_window",
    "both are asked for",
  );
});

/** [zone, start, interval, duration, moments that are active, moments that are not] */
// biome-ignore format: a table reads better in rows
const TIMEFRAMES: [string, string, string, string, string[], string[]][] = [
  // Daily at 09:00 in Warsaw: 08:00 UTC in winter, 07:00 UTC in summer.
  ["Europe/Warsaw", "2026-01-10T08:00:00Z", "P1D", "PT1H",
    ["2026-01-10T08:00:00Z", "2026-01-10T08:59:59.999Z", "2026-07-10T07:00:00Z", "2030-07-10T07:30:00Z"],
    ["2026-01-10T09:00:00Z", "2026-07-10T06:59:59.999Z", "2026-07-10T08:00:00Z"]],
  // 02:30 does not exist on 29 March 2026: that window opens at 03:30, 01:30 UTC, and the next at 02:30 again.
  ["Europe/Warsaw", "2026-03-27T01:30:00Z", "P1D", "PT1H",
    ["2026-03-29T01:30:00Z", "2026-03-29T02:29:59Z", "2026-03-30T00:30:00Z"],
    ["2026-03-29T01:29:59Z", "2026-03-29T02:30:00Z", "2026-03-30T01:30:00Z"]],
  // 01:30 comes twice on 1 November 2026 in New York: the window is of the first, 05:30 UTC.
  ["America/New_York", "2026-10-30T05:30:00Z", "P1D", "PT30M",
    ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"],
    ["2026-11-01T06:30:00Z", "2026-11-02T05:30:00Z"]],
  // Clocks on Lord Howe go forward by half an hour: 02:15 on 4 October 2026 becomes 02:45, 15:45 UTC the day before.
  ["Australia/Lord_Howe", "2026-10-01T15:45:00Z", "P1D", "PT30M",
    ["2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z"],
    ["2026-10-03T15:44:59Z", "2026-10-03T16:15:00Z", "2026-10-04T15:45:00Z"]],
  // From 31 January every month: the last day of shorter ones, the 31st again in longer ones.
  ["UTC", "2026-01-31T00:00:00Z", "P1M", "P1D",
    ["2026-02-28T00:00:00Z", "2026-03-31T12:00:00Z", "2026-04-30T12:00:00Z", "2028-02-29T12:00:00Z"],
    ["2026-03-01T00:00:00Z", "2026-03-28T12:00:00Z", "2026-03-30T23:59:59Z", "2028-02-28T12:00:00Z"]],
  // As long as the interval is always active, also between 28 and 31 March.
  ["UTC", "2026-01-31T00:00:00Z", "P1M", "P1M", ["2026-02-28T00:00:00Z", "2026-03-29T00:00:00Z", "2026-03-31T00:00:00Z"], []],
  ["UTC", "2024-02-29T00:00:00Z", "P1Y", "P1D",
    ["2025-02-28T00:00:00Z", "2028-02-29T00:00:00Z"], ["2025-03-01T00:00:00Z", "2028-02-28T12:00:00Z"]],
  ["UTC", "2026-01-05T00:00:00Z", "P1W", "P2D", ["2026-01-13T23:59:59Z"], ["2026-01-14T00:00:00Z"]],
  ["UTC", "2026-01-01T00:00:00Z", "P1M10D", "P1D", ["2026-02-11T12:00:00Z", "2026-03-21T12:00:00Z"], ["2026-02-12T00:00:00Z"]],
  // Hours are time that passes: every 6 hours stays so over the change of clocks.
  ["Europe/Warsaw", "2026-03-28T23:00:00Z", "PT6H", "PT1H", ["2026-03-29T05:00:00Z", "2026-03-29T11:30:00Z"], ["2026-03-29T04:00:00Z"]],
  // The 30th of December 2011 does not exist in Samoa.
  ["Pacific/Apia", "2011-12-28T20:00:00Z", "P1D", "PT1H", ["2011-12-30T20:00:00Z", "2011-12-31T20:00:00Z"], ["2011-12-30T10:00:00Z"]],
];
for (const [zone, start_date, interval, duration, active, inactive] of TIMEFRAMES)
  test(`every ${interval} for ${duration} from ${start_date} in ${zone}`, () => {
    const at = (now: string) => fault({ now, zone, start_date, validity_timeframe: { interval, duration } });
    for (const now of active) assert.equal(at(now), null, now);
    for (const now of inactive) assert.equal(at(now), "outside_window", now);
  });

const zones = fc.constantFrom(
  "Europe/Warsaw",
  "America/New_York",
  "Australia/Lord_Howe",
  "UTC",
  "Asia/Kathmandu",
  "+05:30",
);
const NS = 1_000_000n;

test("the k-th window is active from its start for its duration, and not a millisecond before or after", () => {
  const starts = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2040, 0, 1) });
  // A duration of at most half the interval, so that the next window is not yet open when one ends.
  // biome-ignore format: pairs read better in rows
  const frames = fc.constantFrom(
    ["P1D", "PT1H"], ["P1D", "PT10H"], ["P1W", "P3D"], ["P1M", "P10D"], ["P1Y", "P2M"], ["P3M", "P1MT1H"],
    ["PT1M", "PT1S"], ["PT5H", "PT2H"], ["P1M1D", "P2W"], ["P2DT12H", "P1D"], ["P100Y", "P1D"],
  );
  fc.assert(
    fc.property(zones, starts, frames, fc.integer({ min: 0, max: 400 }), (zone, startMs, [interval, duration], k) => {
      const start = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(zone);
      const step = parseDuration(interval!)!;
      const { years, months, weeks, days, hours, minutes, seconds } = step;
      const opens = start.add({
        years: years * k,
        months: months * k,
        weeks: weeks * k,
        days: days * k,
        hours: hours * k,
        minutes: minutes * k,
        seconds: seconds * k,
      });
      fc.pre(opens.year < 9000);
      const closes = opens.add(parseDuration(duration!)!);
      const at = (ns: bigint) =>
        fault({
          now: Temporal.Instant.fromEpochNanoseconds(ns).toString(),
          zone,
          start_date: start.toInstant().toString(),
          validity_timeframe: { interval: interval!, duration: duration! },
        });
      assert.equal(at(opens.epochNanoseconds), null);
      assert.equal(at((opens.epochNanoseconds + closes.epochNanoseconds) / 2n), null);
      if (k > 0) assert.equal(at(opens.epochNanoseconds - NS), "outside_window");
      // Where the start fell into a gap or on a short month, the end is counted from the first start: not checked here.
      if (opens.toPlainTime().equals(start.toPlainTime()) && opens.day === start.day) {
        assert.equal(at(closes.epochNanoseconds - NS), null);
        assert.equal(at(closes.epochNanoseconds), "outside_window");
      }
    }),
    { numRuns: 1000 },
  );
});

test("a duration as long as the interval is active at every moment from the start", () => {
  const moments = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) });
  const intervals = fc.constantFrom("P1D", "P1W", "P1M", "P1Y", "PT7H", "P1M1D", "P1Y1M1DT1H");
  fc.assert(
    fc.property(zones, moments, moments, intervals, (zone, one, other, interval) => {
      const [start, now] = [Math.min(one, other), Math.max(one, other)].map((ms) => new Date(ms).toISOString());
      const validity_timeframe = { interval, duration: interval };
      assert.equal(fault({ now: now!, start_date: start!, zone, validity_timeframe }), null);
    }),
  );
});

const daily = (...entries: object[]) => ({ validity_hours: { daily: entries as any[] } });
const frame = (interval: string, duration: string) => ({
  start_date: START,
  validity_timeframe: { interval, duration },
});
const FIELDS: [Partial<ValidityFields>, RegExp | null][] = [
  [{}, null],
  [{ start_date: START, expiration_date: "2026-01-10T09:00:00.001Z" }, null],
  [{ start_date: START, expiration_date: START }, /^expiration_date must be after start_date$/],
  [{ start_date: "soon" }, /^start_date must be an ISO 8601 date/],
  [{ expiration_date: "2026-02-30" }, /^expiration_date must be an ISO 8601 date/],
  [frame("P1W", "P1D"), null],
  [frame("P1D", "PT24H"), null],
  [{ ...frame("P1D", "PT24H"), start_date: "2026-03-28T23:00:00Z" }, null],
  [{ ...frame("P1W", "P1D"), start_date: null }, /^validity_timeframe requires start_date$/],
  [frame("weekly", "P1D"), /^validity_timeframe.interval must be an ISO 8601 duration/],
  [frame("P1W", "P0D"), /^validity_timeframe.duration must be an ISO 8601 duration above zero/],
  [frame("P1D", "PT25H"), /duration must not be longer than/],
  [frame("P1M", "P32D"), /duration must not be longer than/],
  [{ validity_day_of_week: [0, 6] }, null],
  [{ validity_day_of_week: [1, 1] }, /^validity_day_of_week must be different whole numbers/],
  [{ validity_day_of_week: [7] }, /^validity_day_of_week/],
  [{ validity_day_of_week: [1.5] }, /^validity_day_of_week/],
  [daily({ start_time: "09:00", expiration_time: "12:00" }, { start_time: "12:00", expiration_time: "15:00" }), null],
  [daily({ start_time: "9:00", expiration_time: "12:00" }), /daily\[0\].start_time must have the form HH:mm/],
  [daily({ start_time: "09:00", expiration_time: "24:00" }), /daily\[0\].expiration_time must have the form HH:mm/],
  [daily({ start_time: "09:00", expiration_time: "09:00" }), /expiration_time must be after start_time/],
  [daily({ start_time: "22:00", expiration_time: "02:00" }), /expiration_time must be after start_time/],
  [daily({ start_time: "09:00", expiration_time: "10:00", days_of_week: [8] }), /daily\[0\].days_of_week must be/],
  [
    daily(
      { start_time: "09:00", expiration_time: "12:00" },
      { start_time: "11:59", expiration_time: "15:00", days_of_week: [3] },
    ),
    /daily\[1\] overlaps validity_hours.daily\[0\]/,
  ],
  [
    daily(
      { start_time: "09:00", expiration_time: "12:00", days_of_week: [2] },
      { start_time: "10:00", expiration_time: "11:00", days_of_week: [3] },
    ),
    null,
  ],
  [
    daily(...Array.from({ length: 101 }, () => ({ start_time: "09:00", expiration_time: "12:00" }))),
    /at most 100 items/,
  ],
];
for (const [given, expected] of FIELDS)
  test(`the fields ${JSON.stringify(given).slice(0, 150)} are ${expected ? "refused" : "taken"}`, () => {
    const found = validityFieldsFault({ zone: "Europe/Warsaw", ...ALWAYS, ...given });
    if (expected === null) assert.equal(found, null);
    else assert.match(found ?? "", expected);
  });
