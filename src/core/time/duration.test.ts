import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addDuration, parseDuration, roughLengthMs } from "./duration.ts";
import { parseDay, parseInstant, parseMoment } from "./instant.ts";
import { type PeriodKind, periodStart } from "./period.ts";

for (const text of [
  "P1D",
  "P1W",
  "P2M",
  "P1Y",
  "PT1H",
  "PT90M",
  "PT1S",
  "P1Y2M3W4DT5H6M7S",
  "P100Y",
  "P1DT12H",
  "P01D",
])
  test(`${text} is a duration`, () => assert.equal(parseDuration(text)?.blank, false));

// biome-ignore format: a list reads better in a block
const NO_DURATIONS = [
  "", "P", "PT", "P1DT", "1D", "P1", "p1d", "-P1D", "P-1D", "P1.5D", "PT0.5S", "P0D", "PT0S", "P1H", "PT1D", "P101Y",
  "P36526D", "P9999999D", "PT999999999H", " P1D", "P1D\n", "P1D2W",
];
for (const text of NO_DURATIONS)
  test(`${JSON.stringify(text)} is no duration`, () => assert.equal(parseDuration(text), null));

test("a month is 30.436875 days long on average", () => {
  assert.equal(roughLengthMs(parseDuration("P1M")!), 30.436875 * 86_400_000);
  assert.equal(roughLengthMs(parseDuration("P1WT1M")!), 604_860_000);
});

test("any text is a duration or null, and what is one is printed and read again as itself", () => {
  const unit = (name: string) =>
    fc.option(
      fc.integer({ min: 1, max: 99 }).map((count) => `${count}${name}`),
      { nil: "" },
    );
  const texts = fc
    .tuple(unit("M"), unit("W"), unit("D"), unit("H"), unit("S"))
    .map(([m, w, d, h, s]) => `P${m}${w}${d}${h || s ? "T" : ""}${h}${s}`);
  fc.assert(fc.property(texts, (text) => assert.equal(parseDuration(text)?.toString() ?? "P", text)));
  fc.assert(fc.property(fc.string(), (text) => void parseDuration(text)));
});

const ADDITIONS = [
  ["2026-01-31T12:00:00.000Z", "P1M", "Europe/Warsaw", "2026-02-28T12:00:00.000Z", "the last day of a shorter month"],
  ["2024-02-29T12:00:00.000Z", "P1Y", "UTC", "2025-02-28T12:00:00.000Z", "a leap day has no anniversary of its own"],
  [
    "2026-03-28T11:00:00.000Z",
    "P1D",
    "Europe/Warsaw",
    "2026-03-29T10:00:00.000Z",
    "noon stays noon when clocks go forward",
  ],
  ["2026-03-28T11:00:00.000Z", "PT24H", "Europe/Warsaw", "2026-03-29T11:00:00.000Z", "24 hours are 24 hours"],
  [
    "2026-03-28T01:30:00.000Z",
    "P1D",
    "Europe/Warsaw",
    "2026-03-29T01:30:00.000Z",
    "02:30 is skipped and becomes 03:30",
  ],
  [
    "2026-10-31T05:30:00.000Z",
    "P1D",
    "America/New_York",
    "2026-11-01T05:30:00.000Z",
    "01:30 comes twice, the first counts",
  ],
  [
    "2026-10-03T15:15:00.000Z",
    "P1D",
    "Australia/Lord_Howe",
    "2026-10-04T14:45:00.000Z",
    "01:45 stays 01:45 over a gap of half an hour",
  ],
  [
    "2026-10-02T15:45:00.000Z",
    "P1D",
    "Australia/Lord_Howe",
    "2026-10-03T15:45:00.000Z",
    "02:15 is inside that gap and becomes 02:45",
  ],
  ["2026-01-01T00:00:00Z", "P24D", "+02:00", "2026-01-25T00:00:00.000Z", "an offset as zone"],
] as const;
for (const [instant, duration, zone, expected, why] of ADDITIONS)
  test(`${instant} plus ${duration} in ${zone}: ${why}`, () =>
    assert.equal(addDuration(instant, parseDuration(duration)!, zone), expected));

test("dates without an offset are read in the zone", () => {
  assert.equal(parseInstant("2026-07-01", "Europe/Warsaw")?.toInstant().toString(), "2026-06-30T22:00:00Z");
  assert.equal(parseInstant("2026-07-01T10:00", "Europe/Warsaw")?.toInstant().toString(), "2026-07-01T08:00:00Z");
  assert.equal(parseInstant("2026-07-01T10:00+05:00", "Europe/Warsaw")?.toInstant().toString(), "2026-07-01T05:00:00Z");
  for (const text of ["2026-02-30", "2026-1-1", "tomorrow", "2026-01-01T25:00Z", "2026-01-01T10:00[Europe/Warsaw]"])
    assert.equal(parseInstant(text, "UTC"), null, text);
  assert.equal(parseDay("2025-02-29"), null);
  assert.equal(parseMoment("2026-01-01", "UTC"), null);
});

const PERIODS: [PeriodKind, string, string, string][] = [
  ["total", "2026-03-01T12:00:00Z", "UTC", "1970-01-01"],
  ["day", "2026-03-01T23:30:00Z", "UTC", "2026-03-01"],
  ["day", "2026-03-01T23:30:00Z", "Europe/Warsaw", "2026-03-02"],
  ["day", "2026-03-01T02:00:00Z", "America/New_York", "2026-02-28"],
  ["week", "2026-03-01T12:00:00Z", "UTC", "2026-02-23"],
  ["week", "2026-03-02T00:00:00Z", "UTC", "2026-03-02"],
  ["week", "2027-01-01T00:00:00Z", "UTC", "2026-12-28"],
  ["month", "2026-02-28T23:30:00Z", "Europe/Warsaw", "2026-03-01"],
  ["month", "2024-02-29T12:00:00Z", "UTC", "2024-02-01"],
];
for (const [kind, now, zone, expected] of PERIODS)
  test(`the ${kind} of ${now} in ${zone} starts on ${expected}`, () =>
    assert.equal(periodStart(kind, now, zone), expected));
