import { Decimal } from "decimal.js";
import { comparableNumber, comparableText, elementsOf } from "../rules/compare.ts";
import { daysAgo, isSameDate } from "./date-operators.ts";
import { parseGeopoint } from "./geopoint.ts";
import {
  type FilterOperator,
  isMissing,
  matchAll,
  matchAny,
  matchFlag,
  type OperatorMatch,
  type Test,
} from "./operator.ts";
import { FILTER_VALUES, type FilterScalar } from "./values.ts";

const { scalar, text, id, number, count, days, date } = FILTER_VALUES;

/** The same text for the same number, however it was written: 10.1 and "10.10" are one. */
function numberKey(value: unknown): string | null {
  if (Number.isSafeInteger(value)) return String(value);
  const read = comparableNumber(value);
  return read === null ? null : new Decimal(read).toString();
}

/** Text is compared as it is, a number as a number, true and false in any case. An object is equal to nothing. */
function isAmong(values: readonly FilterScalar[]): Test {
  const texts = new Set(values.map(String));
  const flags = new Set(values.map((value) => String(value).toLowerCase()));
  const numbers = new Set(values.map(numberKey));
  return (element) => {
    if (typeof element === "string") return texts.has(element);
    if (typeof element === "boolean") return flags.has(String(element));
    return typeof element === "number" && Number.isFinite(element) && numbers.has(numberKey(element));
  };
}

const equalText = matchAll(scalar, isAmong);
const equalNumber = matchAll(number, (values) => {
  const keys = new Set(values.map((value) => new Decimal(value).toString()));
  return (element) => {
    const key = numberKey(element);
    return key !== null && keys.has(key);
  };
});
const equalDate = matchAny(date, isSameDate);
const EQUALITY: FilterOperator["on"] = {
  text: equalText,
  list: equalText,
  metadata: equalText,
  number: equalNumber,
  date: equalDate,
  birthdate: equalDate,
};

function compareNumbers(one: number | Decimal, other: number | Decimal): number {
  if (typeof one === "number" && typeof other === "number") return Math.sign(one - other);
  return new Decimal(one).comparedTo(other);
}

/** Numbers, and on dates the days since: a date to come is no days ago. Metadata may be either, and numbers go first. */
function comparesValues(fits: (sign: number) => boolean): FilterOperator["on"] {
  const asNumber = matchAny(number, (element, expected) => {
    const seen = comparableNumber(element);
    return seen !== null && fits(compareNumbers(seen, expected));
  });
  const asDays = matchAny(
    days,
    (element, expected, at) => {
      const ago = daysAgo(element, at);
      return ago !== null && ago >= 0 && fits(ago - expected);
    },
    true,
  );
  const asEither = matchAny(
    number,
    (element, expected, at) => {
      const seen = comparableNumber(element);
      if (seen !== null) return fits(compareNumbers(seen, expected));
      const ago = daysAgo(element, at);
      return ago !== null && ago >= 0 && fits(compareNumbers(ago, expected));
    },
    true,
  );
  return { number: asNumber, date: asDays, birthdate: asDays, metadata: asEither };
}

/** Case does not count. */
function inText(fits: (whole: string, part: string) => boolean): FilterOperator["on"] {
  const match = matchAll(text, (parts) => {
    const folded = parts.map((part) => part.toLowerCase());
    return (element) => {
      const whole = comparableText(element)?.toLowerCase();
      return whole !== undefined && folded.some((part) => fits(whole, part));
    };
  });
  return { text: match, list: match, metadata: match };
}

/** How many elements there are; a field that is a number already is a count. */
function comparesCount(fits: (size: number, expected: number) => boolean): FilterOperator["on"] {
  const ofElements = matchAny(count, (seen, expected) => !isMissing(seen) && fits(elementsOf(seen).length, expected));
  const ofNumber = matchAny(count, (seen, expected) => {
    const size = comparableNumber(seen);
    return size !== null && fits(Number(size), expected);
  });
  return { list: ofElements, metadata: ofElements, number: ofNumber };
}

const presence = (fits: Test): FilterOperator["on"] => {
  const match: OperatorMatch = matchFlag(fits);
  return { text: match, number: match, date: match, birthdate: match, list: match, metadata: match };
};

const inLocation: FilterOperator["on"] = {
  metadata: matchAny(id, (element, locationId, at) => {
    const geopoint = parseGeopoint(element);
    return geopoint !== null && at.inLocation(locationId, geopoint);
  }),
};

const isPart = (whole: string, part: string) => whole.includes(part);

/** A new one is one entry. */
export const PLAIN_OPERATORS: readonly FilterOperator[] = [
  {
    name: "$is",
    summary: "equals one of the values",
    over: "some",
    on: EQUALITY,
    examples: [
      ["text", "Poland", "Poland", true],
      ["text", "Poland", "poland", false],
      ["number", 10.1, ["10.10"], true],
      ["date", "2026-02-28T23:30:00Z", "2026-03-01", true],
      ["date", "2026-03-01T08:00:00Z", "2026-03-01T09:00:00+01:00", true],
      ["birthdate", "1990-05-17", "1990-05-17", true],
      ["list", ["red", "blue"], "blue", true],
      ["metadata", true, "TRUE", true],
      ["metadata", 5, ["5.0"], true],
      ["metadata", "5", [5], true],
      ["metadata", { deep: 1 }, ["[object Object]"], false],
    ],
  },
  {
    name: "$is_not",
    summary: "equals none of the values",
    over: "none",
    on: EQUALITY,
    examples: [
      ["text", "Poland", ["Spain", "Italy"], true],
      ["list", ["red", "blue"], "blue", false],
      ["number", 5, 5, false],
    ],
  },
  {
    name: "$in",
    summary: "equals one of the values",
    over: "some",
    on: EQUALITY,
    examples: [
      ["metadata", "Gold", ["Gold", "Silver"], true],
      ["metadata", "Gold", { 0: "Bronze", 1: "Silver" }, false],
    ],
  },
  {
    name: "$not_in",
    summary: "equals none of the values",
    over: "none",
    on: EQUALITY,
    examples: [
      ["metadata", "Gold", ["Bronze", "Silver"], true],
      ["metadata", ["Gold", "Silver"], ["Silver"], false],
    ],
  },
  {
    name: "$contains",
    summary: "contains one of the texts, in any case",
    over: "some",
    on: inText(isPart),
    examples: [
      ["text", "ann@Example.com", "@example", true],
      ["list", ["red wine", "beer"], "WINE", true],
      ["metadata", 12345, 234, true],
      ["text", "ann@example.com", "@other", false],
    ],
  },
  {
    name: "$not_contain",
    summary: "contains none of the texts, in any case",
    over: "none",
    on: inText(isPart),
    examples: [
      ["text", "ann@example.com", ["@other", "@another"], true],
      ["text", "ann@example.com", ["@other", "@EXAMPLE"], false],
    ],
  },
  {
    name: "$starts_with",
    summary: "starts with one of the texts, in any case",
    over: "some",
    on: inText((whole, part) => whole.startsWith(part)),
    examples: [
      ["text", "+48123456789", ["+44", "+48"], true],
      ["text", "Ann", "nn", false],
    ],
  },
  {
    name: "$ends_with",
    summary: "ends with one of the texts, in any case",
    over: "some",
    on: inText((whole, part) => whole.endsWith(part)),
    examples: [
      ["text", "photo.JPG", [".png", ".jpg"], true],
      ["text", "photo.jpg.txt", ".jpg", false],
    ],
  },
  {
    name: "$has_value",
    summary: "has a value, be it an empty one",
    over: "whole",
    on: presence((seen) => !isMissing(seen)),
    examples: [
      ["text", "", true, true],
      ["list", [], "", true],
      ["text", null, {}, false],
      ["number", undefined, [true], false],
    ],
  },
  {
    name: "$is_unknown",
    summary: "has no value",
    over: "whole",
    on: presence(isMissing),
    examples: [
      ["birthdate", null, [true], true],
      ["number", 0, "", false],
    ],
  },
  {
    name: "$more_than",
    summary: "is more than the number; a date is more than so many days ago",
    over: "some",
    on: comparesValues((sign) => sign > 0),
    examples: [
      ["number", 1, ["0"], true],
      ["number", 10.5, 10.25, true],
      ["number", 0.3, "0.30", false],
      ["date", "2026-01-29T12:00:00Z", 30, true],
      ["date", "2026-01-30T12:00:00Z", 30, false],
      ["metadata", "10.5", 10, true],
      ["metadata", "2026-01-29", 30, true],
      ["metadata", "many", 1, false],
    ],
  },
  {
    name: "$less_than",
    summary: "is less than the number; a date is fewer than so many days ago",
    over: "some",
    on: comparesValues((sign) => sign < 0),
    examples: [
      ["number", 999, [1000], true],
      ["number", 1000, [1000], false],
      ["date", "2026-02-19T12:00:00Z", [30], true],
      ["date", "2026-01-15T12:00:00Z", [30], false],
      ["date", "2026-03-02T12:00:00Z", [30], false],
    ],
  },
  {
    name: "$more_than_equal",
    summary: "is the number or more; a date is so many days ago or more",
    over: "some",
    on: comparesValues((sign) => sign >= 0),
    examples: [
      ["number", 41, [41], true],
      ["number", 40, [41], false],
      ["date", "2026-01-30T12:00:00Z", 30, true],
    ],
  },
  {
    name: "$less_than_equal",
    summary: "is the number or less; a date is so many days ago or fewer",
    over: "some",
    on: comparesValues((sign) => sign <= 0),
    examples: [
      ["number", "99999999999999999999", "99999999999999999999", true],
      ["number", "99999999999999999999", "99999999999999999998", false],
      ["date", "2026-01-30T12:00:00Z", 30, true],
    ],
  },
  {
    name: "$count",
    summary: "has exactly so many elements",
    over: "whole",
    on: comparesCount((size, expected) => size === expected),
    examples: [
      ["list", ["red", "blue"], 2, true],
      ["list", [], 0, true],
      ["metadata", "red", ["2", "1"], true],
      ["number", 3, 2, false],
    ],
  },
  {
    name: "$count_less",
    summary: "has fewer elements",
    over: "whole",
    on: comparesCount((size, expected) => size < expected),
    examples: [
      ["list", ["red"], 2, true],
      ["number", 2, 2, false],
    ],
  },
  {
    name: "$count_more",
    summary: "has more elements",
    over: "whole",
    on: comparesCount((size, expected) => size > expected),
    examples: [
      ["number", 3, ["2"], true],
      ["list", ["red", null], 1, false],
    ],
  },
  {
    name: "$in_location",
    summary: "is a point in one of the locations",
    over: "some",
    on: inLocation,
    needs: "locations",
    examples: [
      ["metadata", "37.786971, -122.399677", "loc_north", true],
      ["metadata", "-33.9,151.2", ["loc_north"], false],
      ["metadata", "91, 0", "loc_north", false],
    ],
  },
  {
    name: "$not_in_location",
    summary: "is a point in none of the locations",
    over: "none",
    on: inLocation,
    needs: "locations",
    examples: [
      ["metadata", "-33.9,151.2", ["loc_north"], true],
      ["metadata", "-33.9,151.2", ["loc_north", "loc_south"], false],
    ],
  },
];
