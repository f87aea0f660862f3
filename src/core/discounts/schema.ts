import { type Static, Type } from "typebox";
import { Choice, optional } from "../shapes.ts";
import type { Discount } from "./discount.ts";
import { type Fields, Limit } from "./fields.ts";
import { DISCOUNTS, definitionOf } from "./registry.ts";

/** Limits that several types share. They stand behind the values of these types. */
const LIMITS = { amount_limit: Limit, aggregated_amount_limit: Limit };

type Definition = (typeof DISCOUNTS)[number];
type FieldName = Definition extends infer D ? (D extends Definition ? keyof D["fields"] & string : never) : never;
type FieldOf<Name> = Definition extends infer D
  ? D extends { fields: { [N in Name & string]: infer Schema } }
    ? Schema
    : never
  : never;
type AllFields = { [Name in FieldName]: FieldOf<Name> };

const fieldsOf = (kind: "money" | "goods"): Fields =>
  Object.assign({}, ...DISCOUNTS.filter((one) => one.kind === kind).map(({ fields }) => fields));
const { amount_limit: _, aggregated_amount_limit: __, ...values } = fieldsOf("money");
const FIELDS = { ...values, ...LIMITS, ...fieldsOf("goods") } as AllFields;
const TYPES = DISCOUNTS.map(({ type }) => type);
const EFFECTS = [...new Set(DISCOUNTS.flatMap(({ effects }) => Object.keys(effects)))] as NonNullable<
  Discount["effect"]
>[];

/** A discount as it is sent. Which fields a type takes is said by `discountFault`, in words and not in schemas. */
export const DiscountSchema = Type.Object(
  {
    type: Choice(TYPES),
    effect: Type.Optional(Choice(EFFECTS)),
    ...optional(FIELDS),
    is_dynamic: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true, title: "Discount" },
);
export type DiscountSent = Static<typeof DiscountSchema>;

/** A discount in a result. Free units name the product or the SKU that they are of. */
export const AppliedDiscount = Type.Object(
  { ...DiscountSchema.properties, ...(Object.assign({}, ...DISCOUNTS.map(({ shown }) => shown)) as Fields) },
  { title: "AppliedDiscount" },
);

const FORMULAS = Object.keys(FIELDS).filter((field) => field.endsWith("_formula"));
/** Fields that hold parts of a discount, which may have formulas of their own. */
const PARTS = Object.entries<object>(FIELDS).flatMap(([field, schema]) => ("items" in schema ? [field] : []));

/** The formulas of a discount and of its parts, with the names of their fields. */
export function formulasIn(discount: DiscountSent): { field: string; text: string }[] {
  const given = discount as Readonly<Record<string, unknown>>;
  const parts = PARTS.flatMap((field) => (given[field] ?? []) as readonly Readonly<Record<string, unknown>>[]);
  return [given, ...parts].flatMap((part) =>
    FORMULAS.flatMap((field) => {
      const text = part[field];
      return typeof text === "string" && text !== "" ? [{ field, text }] : [];
    }),
  );
}

/** What is wrong with a discount at `path`, or null. `formulaFault` says what is wrong with a formula. */
export function discountFault(
  discount: DiscountSent,
  { path, formulaFault }: { path: string; formulaFault(text: string): string | null },
): string | null {
  const definition = definitionOf(discount);
  const allowed = Object.keys(definition.effects);
  if (discount.effect !== undefined && !allowed.includes(discount.effect))
    return `Property ${path}.effect must be equal to one of the allowed values [ ${allowed.join(", ")} ]`;
  const fault = definition.fault(discount, path);
  if (fault !== null) return fault;
  for (const { field, text } of formulasIn(discount)) {
    const wrong = formulaFault(text);
    if (wrong !== null) return `Property ${path}.${field}: ${wrong}`;
  }
  return null;
}

/** The discount as it is stored: the fields of its type, and nothing that was sent beside them. */
export function parseDiscount(discount: DiscountSent): Discount {
  const definition = definitionOf(discount);
  const kept = ["type", "effect", ...Object.keys(definition.fields)];
  const entries = Object.entries(discount).filter(
    ([field, value]) => kept.includes(field) && value != null && value !== "",
  );
  return definition.stored(Object.fromEntries(entries) as Discount) as Discount;
}
