import { Decimal } from "decimal.js";
import { parseDay, parseInstant, parseMoment } from "../time/instant.ts";

/** When and where a rule is asked: dates are read, and days counted, in the project's zone. */
export type Moment = { now: string; zone: string };

/** A missing value has no elements, an array its own, anything else is its only one. */
export function elementsOf(seen: unknown): readonly unknown[] {
  if (seen === undefined || seen === null) return [];
  return Array.isArray(seen) ? seen.filter((element) => element !== undefined && element !== null) : [seen];
}

/** Metadata is compared as text: 5 is "5" and true is "true". An object is equal to nothing. */
export function comparableText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

const NUMBER = /^-?\d{1,30}(?:\.\d{1,30})?$/;

/** A number, also one written as text; null for what is none. */
export function comparableNumber(value: unknown): number | Decimal | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" && NUMBER.test(value) ? new Decimal(value) : null;
}

/** Below, at or above zero as in a sort; null when one of them is no number. "10.10" and 10.1 are equal. */
function compareNumbers(one: unknown, other: unknown): number | null {
  const [a, b] = [comparableNumber(one), comparableNumber(other)];
  if (a === null || b === null) return null;
  if (typeof a === "number" && typeof b === "number") return Math.sign(a - b);
  return new Decimal(a).comparedTo(b);
}

// Contract is silent: a day against a moment is compared by days.
/**
 * Dates in time. Where one of them is a day, the other is taken as the day it falls on in the zone: nothing on
 * 1 March is after 2026-03-01. Null when one of them is no date.
 */
export function compareDates(one: unknown, other: unknown, zone: string): number | null {
  if (typeof one !== "string" || typeof other !== "string") return null;
  if (parseDay(one) || parseDay(other)) {
    const [a, b] = [comparableDay(one, zone), comparableDay(other, zone)];
    return a && b && Temporal.PlainDate.compare(a, b);
  }
  const [a, b] = [parseMoment(one, zone), parseMoment(other, zone)];
  return a && b && Temporal.ZonedDateTime.compare(a, b);
}

/** Numbers as numbers, else dates as dates; null for what can be put in no order. */
export const compareValues = (one: unknown, other: unknown, zone: string): number | null =>
  compareNumbers(one, other) ?? compareDates(one, other, zone);

export function comparableDay(value: unknown, zone: string): Temporal.PlainDate | null {
  if (typeof value !== "string") return null;
  return parseDay(value) ?? parseMoment(value, zone)?.toPlainDate() ?? null;
}

/** An instant as `validityFault` takes it; a day is its first moment. */
export function instantOf(value: unknown, zone: string): string | null {
  return typeof value === "string" ? (parseInstant(value, zone)?.toInstant().toString() ?? null) : null;
}

/** How many days of the calendar lie between today and the date: 0 today, 1 tomorrow, -1 yesterday. */
export function daysFromToday(value: unknown, { now, zone }: Moment): number | null {
  const day = comparableDay(value, zone);
  if (!day) return null;
  const today = Temporal.Instant.from(now).toZonedDateTimeISO(zone).toPlainDate();
  return today.until(day, { largestUnit: "days" }).days;
}
