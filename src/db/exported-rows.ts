import { csvLine, FORMULA, FORMULA_STARTS, labelOf, METADATA, SPECIAL } from "../core/exports/csv.ts";
import type { FilterFields } from "../core/filters/filter.ts";
import type { Db, Fragment } from "./db.ts";
import { type FieldSql, whereOf } from "./filters.ts";

/**
 * What the SQL of an object may look at beside its rows. Sub-selects name the project by its id, not by a column of the rows: a
 * database that is spread over machines would not see that all of it is in one place.
 */
export type ExportOwner = { id: string; secret: string; case_sensitive_codes: boolean };
type Sql = (db: Db, owner: ExportOwner) => Fragment;

/** `id`: what holds no comma and no quotation mark, whoever wrote it: ids of ours, and words of a closed list. */
type FieldKind = "id" | "text" | "money" | "number" | "date" | "boolean" | "json";
export type ExportField = {
  kind: FieldKind;
  sql: Sql;
  /** The field that it is in CSV, where that has another value. */
  inCsv?: ExportField;
  /** It may tell who a customer is: a file with it ends when one is erased. */
  isPersonal?: true;
};
type ExportOrder = {
  sql: Sql;
  type: "text" | "timestamptz";
  isNullable?: true;
  /** The value of a row may change: then the row stands elsewhere in another snapshot, and may be missed there. */
  mayMove?: true;
};

/** One row of the table of objects. */
export type ExportObject = {
  /** A sub-select with a name of its own, of rows of one project. It has `id`, and all that the rest names. */
  from: Sql;
  fields: Readonly<Record<string, ExportField>>;
  defaults: readonly string[];
  /** What rows can be ordered by; the id breaks ties. */
  orders: Readonly<Record<string, ExportOrder>>;
  defaultOrder: string;
  filters: FilterFields;
  filterSql?: (now: string, owner: ExportOwner) => FieldSql;
  /** Whose metadata schema says which columns `metadata` is. Without one it is one column of JSON. */
  metadataOf?: string;
};

const column =
  (name: string): Sql =>
  (db) =>
    db`${db(name)}`;
const fieldOf =
  (kind: FieldKind, more: Partial<ExportField> = {}) =>
  (sql: string | Sql): ExportField => ({ kind, sql: typeof sql === "string" ? column(sql) : sql, ...more });
export const id = fieldOf("id");
export const text = fieldOf("text");
export const money = fieldOf("money");
export const number = fieldOf("number");
export const date = fieldOf("date");
export const boolean = fieldOf("boolean");
export const json = fieldOf("json");
export const personal = fieldOf("text", { isPersonal: true });
export const personalId = fieldOf("id", { isPersonal: true });

export const byText = (name: string, isNullable?: true): ExportOrder => ({
  sql: column(name),
  type: "text",
  ...(isNullable && { isNullable }),
});
export const byDate = (name: string, isNullable?: true): ExportOrder => ({
  ...byText(name, isNullable),
  type: "timestamptz",
});
export const moving = (order: ExportOrder): ExportOrder => ({ ...order, mayMove: true });
/** The two that most objects have. */
export const BY_AGE = { created_at: byDate("created_at"), updated_at: moving(byDate("updated_at", true)) };

export const orderOf = ({ orders }: ExportObject, { order }: Pick<ExportPlan, "order">): ExportOrder =>
  orders[order.replace(/^-/, "")]!;

/** The id that the shop has for the customer of a row; `rows` is the name of the sub-select. */
export const sourceIdOf = (rows: string) => (db: Db, owner: ExportOwner) =>
  db`
  (select k.source_id from customers k where k.project_id = ${owner.id} and k.id = ${db(rows)}.customer_id)`;
/** What names a customer: the id, or the id that the shop has for them. */
export const namesOfCustomer = (rows: string, owner: ExportOwner) => (db: Db) =>
  db`jsonb_build_array(customer_id, ${sourceIdOf(rows)(db, owner)})`;

/** Minor units as CSV shows them: 2000 is 20.00. */
export const cents = (db: Db, value: Fragment): Fragment => db`((${value})::numeric / 100)::numeric(30, 2)::text`;
const moment = (db: Db, value: Fragment): Fragment =>
  db`to_char((${value}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** `core/exports/csv.ts` in SQL. Patterns take long, so what is plain at first sight is not compared with them. */
const quoted = (db: Db, value: Fragment): Fragment => db`
  case when strpos(${value}, '"') + strpos(${value}, ',') + strpos(${value}, ${"\n"}) + strpos(${value}, ${"\r"}) = 0
      and not left(${value}, 1) = any(${[...FORMULA_STARTS]}::text[]) then ${value}
    when ${value} ~ ${`${SPECIAL}|${FORMULA}`} then
      '"' || replace(case when ${value} ~ ${FORMULA} then '''' || ${value} else ${value} end, '"', '""') || '"'
    else ${value} end`;

/** How a value of a kind is written. The value is a column, so that it may stand here several times. */
const CSV: Readonly<Record<FieldKind, (db: Db, value: Fragment) => Fragment>> = {
  id: (_, value) => value,
  number: (db, value) => db`${value}::text`,
  boolean: (db, value) => db`${value}::text`,
  money: cents,
  date: moment,
  text: quoted,
  json: (db, value) => quoted(db, db`(${value}::text)`),
};
const jsonCell = (db: Db, kind: FieldKind, value: Fragment): Fragment =>
  db`coalesce(to_json(${kind === "date" ? moment(db, value) : value})::text, 'null')`;

/** What an export was made into when it was asked for, so that it stays the same to its end. */
export type ExportPlan = {
  /** Names of fields; those of metadata have the form `metadata.name`. */
  columns: readonly string[];
  order: string;
  format: "CSV" | "JSONL";
  filters?: Record<string, unknown>;
  /** Only rows of this campaign, or of this card. */
  campaign_id?: string;
  voucher_id?: string;
  /** The time that filters count days from. */
  at: string;
};
export type LastRow = { value: string | null; id: string };
export type Block = { text: string; rows: number; last: LastRow; isLast: boolean; isCut: boolean };

/** The field of a name; of metadata one that its name makes. Undefined: there is none. */
export function fieldNamed({ fields, metadataOf }: ExportObject, name: string): ExportField | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  const key = name.startsWith(METADATA) && metadataOf !== undefined ? name.slice(METADATA.length) : "";
  if (key === "") return undefined;
  const about = fields.metadata?.isPersonal ? { isPersonal: true as const } : {};
  // In CSV text as it is, anything else as JSON.
  return { ...json((db) => db`metadata -> ${key}`), inCsv: text((db) => db`metadata ->> ${key}`), ...about };
}

/** The field of a column as its format has it. */
function columnField(object: ExportObject, name: string, format: ExportPlan["format"]): ExportField {
  const field = fieldNamed(object, name)!;
  return format === "CSV" ? (field.inCsv ?? field) : field;
}

/** The line above the rows. */
export const headOf = ({ columns, format }: ExportPlan): string =>
  format === "CSV" ? csvLine(columns.map(labelOf)) : "";

function lineSql(db: Db, object: ExportObject, { columns, format }: ExportPlan): Fragment {
  const cells = columns.map((name, n) => {
    const { kind } = columnField(object, name, format);
    const value = db`${db(`c${n}`)}`;
    if (format === "CSV") return db`coalesce(${CSV[kind](db, value)}, '')`;
    return db`${`${JSON.stringify(name)}:`}::text || ${jsonCell(db, kind, value)}`;
  });
  // Not `concat`: it takes 100 arguments at most, and half as long again.
  const line = cells.reduce((all, cell) => db`${all} || ',' || ${cell}`);
  return format === "CSV" ? db`${line} || ${"\n"}` : db`'{' || ${line} || ${"}\n"}`;
}

/** What follows a row in the order; rows without a value come last. */
function followsSql(
  db: Db,
  value: Fragment,
  { type, isNullable }: ExportOrder,
  falls: boolean,
  last: LastRow,
): Fragment {
  const than = falls ? db`<` : db`>`;
  const known = type === "text" ? db`${last.value}::text` : db`${last.value}::timestamptz`;
  if (!isNullable) return db`(${value}, id) ${than} (${known}, ${last.id})`;
  if (last.value === null) return db`(${value} is null and id ${than} ${last.id})`;
  return db`(${value} ${than} ${known} or (${value} = ${known} and id ${than} ${last.id}) or ${value} is null)`;
}

/**
 * The rows that follow the last one, as the text that they are in the file: so many rows at most, and no more bytes than that
 * but for the last line. The database writes the lines, so that a row costs us nothing.
 */
export async function readBlock(
  db: Db,
  owner: ExportOwner,
  object: ExportObject,
  { plan, last, rowsMax, bytesMax }: { plan: ExportPlan; last: LastRow | null; rowsMax: number; bytesMax: number },
): Promise<Block | null> {
  const falls = plan.order.startsWith("-");
  const order = orderOf(object, plan);
  const value = order.sql(db, owner);
  const direction = falls ? db`desc` : db`asc`;
  const values = plan.columns.map(
    (name, n) => db`${columnField(object, name, plan.format).sql(db, owner)} as ${db(`c${n}`)}, `,
  );
  const { filters, at } = plan;
  const only = (name: "campaign_id" | "voucher_id") =>
    plan[name] === undefined ? db`true` : db`${db(name)} = ${plan[name]}`;
  const where = whereOf(db, filters ? { filters } : {}, {
    fields: object.filters,
    sql: object.filterSql?.(at, owner) ?? {},
    now: at,
    caseSensitiveCodes: owner.case_sensitive_codes,
  });
  // The rows come in their order, and neither numbering nor adding them up changes it. Without `offset` a line would be written
  // again wherever it is named.
  const [row] = await db<{ text: string; rows: number; fetched: number; value: string | null; id: string }[]>`
    with page as materialized (
      select row_number() over () as n, line, value, id,
        sum(octet_length(line)) over (rows unbounded preceding) - octet_length(line) as before
      from (
        select value, id, ${lineSql(db, object, plan)} as line from (
          select ${values} (${value})::text as value, id from ${object.from(db, owner)}
          where ${where} and ${only("campaign_id")} and ${only("voucher_id")}
            and ${last === null ? db`true` : followsSql(db, value, order, falls, last)}
          order by ${value} ${direction} ${order.isNullable ? db`nulls last` : db``}, id ${direction} limit ${rowsMax}
        ) as found offset 0
      ) as written
    ), taken as (
      select string_agg(line, '') as text, count(*) as rows from page where before < ${bytesMax}
    )
    select text, rows, (select count(*) from page) as fetched, value, id from taken join page on page.n = taken.rows`;
  if (!row) return null;
  const { text: lines, rows, fetched } = row;
  return {
    text: lines,
    rows,
    last: { value: row.value, id: row.id },
    isLast: rows === fetched && fetched < rowsMax,
    isCut: rows < fetched,
  };
}
