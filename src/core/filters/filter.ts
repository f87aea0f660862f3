import { CENTS_SAY, isCents, isObject } from "../shapes.ts";
/** What a field holds decides which operators it takes. */
export type FieldKind =
  | "id"
  | "enum"
  | "string"
  | "code"
  | "number"
  | "money"
  | "boolean"
  | "date"
  | "metadata"
  | "list";

const EQUALITY = ["$is", "$is_not", "$in", "$not_in"] as const;
const PRESENCE = ["$has_value", "$is_unknown"] as const;
const ENDS = ["$starts_with", "$ends_with"] as const;
const TEXT = ["$contains", "$not_contain", ...ENDS] as const;
const NUMBER = ["$more_than", "$less_than", "$more_than_equal", "$less_than_equal"] as const;
/** On dates `$more_than` and `$less_than` count days: more or fewer than so many days ago. */
const DATE = ["$before", "$after", "$more_than", "$less_than"] as const;
/** Each stands for something that is decided from several fields; they have no values. */
const STATE = [
  "$active",
  "$failed",
  "$in_progress",
  "$expired",
  "$before_start",
  "$enabled",
  "$disabled",
  "$redeemed",
  "$redeemable",
] as const;

/** Every operator of a list, and what stands for a state. */
export const LIST_OPERATORS = [...new Set([...EQUALITY, ...PRESENCE, ...TEXT, ...NUMBER, ...DATE])];
export const LIST_STATES: readonly string[] = [...STATE, "before_start"];

export type StateOperator = (typeof STATE)[number];
export type FilterOperatorName = (
  | typeof EQUALITY
  | typeof PRESENCE
  | typeof TEXT
  | typeof NUMBER
  | typeof DATE
)[number];

const OPERATORS: Record<FieldKind, readonly FilterOperatorName[]> = {
  id: EQUALITY,
  enum: [...EQUALITY, ...PRESENCE, ...ENDS],
  string: [...EQUALITY, ...PRESENCE, ...TEXT],
  code: [...EQUALITY, ...PRESENCE, ...TEXT],
  number: [...EQUALITY, ...PRESENCE, ...NUMBER],
  money: [...EQUALITY, ...PRESENCE, ...NUMBER],
  boolean: ["$is", "$is_not", ...PRESENCE],
  date: [...DATE, ...PRESENCE],
  metadata: [...EQUALITY, ...PRESENCE, ...TEXT, ...NUMBER],
  list: [...EQUALITY, ...PRESENCE],
};
/** How the lists of v2 are filtered. `$is` on a date counts days as well: so many days ago. */
const V2_OPERATORS: Record<FieldKind, readonly FilterOperatorName[]> = {
  ...OPERATORS,
  enum: EQUALITY,
  date: [...OPERATORS.date, "$is"],
};
const VALUES_MAX = 1000;
const V2_IDS_MAX = 100;
const V2_VALUES_MAX = 10;
const CONDITIONS_MAX = 100;
const VALUELESS: readonly FilterOperatorName[] = PRESENCE;
const SEVERAL: readonly FilterOperatorName[] = ["$in", "$not_in"];

export type Condition = { field: string } & (
  | { kind: FieldKind; operator: FilterOperatorName; values: readonly string[] }
  | { kind: "state"; operator: StateOperator; values: readonly [] }
);
export type Filter = { junction: "and" | "or"; fields: readonly (readonly Condition[])[] };

/**
 * The kind of each field of a list, or the states it can be in, or both. `metadata.*` stands for every key of the
 * metadata, and so does any other name that ends in `.*`.
 */
export type FilterFields = Readonly<Record<string, FieldKind | readonly StateOperator[] | KindWithStates>>;
type KindWithStates = { readonly kind: FieldKind; readonly states: readonly StateOperator[] };

export class FilterFault extends Error {}

/** Which lists are asked: those of v2 have operators and limits of their own. */
export type Dialect = "v1" | "v2";

/**
 * Reads `{ junction, <field>: { conditions: { <operator>: value or values } } }`. Operators of one field are all
 * asked for; the fields are combined by the junction. What does not fit is a `FilterFault` that says what would.
 */
export function parseFilter(
  given: Readonly<Record<string, unknown>>,
  known: FilterFields,
  dialect: Dialect = "v1",
): Filter {
  const { junction = "and", ...fields } = given;
  const word = String(junction).toLowerCase();
  if (word !== "and" && word !== "or") throw new FilterFault("filters.junction must be and, or or");
  const parsed = Object.entries(fields).map(([field, value]) => conditionsOf(field, value, { known, dialect }));
  if (parsed.flat().length > CONDITIONS_MAX)
    throw new FilterFault(`filters has more than ${CONDITIONS_MAX} conditions`);
  return { junction: word, fields: parsed };
}

/** What the `*` of a name stands for in a field; null where the field is not of that name. */
export function starIn(name: string, field: string): string | null {
  const [before = "", after] = name.split("*");
  const isOf = after !== undefined && field.startsWith(before) && field.endsWith(after);
  // A key of metadata may be empty, a name in the middle may not: `a.b` has none of `a.*.b`.
  const isLong = field.length >= before.length + (after?.length ?? 0) + (after === "" ? 0 : 1);
  return isOf && isLong ? field.slice(before.length, field.length - after.length) : null;
}

const kindOf = (field: string, known: FilterFields): FilterFields[string] | undefined => known[namedIn(known, field)];

/** The name under which a field stands in a table: its own, or one in which `*` stands for some characters. */
export function namedIn(table: Readonly<Record<string, unknown>>, field: string): string {
  if (Object.hasOwn(table, field)) return field;
  return Object.keys(table).find((name) => starIn(name, field) !== null) ?? "";
}

function conditionsOf(
  field: string,
  given: unknown,
  { known, dialect }: { known: FilterFields; dialect: Dialect },
): Condition[] {
  const taken = kindOf(field, known);
  if (!taken) throw new FilterFault(`filters.${field} is unknown; there are ${Object.keys(known).join(", ")}`);
  const { kind, states } = fieldSetting(taken);
  const stateOf = (operator: string) => states.find((one) => one === operator.replace(/^(?!\$)/, "$$"));
  const short = isObject(given) && (kind === null || Object.keys(given).some(stateOf)) ? given : undefined;
  const range = kind === "date" && dialect === "v1" ? rangeIn(given) : undefined;
  const conditions = isObject(given) ? (given.conditions ?? short ?? range) : undefined;
  if (!isObject(conditions) || Object.keys(conditions).length === 0)
    throw new FilterFault(`filters.${field} must have the form { conditions: { <operator>: <value> } }`);
  // The published schemas of v2 are closed here; those of v1 are not, and what they do not know is ignored.
  const [unknown] = dialect === "v2" ? Object.keys(given as object).filter((key) => key !== "conditions") : [];
  if (unknown !== undefined)
    throw new FilterFault(`filters.${field} has unknown field ${unknown}; it takes conditions only`);
  const operators: readonly string[] = kind ? (dialect === "v2" ? V2_OPERATORS : OPERATORS)[kind] : [];
  return Object.entries(conditions).map(([operator, value]): Condition => {
    // The published schema has `before_start` without the dollar sign.
    const state = stateOf(operator);
    if (state) return { field, kind: "state", operator: state, values: [] };
    if (!kind || !operators.includes(operator))
      throw new FilterFault(
        `filters.${field} does not take ${operator}; it takes ${[...operators, ...states].join(", ")}`,
      );
    const most = mostValues(kind, operator as FilterOperatorName, dialect);
    return {
      field,
      kind,
      operator: operator as FilterOperatorName,
      values: valuesOf(field, kind, operator as FilterOperatorName, value, most),
    };
  });
}

/** What a field holds, or null, and the states that it can be in. */
function fieldSetting(taken: FilterFields[string]): { kind: FieldKind | null; states: readonly StateOperator[] } {
  if (typeof taken === "string") return { kind: taken, states: [] };
  return "kind" in taken ? taken : { kind: null, states: taken };
}

/** The short form of a range of dates, `{ before, after }`. */
function rangeIn(given: unknown): Record<string, unknown> | undefined {
  const bounds = isObject(given) ? Object.entries(given) : [];
  return bounds.every(([name]) => name === "before" || name === "after")
    ? Object.fromEntries(bounds.map(([name, value]) => [`$${name}`, value]))
    : undefined;
}

function mostValues(kind: FieldKind, operator: FilterOperatorName, dialect: Dialect): number {
  const isSeveral = SEVERAL.includes(operator);
  if (dialect === "v2") return !isSeveral ? 1 : kind === "id" ? V2_IDS_MAX : V2_VALUES_MAX;
  return !isSeveral && (kind === "id" || kind === "date") ? 1 : VALUES_MAX;
}

function valuesOf(
  field: string,
  kind: FieldKind,
  operator: FilterOperatorName,
  given: unknown,
  most: number,
): string[] {
  if (VALUELESS.includes(operator)) return [];
  const list = Array.isArray(given) ? given : isObject(given) ? Object.values(given) : [given];
  if (list.length === 0 || list.length > most)
    throw new FilterFault(`filters.${field} ${operator} takes ${most === 1 ? "one value" : `1 to ${most} values`}`);
  return list.map((value) => {
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
      throw new FilterFault(`filters.${field} ${operator} takes plain values`);
    const text = String(value);
    const takes = faultOf(kind, operator, text);
    if (takes !== null) throw new FilterFault(`filters.${field} ${operator} takes ${takes}`);
    if (kind === "money" && !isCents(text)) throw new FilterFault(`filters.${field} ${operator} ${CENTS_SAY}`);
    return kind === "boolean" ? text.toLowerCase() : text;
  });
}

/** What the operator would take, when the text is not it. */
function faultOf(kind: FieldKind, operator: FilterOperatorName, text: string): string | null {
  if (kind === "boolean") return /^(?:true|false)$/i.test(text) ? null : "true or false";
  const isNumber = /^-?\d{1,15}(?:\.\d{1,6})?$/.test(text);
  if ((kind === "number" || kind === "money") && !isNumber) return "a number";
  if (kind === "metadata" && (NUMBER as readonly string[]).includes(operator) && !isNumber) return "a number";
  if (kind !== "date") return null;
  const isDays = operator === "$more_than" || operator === "$less_than" || operator === "$is";
  if (isDays) return /^\d{1,5}$/.test(text) ? null : "a number of days, 99999 at most";
  return isInstant(text) ? null : "an ISO 8601 date or date-time";
}

/** A day, which begins at midnight UTC, or an instant, which without an offset is in UTC as well, of the years 1 to 9999: beyond, a database writes them otherwise. */
function isInstant(text: string): boolean {
  try {
    return /^(?!0000)\d{4}-/.test(toInstant(text));
  } catch {
    return false;
  }
}
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/;
export const toInstant = (text: string): string =>
  Temporal.Instant.from(
    DAY.test(text) ? `${text}T00:00:00Z` : WITHOUT_OFFSET.test(text) ? `${text}Z` : text,
  ).toString();
