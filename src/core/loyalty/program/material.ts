import { type Static, type TSchema, Type } from "typebox";
import { Cents, Choice, strict } from "../../shapes.ts";
import { idOf, maybe, variantOf } from "./shape.ts";

const Product = strict({ id: idOf("prod") });
const Sku = strict({ product_id: idOf("prod"), id: idOf("sku") });
/** Goods that are handed over: a product, or a SKU of one. */
export type Material = { type: "PRODUCT" | "SKU"; product?: { id: string }; sku?: { product_id: string; id: string } };
export const Material = Type.Unsafe<Material>(
  strict({ type: Choice(["PRODUCT", "SKU"]), product: Type.Optional(Product), sku: Type.Optional(Sku) }),
);
export const MaterialSent = strict({
  type: Type.Optional(Choice(["PRODUCT", "SKU"])),
  ...maybe({ product: Product, sku: Sku }),
});
export type MaterialSent = Static<typeof MaterialSent>;

export function parseMaterial(sent: MaterialSent, path: string): Material {
  const type = variantOf(sent, { PRODUCT: "product", SKU: "sku" }, { path });
  return type === "PRODUCT" ? { type, product: sent.product! } : { type, sku: sent.sku! };
}

const coupons = strict({ campaign_id: idOf("camp") });
const gifts = strict({
  campaign_id: idOf("camp"),
  balance: Cents(),
});
const points = strict({
  points: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  card_definition_id: idOf("lcdef"),
});
const FIELDS = { discount_coupons: coupons, gift_vouchers: gifts, loyalty_card_points: points };
const DIGITAL = {
  DISCOUNT_COUPONS: "discount_coupons",
  GIFT_VOUCHERS: "gift_vouchers",
  LOYALTY_CARD_POINTS: "loyalty_card_points",
} as const;
export type DigitalType = keyof typeof DIGITAL;

/** What is sent by wire: a code of a campaign, or points. */
export type Digital = {
  type: DigitalType;
  discount_coupons?: Static<typeof coupons>;
  gift_vouchers?: Static<typeof gifts>;
  loyalty_card_points?: Static<typeof points>;
};
export type DigitalSent = { type?: DigitalType } & { [K in keyof typeof FIELDS]?: Digital[K] | null };

/** The schemas for some of the types: a benefit gives points in its own way. */
export const digitalOf = (types: readonly DigitalType[]) => {
  const fields = Object.fromEntries(types.map((type) => [DIGITAL[type], FIELDS[DIGITAL[type]] as TSchema]));
  const optional = Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, Type.Optional(schema)]));
  return {
    stored: Type.Unsafe<Digital>(strict({ type: Choice(types), ...optional })),
    sent: Type.Unsafe<DigitalSent>(strict({ type: Type.Optional(Choice(types)), ...maybe(fields) })),
  };
};

export function parseDigital(sent: DigitalSent, path: string): Digital {
  const type = variantOf(sent, DIGITAL, { path });
  return { type, [DIGITAL[type]]: sent[DIGITAL[type]] };
}
