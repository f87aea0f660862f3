import type { BulkOutcome } from "../../core/bulk/entry.ts";
import { errorBody } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { metadataSizeFault } from "../../core/metadata/size.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { ProductUpsert } from "../../resources/catalogue/products/schema.ts";
import {
  insertProducts,
  lockProductsBySource,
  type ProductRow,
  updateProducts,
} from "../../resources/catalogue/products/store.ts";
import type { BulkCtx } from "../../steps/bulk/turn.ts";
import type { BulkKind } from "../../steps/bulk/updates.ts";

type ProductEntry = ProductUpsert & { source_id: string };

/** Products in bulk, by their source id: what is not there is made. */
export const PRODUCTS: BulkKind<ProductEntry> = {
  noun: "product",
  key: "source_id",
  isPersonal: false,
  save: async (c, values) => {
    const sourceIds = [...new Set(values.map(({ source_id }) => source_id))];
    const locked = await lockProductsBySource(c.db, c.project.id, sourceIds);
    const rows = new Map(locked.map((row) => [row.source_id!, row]));
    const [made, changed] = [new Set<string>(), new Set<string>()];
    const outcomes = values.map((sent): BulkOutcome => {
      const before = rows.get(sent.source_id);
      const after = productAfter(c, before, sent);
      if ("refused" in after) return { found: before !== undefined, ...after };
      rows.set(sent.source_id, after.row);
      if (!before) made.add(sent.source_id);
      else if (!made.has(sent.source_id)) changed.add(sent.source_id);
      return { found: before !== undefined };
    });
    const inserted = await insertProducts(
      c.db,
      c.project.id,
      [...made].map((sourceId) => rows.get(sourceId)!),
    );
    if (inserted < made.size) throw new StartOver("a product with this source id was made meanwhile");
    await updateProducts(
      c.db,
      c.project.id,
      [...changed].map((sourceId) => rows.get(sourceId)!),
    );
    return outcomes;
  },
};

/** The product after what was sent, in the way of `save-product.ts`: what is not sent stays, metadata is merged. */
function productAfter(c: BulkCtx, before: ProductRow | undefined, sent: ProductEntry) {
  const { source_id, name, price, attributes, metadata = {}, image_url } = sent;
  const on = before ? "update" : "create";
  const fault = metadataFault(c.catalog.metadata_schemas, "product", { metadata, on });
  if (fault !== null) return { refused: errorBody("metadata_validation_failed", { details: fault }) };
  const merged = { ...before?.metadata, ...metadata };
  const tooLarge = metadataSizeFault(merged);
  if (tooLarge !== null) return { refused: errorBody("invalid_payload", { details: tooLarge }) };
  const row: ProductRow = {
    ...{ project_id: c.project.id, id: before?.id ?? c.newId("prod"), source_id, deleted_at: null },
    name: name === undefined ? (before?.name ?? null) : name,
    price: price === undefined ? (before?.price ?? null) : price,
    attributes: attributes ?? before?.attributes ?? [],
    metadata: merged,
    image_url: image_url === undefined ? (before?.image_url ?? null) : image_url,
    created_at: before?.created_at ?? c.now,
    updated_at: before ? c.now : null,
  };
  return { row };
}
