import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import { skuMetadata } from "../../core/order/collections.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import { getProduct, lockProduct, type ProductRow } from "../../resources/catalogue/products/store.ts";
import type { SkuUpdate, SkuUpsert } from "../../resources/catalogue/skus/schema.ts";
import {
  insertSku,
  lockSku,
  lockSkuById,
  lockSkuBySource,
  type SkuRow,
  updateSku,
} from "../../resources/catalogue/skus/store.ts";

/**
 * Creates a SKU of a product or, when one of its SKUs has the id or the source id that is sent, updates that. One of
 * another product is never moved: its id is not found, its source id is taken.
 */
export async function upsertSku(c: WriteCtx, productReference: string, { id, ...sent }: SkuUpsert): Promise<SkuRow> {
  const { source_id } = sent;
  // Held to the end, so that the product is not deleted meanwhile and leaves a SKU behind.
  const product = await lockProduct(c.db, c.project.id, productReference);
  const { id: productId } = product;
  if (id) {
    const before = await lockSkuById(c.db, c.project.id, id);
    if (before.product_id !== productId) throw notFound("sku", id);
    return changeRow(c, before, sent, source_id);
  }
  if (source_id) {
    const before = await lockSkuBySource(c.db, c.project.id, source_id);
    if (before) return changeRow(c, requireOf(productId, before), sent);
  }
  const made = await create(c, product, sent);
  if (made) return made;
  // Somebody else created it meanwhile, and has committed: it is there now, unless it is deleted already.
  const other = await lockSkuBySource(c.db, c.project.id, source_id!);
  if (!other) throw new StartOver();
  return changeRow(c, requireOf(productId, other), sent);
}

/** What is not sent keeps its value; metadata is merged key by key. */
export async function changeSku(
  c: WriteCtx,
  [productReference, reference]: readonly [string, string],
  sent: SkuUpdate,
): Promise<SkuRow> {
  const { id } = await getProduct(c.db, c.project.id, productReference);
  return changeRow(c, await lockSku(c.db, c.project.id, reference, id), sent);
}

function requireOf(productId: string, row: SkuRow): SkuRow {
  if (row.product_id === productId) return row;
  throw new ApiError("duplicate_found", {
    details: `Duplicated sku exists with source_id ${row.source_id}`,
    resource_id: row.source_id!,
    resource_type: "sku",
  });
}

/** A SKU has the metadata of its product too, so a required key may stand there. */
async function create(c: WriteCtx, product: ProductRow, sent: Omit<SkuUpsert, "id">): Promise<SkuRow | null> {
  const { source_id = null, sku = null, price = null, currency = null, image_url = null } = sent;
  const { attributes = {}, metadata = {} } = sent;
  requireMetadata(await c.catalog(), "product", {
    metadata: skuMetadata(product.metadata, metadata),
    on: "create",
  });
  const stamps = { id: c.newId("sku"), project_id: c.project.id, created_at: c.now, updated_at: null };
  const row = { ...stamps, product_id: product.id, source_id, sku, price, currency, attributes, metadata, image_url };
  return insertSku(c.db, row);
}

/** The source id is an argument of its own: a body that may not set it can hold it all the same. */
async function changeRow(
  c: WriteCtx,
  before: SkuRow,
  { sku, price, currency, attributes, metadata = {}, image_url }: SkuUpdate,
  source_id?: string | null,
): Promise<SkuRow> {
  requireMetadata(await c.catalog(), "product", { metadata, on: "update" });
  const merged = mergeMetadata(before.metadata, metadata);
  const patch = { source_id, sku, price, currency, attributes, metadata: merged, image_url, updated_at: c.now };
  return updateSku(c.db, c.project.id, before.id, patch);
}
