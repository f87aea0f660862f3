import { Type } from "typebox";
import { Cents, Choice, Nullable, open, optional } from "../shapes.ts";
import { APPLY_EFFECTS, BUDGET_LIMITS } from "./targets.ts";

const Limit = Type.Integer({ minimum: 1 });
export const ENTRIES_MAX = 1000;
export const OBJECTS = ["product", "sku", "products_collection"] as const;
export const TARGETS = ["ITEM", "UNIT"] as const;
export const LIMITS = [
  "quantity_limit",
  "aggregated_quantity_limit",
  "amount_limit",
  "aggregated_amount_limit",
  ...BUDGET_LIMITS,
] as const;
export const MONEY: readonly string[] = ["price", "amount_limit", "aggregated_amount_limit"];

const fields = {
  object: Choice(OBJECTS),
  id: Type.String(),
  ...optional({
    source_id: Nullable(Type.String()),
    product_id: Nullable(Type.String()),
    product_source_id: Nullable(Type.String()),
    strict: Type.Boolean(),
    price: Type.Integer({ minimum: 0 }),
    price_formula: Type.String(),
    skip_initially: Type.Integer({ minimum: 0 }),
    repeat: Limit,
    target: Choice(TARGETS),
    ...Object.fromEntries(LIMITS.flatMap((name) => [[name, Limit] as const, [`${name}_formula`, Type.String()]])),
  }),
};
/** Which products a discount is for, as a validation rule says it. */
export const ApplicableEntrySchema = Type.Object(
  { ...fields, effect: Choice(APPLY_EFFECTS) },
  { title: "ApplicableEntry" },
);

const { object, id: _, ...others } = fields;
/** The same as it is sent: null is as good as nothing. */
export const ApplicableEntryInBody = open(
  {
    object,
    id: Type.String({ minLength: 1 }),
    ...Object.fromEntries(
      Object.entries({ ...others, effect: Choice(APPLY_EFFECTS) }).map(([name, schema]) => [
        name,
        Type.Optional(Nullable(MONEY.includes(name) ? Cents({ minimum: name === "price" ? 0 : 1 }) : schema)),
      ]),
    ),
  },
  { title: "ApplicableEntryInBody" },
);

/** The same in an answer about a cart, with the lines of the cart that it stands for. */
const ApplicableInCart = Type.Object(
  {
    ...fields,
    id: Nullable(Type.String()),
    ...optional({
      effect: Choice(APPLY_EFFECTS),
      order_item_indices: Type.Array(Type.Integer()),
      order_item_units: Type.Array(
        Type.Object({
          index: Type.Integer(),
          ...optional({
            units: Type.Array(Type.Integer(), { description: "Which units of the line, counted from 0." }),
            units_limit_exceeded: Type.Boolean({ description: "The cart is too large to name units." }),
          }),
        }),
      ),
    }),
  },
  { title: "ApplicableInCart" },
);
export const ApplicableList = Type.Object(
  {
    data: Type.Array(ApplicableInCart),
    total: Type.Integer({ minimum: 0 }),
    data_ref: Type.Literal("data"),
    object: Type.Literal("list"),
  },
  { title: "ApplicableList" },
);
