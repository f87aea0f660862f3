import { foldCode } from "../core/codes/code.ts";
import { ApiError } from "../core/errors.ts";
import {
  type Condition,
  type Dialect,
  type Filter,
  FilterFault,
  type FilterFields,
  namedIn,
  parseFilter,
  toInstant,
} from "../core/filters/filter.ts";
import type { Db, Fragment } from "./db.ts";

/**
 * The SQL of each field; a field of the whitelist without an entry is the column of its name. A state has an entry for
 * each of its operators, as `status $expired`. A list is JSON. What takes `loyalty.*` is told which field is asked for.
 */
export type FieldSql = Readonly<Record<string, (db: Db, field: string) => Fragment>>;
export type FilterQuery = { filters?: Record<string, unknown>; created_at?: Range; updated_at?: Range };
type Range = { before?: string; after?: string };
type Options = {
  fields: FilterFields;
  /** The column of a code holds it folded. */
  sql?: FieldSql;
  now: string;
  dialect?: Dialect;
  caseSensitiveCodes?: boolean;
};

/** The `where` of a list: its filters, and the ranges of `created_at` and `updated_at`. All from a whitelist. */
export function whereOf(db: Db, { filters, created_at, updated_at }: FilterQuery, options: Options): Fragment {
  const parts = [
    ...(filters ? [filterSql(db, requireFilter(filters, options), options)] : []),
    ...rangeSql(db, "created_at", created_at),
    ...rangeSql(db, "updated_at", updated_at),
  ];
  return joined(db, parts, "and");
}

function requireFilter(filters: Record<string, unknown>, { fields, dialect }: Options): Filter {
  try {
    return parseFilter(filters, fields, dialect);
  } catch (error) {
    if (error instanceof FilterFault) throw new ApiError("invalid_query_params", { details: error.message });
    throw error;
  }
}

/** The bounds are exclusive. */
const rangeSql = (db: Db, column: string, range: Range = {}): Fragment[] => [
  ...(range.before === undefined ? [] : [db`${db(column)} < ${toInstant(range.before)}`]),
  ...(range.after === undefined ? [] : [db`${db(column)} > ${toInstant(range.after)}`]),
];

function filterSql(db: Db, { junction, fields }: Filter, options: Options): Fragment {
  const each = fields.map((conditions) =>
    joined(
      db,
      conditions.map((one) => conditionSql(db, one, options)),
      "and",
    ),
  );
  return joined(db, each, junction);
}

function joined(db: Db, parts: readonly Fragment[], word: "and" | "or"): Fragment {
  const [first, ...rest] = parts;
  if (!first) return db`true`;
  const all = rest.reduce((sum, part) => (word === "and" ? db`${sum} and ${part}` : db`${sum} or ${part}`), first);
  return db`(${all})`;
}

const days = (now: string, count: string) => new Date(Date.parse(now) - Number(count) * 86_400_000).toISOString();
/** Every character stands for itself: `%`, `_` and the backslash are no wildcards. */
const like = (text: string) => text.replace(/[\\%_]/g, "\\$&");

function conditionSql(db: Db, condition: Condition, { sql = {}, now, caseSensitiveCodes = false }: Options): Fragment {
  if (condition.kind === "state") return sql[`${condition.field} ${condition.operator}`]!(db, condition.field);
  const { field, kind, operator } = condition;
  const values = kind === "code" ? condition.values.map((one) => foldCode(one, caseSensitiveCodes)) : condition.values;
  const key = field.startsWith("metadata.") && kind === "metadata" ? field.slice("metadata.".length) : null;
  const column = key === null ? (sql[namedIn(sql, field)]?.(db, field) ?? db`${db(field)}`) : db`metadata ->> ${key}`;
  const type = kind === "number" || kind === "money" ? db`numeric` : kind === "boolean" ? db`boolean` : db`text`;
  // Metadata is compared as a number only where it holds one, whatever the planner does first.
  const number =
    key === null
      ? column
      : db`case when jsonb_typeof(metadata -> ${key}) = 'number' then (metadata ->> ${key})::numeric end`;
  const [first = ""] = values;
  const equal =
    kind === "list"
      ? db`exists (select from jsonb_array_elements_text(${column}) as e (element) where element = any(${values}::text[]))`
      : db`${column}::${type} = any(${values}::text[]::${type}[])`;
  const anyLike = (patterns: string[]) =>
    kind === "code" ? db`${column} like any(${patterns}::text[])` : db`${column} ilike any(${patterns}::text[])`;
  switch (operator) {
    case "$is":
      // A day of UTC, as the bounds of a range are.
      if (kind === "date")
        return db`(${column} at time zone 'UTC')::date = (${days(now, first)}::timestamptz at time zone 'UTC')::date`;
      return equal;
    case "$in":
      return equal;
    case "$is_not":
    case "$not_in":
      // A field without a value is not any of them.
      return db`(${equal}) is not true`;
    case "$has_value":
      return db`${column} is not null`;
    case "$is_unknown":
      return db`${column} is null`;
    case "$contains":
      return anyLike(values.map((v) => `%${like(v)}%`));
    case "$not_contain":
      return db`(${anyLike(values.map((v) => `%${like(v)}%`))}) is not true`;
    case "$starts_with":
      return anyLike(values.map((v) => `${like(v)}%`));
    case "$ends_with":
      return anyLike(values.map((v) => `%${like(v)}`));
    case "$before":
      return db`${column} < ${toInstant(first)}`;
    case "$after":
      return db`${column} > ${toInstant(first)}`;
    case "$more_than":
      return kind === "date" ? db`${column} < ${days(now, first)}` : db`${number} > ${first}::numeric`;
    case "$less_than":
      return kind === "date" ? db`${column} > ${days(now, first)}` : db`${number} < ${first}::numeric`;
    case "$more_than_equal":
      return db`${number} >= ${first}::numeric`;
    case "$less_than_equal":
      return db`${number} <= ${first}::numeric`;
  }
}

/** Behind every text that begins with the prefix: no character is greater. */
const endOf = (prefix: string): string => `${prefix}\u{10ffff}`;

/** `text_pattern_ops` compares bytes, whatever the locale is. Ranges, since a prepared `like` may be planned without its prefix. */
export const startsWith = (db: Db, column: Fragment, prefix: string): Fragment =>
  db`${column} ~>=~ ${prefix} and ${column} ~<~ ${endOf(prefix)}`;
/** The same by an index of another kind. */
export const between = (db: Db, column: Fragment, prefix: string): Fragment =>
  db`${column} >= ${prefix} and ${column} < ${endOf(prefix)}`;
