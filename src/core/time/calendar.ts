import type { Period } from "../loyalty/program/period.ts";

/** Days, months and years; a tracking period may also have hours and weeks, and parts of the year of the calendar. */
export type Span = { value: number; unit: "HOUR" | "DAY" | "WEEK" | "MONTH" | "QUARTER" | "HALF_YEAR" | "YEAR" };
export type DayOfYear = { day: number; month: number };

const UNIT = { HOUR: "hours", DAY: "days", WEEK: "weeks", MONTH: "months", YEAR: "years" } as const;
export function durationOf({ value, unit }: Span, times = 1): Temporal.DurationLike {
  if (unit === "QUARTER" || unit === "HALF_YEAR") return { months: MONTHS_OF[unit] * value * times };
  return { [UNIT[unit]]: value * times };
}

/** The parts of the year of the calendar. */
export type CalendarUnit = "MONTH" | "QUARTER" | "HALF_YEAR" | "YEAR";
export const MONTHS_OF = { MONTH: 1, QUARTER: 3, HALF_YEAR: 6, YEAR: 12 } as const;
export const unitStart = (day: Temporal.PlainDate, unit: CalendarUnit): Temporal.PlainDate =>
  day.with({ day: 1, month: day.month - ((day.month - 1) % MONTHS_OF[unit]) });
/** The last day of the part that holds a day. */
export const unitEnd = (day: Temporal.PlainDate, unit: CalendarUnit): Temporal.PlainDate =>
  unitStart(day, unit).add({ months: MONTHS_OF[unit] }).subtract({ days: 1 });

export const zoned = (instant: string, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
export const instantText = (at: Temporal.ZonedDateTime): string =>
  at.toInstant().toString({ fractionalSecondDigits: 3 });
export const localDate = (instant: string, zone: string): Temporal.PlainDate => zoned(instant, zone).toPlainDate();

/** The first moment of a day: where clocks skip midnight it is the hour after. */
export const dayStart = (day: Temporal.PlainDate, zone: string): string => instantText(day.toZonedDateTime(zone));
export const dayEnd = (day: Temporal.PlainDate, zone: string): string => dayStart(day.add({ days: 1 }), zone);

/** A day so much later. A month after 31 January is the last day of February. */
export const later = (day: Temporal.PlainDate, period: Period): Temporal.PlainDate => day.add(durationOf(period));

/** The midnight that ends the day of a moment, or the moment itself when a day begins with it. */
export function ceilMidnight(at: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const start = at.startOfDay();
  return start.equals(at) ? at : start.add({ days: 1 }).startOfDay();
}

/**
 * The first of the listed days of the year that is `day` or later, or only later. 29 February is the 28th in years that
 * have none.
 */
export function nextListed(
  day: Temporal.PlainDate,
  dates: readonly DayOfYear[],
  { isSameCounted }: { isSameCounted: boolean },
): Temporal.PlainDate {
  const from = isSameCounted ? day : day.add({ days: 1 });
  return [from.year, from.year + 1]
    .flatMap((year) => dates.map((date) => Temporal.PlainDate.from({ ...date, year }, { overflow: "constrain" })))
    .filter((one) => Temporal.PlainDate.compare(one, from) >= 0)
    .toSorted(Temporal.PlainDate.compare)[0]!;
}

export const isBefore = (one: string, other: string): boolean => Date.parse(one) < Date.parse(other);
export const earliest = (instants: readonly (string | null)[]): string | null =>
  instants.reduce((best, one) => (one !== null && (best === null || isBefore(one, best)) ? one : best), null);
