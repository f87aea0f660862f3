import { type Discount, definitionOf } from "./registry.ts";

export type { Discount };

/** The product that every project has for shipping: a unit of it free is free shipping. */
export const SHIPPING_PRODUCT_ID = "prod_5h1pp1ng";
export const SHIPPING_SOURCE_ID = "5h1pp1ng";
/** The collection that holds every item of a catalogue, and any item that a request sends. */
export const ALL_PRODUCTS_ID = "pc_a11pr0dUc75";

/** Without an effect, the type of a discount says where it goes: most go to items when their rules name products. */
export const effectOfDiscount = (discount: Discount, namesProducts: boolean): NonNullable<Discount["effect"]> =>
  discount.effect ?? (definitionOf(discount).defaultEffect(discount, namesProducts) as NonNullable<Discount["effect"]>);

/** What a discount may add to a cart: the ids of products and SKUs. */
export const unitTypesOf = (discount: Discount | null): readonly string[] =>
  discount ? definitionOf(discount).goods(discount) : [];
