import { ApiError } from "../errors.ts";
import { isExact, parseJson } from "../json.ts";
import { isObject } from "../shapes.ts";
import { parseDay } from "../time/instant.ts";

/** What a cell of a CSV file says, or why it says nothing that can be used. */
export type Cell = { value: unknown } | { fault: string };
export type ParseCell = (text: string) => Cell;

const fault = (reason: string): Cell => ({ fault: reason });

/** Text of so many characters at most. */
export const textCell =
  (maxLength: number): ParseCell =>
  (text) =>
    [...text].length > maxLength ? fault(`must NOT have more than ${maxLength} characters`) : { value: text };

export const countCell: ParseCell = (text) =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text))
    ? { value: Number(text) }
    : fault("must be a whole number such as 2");

const AMOUNT = /^(\d+)(?:[.,](\d{1,2}))?$/;

/** Money in the unit of the currency: 49.99 is 4999 cents. */
export const moneyCell: ParseCell = (text) => {
  const [, whole, cents = ""] = AMOUNT.exec(text) ?? [];
  const value = whole === undefined ? Number.NaN : Number(whole) * 100 + Number(cents.padEnd(2, "0"));
  return Number.isSafeInteger(value) ? { value } : fault("must be an amount of money such as 49.99");
};

export const numberCell: ParseCell = (text) => {
  const value = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return isExact(value) ? { value } : fault("must be a number such as 1.5");
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);
export const booleanCell: ParseCell = (text) => {
  const value = BOOLEANS.get(text.toLowerCase());
  return value === undefined ? fault("must be true or false") : { value };
};

export const dayCell: ParseCell = (text) =>
  (parseDay(text)?.year ?? 0) > 0 ? { value: text } : fault("must be a day such as 2027-01-31");

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2})(?::(\d{2})(?::(\d{2})(\.\d{1,9})?)?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** A moment, down to where somebody wrote it: `2027-01-31`, `…T10`, `…T10:30`, `…T10:30:00`, with `Z` or an offset; else UTC. */
export const momentCell: ParseCell = (text) => {
  const [, day, hour = "00", minute = "00", second = "00", part = "", zone = "Z"] = MOMENT.exec(text) ?? [];
  const instant = day && instantOf(`${day}T${hour}:${minute}:${second}${part}${zone}`);
  return instant ? { value: instant } : fault("must be a date such as 2027-01-31 or 2027-01-31T10:30:00Z");
};

function instantOf(text: string): string | null {
  try {
    const moment = Temporal.Instant.from(text).toString({ smallestUnit: "millisecond" });
    return /^(?!0000)\d{4}-/.test(moment) ? moment : null;
  } catch {
    return null;
  }
}

/** One of these words, in any case. */
export const choiceCell =
  (words: readonly string[]): ParseCell =>
  (text) => {
    const value = text.toUpperCase();
    return words.includes(value) ? { value } : fault(`must be one of ${words.join(", ")}`);
  };

/** Several values with commas between them. */
export const listCell =
  (parse: ParseCell): ParseCell =>
  (text) => {
    const cells = text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .map(parse);
    const wrong = cells.find((one) => "fault" in one);
    return wrong ?? { value: cells.map((one) => ("value" in one ? one.value : null)) };
  };

/** An object as JSON. Spreadsheets are full of quotation marks, so it may have single ones. */
export const objectCell: ParseCell = (text) => {
  const json = isJson(text) ? text : text.replaceAll("'", '"');
  try {
    const value = isJson(json) ? parseJson(json, "cell") : null;
    return isObject(value) ? { value } : fault(`must be an object such as {"color": "red"}`);
  } catch (error) {
    if (error instanceof ApiError) return fault(error.body.details ?? error.body.message);
    throw error;
  }
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
