import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Lot, NO_TAGS } from "../../ledger/account.ts";
import { dayEnd, dayStart, localDate } from "../../time/calendar.ts";
import { sampleIds } from "../program/sample.ts";
import { lastDay, pointsExpiry, slid } from "./expiration.ts";
import type { PointsExpiration } from "./wallet.ts";

type Rolling = NonNullable<PointsExpiration["rolling_expiration"]>;
const rolling = (value: number, unit: "DAY" | "MONTH" | "YEAR", rounding?: Rolling["rounding"]): PointsExpiration => ({
  type: "ROLLING_EXPIRATION",
  rolling_expiration: { period: { value, unit }, ...(rounding && { rounding }) },
});
const calendar = (...dates: [day: number, month: number][]): PointsExpiration => ({
  type: "CALENDAR_EXPIRATION",
  calendar_expiration: { expiration_dates: dates.map(([day, month]) => ({ day, month })) },
});

const CASES: [credited: string, settings: PointsExpiration, last: string | null][] = [
  ["2026-01-25", rolling(1, "MONTH"), "2026-02-25"],
  ["2026-01-31", rolling(1, "MONTH"), "2026-02-28"],
  ["2028-01-31", rolling(1, "MONTH"), "2028-02-29"],
  ["2028-02-29", rolling(1, "YEAR"), "2029-02-28"],
  ["2026-06-18", rolling(1, "DAY"), "2026-06-19"],
  ["2026-07-31", rolling(1, "MONTH"), "2026-08-31"],
  ["2026-06-15", rolling(1, "MONTH", { type: "END_OF_HALF_YEAR" }), "2026-12-31"],
  ["2026-05-31", rolling(1, "MONTH", { type: "END_OF_HALF_YEAR" }), "2026-06-30"],
  ["2026-01-25", rolling(1, "MONTH", { type: "END_OF_MONTH" }), "2026-02-28"],
  ["2026-01-25", rolling(1, "MONTH", { type: "END_OF_QUARTER" }), "2026-03-31"],
  ["2026-03-25", rolling(1, "MONTH", { type: "END_OF_QUARTER" }), "2026-06-30"],
  ["2026-03-25", rolling(90, "DAY", { type: "END_OF_YEAR" }), "2026-12-31"],
  ["2026-01-25", rolling(1, "MONTH", { type: "END_OF_PARTICULAR_MONTH", value: 2 }), "2026-02-28"],
  ["2026-01-25", rolling(1, "MONTH", { type: "END_OF_PARTICULAR_MONTH", value: 1 }), "2027-01-31"],
  ["2026-06-15", calendar([23, 12]), "2026-12-23"],
  ["2026-12-23", calendar([23, 12]), "2026-12-23"],
  ["2026-12-24", calendar([23, 12]), "2027-12-23"],
  ["2026-03-01", calendar([29, 2], [1, 9]), "2026-09-01"],
  ["2026-02-01", calendar([29, 2]), "2026-02-28"],
  ["2028-02-29", calendar([29, 2]), "2028-02-29"],
  ["2026-02-01", { type: "NO_EXPIRATION" }, null],
];
for (const [credited, settings, last] of CASES)
  test(`points of ${credited} with ${JSON.stringify(settings)} can be spent until ${last}`, () => {
    assert.equal(lastDay(settings, Temporal.PlainDate.from(credited))?.toString() ?? null, last);
  });

test("points vanish with the midnight after their last day", () => {
  const at = (now: string, zone: string) =>
    pointsExpiry({ effect: null, tier: null, wallet: rolling(1, "MONTH") }, { now, zone }).expires_at;
  assert.equal(at("2026-01-25T12:00:00Z", "UTC"), "2026-02-26T00:00:00.000Z");
  assert.equal(at("2026-01-31T12:00:00Z", "UTC"), "2026-03-01T00:00:00.000Z");
  // In Warsaw it is the 26th already, and summer when they vanish.
  assert.equal(at("2026-02-25T23:30:00Z", "Europe/Warsaw"), "2026-03-26T23:00:00.000Z");
  assert.equal(at("2026-03-28T12:00:00Z", "Europe/Warsaw"), "2026-04-28T22:00:00.000Z");
});

test("where clocks skip midnight, the day begins an hour later", () => {
  // Clocks in São Paulo went from 00:00 to 01:00 on 4 November 2018.
  const day = Temporal.PlainDate.from("2018-11-04");
  assert.equal(dayStart(day, "America/Sao_Paulo"), "2018-11-04T03:00:00.000Z");
  assert.equal(dayEnd(day.subtract({ days: 1 }), "America/Sao_Paulo"), "2018-11-04T03:00:00.000Z");
  // In Apia 30 December 2011 was left out.
  assert.equal(dayEnd(Temporal.PlainDate.from("2011-12-29"), "Pacific/Apia"), "2011-12-30T10:00:00.000Z");
  assert.equal(dayEnd(Temporal.PlainDate.from("2011-12-30"), "Pacific/Apia"), "2011-12-30T10:00:00.000Z");
  // Tehran changed clocks at midnight until 2022.
  assert.equal(dayStart(Temporal.PlainDate.from("2022-03-22"), "Asia/Tehran"), "2022-03-21T20:30:00.000Z");
  assert.equal(dayStart(Temporal.PlainDate.from("2022-09-22"), "Asia/Tehran"), "2022-09-21T20:30:00.000Z");
});

test("settings of the effect come before those of the tier, and those before the card's", () => {
  const [effect, tier, wallet] = [rolling(1, "DAY"), rolling(2, "DAY"), rolling(3, "DAY")];
  const when = { now: "2026-06-01T00:00:00Z", zone: "UTC" };
  const date = (settings: Parameters<typeof pointsExpiry>[0]) => pointsExpiry(settings, when);
  assert.equal(date({ effect, tier, wallet }).bucket_date, "2026-06-02");
  assert.equal(date({ effect: null, tier, wallet }).bucket_date, "2026-06-03");
  assert.equal(date({ effect: null, tier: null, wallet }).bucket_date, "2026-06-04");
  assert.deepEqual(date({ effect: null, tier, wallet }).expiration, tier);
  assert.equal(date({ effect: null, tier: null, wallet }).expiration, null);
  assert.deepEqual(date({ effect: { type: "NO_EXPIRATION" }, tier, wallet }), {
    expires_at: null,
    bucket_date: null,
    bucket_type: "NO_EXPIRATION",
    expiration: { type: "NO_EXPIRATION" },
  });
});

const sliding = (value: number): PointsExpiration => ({
  type: "SLIDING_EXPIRATION",
  sliding_expiration: {
    earning_activity: true,
    spending_activity: false,
    custom_activity: true,
    custom_activity_types: ["ms_1"],
    period: { value, unit: "DAY" },
  },
});

test("an activity that counts moves what slides, into one bucket, and nothing else", () => {
  const lot = (id: string, bucket_type: string, day: string): Lot => ({
    ...NO_TAGS,
    ...{ id, pot: "available", amount: 5, remaining: 5, activates_at: null, created_at: "2026-06-01T00:00:00Z" },
    ...{ expires_at: `${day}T00:00:00Z`, bucket_id: `of ${id}`, bucket_date: day, bucket_type },
  });
  const lots = [
    lot("a", "SLIDING_EXPIRATION", "2026-06-10"),
    lot("b", "SLIDING_EXPIRATION", "2026-06-11"),
    lot("c", "ROLLING_EXPIRATION", "2026-06-11"),
  ];
  const when = { wallet: sliding(30), now: "2026-06-05T10:00:00Z", zone: "UTC", newId: sampleIds() };
  const moved = slid(lots, { ...when, activity: { kind: "earning" } });
  assert.deepEqual(
    moved.map(({ id, bucket_date, bucket_id, expires_at }) => [id, bucket_date, bucket_id, expires_at]),
    [
      ["a", "2026-07-05", "of a", "2026-07-06T00:00:00.000Z"],
      ["b", "2026-07-05", "of a", "2026-07-06T00:00:00.000Z"],
    ],
  );
  assert.equal(slid(lots, { ...when, activity: { kind: "custom", schema_id: "ms_1" } }).length, 2);
  assert.deepEqual(slid(lots, { ...when, activity: { kind: "custom", schema_id: "ms_2" } }), []);
  assert.deepEqual(slid(lots, { ...when, activity: { kind: "spending" } }), []);
  // On a card whose own points do not slide, each lot follows the settings it was credited with.
  const own = lots.map((one) => ({ ...one, expiration: sliding(7) }));
  const byOwn = slid(own, { ...when, wallet: rolling(1, "DAY"), activity: { kind: "earning" } });
  assert.deepEqual(
    byOwn.map(({ bucket_date }) => bucket_date),
    ["2026-06-12", "2026-06-12"],
  );
});

const ZONES = [
  "UTC",
  "Europe/Warsaw",
  "America/Sao_Paulo",
  "Asia/Tehran",
  "Pacific/Apia",
  "Australia/Lord_Howe",
  "America/St_Johns",
];
test("in any zone and on any day, points last until the end of their last day and are never over before they were credited", () => {
  const settings = fc.oneof(
    fc
      .record({ value: fc.integer({ min: 1, max: 12 }), unit: fc.constantFrom("DAY", "MONTH", "YEAR") })
      .map((p) => rolling(Math.min(p.value, 5), p.unit)),
    fc
      .constantFrom("END_OF_MONTH", "END_OF_QUARTER", "END_OF_HALF_YEAR", "END_OF_YEAR")
      .map((type) => rolling(1, "MONTH", { type })),
    fc.integer({ min: 1, max: 12 }).map((value) => rolling(1, "DAY", { type: "END_OF_PARTICULAR_MONTH", value })),
    fc.integer({ min: 1, max: 12 }).map((month) => calendar([28, month])),
  );
  const moment = fc.date({ min: new Date("2005-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(moment, fc.constantFrom(...ZONES), settings, (date, zone, wallet) => {
      const now = date.toISOString();
      const { expires_at, bucket_date } = pointsExpiry({ effect: null, tier: null, wallet }, { now, zone });
      assert.ok(Date.parse(expires_at!) > date.getTime());
      assert.ok(bucket_date! >= localDate(now, zone).toString());
      const after = localDate(expires_at!, zone);
      const before = localDate(new Date(Date.parse(expires_at!) - 1).toISOString(), zone);
      assert.ok(after.toString() > bucket_date!);
      assert.ok(before.toString() <= bucket_date!);
    }),
  );
});
