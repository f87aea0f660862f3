import { listSkusOf, showSkuOf } from "../../../flows/catalogue/product-skus.ts";
import { changeSku, upsertSku } from "../../../flows/catalogue/save-sku.ts";
import { removeSku } from "../../../flows/platform/bin.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { BySku, BySkuInProduct, InProduct, Sku, SkuDelete, SkuPage, SkuQuery, SkuUpdate, SkuUpsert } from "./schema.ts";
import { getSku, view } from "./store.ts";

export const skuRoutes = [
  read(
    "GET /v1/skus/{skuId}",
    { id: "getSku", summary: "Read a SKU, by its id or source id", params: BySku, ok: Sku },
    async (c) => view(await getSku(c.db, c.project.id, c.params.skuId)),
  ),
  read(
    "GET /v1/products/{productId}/skus",
    { id: "listSkus", summary: "List the SKUs of a product", params: InProduct, query: SkuQuery, ok: SkuPage },
    async (c) => list(await listSkusOf(c, c.params.productId, c.query), view, "skus"),
  ),
  write(
    "POST /v1/products/{productId}/skus",
    {
      id: "createSku",
      summary: "Create a SKU of a product",
      description:
        "When a SKU of the product has the `id` or the `source_id` that is sent, it is updated. A source id belongs to one SKU of the whole catalogue.",
      params: InProduct,
      body: SkuUpsert,
      ok: Sku,
    },
    async (c) => view(await upsertSku(c, c.params.productId, c.body)),
  ),
  read(
    "GET /v1/products/{productId}/skus/{skuId}",
    { id: "getSkuOfProduct", summary: "Read a SKU of a product", params: BySkuInProduct, ok: Sku },
    async (c) => view(await showSkuOf(c, c.params.productId, c.params.skuId)),
  ),
  write(
    "PUT /v1/products/{productId}/skus/{skuId}",
    {
      id: "updateSku",
      summary: "Update a SKU",
      description: "What is not sent keeps its value; metadata is merged key by key.",
      params: BySkuInProduct,
      body: SkuUpdate,
      ok: Sku,
    },
    async (c) => view(await changeSku(c, [c.params.productId, c.params.skuId], c.body)),
  ),
  write(
    "DELETE /v1/products/{productId}/skus/{skuId}",
    { id: "deleteSku", summary: "Delete a SKU", params: BySkuInProduct, query: SkuDelete, ok: Empty },
    async (c) => removeSku(c, [c.params.productId, c.params.skuId], c.query.force ?? false),
  ),
];
