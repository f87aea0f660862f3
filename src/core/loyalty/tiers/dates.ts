import {
  type CalendarUnit,
  ceilMidnight,
  dayEnd,
  durationOf,
  instantText,
  isBefore,
  later,
  localDate,
  MONTHS_OF,
  nextListed,
  type Span,
  unitEnd,
  unitStart,
  zoned,
} from "../../time/calendar.ts";
import type { TierDowngrade, TierExpiration } from "./structure.ts";

/** A time for which a tier is kept whatever happens, with its last day. */
export type Term = {
  /** Counted from the day on which it starts, or from the last day of the part of the year that holds it, or the next. */
  from: "START" | "END_OF_PERIOD" | "END_OF_NEXT_PERIOD";
  period: CalendarUnit;
  /** How much longer. */
  extend: Temporal.Duration | null;
  /** Forward: to the first or last day of a part of the year, or of a month of the year, 1 to 12. */
  rounding: { to: CalendarUnit | number; strategy: "START" | "END" } | null;
};
export type TermExpiration = {
  type: "TERM_EXPIRATION";
  term: Term;
  rolling_expiration?: undefined;
  calendar_expiration?: undefined;
  sliding_expiration?: undefined;
};
export type WatchedExpiration = TierExpiration | TermExpiration;

function termEnd({ from, period, extend, rounding }: Term, start: Temporal.PlainDate): Temporal.PlainDate {
  const end = from === "START" ? start : unitEnd(start, period);
  const last = from === "END_OF_NEXT_PERIOD" ? unitEnd(end.add({ days: 1 }), period) : end;
  const extended = extend ? last.add(extend) : last;
  return rounding ? roundedUp(extended, rounding) : extended;
}

function roundedUp(day: Temporal.PlainDate, { to, strategy }: NonNullable<Term["rounding"]>): Temporal.PlainDate {
  if (typeof to === "string") {
    if (strategy === "END") return unitEnd(day, to);
    return unitStart(day, to).equals(day) ? day : unitEnd(day, to).add({ days: 1 });
  }
  const inYear = (year: number) => {
    const first = Temporal.PlainDate.from({ year, month: to, day: 1 });
    return strategy === "START" ? first : unitEnd(first, "MONTH");
  };
  const same = inYear(day.year);
  return Temporal.PlainDate.compare(same, day) >= 0 ? same : inYear(day.year + 1);
}

/** When a tier ends that starts at `start`; null: there is no such time. */
export function tierExpiresAt(expiration: WatchedExpiration | null, start: string, zone: string): string | null {
  switch (expiration?.type) {
    case undefined:
    case "NO_EXPIRATION":
      return null;
    case "TERM_EXPIRATION":
      return dayEnd(termEnd((expiration as TermExpiration).term, localDate(start, zone)), zone);
    case "ROLLING_EXPIRATION":
      return instantText(ceilMidnight(zoned(start, zone).add(durationOf(expiration!.rolling_expiration!.period))));
    case "CALENDAR_EXPIRATION": {
      const dates = expiration!.calendar_expiration!.calendar_dates;
      return dayEnd(nextListed(localDate(start, zone), dates, { isSameCounted: true }), zone);
    }
    case "SLIDING_EXPIRATION": {
      const period = expiration!.sliding_expiration!.period;
      return period ? dayEnd(later(localDate(start, zone), period), zone) : null;
    }
  }
}

type Grace = NonNullable<TierDowngrade["grace_period"]>;

/**
 * When a grace ends that began at `since`: at a midnight, or with the last day of the unit that holds its last moment. A
 * month from 20 July, 00:00 lasts until 20 August, 00:00; rounded up until 1 September.
 */
export function graceEndsAt(grace: Grace, since: string, zone: string): string {
  const end = ceilMidnight(zoned(since, zone).add(durationOf(grace)));
  if (!grace.round_up || grace.unit === "DAY") return instantText(end);
  const last = end.subtract({ milliseconds: 1 }).toPlainDate();
  const first = grace.unit === "MONTH" ? last.with({ day: 1 }) : last.with({ month: 1, day: 1 });
  return instantText(first.add(durationOf({ value: 1, unit: grace.unit })).toZonedDateTime(zone));
}

export type TrackingWindow = { start_at: string; end_at: string };
/** HOUR and WEEK have no maximum in a body: a window of a thousand years is for ever too. */
const LONGEST = {
  HOUR: 8_766_000,
  DAY: 365_250,
  WEEK: 52_178,
  MONTH: 12_000,
  QUARTER: 4000,
  HALF_YEAR: 2000,
  YEAR: 1000,
} as const;

/**
 * The tracking period that holds a moment. They follow one another from the beginning of the hour, day, week, month or
 * year in which the card was made.
 */
export function trackingWindow(
  { value, unit }: Span,
  { createdAt, at, zone }: { createdAt: string; at: string; zone: string },
): TrackingWindow {
  const span: Span = { value: Math.min(value, LONGEST[unit]), unit };
  const starts = windowStarts(span, zoned(createdAt, zone));
  const passed = unitsBetween(unit, zoned(createdAt, zone), zoned(at, zone));
  let index = Math.floor(passed / span.value);
  // A night in which clocks go back over midnight has a day twice: the moments decide.
  while (isBefore(at, starts(index))) index -= 1;
  while (!isBefore(at, starts(index + 1))) index += 1;
  return { start_at: starts(index), end_at: starts(index + 1) };
}

const hourOf = (at: Temporal.ZonedDateTime) => at.round({ smallestUnit: "hour", roundingMode: "floor" });

function windowStarts(span: Span, created: Temporal.ZonedDateTime): (index: number) => string {
  if (span.unit === "HOUR") return (index) => instantText(hourOf(created).add(durationOf(span, index)));
  const day = created.toPlainDate();
  const first = {
    DAY: day,
    WEEK: day.subtract({ days: day.dayOfWeek - 1 }),
    MONTH: unitStart(day, "MONTH"),
    QUARTER: unitStart(day, "QUARTER"),
    HALF_YEAR: unitStart(day, "HALF_YEAR"),
    YEAR: unitStart(day, "YEAR"),
  }[span.unit];
  return (index) => instantText(first.add(durationOf(span, index)).toZonedDateTime(created.timeZoneId));
}

/** How many units of the calendar began since the one of `from`. */
function unitsBetween(unit: Span["unit"], from: Temporal.ZonedDateTime, to: Temporal.ZonedDateTime): number {
  switch (unit) {
    case "HOUR":
      return Math.floor((to.epochMilliseconds - hourOf(from).epochMilliseconds) / 3_600_000);
    case "DAY":
      return from.toPlainDate().until(to.toPlainDate(), { largestUnit: "days" }).days;
    case "WEEK":
      return Math.floor((from.dayOfWeek - 1 + unitsBetween("DAY", from, to)) / 7);
    case "MONTH":
    case "QUARTER":
    case "HALF_YEAR":
    case "YEAR": {
      const count = ({ year, month }: Temporal.ZonedDateTime) => Math.floor((year * 12 + month - 1) / MONTHS_OF[unit]);
      return count(to) - count(from);
    }
  }
}
