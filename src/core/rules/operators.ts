import type { OrderItem } from "../order/order.ts";
import { validityFault } from "../time/validity.ts";
import {
  comparableDay,
  comparableText,
  compareDates,
  compareValues,
  daysFromToday,
  elementsOf,
  instantOf,
  type Moment,
} from "./compare.ts";
import { RULE_VALUES, type RuleValueKind } from "./values.ts";

/** What the left side of a rule is. It decides which operators the rule takes, and with which values. */
export type Takes = "number" | "metadata" | "ids" | "login" | "flag" | "products";

/**
 * `isAmong` says whether an element equals one of the values, and what equal means for this left side: text, numbers, or
 * a line of the cart and a product. It looks the element up, so that a thousand values cost as much as one.
 */
export type Context = Moment & { isAmong(element: unknown, values: readonly unknown[]): boolean };

export type RuleOperator = {
  name: string;
  aliases: readonly string[];
  summary: string;
  /** The most values it takes; the least is one. */
  values_max: number;
  /** The values it takes on each kind of left side; on the others it is refused. */
  values: Partial<Record<Takes, RuleValueKind>>;
  /** Steps that one element of the left side costs. */
  cost(values: readonly unknown[], element: unknown): number;
  holds(seen: unknown, values: readonly unknown[], context: Context): boolean;
};

const VALUES_MAX = 1000;
const MIDNIGHT = "1970-01-01T00:00:00Z";

type One = (element: unknown, expected: unknown, context: Context) => boolean;
type Cost = RuleOperator["cost"];

// In steps of about 0.1 µs: what a value costs on the machines that the bench is run on.
const LOOKUP_STEPS = 3;
const COMPARE_STEPS = 10;
const DATE_STEPS = 100;
const WINDOW_STEPS = 400;
const CHARACTERS_PER_STEP = 30;

const lookup: Cost = () => LOOKUP_STEPS;
/** A text may be a date, which takes longer to read than a number. */
const comparing: Cost = (values, element) => values.length * (typeof element === "string" ? DATE_STEPS : COMPARE_STEPS);
const searching: Cost = (values, element) =>
  values.length * Math.ceil(LOOKUP_STEPS + (comparableText(element)?.length ?? 0) / CHARACTERS_PER_STEP);
const dating: Cost = (values) => values.length * DATE_STEPS;
const windowing: Cost = (values) => values.length * WINDOW_STEPS;

/** Some element fits one of the values. A missing value has no elements, so it does not hold. */
const some =
  (fits: One): RuleOperator["holds"] =>
  (seen, values, context) =>
    elementsOf(seen).some((element) => values.some((expected) => fits(element, expected, context)));
/** No element fits any of the values. It holds for a missing value. */
const none =
  (fits: One): RuleOperator["holds"] =>
  (seen, values, context) =>
    !some(fits)(seen, values, context);

const equal: RuleOperator["holds"] = (seen, values, context) =>
  elementsOf(seen).some((element) => context.isAmong(element, values));
const different: RuleOperator["holds"] = (seen, values, context) => !equal(seen, values, context);

const collections = new WeakMap<readonly unknown[], readonly unknown[]>();
/** What `$from` names is a collection, also where it does not say so. */
const inCollection: RuleOperator["holds"] = (seen, values, context) => {
  const named =
    collections.get(values) ??
    values.map((one) => ({
      object: "products_collection",
      ...(typeof one === "string" ? { id: one } : (one as object)),
    }));
  collections.set(values, named);
  return equal(seen, named, context);
};
const comparesReading =
  (fits: (sign: number) => boolean): One =>
  (element, expected, { zone }) => {
    const sign = compareValues(element, expected, zone);
    return sign !== null && fits(sign);
  };
const inText =
  (fits: (text: string, part: string) => boolean): One =>
  (element, expected) => {
    const [text, part] = [comparableText(element), comparableText(expected)];
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
const comparesCount =
  (fits: (count: number, expected: number) => boolean): RuleOperator["holds"] =>
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
  const day = comparableDay(element, zone);
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
} = RULE_VALUES;
const EQUALITY = { number, metadata: scalar, ids: id, login: text, products: product };
const ORDER = { number, metadata: comparable };
const TEXT = { metadata: text, login: text };

type Entry = Omit<RuleOperator, "aliases" | "values_max"> & { aliases?: readonly string[]; values_max?: number };

const ENTRIES: readonly Entry[] = [
  { name: "$is", summary: "equals one of the values", values: { ...EQUALITY, flag }, cost: lookup, holds: equal },
  { name: "$is_not", summary: "equals none of the values", values: EQUALITY, cost: lookup, holds: different },
  { name: "$in", summary: "equals one of the values", values: EQUALITY, cost: lookup, holds: equal },
  { name: "$not_in", summary: "equals none of the values", values: EQUALITY, cost: lookup, holds: different },
  {
    name: "$from",
    summary: "is in one of the collections",
    values: { products: product },
    cost: lookup,
    holds: inCollection,
  },
  {
    name: "$less_than",
    summary: "is less than the value; for a date: is earlier",
    values_max: 1,
    values: ORDER,
    cost: comparing,
    holds: some(comparesReading((sign) => sign < 0)),
  },
  {
    name: "$less_than_or_equal",
    aliases: ["$less_than_equal"],
    summary: "is less than or equal to the value; for a date: is not later",
    values_max: 1,
    values: ORDER,
    cost: comparing,
    holds: some(comparesReading((sign) => sign <= 0)),
  },
  {
    name: "$more_than",
    summary: "is more than the value; for a date: is later",
    values_max: 1,
    values: ORDER,
    cost: comparing,
    holds: some(comparesReading((sign) => sign > 0)),
  },
  {
    name: "$more_than_or_equal",
    aliases: ["$more_than_equal", "$greater_than_or_equal"],
    summary: "is more than or equal to the value; for a date: is not earlier",
    values_max: 1,
    values: ORDER,
    cost: comparing,
    holds: some(comparesReading((sign) => sign >= 0)),
  },
  {
    name: "$starts_with",
    summary: "starts with one of the texts",
    values: TEXT,
    cost: searching,
    holds: some(inText((whole, part) => whole.startsWith(part))),
  },
  {
    name: "$ends_with",
    summary: "ends with one of the texts",
    values: TEXT,
    cost: searching,
    holds: some(inText((whole, part) => whole.endsWith(part))),
  },
  {
    name: "$contains",
    summary: "contains one of the texts",
    values: TEXT,
    cost: searching,
    holds: some(inText((whole, part) => whole.includes(part))),
  },
  {
    name: "$not_contain",
    summary: "contains none of the texts",
    values: TEXT,
    cost: searching,
    holds: none(inText((whole, part) => whole.includes(part))),
  },
  {
    name: "$timeframe",
    summary: "is a date in a repeating window: start;interval;duration",
    values: { metadata: timeframe },
    cost: windowing,
    holds: some(inTimeframe),
  },
  {
    name: "$timeframe_absolute",
    summary: "is a date between two dates, both included: from;to",
    values: { metadata: span },
    cost: windowing,
    holds: some(inSpan),
  },
  {
    name: "$timeframe_daily_hours",
    summary: "is a date within these hours on these weekdays: 18:00;20:00;2,3",
    values: { metadata: daily_hours },
    cost: windowing,
    holds: some(inDailyHours),
  },
  {
    name: "$dow",
    summary: "is a date on one of the weekdays",
    values: { metadata: weekday },
    cost: dating,
    holds: some(onWeekday),
  },
  {
    name: "$count",
    summary: "has exactly this number of elements; a missing property has 0",
    values_max: 1,
    values: { metadata: count },
    cost: lookup,
    holds: comparesCount((size, expected) => size === expected),
  },
  {
    name: "$count_more",
    summary: "has more elements than the value",
    values_max: 1,
    values: { metadata: count },
    cost: lookup,
    holds: comparesCount((size, expected) => size > expected),
  },
  {
    name: "$count_less",
    summary: "has fewer elements than the value",
    values_max: 1,
    values: { metadata: count },
    cost: lookup,
    holds: comparesCount((size, expected) => size < expected),
  },
  {
    name: "$not_differ",
    summary: "has only elements that are among the values",
    values: { metadata: scalar },
    cost: lookup,
    // An empty list differs in nothing; a missing one is not there to be compared.
    holds: (seen, values, context) =>
      seen !== undefined && seen !== null && elementsOf(seen).every((element) => context.isAmong(element, values)),
  },
  {
    name: "$not_intersect",
    summary: "has no element that is among the values",
    values: { metadata: scalar },
    cost: lookup,
    holds: different,
  },
  {
    name: "$after",
    summary: "is a date after the value",
    values_max: 1,
    values: { metadata: date },
    cost: dating,
    holds: some(dated((sign) => sign > 0)),
  },
  {
    name: "$before",
    summary: "is a date before the value",
    values_max: 1,
    values: { metadata: date },
    cost: dating,
    holds: some(dated((sign) => sign < 0)),
  },
  {
    name: "$more_than_ago",
    summary: "is a date more than this number of days ago",
    values_max: 1,
    values: { metadata: days },
    cost: dating,
    holds: some(inDays((distance, expected) => -distance > expected)),
  },
  {
    name: "$less_than_ago",
    summary: "is today or a date fewer than this number of days ago",
    values_max: 1,
    values: { metadata: days },
    cost: dating,
    holds: some(inDays((distance, expected) => distance <= 0 && -distance < expected)),
  },
  {
    name: "$is_days_ago",
    summary: "is a date exactly this number of days ago",
    values_max: 1,
    values: { metadata: days },
    cost: dating,
    holds: some(inDays((distance, expected) => -distance === expected)),
  },
  {
    name: "$more_than_future",
    summary: "is a date more than this number of days in the future",
    values_max: 1,
    values: { metadata: days },
    cost: dating,
    holds: some(inDays((distance, expected) => distance > expected)),
  },
  {
    name: "$less_than_future",
    summary: "is today or a date fewer than this number of days in the future",
    values_max: 1,
    values: { metadata: days },
    cost: dating,
    holds: some(inDays((distance, expected) => distance >= 0 && distance < expected)),
  },
  {
    name: "$is_days_in_future",
    summary: "is a date exactly this number of days in the future",
    values_max: 1,
    values: { metadata: days },
    cost: dating,
    holds: some(inDays((distance, expected) => distance === expected)),
  },
];

/** Every operator of a rule. A new one is one entry above; forms, documents and checks follow from it. */
export const RULE_OPERATORS: readonly RuleOperator[] = ENTRIES.map((entry) => ({
  aliases: [],
  values_max: VALUES_MAX,
  ...entry,
}));

const byName = new Map(RULE_OPERATORS.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one] as const)));

/** What one condition costs on a value, each of its elements for itself. A line is looked up by each of its collections. */
export function conditionSteps(
  { cost }: RuleOperator,
  values: readonly unknown[],
  { seen, takes }: { seen: unknown; takes: Takes },
): number {
  if (!Array.isArray(seen)) return cost(values, seen) + collectionsOf(takes, seen);
  let all = LOOKUP_STEPS;
  for (const element of seen) all += cost(values, element) + collectionsOf(takes, element);
  return all;
}
const COLLECTIONS_PER_STEP = 4;
const collectionsOf = (takes: Takes, line: unknown): number =>
  takes === "products" ? Math.ceil((line as OrderItem).collections.length / COLLECTIONS_PER_STEP) : 0;

/** The operator of that name or alias. */
export const findOperator = (name: string): RuleOperator | undefined => byName.get(name);
export const operatorsFor = (takes: Takes): RuleOperator[] => RULE_OPERATORS.filter(({ values }) => values[takes]);
