import { validityFault } from "../time/validity.ts";
import {
  compareDates,
  compareValues,
  dayOf,
  daysFromToday,
  elementsOf,
  instantOf,
  type Moment,
  textOf,
} from "./compare.ts";
import { VALUES, type ValueKind } from "./values.ts";

/** What the left side of a rule is. It decides which operators the rule takes, and with which values. */
export type Takes = "number" | "metadata" | "ids" | "login" | "flag" | "products";

/** `equals` says what equal means for this left side: text, numbers, or a line of the cart and a product. */
export type Context = Moment & { equals(seen: unknown, expected: unknown): boolean };

export type Operator = {
  name: string;
  aliases: readonly string[];
  summary: string;
  /** How many values it takes at most; one at least. */
  values_max: number;
  /** The values it takes on each kind of left side; on the others it is refused. */
  values: Partial<Record<Takes, ValueKind>>;
  holds(seen: unknown, values: readonly unknown[], context: Context): boolean;
};

const VALUES_MAX = 1000;
const MIDNIGHT = "1970-01-01T00:00:00Z";

type One = (element: unknown, expected: unknown, context: Context) => boolean;

/** Some element fits one of the values. A missing value has no elements, so it does not hold. */
const some =
  (fits: One): Operator["holds"] =>
  (seen, values, context) =>
    elementsOf(seen).some((element) => values.some((expected) => fits(element, expected, context)));
/** No element fits any of the values. It holds for a missing value. */
const none =
  (fits: One): Operator["holds"] =>
  (seen, values, context) =>
    !some(fits)(seen, values, context);

const equal: One = (element, expected, context) => context.equals(element, expected);
/** What `$from` names is a collection, also where it does not say so. */
const inCollection: One = (element, expected, context) => {
  const named = typeof expected === "string" ? { id: expected } : (expected as object);
  return context.equals(element, { object: "products_collection", ...named });
};
const ordered =
  (fits: (sign: number) => boolean): One =>
  (element, expected, { zone }) => {
    const sign = compareValues(element, expected, zone);
    return sign !== null && fits(sign);
  };
const inText =
  (fits: (text: string, part: string) => boolean): One =>
  (element, expected) => {
    const [text, part] = [textOf(element), textOf(expected)];
    return text !== null && part !== null && fits(text, part);
  };
const dated =
  (fits: (sign: number) => boolean): One =>
  (element, expected, { zone }) => {
    const sign = compareDates(element, expected, zone);
    return sign !== null && fits(sign);
  };
const inDays =
  (fits: (days: number, expected: number) => boolean): One =>
  (element, expected, context) => {
    const days = daysFromToday(element, context);
    return days !== null && fits(days, Number(expected));
  };
const counted =
  (fits: (count: number, expected: number) => boolean): Operator["holds"] =>
  (seen, values) =>
    fits(elementsOf(seen).length, Number(values[0]));

const ALWAYS = {
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
};
/** Whether the element, a date, is in the window that the value writes down; windows mean what they mean for a voucher. */
const inWindow =
  (read: (parts: readonly string[]) => Partial<Parameters<typeof validityFault>[0]>): One =>
  (element, expected, { zone }) => {
    const now = instantOf(element, zone);
    return now !== null && validityFault({ ...ALWAYS, ...read(String(expected).split(";")) }, { now, zone }) === null;
  };
const inTimeframe = inWindow(([start_date = MIDNIGHT, interval = "", duration = ""]) => ({
  start_date,
  validity_timeframe: { interval, duration },
}));
const inSpan = inWindow(([start_date = MIDNIGHT, expiration_date = MIDNIGHT]) => ({ start_date, expiration_date }));
const inDailyHours = inWindow(([start_time = "", expiration_time = "", days = ""]) => ({
  validity_hours: {
    daily: [{ start_time, expiration_time, days_of_week: days === "" ? null : days.split(",").map(Number) }],
  },
}));
const onWeekday: One = (element, expected, { zone }) => {
  const day = dayOf(element, zone);
  // Temporal counts from Monday, 1, to Sunday, 7; here Sunday is 0.
  return day !== null && day.dayOfWeek % 7 === Number(expected);
};

const {
  scalar,
  text,
  id,
  number,
  comparable,
  date,
  days,
  count,
  weekday,
  timeframe,
  span,
  daily_hours,
  flag,
  product,
} = VALUES;
const EQUALITY = { number, metadata: scalar, ids: id, login: text, products: product };
const ORDER = { number, metadata: comparable };
const TEXT = { metadata: text, login: text };

type Entry = Omit<Operator, "aliases" | "values_max"> & { aliases?: readonly string[]; values_max?: number };

const ENTRIES: readonly Entry[] = [
  { name: "$is", summary: "equals one of the values", values: { ...EQUALITY, flag }, holds: some(equal) },
  { name: "$is_not", summary: "equals none of the values", values: EQUALITY, holds: none(equal) },
  { name: "$in", summary: "equals one of the values", values: EQUALITY, holds: some(equal) },
  { name: "$not_in", summary: "equals none of the values", values: EQUALITY, holds: none(equal) },
  { name: "$from", summary: "is in one of the collections", values: { products: product }, holds: some(inCollection) },
  {
    name: "$less_than",
    summary: "is less than the value, or earlier",
    values_max: 1,
    values: ORDER,
    holds: some(ordered((sign) => sign < 0)),
  },
  {
    name: "$less_than_or_equal",
    aliases: ["$less_than_equal"],
    summary: "is the value or less, or not later",
    values_max: 1,
    values: ORDER,
    holds: some(ordered((sign) => sign <= 0)),
  },
  {
    name: "$more_than",
    summary: "is more than the value, or later",
    values_max: 1,
    values: ORDER,
    holds: some(ordered((sign) => sign > 0)),
  },
  {
    name: "$more_than_or_equal",
    aliases: ["$more_than_equal", "$greater_than_or_equal"],
    summary: "is the value or more, or not earlier",
    values_max: 1,
    values: ORDER,
    holds: some(ordered((sign) => sign >= 0)),
  },
  {
    name: "$starts_with",
    summary: "starts with one of the texts",
    values: TEXT,
    holds: some(inText((whole, part) => whole.startsWith(part))),
  },
  {
    name: "$ends_with",
    summary: "ends with one of the texts",
    values: TEXT,
    holds: some(inText((whole, part) => whole.endsWith(part))),
  },
  {
    name: "$contains",
    summary: "contains one of the texts",
    values: TEXT,
    holds: some(inText((whole, part) => whole.includes(part))),
  },
  {
    name: "$not_contain",
    summary: "contains none of the texts",
    values: TEXT,
    holds: none(inText((whole, part) => whole.includes(part))),
  },
  {
    name: "$timeframe",
    summary: "is a date in a window that returns: start;interval;duration",
    values: { metadata: timeframe },
    holds: some(inTimeframe),
  },
  {
    name: "$timeframe_absolute",
    summary: "is a date between two others, both included: from;to",
    values: { metadata: span },
    holds: some(inSpan),
  },
  {
    name: "$timeframe_daily_hours",
    summary: "is a date within hours of the day, on weekdays: 18:00;20:00;2,3",
    values: { metadata: daily_hours },
    holds: some(inDailyHours),
  },
  { name: "$dow", summary: "is a date on one of the weekdays", values: { metadata: weekday }, holds: some(onWeekday) },
  {
    name: "$count",
    summary: "has exactly so many elements; what is missing has none",
    values_max: 1,
    values: { metadata: count },
    holds: counted((size, expected) => size === expected),
  },
  {
    name: "$count_more",
    summary: "has more elements than the value",
    values_max: 1,
    values: { metadata: count },
    holds: counted((size, expected) => size > expected),
  },
  {
    name: "$count_less",
    summary: "has fewer elements than the value",
    values_max: 1,
    values: { metadata: count },
    holds: counted((size, expected) => size < expected),
  },
  {
    name: "$not_differ",
    summary: "has no element that is not among the values",
    values: { metadata: scalar },
    // An empty list differs in nothing; a missing one is not there to be compared.
    holds: (seen, values, context) =>
      seen !== undefined &&
      seen !== null &&
      elementsOf(seen).every((element) => values.some((expected) => context.equals(element, expected))),
  },
  {
    name: "$not_intersect",
    summary: "has no element that is among the values",
    values: { metadata: scalar },
    holds: none(equal),
  },
  {
    name: "$after",
    summary: "is a date after the value",
    values_max: 1,
    values: { metadata: date },
    holds: some(dated((sign) => sign > 0)),
  },
  {
    name: "$before",
    summary: "is a date before the value",
    values_max: 1,
    values: { metadata: date },
    holds: some(dated((sign) => sign < 0)),
  },
  {
    name: "$more_than_ago",
    summary: "is a date more than so many days ago",
    values_max: 1,
    values: { metadata: days },
    holds: some(inDays((distance, expected) => -distance > expected)),
  },
  {
    name: "$less_than_ago",
    summary: "is today or a date fewer than so many days ago",
    values_max: 1,
    values: { metadata: days },
    holds: some(inDays((distance, expected) => distance <= 0 && -distance < expected)),
  },
  {
    name: "$is_days_ago",
    summary: "is a date exactly so many days ago",
    values_max: 1,
    values: { metadata: days },
    holds: some(inDays((distance, expected) => -distance === expected)),
  },
  {
    name: "$more_than_future",
    summary: "is a date more than so many days ahead",
    values_max: 1,
    values: { metadata: days },
    holds: some(inDays((distance, expected) => distance > expected)),
  },
  {
    name: "$less_than_future",
    summary: "is today or a date fewer than so many days ahead",
    values_max: 1,
    values: { metadata: days },
    holds: some(inDays((distance, expected) => distance >= 0 && distance < expected)),
  },
  {
    name: "$is_days_in_future",
    summary: "is a date exactly so many days ahead",
    values_max: 1,
    values: { metadata: days },
    holds: some(inDays((distance, expected) => distance === expected)),
  },
];

/** Every operator of a rule. A new one is one entry above; forms, documents and checks follow from it. */
export const OPERATORS: readonly Operator[] = ENTRIES.map((entry) => ({
  aliases: [],
  values_max: VALUES_MAX,
  ...entry,
}));

const byName = new Map(OPERATORS.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one] as const)));

/** The operator of that name or alias. */
export const findOperator = (name: string): Operator | undefined => byName.get(name);
export const operatorsFor = (takes: Takes): Operator[] => OPERATORS.filter(({ values }) => values[takes]);
