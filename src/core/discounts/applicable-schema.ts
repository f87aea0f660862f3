import { Type } from "typebox";
import { Choice, Nullable, optional } from "../shapes.ts";
import { APPLY_EFFECTS, BUDGET_LIMITS } from "./targets.ts";

const Limit = Type.Integer({ minimum: 1 });
const LIMITS = [
  "quantity_limit",
  "aggregated_quantity_limit",
  "amount_limit",
  "aggregated_amount_limit",
  ...BUDGET_LIMITS,
];

const fields = {
  object: Choice(["product", "sku", "products_collection"]),
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
    target: Choice(["ITEM", "UNIT"]),
    ...Object.fromEntries(LIMITS.flatMap((name) => [[name, Limit] as const, [`${name}_formula`, Type.String()]])),
  }),
};
/** Which products a discount is for, as a validation rule says it. */
export const ApplicableEntrySchema = Type.Object(
  { ...fields, effect: Choice(APPLY_EFFECTS) },
  { title: "ApplicableEntry" },
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
