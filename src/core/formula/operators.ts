import type { Decimal } from "decimal.js";
import type { FormulaScalar, FormulaValue, Run } from "./facts.ts";
import type { FormulaNode, OperatorName } from "./syntax.ts";
import {
  areEqual,
  compareAsDates,
  compareFormulaDates,
  compareFormulaValues,
  dateOf,
  finite,
  isDateValue,
  isList,
  isNumber,
  plainDateOf,
  textOf,
} from "./values.ts";

const CHARACTERS_PER_STEP = 1000;

type Operator = (left: FormulaNode, right: FormulaNode, run: Run) => FormulaValue;

/** What takes longer than an ordinary step. */
const MICROSECONDS = { times: 3, div: 7, mod: 7, compare: 2, date: 9 } as const;

const arithmetic =
  (calculate: (left: Decimal, right: Decimal) => Decimal, microseconds = 0): Operator =>
  (left, right, run) => {
    const one = run.value(left);
    if (!isNumber(one)) return null;
    const other = run.value(right);
    if (!isNumber(other)) return null;
    run.spend(0, microseconds);
    return finite(calculate(one, other));
  };

/** Both sides have a value; what is null on either makes null of the comparison. */
const strict =
  (
    compare: (left: Exclude<FormulaValue, null>, right: Exclude<FormulaValue, null>, run: Run) => boolean | null,
    microseconds: number = MICROSECONDS.compare,
  ): Operator =>
  (left, right, run) => {
    const one = run.value(left);
    if (one === null) return null;
    const other = run.value(right);
    if (other === null) return null;
    run.spend(0, isDateValue(one) || isDateValue(other) ? MICROSECONDS.date : microseconds);
    return compare(one, other, run);
  };

const comparesOperands = (holds: (order: number) => boolean): Operator =>
  strict((one, other, { facts }) => {
    const order = compareFormulaValues(one, other, facts.zone);
    return order === null ? null : holds(order);
  });
const orderedDates = (holds: (order: number) => boolean): Operator =>
  strict((one, other, { facts }) => {
    const order = compareAsDates(one, other, facts.zone);
    return order === null ? null : holds(order);
  }, MICROSECONDS.date);

const equal = strict((one, other, { facts }) => areEqual(one, other, facts.zone));
const sameDay = strict((one, other, { facts }) => {
  const [first, second] = [dateOf(one, facts.zone), dateOf(other, facts.zone)];
  return first && second ? compareFormulaDates(plainDateOf(first), plainDateOf(second)) === 0 : null;
}, MICROSECONDS.date);

/**
 * A list contains an element, a text contains a part of it. A search may compare the whole part at every place of the
 * text, so it is paid for in advance: 20 characters in 2,000 are 40 steps.
 */
const contains = strict((one, other, run) => {
  if (isList(other)) return null;
  if (isList(one)) return includes(one, other, run);
  if (!isText(one)) return null;
  const [text, part] = [textOf(one), textOf(other)];
  return run.spend(Math.ceil((text.length * part.length) / CHARACTERS_PER_STEP)) ? text.includes(part) : null;
});

const includes = (list: readonly FormulaScalar[], value: FormulaScalar, run: Run): boolean | null =>
  run.spend(list.length) ? list.some((element) => areEqual(element, value, run.facts.zone) === true) : null;

const isText = (value: FormulaValue): value is Exclude<FormulaScalar, Temporal.PlainDate | Temporal.ZonedDateTime> =>
  value !== null && !isList(value) && !isDateValue(value);

const textual = (holds: (text: string, part: string) => boolean): Operator =>
  strict((one, other) => (isText(one) && isText(other) ? holds(textOf(one), textOf(other)) : null));

/** The right side lists its values with commas, "a,b", or is a list. Of a list on the left any element is enough. */
const inArray = strict((one, other, run) => {
  if (isDateValue(one) || (typeof other !== "string" && !isList(other))) return null;
  if (!run.spend(other.length)) return null;
  const texts = isList(other) ? other.map(textOf) : other.split(",").map((part) => part.trim());
  const known = new Set(texts);
  return (isList(one) ? one : [one]).some((value) => known.has(textOf(value)));
});

const not =
  (operator: Operator): Operator =>
  (left, right, run) => {
    const holds = operator(left, right, run);
    return typeof holds === "boolean" ? !holds : null;
  };

/** The right side is not looked at when the left one decides, so metadata that is missing there does no harm. */
const logical =
  (decides: boolean): Operator =>
  (left, right, run) => {
    const one = run.value(left);
    if (typeof one !== "boolean" || one === decides) return typeof one === "boolean" ? one : null;
    const other = run.value(right);
    return typeof other === "boolean" ? other : null;
  };

export const FORMULA_OPERATORS: Readonly<Record<OperatorName, Operator>> = {
  OR: logical(true),
  AND: logical(false),
  ">": comparesOperands((order) => order > 0),
  "<": comparesOperands((order) => order < 0),
  ">=": comparesOperands((order) => order >= 0),
  "<=": comparesOperands((order) => order <= 0),
  "=": equal,
  is: equal,
  isNot: not(equal),
  contains,
  startsWith: textual((text, part) => text.startsWith(part)),
  endsWith: textual((text, part) => text.endsWith(part)),
  IN_ARRAY: inArray,
  NOT_IN_ARRAY: not(inArray),
  DATE_IS: sameDay,
  DATE_IS_NOT: not(sameDay),
  IS_AFTER: orderedDates((order) => order > 0),
  IS_BEFORE: orderedDates((order) => order < 0),
  "+": arithmetic((left, right) => left.plus(right)),
  "-": arithmetic((left, right) => left.minus(right)),
  "*": arithmetic((left, right) => left.times(right), MICROSECONDS.times),
  "/": arithmetic((left, right) => left.div(right), MICROSECONDS.div),
  "%": arithmetic((left, right) => left.mod(right), MICROSECONDS.mod),
};
