import { Decimal } from "decimal.js";
import type { Metadata } from "../order/order.ts";
import { parseDay, parseMoment } from "../time/instant.ts";
import type { DateValue, FormulaValue, Run } from "./facts.ts";
import type { FormulaNode } from "./syntax.ts";
import { count, dateOf, FormulaNumber, finite, isNumber, metadataValue, plainDateOf, roundDecimal } from "./values.ts";

export type FormulaFunction = {
  /** How many arguments it takes. */
  least: number;
  most: number;
  /** What it would take, when the arguments as they are written can never be right. */
  check?(args: readonly FormulaNode[]): string | null;
  run(args: readonly FormulaNode[], run: Run): FormulaValue;
};

const MANY = Number.POSITIVE_INFINITY;
const EXPONENT_MAX = 1000;
/** A power with a fraction counts as so many ordinary steps. */
const ROOT_STEPS = 250;
// What takes longer than an ordinary step, in microseconds. Numbers have 40 digits at most, which bounds all of them.
const ROOT_MICROSECONDS = 550;
/** For each bit of a whole exponent. */
const POWER_MICROSECONDS = 10;
const ROUNDING_MICROSECONDS = 6;
const DATE_MICROSECONDS = 9;
const PLACES_MAX = 20;

/** All arguments are numbers, or the result is null. */
const numeric = (calculate: (values: Decimal[], run: Run) => Decimal | null): FormulaFunction["run"] => {
  return (args, run) => {
    const values: Decimal[] = [];
    for (const arg of args) {
      const value = run.value(arg);
      if (!isNumber(value)) return null;
      values.push(value);
    }
    const result = calculate(values, run);
    return result && finite(result);
  };
};

const power = numeric(([base, exponent], run) => {
  if (exponent!.abs().greaterThan(EXPONENT_MAX)) return null;
  const isPaid = exponent!.isInteger()
    ? run.spend(0, POWER_MICROSECONDS * Math.ceil(Math.log2(exponent!.abs().toNumber() + 2)))
    : run.spend(ROOT_STEPS, ROOT_MICROSECONDS);
  return isPaid ? base!.pow(exponent!) : null;
});

/**
 * To `places` digits after the point, or with a negative number to tens and hundreds: 75.55 to 1 place is 75.6 by
 * rounding half up, 75.5 rounding down; to -1 places it is 80 and 70.
 */
const rounding = (mode: Decimal.Rounding): FormulaFunction => ({
  least: 1,
  most: 2,
  run: numeric(([value, places = new FormulaNumber(0)], run) => {
    if (!places.isInteger() || places.abs().greaterThan(PLACES_MAX)) return null;
    run.spend(0, ROUNDING_MICROSECONDS);
    const scale = new FormulaNumber(10).pow(places);
    return roundDecimal(value!).times(scale).toDecimalPlaces(0, mode).div(scale);
  }),
});

const extreme = (pick: "min" | "max"): FormulaFunction => ({
  least: 1,
  most: MANY,
  run: numeric((values) => FormulaNumber[pick](...values)),
});

/** Only the branch that is taken is looked at, so metadata that the other one misses does no harm. */
const choose: FormulaFunction["run"] = ([condition, then, otherwise], run) => {
  const holds = run.value(condition!);
  return typeof holds === "boolean" ? run.value(holds ? then! : otherwise!) : null;
};

const firstValue: FormulaFunction["run"] = (args, run) => {
  for (const arg of args) {
    const value = run.value(arg);
    if (value !== null) return value;
  }
  return null;
};

const ofDate = (calculate: (date: DateValue, run: Run) => FormulaValue): FormulaFunction => ({
  least: 1,
  most: 1,
  run: ([arg], run) => {
    const value = run.value(arg!);
    run.spend(0, DATE_MICROSECONDS);
    const date = dateOf(value, run.facts.zone);
    return date && calculate(date, run);
  },
});

const todayOf = ({ facts }: Run) => Temporal.Instant.from(facts.now).toZonedDateTimeISO(facts.zone).toPlainDate();
type Unit = "days" | "months" | "years";
// Contract is silent: parts of a unit, and dates on the other side of today.
/** Whole units between calendar days: from 31 January to 28 February it is 28 days and 0 months. Below zero if ahead. */
const since = (unit: Unit): FormulaFunction =>
  ofDate((date, run) => count(plainDateOf(date).until(todayOf(run), { largestUnit: unit })[unit]));
const until = (unit: Unit): FormulaFunction =>
  ofDate((date, run) => count(todayOf(run).until(plainDateOf(date), { largestUnit: unit })[unit]));

/** A date of a text. One that is written out is looked at when the formula is saved. */
const dateFrom = (read: (text: string, zone: string) => DateValue | null, form: string): FormulaFunction => ({
  least: 1,
  most: 1,
  check: ([arg]) => (arg!.kind === "string" && read(arg!.value, "UTC") === null ? form : null),
  run: ([arg], run) => {
    const text = run.value(arg!);
    run.spend(0, DATE_MICROSECONDS);
    return typeof text === "string" ? read(text, run.facts.zone) : null;
  },
});

/** The key is written out, so that it can be seen which metadata a formula reads. */
const metadata = (of: (run: Run) => Metadata | null | undefined): FormulaFunction => ({
  least: 1,
  most: 1,
  check: ([key]) => (key!.kind === "string" ? null : 'the name of a property in quotes, as in ("name")'),
  run: ([key], run) => (key!.kind === "string" ? metadataValue(of(run), key!.value, run) : null),
});

export const FUNCTIONS: ReadonlyMap<string, FormulaFunction> = new Map(
  Object.entries({
    MIN: extreme("min"),
    MAX: extreme("max"),
    POW: { least: 2, most: 2, run: power },
    IF: { least: 3, most: 3, run: choose },
    DEFAULT_TO: { least: 2, most: MANY, run: firstValue },
    ROUND: rounding(Decimal.ROUND_HALF_UP),
    FLOOR: rounding(Decimal.ROUND_FLOOR),
    CEIL: rounding(Decimal.ROUND_CEIL),
    DATE: dateFrom((text) => parseDay(text), 'a day in the form "2026-12-31"'),
    DATE_TIME: dateFrom(parseMoment, 'a moment in the form "2026-12-31T23:59:00Z"'),
    DAY_OF_MONTH: ofDate((date) => count(date.day)),
    MONTH: ofDate((date) => count(date.month)),
    YEAR: ofDate((date) => count(date.year)),
    DAYS_SINCE: since("days"),
    MONTHS_SINCE: since("months"),
    YEARS_SINCE: since("years"),
    DAYS_UNTIL: until("days"),
    MONTHS_UNTIL: until("months"),
    ORDER_METADATA: metadata(({ facts }) => facts.order?.metadata),
    CUSTOMER_METADATA: metadata(({ facts }) => facts.customer?.metadata),
    REDEEMABLE_METADATA: metadata(({ facts }) => facts.redeemable?.metadata),
    REDEMPTION_METADATA: metadata(({ facts }) => facts.redemption_metadata),
    PUBLICATION_METADATA: metadata(({ facts }) => facts.publication_metadata),
    ORDER_ITEM_METADATA: metadata(({ facts }) => facts.item?.metadata),
    ORDER_ITEM_PRODUCT_METADATA: metadata(({ facts }) => facts.item?.product?.metadata),
    CHEAPEST_ORDER_ITEM_METADATA: metadata((run) => run.cheapest()?.metadata),
    CHEAPEST_ORDER_ITEM_PRODUCT_METADATA: metadata((run) => run.cheapest()?.product?.metadata),
    MOST_EXPENSIVE_ORDER_ITEM_METADATA: metadata((run) => run.mostExpensive()?.metadata),
    MOST_EXPENSIVE_ORDER_ITEM_PRODUCT_METADATA: metadata((run) => run.mostExpensive()?.product?.metadata),
  }),
);
