/** Where a discount goes, and how it is counted there. */
export const AMOUNT_EFFECTS = [
  "APPLY_TO_ORDER",
  "APPLY_TO_ITEMS",
  "APPLY_TO_ITEMS_PROPORTIONALLY",
  "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY",
  "APPLY_TO_ITEMS_BY_QUANTITY",
] as const;
export const PLAIN_EFFECTS = ["APPLY_TO_ORDER", "APPLY_TO_ITEMS"] as const;
export const UNIT_EFFECTS = [
  "ADD_MISSING_ITEMS",
  "ADD_NEW_ITEMS",
  "ADD_SAME_ITEMS",
  "ADD_MANY_ITEMS",
  "REPLACE_ITEMS",
] as const;
export const MANY_EFFECTS = ["ADD_MISSING_ITEMS", "ADD_NEW_ITEMS"] as const;

export type AmountDiscount = {
  type: "AMOUNT";
  amount_off?: number | null;
  amount_off_formula?: string | null;
  aggregated_amount_limit?: number | null;
  effect?: (typeof AMOUNT_EFFECTS)[number];
};
export type PercentDiscount = {
  type: "PERCENT";
  percent_off?: number | null;
  percent_off_formula?: string | null;
  amount_limit?: number | null;
  aggregated_amount_limit?: number | null;
  effect?: (typeof PLAIN_EFFECTS)[number];
};
export type FixedDiscount = {
  type: "FIXED";
  fixed_amount?: number | null;
  fixed_amount_formula?: string | null;
  effect?: (typeof PLAIN_EFFECTS)[number];
};
/** Free units of a product or SKU; with `ADD_MANY_ITEMS` those of `units`. */
export type UnitOff = {
  unit_off?: number | null;
  unit_off_formula?: string | null;
  unit_type?: string | null;
  effect?: (typeof UNIT_EFFECTS)[number];
};
export type UnitDiscount = UnitOff & { type: "UNIT"; units?: readonly UnitOff[] };
export type Discount = AmountDiscount | PercentDiscount | FixedDiscount | UnitDiscount;

/** The product that every project has for shipping: a unit of it free is free shipping. */
export const SHIPPING_PRODUCT_ID = "prod_5h1pp1ng";
export const SHIPPING_SOURCE_ID = "5h1pp1ng";
/** The collection that holds every item of a catalogue, and any item that a request sends. */
export const ALL_PRODUCTS_ID = "pc_a11pr0dUc75";

/** Without an effect a discount goes to items when its rules name products, else to the order. */
export function effectOf(discount: Discount, namesProducts: boolean): NonNullable<Discount["effect"]> {
  if (discount.effect) return discount.effect;
  if (discount.type === "UNIT") return discount.units ? "ADD_MANY_ITEMS" : "ADD_MISSING_ITEMS";
  return namesProducts ? "APPLY_TO_ITEMS" : "APPLY_TO_ORDER";
}

/** What a discount may add to a cart: the ids of products and SKUs. */
export function unitTypesOf(discount: Discount | null): readonly string[] {
  if (discount?.type !== "UNIT") return [];
  const { unit_type, units = [] } = discount;
  return [unit_type, ...units.map((unit) => unit.unit_type)].filter((id) => id != null);
}
