import type { FilterConditions } from "../../api/operations.gen.ts";
import type { TextKey } from "../../text/text.ts";

export type ValueKind = "text" | "number" | "money" | "days" | "any";
export type FilterField = { field: string; kind: ValueKind; text: TextKey };
/** One line of a filter. `name` is what `*` stands for in a field such as `metadata.*`. */
export type FilterRow = { field: string; name: string; operator: string; values: readonly unknown[] };
export type FilterRows = { junction: "and" | "or"; rows: FilterRow[] };

export const CUSTOMER_FIELDS: readonly FilterField[] = [
  { field: "summary.orders.total_amount", kind: "money", text: "filter.fields.totalAmount" },
  { field: "summary.orders.total_count", kind: "number", text: "filter.fields.totalCount" },
  { field: "summary.orders.average_amount", kind: "money", text: "filter.fields.averageAmount" },
  { field: "summary.orders.last_order_date", kind: "days", text: "filter.fields.lastOrder" },
  { field: "summary.redemptions.total_succeeded", kind: "number", text: "filter.fields.redemptions" },
  { field: "loyalty.points", kind: "number", text: "filter.fields.points" },
  { field: "created_at", kind: "days", text: "filter.fields.created" },
  { field: "name", kind: "text", text: "filter.fields.name" },
  { field: "email", kind: "text", text: "filter.fields.email" },
  { field: "source_id", kind: "text", text: "filter.fields.sourceId" },
  { field: "address.city", kind: "text", text: "filter.fields.city" },
  { field: "address.country", kind: "text", text: "filter.fields.country" },
  { field: "metadata.*", kind: "any", text: "filter.fields.metadata" },
  { field: "events.*.count", kind: "number", text: "filter.fields.events" },
];
export const PRODUCT_FIELDS: readonly FilterField[] = [
  { field: "name", kind: "text", text: "filter.fields.name" },
  { field: "source_id", kind: "text", text: "filter.fields.sourceId" },
  { field: "price", kind: "money", text: "filter.fields.price" },
  { field: "created_at", kind: "days", text: "filter.fields.created" },
  { field: "metadata.*", kind: "any", text: "filter.fields.metadata" },
];

const NUMBERS = ["$more_than", "$more_than_equal", "$less_than", "$less_than_equal", "$is"];
const TEXTS = ["$is", "$is_not", "$contains", "$not_contain", "$starts_with", "$ends_with"];
export const OPERATORS: Record<ValueKind, readonly string[]> = {
  text: TEXTS,
  number: NUMBERS,
  money: NUMBERS,
  days: ["$less_than", "$more_than"],
  any: [...TEXTS, ...NUMBERS.slice(0, 4)],
};

/** Whether a field of a filter is one of a table; the part that `*` stands for, or null. */
function nameIn(pattern: string, field: string): string | null {
  const [before, after] = pattern.split("*");
  if (after === undefined) return pattern === field ? "" : null;
  const isLike = field.startsWith(before!) && field.endsWith(after) && field.length > before!.length + after.length;
  return isLike ? field.slice(before!.length, field.length - after.length) : null;
}

/** A filter as lines. A field that the table does not have is kept as it is written. */
export function rowsOfFilter(filter: FilterConditions | null, fields: readonly FilterField[]): FilterRows {
  const rows = Object.entries(filter ?? {}).flatMap(([written, about]) => {
    if (typeof about === "string") return [];
    const known = fields.find(({ field }) => nameIn(field, written) !== null);
    const at = known ? { field: known.field, name: nameIn(known.field, written) ?? "" } : { field: written, name: "" };
    return Object.entries(about.conditions).map(([operator, value]) => ({
      ...at,
      operator,
      values: Array.isArray(value) ? value : [value],
    }));
  });
  return { junction: filter?.junction === "or" ? "or" : "and", rows };
}

const isWhole = ({ field, name, values }: FilterRow): boolean =>
  field !== "" && (!field.includes("*") || name !== "") && values.length > 0 && values.every((one) => one !== "");

/** The lines as a filter. Those that are not whole yet are left out. */
export function filterOfRows({ junction, rows }: FilterRows): FilterConditions {
  const filter: Record<string, { conditions: Record<string, unknown> }> = {};
  for (const { field, name, operator, values } of rows.filter(isWhole)) {
    const written = field.replace("*", () => name);
    filter[written] = { conditions: { ...filter[written]?.conditions, [operator]: values } };
  }
  return { junction, ...filter } as FilterConditions;
}
