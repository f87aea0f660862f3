/** Days of the calendar, both ends included. */
export type DaySpan = readonly [first: Temporal.PlainDate, last: Temporal.PlainDate];
/** The days that a word such as "last week" stands for today. */
export type NamedPeriod = (today: Temporal.PlainDate) => DaySpan;

export const dayFromToday =
  (days: number): NamedPeriod =>
  (today) => {
    const day = today.add({ days });
    return [day, day];
  };

/** Weeks start on Monday: that of Sunday, 1 March 2026 is 23 February to 1 March. */
export const weekFromToday =
  (weeks: number): NamedPeriod =>
  (today) => {
    const monday = today.add({ days: 1 - today.dayOfWeek + 7 * weeks });
    return [monday, monday.add({ days: 6 })];
  };

export const monthFromToday =
  (months: number): NamedPeriod =>
  (today) => {
    // From the first of the month: a month after 31 January is no day of March.
    const first = today.with({ day: 1 }).add({ months });
    return [first, first.with({ day: first.daysInMonth })];
  };

export const yearFromToday =
  (years: number): NamedPeriod =>
  (today) => {
    const year = today.year + years;
    return [today.with({ year, month: 1, day: 1 }), today.with({ year, month: 12, day: 31 })];
  };

export const isWithin = (day: Temporal.PlainDate, [first, last]: DaySpan): boolean =>
  Temporal.PlainDate.compare(first, day) <= 0 && Temporal.PlainDate.compare(day, last) <= 0;

/** The month and day of a date in another year. */
// Contract is silent: 29 February is 28 February in a year without it, so that a birthday stays in its month.
export const anniversary = (day: Temporal.PlainDate, year: number): Temporal.PlainDate =>
  day.with({ year }, { overflow: "constrain" });

/** Whether the month and day fall in the span, which may reach from one year into the next. */
export function hasAnniversaryWithin(day: Temporal.PlainDate, span: DaySpan): boolean {
  const [first, last] = span;
  for (let year = first.year; year <= last.year; year++) if (isWithin(anniversary(day, year), span)) return true;
  return false;
}

/** Days since the month and day last came; 0 today. On 1 January 2026 it is 1 for 31 December. */
export function daysSinceAnniversary(day: Temporal.PlainDate, today: Temporal.PlainDate): number {
  const days = anniversary(day, today.year).until(today).days;
  return days >= 0 ? days : anniversary(day, today.year - 1).until(today).days;
}

/** Days until the month and day come next; 0 today. On 31 December 2026 it is 1 for 1 January. */
export function daysUntilAnniversary(day: Temporal.PlainDate, today: Temporal.PlainDate): number {
  const days = today.until(anniversary(day, today.year)).days;
  return days >= 0 ? days : today.until(anniversary(day, today.year + 1)).days;
}
