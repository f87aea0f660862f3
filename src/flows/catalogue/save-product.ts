import { requireMetadata } from "../../catalog/metadata.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { ProductUpdate, ProductUpsert } from "../../resources/catalogue/products/schema.ts";
import {
  insertProduct,
  lockProduct,
  lockProductById,
  lockProductBySource,
  type ProductRow,
  updateProduct,
} from "../../resources/catalogue/products/store.ts";

/**
 * Creates a product or, when one has the id or the source id that is sent, updates it. The id comes first; together
 * with it the source id is a value to set. Ids are made here: one that is not known is not found.
 */
export async function upsertProduct(c: WriteCtx, { id, ...sent }: ProductUpsert): Promise<ProductRow> {
  const { source_id } = sent;
  if (id) return changeRow(c, await lockProductById(c.db, c.project.id, id), sent, source_id);
  if (source_id) {
    const before = await lockProductBySource(c.db, c.project.id, source_id);
    if (before) return changeRow(c, before, sent);
  }
  const made = await create(c, sent);
  if (made) return made;
  // Somebody else created it meanwhile, and has committed: it is there now, unless it is deleted already.
  const other = await lockProductBySource(c.db, c.project.id, source_id!);
  if (!other) throw new StartOver();
  return changeRow(c, other, sent);
}

/** What is not sent keeps its value; metadata is merged key by key. */
export async function changeProduct(c: WriteCtx, reference: string, sent: ProductUpdate): Promise<ProductRow> {
  return changeRow(c, await lockProduct(c.db, c.project.id, reference), sent);
}

async function create(c: WriteCtx, sent: Omit<ProductUpsert, "id">): Promise<ProductRow | null> {
  const { source_id = null, name = null, price = null, attributes = [], metadata = {}, image_url = null } = sent;
  requireMetadata(await c.catalog(), "product", { metadata, on: "create" });
  const stamps = { id: c.newId("prod"), project_id: c.project.id, created_at: c.now, updated_at: null };
  return insertProduct(c.db, { ...stamps, source_id, name, price, attributes, metadata, image_url });
}

/** The source id is an argument of its own: a body that may not set it can hold it all the same. */
async function changeRow(
  c: WriteCtx,
  before: ProductRow,
  { name, price, attributes, metadata = {}, image_url }: ProductUpdate,
  source_id?: string | null,
): Promise<ProductRow> {
  requireMetadata(await c.catalog(), "product", { metadata, on: "update" });
  const merged = mergeMetadata(before.metadata, metadata);
  const patch = { source_id, name, price, attributes, metadata: merged, image_url, updated_at: c.now };
  return updateProduct(c.db, c.project.id, before.id, patch);
}
