import { ALL_PRODUCTS_ID } from "../../core/discounts/discount.ts";
import { ApiError } from "../../core/errors.ts";
import { inUse } from "../../core/in-use.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { ProductCollectionUpdate } from "../../resources/catalogue/product-collections/schema.ts";
import {
  lockProductCollection,
  OBJECT,
  type ProductCollectionRow,
  productCollections,
  rulesNaming,
} from "../../resources/catalogue/product-collections/store.ts";
import { requireFilter } from "../../steps/goods/product-collections.ts";

/** The name, and the filter of one that has a filter. The list of a static one stays as it was created. */
export async function updateCollection(
  c: WriteCtx,
  id: string,
  { name, filter }: ProductCollectionUpdate,
): Promise<ProductCollectionRow> {
  requireOwn(id);
  const { type } = await lockProductCollection(c.db, c.project.id, id);
  const other = type === "AUTO_UPDATE" && filter !== undefined ? { filter: requireFilter(filter) } : {};
  c.changed("product_collection", id);
  return productCollections.update(c.db, c.project.id, id, { name, ...other, updated_at: c.now });
}

export async function removeCollection(c: WriteCtx, id: string): Promise<null> {
  requireOwn(id);
  await lockProductCollection(c.db, c.project.id, id);
  // Asked of the rows: a rule that was saved since this request began counts too.
  const rules = await rulesNaming(c.db, c.project.id, id);
  if (rules.length > 0)
    throw inUse({ type: OBJECT, id }, { type: "validation_rules", ids: rules, named: "validation_rules" });
  await productCollections.remove(c.db, c.project.id, id);
  c.changed("product_collection", id);
  return null;
}

function requireOwn(id: string): void {
  if (id !== ALL_PRODUCTS_ID) return;
  throw new ApiError("resource_protected", {
    details: "The collection of all products cannot be changed or deleted",
    resource_id: id,
    resource_type: OBJECT,
  });
}
