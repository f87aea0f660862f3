import { ProductWithSkus, showProduct, showProducts } from "../../../flows/catalogue/product-skus.ts";
import { changeProduct, upsertProduct } from "../../../flows/catalogue/save-product.ts";
import { removeProduct } from "../../../flows/platform/bin.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty, listOf } from "../../../http/schemas.ts";
import { ByProduct, Product, ProductDelete, ProductQuery, ProductUpdate, ProductUpsert } from "./schema.ts";
import { view } from "./store.ts";

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
      ok: Product,
    },
    async (c) => view(await upsertProduct(c, c.body)),
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
      ok: Product,
    },
    async (c) => view(await changeProduct(c, c.params.productId, c.body)),
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
