import { type Static, Type } from "typebox";
import {
  Cents,
  CheckedLater,
  DateOrDateTime,
  DateRange,
  DateTime,
  Filters,
  Id,
  Metadata,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const updatable = {
  name: Nullable(Type.String({ maxLength: 1000 })),
  price: Nullable(Cents({ description: "For one unit, in 1/100 of the currency's unit." })),
  attributes: Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: 100,
    description: "The names of what its SKUs differ in.",
  }),
  metadata: Metadata,
  image_url: Nullable(Type.String({ maxLength: 5000 })),
};
const source_id = Nullable(Type.String({ ...Id, description: "The id in the caller's own catalogue, unique there." }));

export const Product = Type.Object(
  {
    id: Type.String(),
    source_id,
    ...updatable,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("product"),
  },
  { title: "Product" },
);
export type Product = Static<typeof Product>;

export const ProductUpdate = open(optional(updatable));
export type ProductUpdate = Static<typeof ProductUpdate>;
export const ProductUpsert = open(optional({ id: Nullable(Id), source_id, ...updatable }));
export type ProductUpsert = Static<typeof ProductUpsert>;

const key = Type.String({ ...Id, description: "The id in the caller's own catalogue, unique there." });
export const ProductInBulk = open({ source_id: key, ...optional(updatable) }, { title: "ProductInBulk" });
/** Each entry is checked for itself: what is wrong with it stands in the result of the async action. */
export const ProductBulk = CheckedLater<unknown[]>(
  { type: "array", minItems: 1 },
  Type.Array(ProductInBulk, { minItems: 1 }),
);
export const ProductsMetadata = open({ source_ids: Type.Array(key, { minItems: 1 }), metadata: Metadata });

export const ProductQuery = PageQuery(["created_at", "updated_at"], {
  start_date: Type.Optional(DateOrDateTime),
  end_date: Type.Optional(DateOrDateTime),
  created_at: Type.Optional(DateRange),
  updated_at: Type.Optional(DateRange),
  filters: Type.Optional(Filters),
});
export type ProductQuery = Static<typeof ProductQuery>;
export const ProductDelete = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Delete for good, instead of moving it to the bin." })),
});
export const ByProduct = Type.Object({ productId: Type.String() });
