import assert from "node:assert/strict";
import { parseDuration, roughLengthMs } from "./duration.ts";
import { parseInstant } from "./instant.ts";

export type DailyHours = { start_time: string; expiration_time: string; days_of_week?: readonly number[] | null };

// Contract is silent: an empty list of days or hours.
/** When something is active. What is null does not limit it, and neither does an empty list. */
export type ValidityFields = {
  start_date: string | null;
  expiration_date: string | null;
  /** From the start on, once in every interval, active for the duration. */
  validity_timeframe: { interval: string; duration: string } | null;
  /** 0 is Sunday. */
  validity_day_of_week: readonly number[] | null;
  validity_hours: { daily: readonly DailyHours[] } | null;
};
/** A moment, in the project's zone as `resolveZone` gives it. */
export type At = { now: string; zone: string };
export type ValidityFault = "not_started" | "expired" | "outside_window";

/** Why something is not active at a moment, or null when it is. The moments of start and of expiration are active ones. */
export function validityFault(validity: ValidityFields, at: At): ValidityFault | null {
  if (isUnlimited(validity)) return null;
  const now = Temporal.Instant.from(at.now).toZonedDateTimeISO(at.zone);
  const start = validity.start_date === null ? null : parseInstant(validity.start_date, at.zone);
  const end = validity.expiration_date === null ? null : parseInstant(validity.expiration_date, at.zone);
  if (start && isBefore(now, start)) return "not_started";
  if (end && isBefore(end, now)) return "expired";
  const { validity_timeframe: timeframe, validity_day_of_week: days, validity_hours: hours } = validity;
  if (timeframe && !inTimeframe(timeframe, start, now)) return "outside_window";
  if (!isOnDays(days, now)) return "outside_window";
  if (hours && hours.daily.length > 0 && !hours.daily.some((entry) => inHours(entry, now))) return "outside_window";
  return null;
}

/** Most things are: for them nothing has to be read. */
const isUnlimited = (fields: ValidityFields): boolean =>
  fields.start_date === null &&
  fields.expiration_date === null &&
  !fields.validity_timeframe &&
  !fields.validity_day_of_week &&
  !fields.validity_hours;

const isBefore = (one: Temporal.ZonedDateTime, other: Temporal.ZonedDateTime): boolean =>
  Temporal.ZonedDateTime.compare(one, other) < 0;

/** Temporal counts from Monday, 1, to Sunday, 7. */
const isOnDays = (days: readonly number[] | null | undefined, { dayOfWeek }: Temporal.ZonedDateTime): boolean =>
  !days || days.length === 0 || days.includes(dayOfWeek % 7);

/** Both ends count with their whole minute: until "18:00" holds at 18:00:59 and not at 18:01:00. */
function inHours({ start_time, expiration_time, days_of_week }: DailyHours, now: Temporal.ZonedDateTime): boolean {
  const minute = now.toPlainTime().toString({ smallestUnit: "minute" });
  return isOnDays(days_of_week, now) && start_time <= minute && minute <= expiration_time;
}

/**
 * The end of a window is counted from the first start, not from the start of the window: with interval and duration
 * both P1M from 31 January, the window of 28 February has to last until 31 March, when the next one starts.
 */
function inTimeframe(
  { interval, duration }: { interval: string; duration: string },
  start: Temporal.ZonedDateTime | null,
  now: Temporal.ZonedDateTime,
): boolean {
  const [step, length] = [parseDuration(interval), parseDuration(duration)];
  // Writes refuse such a timeframe. Should one be read all the same, a discount too few is better than one too many.
  if (!start || !step || !length) return false;
  const index = windowIndex(start, step, now);
  return isBefore(now, start.add(plus(times(step, index), length)));
}

const CORRECTIONS_MAX = 10;

/**
 * Which window holds `now`, or was the last to start before it; the first is 0. Every window starts a whole number of
 * intervals after the first start, so that daylight saving and short months do not add up. The guess by average length
 * is wrong by a window or two at most: from 31 January, 59 days are 1.94 months and the guess is 1, but 31 March is 2.
 */
function windowIndex(start: Temporal.ZonedDateTime, step: Temporal.Duration, now: Temporal.ZonedDateTime): number {
  const elapsedMs = now.epochMilliseconds - start.epochMilliseconds;
  let index = Math.floor(elapsedMs / roughLengthMs(step));
  const starts = (at: number) => start.add(times(step, at));
  for (let corrections = 0; corrections < CORRECTIONS_MAX; corrections++) {
    if (index > 0 && isBefore(now, starts(index))) index -= 1;
    else if (!isBefore(now, starts(index + 1))) index += 1;
    else return index;
  }
  return assert.fail("the guess of a window is near the window");
}

const UNITS = ["years", "months", "weeks", "days", "hours", "minutes", "seconds"] as const;
const times = (duration: Temporal.Duration, count: number): Temporal.Duration =>
  Temporal.Duration.from(Object.fromEntries(UNITS.map((unit) => [unit, duration[unit] * count])));
const plus = (one: Temporal.Duration, other: Temporal.Duration): Temporal.Duration =>
  Temporal.Duration.from(Object.fromEntries(UNITS.map((unit) => [unit, one[unit] + other[unit]])));

/** What is wrong with the fields of a write, in words for the `details` of an answer, or null. */
export function validityFieldsFault(fields: ValidityFields & { zone: string }): string | null {
  return datesFault(fields) ?? timeframeFault(fields) ?? daysFault(fields) ?? hoursFault(fields);
}

type Fields = ValidityFields & { zone: string };

function datesFault({ start_date, expiration_date, zone }: Fields): string | null {
  for (const [field, text] of Object.entries({ start_date, expiration_date }))
    if (text !== null && !parseInstant(text, zone)) return `${field} must be an ISO 8601 date or date-time`;
  if (start_date === null || expiration_date === null) return null;
  const isAfter = isBefore(parseInstant(start_date, zone)!, parseInstant(expiration_date, zone)!);
  return isAfter ? null : "expiration_date must be after start_date";
}

function timeframeFault({ validity_timeframe, start_date, zone }: Fields): string | null {
  if (!validity_timeframe) return null;
  if (start_date === null) return "validity_timeframe requires start_date";
  const [interval, duration] = [parseDuration(validity_timeframe.interval), parseDuration(validity_timeframe.duration)];
  const says = "must be an ISO 8601 duration above zero and up to 100 years, such as P1W or PT2H";
  if (!interval) return `validity_timeframe.interval ${says}`;
  if (!duration) return `validity_timeframe.duration ${says}`;
  // From a day of the calendar, not from a moment: P1D and PT24H are equal whatever clocks do on the first day.
  const relativeTo = parseInstant(start_date, zone)!.toPlainDate();
  return Temporal.Duration.compare(duration, interval, { relativeTo }) > 0
    ? "validity_timeframe.duration must not be longer than validity_timeframe.interval"
    : null;
}

const areDays = (days: readonly number[]): boolean =>
  new Set(days).size === days.length && days.every((day) => Number.isInteger(day) && day >= 0 && day <= 6);
const DAYS_SAY = "must be different whole numbers from 0 (Sunday) to 6 (Saturday)";

const daysFault = ({ validity_day_of_week: days }: Fields): string | null =>
  days && !areDays(days) ? `validity_day_of_week ${DAYS_SAY}` : null;

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];

/** A week has 10,080 minutes, so more windows than this say nothing that fewer could not. */
const DAILY_HOURS_MAX = 100;

function hoursFault({ validity_hours }: Fields): string | null {
  const daily = validity_hours?.daily ?? [];
  if (daily.length > DAILY_HOURS_MAX) return `validity_hours.daily must have at most ${DAILY_HOURS_MAX} items`;
  for (const [index, { start_time, expiration_time, days_of_week }] of daily.entries()) {
    const name = `validity_hours.daily[${index}]`;
    if (!TIME.test(start_time)) return `${name}.start_time must have the form HH:mm`;
    if (!TIME.test(expiration_time)) return `${name}.expiration_time must have the form HH:mm`;
    if (start_time >= expiration_time) return `${name}.expiration_time must be after start_time`;
    if (days_of_week && !areDays(days_of_week)) return `${name}.days_of_week ${DAYS_SAY}`;
  }
  return overlapFault(daily);
}

// Contract is silent: windows that touch.
/** One window may start in the minute in which another ends, as 09:00 to 12:00 and 12:00 to 15:00 do. */
function overlapFault(daily: readonly DailyHours[]): string | null {
  const daysOf = ({ days_of_week: days }: DailyHours) => (days && days.length > 0 ? days : ALL_DAYS);
  for (const [index, one] of daily.entries())
    for (const [before, other] of daily.slice(0, index).entries())
      if (
        one.start_time < other.expiration_time &&
        other.start_time < one.expiration_time &&
        daysOf(one).some((day) => daysOf(other).includes(day))
      )
        return `validity_hours.daily[${index}] overlaps validity_hours.daily[${before}] on the same day`;
  return null;
}
