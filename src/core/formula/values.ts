import { Decimal } from "decimal.js";
import type { Metadata } from "../order/order.ts";
import { parseDay, parseMoment } from "../time/instant.ts";
import type { DateValue, FormulaScalar, FormulaValue, Run } from "./facts.ts";

/**
 * Numbers of formulas have 40 digits, and at most 400 before or after the point: what is larger becomes infinite, what
 * is smaller zero, so that no chain of powers makes a number that takes long to calculate or to print.
 */
export const FormulaNumber = Decimal.clone({
  precision: 40,
  rounding: Decimal.ROUND_HALF_UP,
  maxE: 400,
  minE: -400,
  modulo: Decimal.ROUND_DOWN,
});

/** A number, or null for what is infinite or none: 1 / 0 cannot be evaluated. */
export const finite = (value: Decimal): Decimal | null => (value.isFinite() ? value : null);

/** Amounts are whole hundredths of the major unit, whatever the currency: 46,500 is 465. */
export const major = (amount: number | null): Decimal | null =>
  amount === null ? null : new FormulaNumber(amount).div(100);
export const count = (quantity: number | null): Decimal | null =>
  quantity === null ? null : new FormulaNumber(quantity);

const SETTLED_DIGITS = 30;
/**
 * A number without the error of divisions in its last digits: 10 / 3 * 3 is 9.999… with 40 digits, and must be 10 before
 * it is compared or rounded down.
 */
export const roundDecimal = (value: Decimal): Decimal =>
  value.isFinite() ? value.toSignificantDigits(SETTLED_DIGITS) : value;

export const isNumber = (value: FormulaValue): value is Decimal => value instanceof FormulaNumber;
export const isDateValue = (value: FormulaValue): value is DateValue =>
  value instanceof Temporal.PlainDate || value instanceof Temporal.ZonedDateTime;
export const isList = (value: FormulaValue): value is readonly FormulaScalar[] => Array.isArray(value);

/** A value of metadata. A key may be called `constructor`: what every object has does not count. */
export function metadataValue(metadata: Metadata | null | undefined, key: string, run: Run): FormulaValue {
  const value = metadata && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (!Array.isArray(value)) return scalarOf(value);
  if (!run.spend(value.length)) return null;
  const elements = value.map(scalarOf);
  return elements.includes(null) ? null : (elements as FormulaScalar[]);
}

function scalarOf(value: unknown): FormulaScalar | null {
  if (typeof value === "number") return finite(new FormulaNumber(value));
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

/** A value as text: 5, not 5.00; a day as 2026-01-31, a moment as an instant. */
export function textOf(value: FormulaScalar): string {
  if (isNumber(value)) return roundDecimal(value).toFixed();
  if (value instanceof Temporal.ZonedDateTime) return value.toInstant().toString();
  return String(value);
}

/** A date, or a text that is one: metadata holds dates as texts. */
export function dateOf(value: FormulaValue, zone: string): DateValue | null {
  if (isDateValue(value)) return value;
  return typeof value === "string" ? (parseDay(value) ?? parseMoment(value, zone)) : null;
}

export const plainDateOf = (date: DateValue): Temporal.PlainDate =>
  date instanceof Temporal.ZonedDateTime ? date.toPlainDate() : date;

// Contract is silent: a day against a moment.
/** Two moments are compared to the nanosecond; as soon as one is a day, days are compared. */
export const compareFormulaDates = (one: DateValue, other: DateValue): number =>
  one instanceof Temporal.ZonedDateTime && other instanceof Temporal.ZonedDateTime
    ? Temporal.ZonedDateTime.compare(one, other)
    : Temporal.PlainDate.compare(plainDateOf(one), plainDateOf(other));

// Contract is silent: values of different kinds.
/**
 * Whether two values are equal; null when that is no question, as between a list and a number. A number and a text are
 * equal when the text is how the number is written, so that `is "12345"` holds for metadata that is a number.
 */
export function areEqual(one: FormulaValue, other: FormulaValue, zone: string): boolean | null {
  if (one === null || other === null || isList(one) || isList(other)) return null;
  if (isNumber(one) && isNumber(other)) return roundDecimal(one).equals(roundDecimal(other));
  if (!isDateValue(one) && !isDateValue(other)) return textOf(one) === textOf(other);
  const order = compareAsDates(one, other, zone);
  return order === null ? null : order === 0;
}

/** Below, at or above zero, as `one` is before, equal to or after `other`; null when they have no order. */
export function compareFormulaValues(one: FormulaValue, other: FormulaValue, zone: string): number | null {
  if (isNumber(one) && isNumber(other)) return roundDecimal(one).comparedTo(roundDecimal(other));
  if (typeof one === "string" && typeof other === "string") return one < other ? -1 : one > other ? 1 : 0;
  return isDateValue(one) || isDateValue(other) ? compareAsDates(one, other, zone) : null;
}

export function compareAsDates(one: FormulaValue, other: FormulaValue, zone: string): number | null {
  const [first, second] = [dateOf(one, zone), dateOf(other, zone)];
  return first && second ? compareFormulaDates(first, second) : null;
}
