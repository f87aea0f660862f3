import { type Static, Type } from "typebox";
import {
  Choice,
  DateOrDateTime,
  DateTime,
  FilterConditions,
  Id,
  listOf,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const STATIC_PRODUCTS_MAX = 1000;

const name = Type.String({ minLength: 1, maxLength: 200 });
const entry = { id: Id, object: Choice(["product", "sku"]) };
const ProductId = Type.String({ description: "The product of a SKU." });

export const ProductCollection = Type.Object(
  {
    id: Type.String(),
    name,
    type: Choice(["STATIC", "AUTO_UPDATE"]),
    products: Type.Optional(
      Type.Array(Type.Object({ ...entry, product_id: Type.Optional(ProductId) }), { description: "Of a static one." }),
    ),
    filter: Type.Optional(FilterConditions),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("products_collection"),
  },
  { title: "ProductCollection" },
);
export type ProductCollection = Static<typeof ProductCollection>;

export const ProductCollectionCreate = open({
  type: Choice(["STATIC", "AUTO_UPDATE"], { description: "A fixed list, or what fits a filter." }),
  name,
  products: Type.Optional(
    Type.Array(open(entry), {
      maxItems: STATIC_PRODUCTS_MAX,
      description: "Of a static one. A product stands for its SKUs too.",
    }),
  ),
  filter: Type.Optional(FilterConditions),
});
export type ProductCollectionCreate = Static<typeof ProductCollectionCreate>;
export const ProductCollectionUpdate = open(optional({ name, filter: FilterConditions }));
export type ProductCollectionUpdate = Static<typeof ProductCollectionUpdate>;

export const ProductCollectionPreviewBody = open({ filter: FilterConditions });

export const ProductCollectionList = listOf(ProductCollection);
export const ProductCollectionQuery = PageQuery(["created_at", "updated_at", "name"]);
export const CollectionProductsQuery = PageQuery(["created_at", "updated_at"], {
  starting_after: Type.Optional(
    Type.Unsafe<string>({
      ...DateOrDateTime,
      description: "Those created after it; in a descending order, before it.",
    }),
  ),
});
export type CollectionProductsQuery = Static<typeof CollectionProductsQuery>;
export const ByProductCollection = Type.Object({ productCollectionId: Type.String() });
