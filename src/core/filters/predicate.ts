import { CENTS_SAY, isCents, isObject } from "../shapes.ts";
import { type FieldTable, type FilterFact, findField, own, type Reader } from "./fields.ts";
import { FilterFault } from "./filter.ts";
import {
  type ContentKind,
  compileTest,
  evaluationOf,
  type FilterContext,
  type FilterOperator,
  type OperatorMatch,
  type Test,
} from "./operator.ts";
import { FILTER_OPERATORS, filterOperatorsFor, findFilterOperator } from "./registry.ts";
import type { FilterScalar } from "./values.ts";

const FILTER_CONDITIONS_MAX = 100;
/** Of one condition. */
const FILTER_VALUES_MAX = 1000;
const SHOWN_MAX = 100;
const TEST_STEPS = 10;
/** Of a test that reads dates. */
const TIMED_STEPS = 100;

type CompiledField = {
  path: string;
  read: Reader;
  tests: readonly Test[];
  facts: readonly FilterFact[];
  isTimed: boolean;
  steps: number;
};

/** A filter that is ready to be asked: paths are split, operators found and values read. */
export type CompiledFilter = {
  readonly junction: "and" | "or";
  readonly fields: readonly CompiledField[];
  /** Whether the answer for the same subject changes as time goes by. */
  readonly isTimed: boolean;
  /** What it costs to ask about one subject. */
  readonly steps: number;
};

/**
 * Reads `{ junction, <field>: { conditions: { <operator>: value or values } } }`. Operators of one field are all asked
 * for; the fields are combined by the junction. What does not fit is a `FilterFault` that says what would. One that is
 * sent now is looked at more closely than those that were stored before.
 */
export function compileFilter(given: unknown, fields: FieldTable, { isSent = false } = {}): CompiledFilter {
  const junction = own(given, "junction");
  const word = typeof junction === "string" ? junction.toLowerCase() : null;
  if (!isObject(given) || (word !== "and" && word !== "or"))
    throw new FilterFault("Property .filter has wrong `junction` property. It must be one of: and, or");
  let left = FILTER_CONDITIONS_MAX;
  const compiled: CompiledField[] = [];
  for (const [path, value] of Object.entries(given)) {
    if (path === "junction") continue;
    const one = compileField(path, value, { fields, left, isSent });
    left -= one.tests.length;
    compiled.push(one);
  }
  return Object.freeze({
    junction: word,
    fields: compiled,
    isTimed: compiled.some(({ isTimed }) => isTimed),
    steps: compiled.reduce((all, { steps }) => all + steps, 0),
  });
}

/** Whether the subject fits. A filter without conditions fits everything, as a list without filters shows everything. */
export function matchesFilter(filter: CompiledFilter, subject: unknown, context: FilterContext): boolean {
  const { junction, fields } = filter;
  const at = evaluationOf(context);
  const holds = ({ read, tests }: CompiledField): boolean => {
    const seen = read(subject);
    return tests.every((test) => test(seen, at));
  };
  return junction === "and" || fields.length === 0 ? fields.every(holds) : fields.some(holds);
}

/** What has to be loaded of a subject before the filter is asked. What is not loaded counts as missing. */
export const neededFacts = ({ fields }: CompiledFilter): ReadonlySet<FilterFact> =>
  new Set(fields.flatMap(({ facts }) => facts));

function compileField(
  path: string,
  given: unknown,
  { fields, left, isSent }: { fields: FieldTable; left: number; isSent: boolean },
): CompiledField {
  const found = findField(path, fields);
  if (!found)
    throw new FilterFault(
      `Property .filter has unknown field ${shortName(path)}. It must be one of: ${Object.keys(fields).join(", ")}`,
    );
  const { kind, fact, isMoney = false } = found.field;
  const conditions = own(given, "conditions");
  const asked = isObject(conditions) ? Object.entries(conditions) : [];
  if (asked.length === 0)
    throw new FilterFault(
      `Property .filter.${shortName(path)} must have the form { conditions: { <operator>: <value or list of values> } }`,
    );
  if (asked.length > left) throw new FilterFault(`Property .filter has more than ${FILTER_CONDITIONS_MAX} conditions`);
  const facts = new Set<FilterFact>(fact ? [fact] : []);
  let [isTimed, steps] = [false, 0];
  const tests = asked.map(([name, values]) => {
    const where = `Property .filter.${shortName(path)}`;
    const { operator, match } = operatorOf(where, name, kind);
    if (operator.needs) facts.add(operator.needs);
    isTimed ||= match.isTimed;
    const expected = requireScalars(`${where} ${name}`, match, values);
    steps += (match.isTimed ? TIMED_STEPS : TEST_STEPS) * (match.isEach ? expected.length : 1);
    const test = compileTest(operator, match, expected);
    if (!test) throw new FilterFault(`${where} ${name} takes ${match.says}`);
    if (isSent && isMoney && !expected.every(isCents)) throw new FilterFault(`${where} ${name} ${CENTS_SAY}`);
    return test;
  });
  return Object.freeze({ path, read: found.read, tests, facts: [...facts], isTimed, steps });
}

const shortName = (name: string): string => (name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name);

function operatorOf(
  where: string,
  name: string,
  kind: ContentKind,
): { operator: FilterOperator; match: OperatorMatch } {
  const operator = findFilterOperator(name, kind);
  if (!operator)
    throw new FilterFault(
      `${where} has unknown operator ${shortName(name)}. It must be one of: ${names(FILTER_OPERATORS)}`,
    );
  const match = operator.on[kind];
  if (!match)
    throw new FilterFault(`${where} does not take ${name}. It must be one of: ${names(filterOperatorsFor(kind))}`);
  return { operator, match };
}

const names = (operators: readonly FilterOperator[]): string => operators.map(({ name }) => name).join(", ");

/** A value, a list of them, or the object with numbers for keys that a query string makes of a list. */
function requireScalars(where: string, { says }: OperatorMatch, given: unknown): readonly FilterScalar[] {
  const isKeyed = isObject(given) && Object.keys(given).every((key) => /^\d+$/.test(key));
  const list: readonly unknown[] = Array.isArray(given) ? given : isKeyed ? Object.values(given) : [given];
  if (says === null) {
    if (!list.every(isSet)) throw new FilterFault(`${where} takes true`);
    return [];
  }
  if (list.length === 0 || list.length > FILTER_VALUES_MAX)
    throw new FilterFault(`${where} takes 1 to ${FILTER_VALUES_MAX} values`);
  return list.map((value) => {
    if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value as FilterScalar;
    throw new FilterFault(`${where} takes ${says}`);
  });
}

/** Operators without a value are sent with `true` or nothing. `false` is refused: it would read as the opposite. */
const isSet = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === "string" && /^(?:|1|true)$/i.test(value));
