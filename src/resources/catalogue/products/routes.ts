import { ProductWithSkus, showProduct, showProducts, withSkus } from "../../../flows/catalogue/product-skus.ts";
import { changeProduct, upsertProduct } from "../../../flows/catalogue/save-product.ts";
import { removeProduct } from "../../../flows/platform/bin.ts";
import { checkedEntries } from "../../../http/bulk/entries.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty, listOf } from "../../../http/schemas.ts";
import { enqueueUpdates } from "../../../steps/bulk/updates.ts";
import { BULK_BYTES_MAX, Enqueued } from "../../platform/async-actions/schema.ts";
import {
  ByProduct,
  ProductBulk,
  ProductDelete,
  ProductInBulk,
  ProductQuery,
  ProductsMetadata,
  ProductUpdate,
  ProductUpsert,
} from "./schema.ts";

export const productRoutes = [
  read(
    "GET /v1/products",
    { id: "listProducts", summary: "List products", query: ProductQuery, ok: listOf(ProductWithSkus, "products") },
    async (c) => list(await showProducts(c, c.query), (product) => product, "products"),
  ),
  write(
    "POST /v1/products",
    {
      id: "createProduct",
      summary: "Create a product",
      description:
        "When a product has the `id` or the `source_id` that is sent, it is updated: what is not sent keeps its value, metadata is merged key by key.",
      body: ProductUpsert,
      ok: ProductWithSkus,
    },
    async (c) => withSkus(c, await upsertProduct(c, c.body)),
  ),
  write(
    "POST /v1/products/bulk/async",
    {
      id: "updateProductsInBulk",
      summary: "Update many products",
      description:
        "By their `source_id`; what is not there is created. Done by an async action: its result has the address of a CSV with a line for each, whether it was `found` and `updated`.",
      body: ProductBulk,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
    },
    async (c) =>
      enqueueUpdates(c, "PRODUCTS.BULK_UPDATE", { entries: checkedEntries(ProductInBulk, c.body, "source_id") }),
  ),
  write(
    "POST /v1/products/metadata/async",
    {
      id: "updateProductsMetadataInBulk",
      summary: "Give many products the same metadata",
      description: "As `POST /v1/products/bulk/async`. The metadata is merged with what each of them has.",
      body: ProductsMetadata,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
    },
    async ({ body: { source_ids, metadata }, ...c }) =>
      enqueueUpdates(c, "PRODUCTS.METADATA_UPDATE", { entries: source_ids.map((value) => ({ value })), metadata }),
  ),
  read(
    "GET /v1/products/{productId}",
    { id: "getProduct", summary: "Read a product, by its id or source id", params: ByProduct, ok: ProductWithSkus },
    async (c) => showProduct(c, c.params.productId),
  ),
  write(
    "PUT /v1/products/{productId}",
    {
      id: "updateProduct",
      summary: "Update a product",
      description: "What is not sent keeps its value; metadata is merged key by key.",
      params: ByProduct,
      body: ProductUpdate,
      ok: ProductWithSkus,
    },
    async (c) => withSkus(c, await changeProduct(c, c.params.productId, c.body)),
  ),
  write(
    "DELETE /v1/products/{productId}",
    {
      id: "deleteProduct",
      summary: "Delete a product and its SKUs",
      params: ByProduct,
      query: ProductDelete,
      ok: Empty,
    },
    async (c) => removeProduct(c, c.params.productId, c.query.force ?? false),
  ),
];
