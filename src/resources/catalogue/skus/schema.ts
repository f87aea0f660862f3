import { type Static, Type } from "typebox";
import {
  Cents,
  DateOrDateTime,
  DateTime,
  FreeMap,
  Id,
  listOf,
  Metadata,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const updatable = {
  sku: Nullable(Type.String({ maxLength: 1000, description: "Its name." })),
  price: Nullable(Cents({ description: "For one unit; instead of the price of the product." })),
  currency: Nullable(Type.String({ format: "currency" })),
  attributes: Type.Unsafe<Record<string, unknown>>({
    ...FreeMap("SkuAttributes", "A value for each attribute of the product."),
    maxProperties: 100,
  }),
  metadata: Metadata,
  image_url: Nullable(Type.String({ maxLength: 5000 })),
};
const source_id = Nullable(Type.String({ ...Id, description: "The id in the caller's own catalogue, unique there." }));

export const Sku = Type.Object(
  {
    id: Type.String(),
    source_id,
    product_id: Type.String(),
    ...updatable,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("sku"),
  },
  { title: "Sku" },
);
export type Sku = Static<typeof Sku>;

export const SkuUpdate = open(optional(updatable));
export type SkuUpdate = Static<typeof SkuUpdate>;
export const SkuUpsert = open(optional({ id: Nullable(Id), source_id, ...updatable }));
export type SkuUpsert = Static<typeof SkuUpsert>;

/** Inside a product. */
export const SkuList = listOf(Sku);
export const SkuPage = listOf(Sku, "skus");
export const SkuQuery = PageQuery(["created_at", "updated_at"], {
  start_date: Type.Optional(DateOrDateTime),
  end_date: Type.Optional(DateOrDateTime),
});
export type SkuQuery = Static<typeof SkuQuery>;
export const SkuDelete = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Delete for good, instead of moving it to the bin." })),
});
export const BySku = Type.Object({ skuId: Type.String() });
export const InProduct = Type.Object({ productId: Type.String() });
export const BySkuInProduct = Type.Object({ productId: Type.String(), skuId: Type.String() });
