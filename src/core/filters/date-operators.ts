import { comparableDay } from "../rules/compare.ts";
import { parseInstant } from "../time/instant.ts";
import {
  anniversary,
  type DaySpan,
  dayFromToday,
  daysSinceAnniversary,
  daysUntilAnniversary,
  hasAnniversaryWithin,
  isWithin,
  monthFromToday,
  type NamedPeriod,
  weekFromToday,
  yearFromToday,
} from "./calendar.ts";
import {
  type ContentKind,
  type FilterEvaluation,
  type FilterOperator,
  matchAny,
  matchFlag,
  type OperatorMatch,
} from "./operator.ts";
import { FILTER_VALUES, type FilterDate, type FilterValueKind } from "./values.ts";

const { date, day, days, years, day_of_month, month, year } = FILTER_VALUES;

/** Dates are found in the fields for them, and in metadata. */
const dates = (match: OperatorMatch): Partial<Record<ContentKind, OperatorMatch>> => ({
  date: match,
  birthdate: match,
  metadata: match,
});

/** Below, at or above zero as in a sort; a day is its first moment in the zone. Null for what is no date. */
function compareWithDate(element: unknown, expected: FilterDate, at: FilterEvaluation): number | null {
  const seen = typeof element === "string" ? parseInstant(element, at.zone) : null;
  const bound = at.once(expected, () => expected.at(at.zone));
  return seen && Temporal.Instant.compare(seen.toInstant(), bound);
}

/** A day is equal to every moment of it in the zone, a moment only to itself. */
export function isSameDate(element: unknown, expected: FilterDate, at: FilterEvaluation): boolean {
  if (expected.day) return comparableDay(element, at.zone)?.equals(expected.day) ?? false;
  return compareWithDate(element, expected, at) === 0;
}

// Contract is silent: days are those of the calendar, so answers change at midnight only, when the daily pass runs.
/** Days of the calendar since the date, below zero for one to come; null for what is no date. */
export function daysAgo(element: unknown, at: FilterEvaluation): number | null {
  return comparableDay(element, at.zone)?.until(at.today).days ?? null;
}

const comparesDates = (fits: (sign: number) => boolean): OperatorMatch =>
  matchAny(date, (element, expected, at) => {
    const sign = compareWithDate(element, expected, at);
    return sign !== null && fits(sign);
  });
const inDay = <T>(kind: FilterValueKind<T>, fits: (seen: Temporal.PlainDate, expected: T) => boolean): OperatorMatch =>
  matchAny(kind, (element, expected, { zone }) => {
    const seen = comparableDay(element, zone);
    return seen !== null && fits(seen, expected);
  });
/** As `inDay`, for what depends on the day it is asked. */
const fromToday = (
  kind: FilterValueKind<number>,
  fits: (seen: Temporal.PlainDate, expected: number, today: Temporal.PlainDate) => boolean,
): OperatorMatch =>
  matchAny(
    kind,
    (element, expected, at) => {
      const seen = comparableDay(element, at.zone);
      return seen !== null && fits(seen, expected, at.today);
    },
    true,
  );
const ago = (fits: (ago: number, expected: number) => boolean): OperatorMatch =>
  fromToday(days, (seen, expected, today) => fits(seen.until(today).days, expected));

const ABSOLUTE: readonly FilterOperator[] = [
  {
    name: "$after",
    summary: "is later than the date; a day counts from its first moment",
    over: "some",
    on: dates(comparesDates((sign) => sign > 0)),
    examples: [
      ["date", "2026-03-01T08:00:00Z", "2026-03-01T07:59:59Z", true],
      ["date", "2026-03-01T08:00:00Z", ["2026-03-01T08:00:00Z"], false],
      ["date", "2026-02-28T23:30:00Z", "2026-03-01", true],
      ["birthdate", "1990-05-01", "1990-05-01", false],
      ["metadata", "2026-03-02", "2026-03-01", true],
      ["metadata", "soon", "2026-03-01", false],
    ],
  },
  {
    name: "$before",
    summary: "is earlier than the date; a day counts from its first moment",
    over: "some",
    on: dates(comparesDates((sign) => sign < 0)),
    examples: [
      ["date", "2026-02-28T22:59:59Z", "2026-03-01", true],
      ["date", "2026-02-28T23:00:00Z", "2026-03-01", false],
      ["birthdate", "1989-12-31", "1990-01-01", true],
    ],
  },
  {
    // Contract is silent: a day is a date here; a day of the week has no operator.
    name: "$is_day",
    summary: "is on the day",
    over: "some",
    on: dates(inDay(day, (seen, expected) => seen.equals(expected))),
    examples: [
      ["date", "2026-02-28T23:30:00Z", "2026-03-01", true],
      ["date", "2026-02-28T22:30:00Z", "2026-03-01", false],
    ],
  },
  {
    name: "$is_month",
    summary: "is in the month, 1 to 12, of any year",
    over: "some",
    on: dates(inDay(month, (seen, expected) => seen.month === expected)),
    examples: [
      ["birthdate", "1990-05-17", ["5"], true],
      ["birthdate", "1990-05-17", [4, 6], false],
    ],
  },
  {
    name: "$is_year",
    summary: "is in the year",
    over: "some",
    on: dates(inDay(year, (seen, expected) => seen.year === expected)),
    examples: [
      ["date", "2025-12-31T23:30:00Z", 2026, true],
      ["birthdate", "1990-05-17", 1991, false],
    ],
  },
  {
    name: "$is_day_of_month",
    summary: "is on the day of any month, 1 to 31",
    over: "some",
    on: dates(inDay(day_of_month, (seen, expected) => seen.day === expected)),
    examples: [
      ["birthdate", "1990-05-17", [16, 17], true],
      ["birthdate", "1990-05-17", "18", false],
    ],
  },
];

const RELATIVE: readonly FilterOperator[] = [
  {
    name: "$is_days_ago",
    summary: "is exactly so many days ago",
    over: "some",
    on: dates(ago((distance, expected) => distance === expected)),
    examples: [
      ["date", "2026-02-27T23:00:00Z", 1, true],
      ["date", "2026-02-27T22:59:59Z", 1, false],
      ["birthdate", "1990-02-22", 7, true],
    ],
  },
  {
    name: "$is_days_in_future",
    summary: "is exactly so many days ahead",
    over: "some",
    on: dates(ago((distance, expected) => distance + expected === 0)),
    examples: [
      ["date", "2026-03-07T23:00:00Z", ["7"], true],
      ["date", "2026-03-07T22:59:59Z", ["7"], false],
      ["birthdate", "1990-03-08", 7, true],
    ],
  },
  {
    name: "$more_than_ago",
    summary: "is more than so many days ago",
    over: "some",
    on: dates(ago((distance, expected) => distance > expected)),
    examples: [
      ["date", "2026-01-29T12:00:00Z", 30, true],
      ["date", "2026-01-30T12:00:00Z", 30, false],
    ],
  },
  {
    name: "$less_than_ago",
    summary: "is today or fewer than so many days ago",
    over: "some",
    on: dates(ago((distance, expected) => distance >= 0 && distance < expected)),
    examples: [
      ["date", "2026-01-31T12:00:00Z", 30, true],
      ["date", "2026-01-30T12:00:00Z", 30, false],
      ["date", "2026-03-02T12:00:00Z", 30, false],
    ],
  },
  {
    name: "$more_than_future",
    summary: "is more than so many days ahead",
    over: "some",
    on: dates(ago((distance, expected) => -distance > expected)),
    examples: [
      ["metadata", "2026-03-12", 10, true],
      ["metadata", "2026-03-11", 10, false],
    ],
  },
  {
    name: "$less_than_future",
    summary: "is today or fewer than so many days ahead",
    over: "some",
    on: dates(ago((distance, expected) => distance <= 0 && -distance < expected)),
    examples: [
      ["metadata", "2026-03-10", 10, true],
      ["metadata", "2026-03-11", 10, false],
      ["metadata", "2026-02-28", 10, false],
    ],
  },
  {
    name: "$is_years_ago",
    summary: "is exactly so many years ago: that many birthdays, the last of them today",
    over: "some",
    on: dates(
      fromToday(
        years,
        (seen, expected, today) => seen.year + expected === today.year && anniversary(seen, today.year).equals(today),
      ),
    ),
    examples: [
      ["birthdate", "2008-03-01", 18, true],
      ["birthdate", "2008-03-02", 18, false],
      ["birthdate", "2007-03-01", 18, false],
    ],
  },
  {
    // Contract is silent: the number itself belongs to "less", so that more and less leave no day out.
    name: "$is_more_days_ago_md",
    summary: "its month and day last came more than so many days ago",
    over: "some",
    on: dates(fromToday(days, (seen, expected, today) => daysSinceAnniversary(seen, today) > expected)),
    examples: [
      ["birthdate", "1990-02-21", 7, true],
      ["birthdate", "1990-02-22", 7, false],
      ["birthdate", "1990-03-02", 363, true],
    ],
  },
  {
    name: "$is_less_days_ago_md",
    summary: "its month and day last came so many days ago or fewer",
    over: "some",
    on: dates(fromToday(days, (seen, expected, today) => daysSinceAnniversary(seen, today) <= expected)),
    examples: [
      ["birthdate", "1990-02-22", 7, true],
      ["birthdate", "1990-02-21", 7, false],
      ["birthdate", "1990-03-01", 0, true],
    ],
  },
  {
    name: "$is_more_days_in_future_md",
    summary: "its month and day come next in more than so many days",
    over: "some",
    on: dates(fromToday(days, (seen, expected, today) => daysUntilAnniversary(seen, today) > expected)),
    examples: [
      ["birthdate", "1990-03-09", 7, true],
      ["birthdate", "1990-03-08", 7, false],
      ["birthdate", "1990-02-28", 363, true],
    ],
  },
  {
    name: "$is_less_days_in_future_md",
    summary: "its month and day come next in so many days or fewer",
    over: "some",
    on: dates(fromToday(days, (seen, expected, today) => daysUntilAnniversary(seen, today) <= expected)),
    examples: [
      ["birthdate", "1990-03-08", 7, true],
      ["birthdate", "1990-03-09", 7, false],
    ],
  },
  {
    name: "$is_days_ago_md",
    summary: "its month and day were exactly so many days ago",
    over: "some",
    on: dates(fromToday(days, (seen, expected, today) => hasAnniversaryWithin(seen, dayFromToday(-expected)(today)))),
    examples: [
      ["birthdate", "1990-02-22", 7, true],
      ["birthdate", "1990-12-31", 60, true],
      ["birthdate", "1990-12-31", 61, false],
    ],
  },
  {
    name: "$is_days_in_future_md",
    summary: "its month and day come exactly so many days ahead",
    over: "some",
    on: dates(fromToday(days, (seen, expected, today) => hasAnniversaryWithin(seen, dayFromToday(expected)(today)))),
    examples: [
      ["date", "1990-03-08T12:00:00Z", 7, true],
      ["date", "1990-03-09T12:00:00Z", 7, false],
    ],
  },
];

const spanOf = (period: NamedPeriod, at: FilterEvaluation): DaySpan => at.once(period, () => period(at.today));
const fallsInPeriod = (period: NamedPeriod): OperatorMatch =>
  matchFlag((element, at) => {
    const seen = comparableDay(element, at.zone);
    return seen !== null && isWithin(seen, spanOf(period, at));
  }, true);
const recursWithin = (period: NamedPeriod): OperatorMatch =>
  matchFlag((element, at) => {
    const seen = comparableDay(element, at.zone);
    return seen !== null && hasAnniversaryWithin(seen, spanOf(period, at));
  }, true);

type PeriodEntry = { name: `$${string}`; says: string; period: NamedPeriod; within: string; outside: string };

const PERIODS: readonly PeriodEntry[] = [
  { name: "$today", says: "today", period: dayFromToday(0), within: "2026-03-01", outside: "2026-02-28" },
  { name: "$tomorrow", says: "tomorrow", period: dayFromToday(1), within: "2026-03-02", outside: "2026-03-01" },
  { name: "$yesterday", says: "yesterday", period: dayFromToday(-1), within: "2026-02-28", outside: "2026-03-01" },
  { name: "$this_week", says: "in this week", period: weekFromToday(0), within: "2026-02-23", outside: "2026-03-02" },
  { name: "$last_week", says: "in last week", period: weekFromToday(-1), within: "2026-02-22", outside: "2026-02-23" },
  { name: "$next_week", says: "in next week", period: weekFromToday(1), within: "2026-03-08", outside: "2026-03-09" },
  {
    name: "$this_month",
    says: "in this month",
    period: monthFromToday(0),
    within: "2026-03-31",
    outside: "2026-04-01",
  },
  {
    name: "$last_month",
    says: "in last month",
    period: monthFromToday(-1),
    within: "2026-02-28",
    outside: "2026-01-31",
  },
  {
    name: "$next_month",
    says: "in next month",
    period: monthFromToday(1),
    within: "2026-04-30",
    outside: "2026-05-01",
  },
];
const YEARS: readonly PeriodEntry[] = [
  { name: "$this_year", says: "in this year", period: yearFromToday(0), within: "2026-12-31", outside: "2027-01-01" },
  { name: "$last_year", says: "in last year", period: yearFromToday(-1), within: "2025-01-01", outside: "2026-01-01" },
  { name: "$next_year", says: "in next year", period: yearFromToday(1), within: "2027-12-31", outside: "2026-12-31" },
];

const plain = (entry: PeriodEntry): FilterOperator => ({
  name: entry.name,
  summary: `is ${entry.says}`,
  over: "some",
  on: dates(fallsInPeriod(entry.period)),
  examples: [
    ["date", `${entry.within}T12:00:00Z`, [true], true],
    ["date", `${entry.outside}T12:00:00Z`, [true], false],
    ["metadata", entry.within.replace("202", "192"), "", false],
  ],
});
const recurring = (entry: PeriodEntry): FilterOperator => ({
  name: `${entry.name}_md`,
  summary: `its month and day are ${entry.says}, whatever the year`,
  over: "some",
  on: dates(recursWithin(entry.period)),
  examples: [
    ["birthdate", entry.within.replace("2026", "1992"), true, true],
    ["birthdate", entry.outside.replace("2026", "1992"), true, false],
    ["metadata", entry.within.replace("2026", "1992"), "", true],
  ],
});

/** A new one is one entry above; a period that recurs every year has a twin whose name ends in `_md`. */
export const DATE_OPERATORS: readonly FilterOperator[] = [
  ...ABSOLUTE,
  ...RELATIVE,
  ...[...PERIODS, ...YEARS].map(plain),
  ...PERIODS.map(recurring),
];
