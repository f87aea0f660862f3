import { type Static, Type } from "typebox";
import { Cents, Nullable } from "../shapes.ts";
import { AMOUNT_EFFECTS, type Discount, MANY_EFFECTS, PLAIN_EFFECTS, UNIT_EFFECTS } from "./discount.ts";

const oneOf = <const V extends readonly string[]>(values: V) =>
  Type.Unsafe<V[number]>({ type: "string", enum: [...values] });
const nullable = (type: string, limits: object = {}) => ({ type: [type, "null"], ...limits });
const Amount = Nullable(Cents());
const Limit = Nullable(Cents({ minimum: 1 }));
const Formula = Type.Unsafe<string | null>(nullable("string", { maxLength: 4096 }));
const Text = Type.Unsafe<string | null>(nullable("string", { maxLength: 200 }));
export const UNITS_OFF_MAX = 1_000_000;
const Units = Type.Unsafe<number | null>(nullable("integer", { minimum: 0, maximum: UNITS_OFF_MAX }));

const unit = {
  unit_off: Type.Optional(Units),
  unit_off_formula: Type.Optional(Formula),
  unit_type: Type.Optional(Text),
};

/** A discount as it is sent. Which fields a type takes is said by `discountFault`, in words and not in schemas. */
export const DiscountSchema = Type.Object(
  {
    type: oneOf(["AMOUNT", "PERCENT", "FIXED", "UNIT"]),
    effect: Type.Optional(oneOf([...new Set([...AMOUNT_EFFECTS, ...UNIT_EFFECTS])])),
    amount_off: Type.Optional(Amount),
    amount_off_formula: Type.Optional(Formula),
    percent_off: Type.Optional(Type.Unsafe<number | null>(nullable("number", { minimum: 0, maximum: 100 }))),
    percent_off_formula: Type.Optional(Formula),
    fixed_amount: Type.Optional(Amount),
    fixed_amount_formula: Type.Optional(Formula),
    amount_limit: Type.Optional(Limit),
    aggregated_amount_limit: Type.Optional(Limit),
    ...unit,
    units: Type.Optional(
      Type.Array(Type.Object({ ...unit, effect: Type.Optional(oneOf(MANY_EFFECTS)) }, { additionalProperties: true }), {
        minItems: 1,
        maxItems: 100,
      }),
    ),
    is_dynamic: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true, title: "Discount" },
);
export type DiscountSent = Static<typeof DiscountSchema>;

const goods = {
  product: Type.Optional(Type.Object({ id: Nullable(Type.String()), source_id: Text, name: Text })),
  sku: Type.Optional(Type.Object({ id: Nullable(Type.String()), source_id: Text, sku: Text })),
};
/** A discount in a result. Free units name the product or the SKU that they are of. */
export const AppliedDiscount = Type.Object(
  {
    ...DiscountSchema.properties,
    ...goods,
    units: Type.Optional(Type.Array(Type.Object({ ...unit, effect: Type.Optional(oneOf(MANY_EFFECTS)), ...goods }))),
  },
  { title: "AppliedDiscount" },
);

const EFFECTS: Record<Discount["type"], readonly string[]> = {
  AMOUNT: AMOUNT_EFFECTS,
  PERCENT: PLAIN_EFFECTS,
  FIXED: PLAIN_EFFECTS,
  UNIT: UNIT_EFFECTS,
};
const FIELDS: Record<Discount["type"], readonly string[]> = {
  AMOUNT: ["amount_off", "amount_off_formula", "aggregated_amount_limit"],
  PERCENT: ["percent_off", "percent_off_formula", "amount_limit", "aggregated_amount_limit"],
  FIXED: ["fixed_amount", "fixed_amount_formula"],
  UNIT: ["unit_off", "unit_off_formula", "unit_type", "units"],
};
const FORMULAS = ["amount_off_formula", "percent_off_formula", "fixed_amount_formula", "unit_off_formula"] as const;

/** What is wrong with a discount at `path`, or null. `checkFormula` says what is wrong with a formula. */
export function discountFault(
  discount: DiscountSent,
  { path, checkFormula }: { path: string; checkFormula(text: string): string | null },
): string | null {
  const { type, effect } = discount;
  if (effect !== undefined && !EFFECTS[type].includes(effect))
    return `Property ${path}.effect must be equal to one of the allowed values [ ${EFFECTS[type].join(", ")} ]`;
  const missing = missingIn(discount, path);
  if (missing !== null) return missing;
  for (const part of [discount, ...(discount.units ?? [])])
    for (const field of FORMULAS) {
      const text = (part as Record<string, unknown>)[field];
      const fault = typeof text === "string" && text !== "" ? checkFormula(text) : null;
      if (fault !== null) return `Property ${path}.${field}: ${fault}`;
    }
  return null;
}

function missingIn(discount: DiscountSent, path: string): string | null {
  const has = (field: keyof DiscountSent) =>
    discount[field] !== undefined && discount[field] !== null && discount[field] !== "";
  const required = (field: string) => `Property ${path} must have required property '${field}'`;
  switch (discount.type) {
    case "AMOUNT":
      return has("amount_off") || has("amount_off_formula") ? null : required("amount_off");
    case "PERCENT":
      return has("percent_off") || has("percent_off_formula") ? null : required("percent_off");
    case "FIXED":
      // For items the new price may stand with the products it is for.
      return has("fixed_amount") || has("fixed_amount_formula") || discount.effect === "APPLY_TO_ITEMS"
        ? null
        : required("fixed_amount");
    case "UNIT":
      if (discount.effect === "ADD_MANY_ITEMS" || discount.units)
        return discount.units?.every((one) => one.unit_type && (one.unit_off != null || one.unit_off_formula))
          ? null
          : `Property ${path}.units must name unit_off and unit_type of each`;
      if (!has("unit_off") && !has("unit_off_formula")) return required("unit_off");
      return has("unit_type") ? null : required("unit_type");
  }
}

/** The discount as it is stored: the fields of its type, and nothing that was sent beside them. */
export function storedDiscount(discount: DiscountSent): Discount {
  const kept = ["type", "effect", ...FIELDS[discount.type]];
  const entries = Object.entries(discount).filter(
    ([field, value]) => kept.includes(field) && value != null && value !== "",
  );
  const stored = Object.fromEntries(entries) as Discount;
  if (stored.type !== "UNIT" || !stored.units) return stored;
  const units = stored.units.map(({ unit_off, unit_off_formula, unit_type, effect = "ADD_MISSING_ITEMS" }) => ({
    ...(unit_off != null && { unit_off }),
    ...(unit_off_formula && { unit_off_formula }),
    unit_type: unit_type!,
    effect,
  }));
  return { ...stored, effect: "ADD_MANY_ITEMS", units };
}
