import assert from "node:assert/strict";
import type { Decimal } from "decimal.js";
import { comparableNumber } from "../rules/compare.ts";
import { parseDay, parseInstant } from "../time/instant.ts";

export type FilterScalar = string | number | boolean;
/** What an operator takes: the words for it, and the form it is compared in; null for what does not fit. */
export type FilterValueKind<T> = { says: string; read(value: FilterScalar): T | null };

const TEXT_LENGTH_MAX = 2000;
const DAYS_MAX = 100_000;
const YEARS_MAX = 1000;

const scalar: FilterValueKind<FilterScalar> = {
  says: "text, a number, true or false",
  read: (value) => (typeof value === "string" && value.length > TEXT_LENGTH_MAX ? null : value),
};

const text: FilterValueKind<string> = {
  says: `text of 1 to ${TEXT_LENGTH_MAX} characters`,
  read(value) {
    const given = String(value);
    return given === "" || given.length > TEXT_LENGTH_MAX ? null : given;
  },
};

const number: FilterValueKind<number | Decimal> = { says: "a number", read: comparableNumber };

const whole = (says: string, { least, most }: { least: number; most: number }): FilterValueKind<number> => ({
  says,
  read(value) {
    const given = comparableNumber(value);
    const count = given === null ? Number.NaN : Number(given);
    return Number.isInteger(count) && count >= least && count <= most ? count : null;
  },
});

/** A date of a filter. It is a day, or a moment that may depend on the zone. */
export type FilterDate = { day: Temporal.PlainDate | null; at(zone: string): Temporal.Instant };

const date: FilterValueKind<FilterDate> = {
  says: "an ISO 8601 date or date-time",
  read(value) {
    if (typeof value !== "string") return null;
    if (!parseInstant(value, "UTC")) return null;
    return {
      day: parseDay(value),
      at(zone) {
        const moment = parseInstant(value, zone);
        assert(moment, "a date of one zone is a date of every zone");
        return moment.toInstant();
      },
    };
  },
};

const day: FilterValueKind<Temporal.PlainDate> = {
  says: "a date as YYYY-MM-DD",
  read: (value) => (typeof value === "string" ? parseDay(value) : null),
};

export const FILTER_VALUES = {
  scalar,
  text,
  id: { ...text, says: "an id" },
  number,
  count: whole("a whole number, 0 or more", { least: 0, most: Number.MAX_SAFE_INTEGER }),
  days: whole(`a number of days from 0 to ${DAYS_MAX}`, { least: 0, most: DAYS_MAX }),
  years: whole(`a number of years from 0 to ${YEARS_MAX}`, { least: 0, most: YEARS_MAX }),
  date,
  day,
  day_of_month: whole("a day of the month from 1 to 31", { least: 1, most: 31 }),
  month: whole("a month from 1 to 12", { least: 1, most: 12 }),
  year: whole("a year from 1 to 9999", { least: 1, most: 9999 }),
};
