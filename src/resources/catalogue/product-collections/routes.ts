import {
  CollectionPreview,
  listCollectionProducts,
  previewCollection,
  ShownCollectionProduct,
} from "../../../flows/catalogue/collection-products.ts";
import { removeCollection, updateCollection } from "../../../flows/catalogue/product-collection.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty, listOf } from "../../../http/schemas.ts";
import { createCollection } from "../../../steps/goods/product-collections.ts";
import {
  ByProductCollection,
  CollectionProductsQuery,
  ProductCollection,
  ProductCollectionCreate,
  ProductCollectionList,
  ProductCollectionPreviewBody,
  ProductCollectionQuery,
  ProductCollectionUpdate,
} from "./schema.ts";
import { getProductCollection, productCollections as store, view } from "./store.ts";

const PAGE_LIMIT = 10;

export const productCollectionRoutes = [
  read(
    "GET /v1/product-collections",
    {
      id: "listProductCollections",
      summary: "List product collections",
      query: ProductCollectionQuery,
      ok: ProductCollectionList,
    },
    async (c) => list(await store.list(c.db, c.project.id, { limit: PAGE_LIMIT, ...c.query }), view),
  ),
  write(
    "POST /v1/product-collections",
    {
      id: "createProductCollection",
      summary: "Create a product collection",
      body: ProductCollectionCreate,
      ok: ProductCollection,
    },
    async (c) => view(await createCollection(c, c.body)),
  ),
  read(
    "POST /v1/product-collections/preview",
    {
      id: "previewProductCollection",
      summary: "What would be in a collection with this filter",
      description:
        "Nothing is stored. In a catalogue of more than 10,000 products and SKUs the number is `approximate`.",
      body: ProductCollectionPreviewBody,
      ok: CollectionPreview,
    },
    async (c) => previewCollection(c, c.body.filter),
  ),
  read(
    "GET /v1/product-collections/{productCollectionId}",
    {
      id: "getProductCollection",
      summary: "Read a product collection",
      params: ByProductCollection,
      ok: ProductCollection,
    },
    async (c) => view(await getProductCollection(c.db, c.project.id, c.params.productCollectionId)),
  ),
  write(
    "PUT /v1/product-collections/{productCollectionId}",
    {
      id: "updateProductCollection",
      summary: "Update a product collection",
      description: "Its name, and the filter of one that has a filter.",
      params: ByProductCollection,
      body: ProductCollectionUpdate,
      ok: ProductCollection,
    },
    async (c) => view(await updateCollection(c, c.params.productCollectionId, c.body)),
  ),
  write(
    "DELETE /v1/product-collections/{productCollectionId}",
    {
      id: "deleteProductCollection",
      summary: "Delete a product collection",
      params: ByProductCollection,
      ok: Empty,
    },
    async (c) => removeCollection(c, c.params.productCollectionId),
  ),
  read(
    "GET /v1/product-collections/{productCollectionId}/products",
    {
      id: "listProductsOfCollection",
      summary: "List the products and SKUs of a collection",
      description: "A filter is asked of the first 50,000 products and SKUs in the order; `starting_after` goes on.",
      params: ByProductCollection,
      query: CollectionProductsQuery,
      ok: listOf(ShownCollectionProduct),
    },
    async (c) => list(await listCollectionProducts(c, c.params.productCollectionId, c.query), (product) => product),
  ),
];
