import { ALL_PRODUCTS_ID } from "../core/discounts/discount.ts";
import { ApiError } from "../core/errors.ts";
import { PRODUCT_FIELDS } from "../core/filters/fields.ts";
import { FilterFault } from "../core/filters/filter.ts";
import { compileFilter } from "../core/filters/predicate.ts";
import type { WriteCtx } from "../ctx.ts";
import type { ProductCollectionCreate, ProductCollectionUpdate } from "../resources/product-collections/schema.ts";
import {
  lockCount,
  lockProductCollection,
  OBJECT,
  type ProductCollectionRow,
  productCollections,
  rulesNaming,
} from "../resources/product-collections/store.ts";
import { productsById } from "../resources/products/store.ts";
import { skusById } from "../resources/skus/store.ts";

const COLLECTIONS_MAX = 100;

const refuse = (details: string) => new ApiError("invalid_payload", { details });

export async function createCollection(c: WriteCtx, sent: ProductCollectionCreate): Promise<ProductCollectionRow> {
  const { name, type } = sent;
  const content =
    type === "STATIC"
      ? { products: await requireMembers(c, sent.products ?? []), filter: null }
      : { products: [], filter: requireFilter(sent.filter) };
  if ((await lockCount(c.db, c.project.id)) >= COLLECTIONS_MAX)
    throw refuse(`A project has at most ${COLLECTIONS_MAX} product collections`);
  const id = c.newId("pc");
  c.changed("product_collection", id);
  const stamps = { id, project_id: c.project.id, created_at: c.now, updated_at: null };
  return productCollections.insert(c.db, { ...stamps, name, type, ...content });
}

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
    throw new ApiError("resource_in_use", {
      details: `Resource ${OBJECT} with id ${id} is in use by validation_rules with ids ${JSON.stringify(rules)}`,
      resource_id: id,
      resource_type: OBJECT,
      related_object_ids: rules,
      related_object_type: "validation_rules",
    });
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

/** The filter as it was sent: it is compiled when it is read. */
function requireFilter(filter: Record<string, unknown> | undefined): Record<string, unknown> {
  if (filter?.junction === undefined)
    throw refuse("'AUTO_UPDATE' collection must contain valid filter with 'junction' property");
  try {
    compileFilter(filter, PRODUCT_FIELDS);
    return filter;
  } catch (error) {
    if (error instanceof FilterFault) throw refuse(error.message);
    throw error;
  }
}

type Entry = ProductCollectionRow["products"][number];

/** Each once, in the order they were sent; a SKU with its product. */
async function requireMembers(c: WriteCtx, sent: readonly Entry[]): Promise<Entry[]> {
  const ids = (object: Entry["object"]) => sent.filter((one) => one.object === object).map(({ id }) => id);
  const products = new Set((await productsById(c.db, c.project.id, ids("product"))).map(({ id }) => id));
  const skus = new Map((await skusById(c.db, c.project.id, ids("sku"))).map((row) => [row.id, row.product_id]));
  const entries = new Map<string, Entry>();
  for (const [n, { id, object }] of sent.entries()) {
    const product_id = object === "sku" ? skus.get(id) : undefined;
    if (object === "sku" ? product_id === undefined : !products.has(id))
      throw refuse(`Property .products[${n}] names ${object} ${id}, which does not exist`);
    entries.set(`${object} ${id}`, { id, object, ...(product_id !== undefined && { product_id }) });
  }
  return [...entries.values()];
}
