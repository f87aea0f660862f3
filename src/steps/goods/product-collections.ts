import { invalid } from "../../core/errors.ts";
import { PRODUCT_FIELDS } from "../../core/filters/fields.ts";
import { FilterFault } from "../../core/filters/filter.ts";
import { compileFilter } from "../../core/filters/predicate.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { ProductCollectionCreate } from "../../resources/catalogue/product-collections/schema.ts";
import {
  lockCount,
  type ProductCollectionRow,
  productCollections,
} from "../../resources/catalogue/product-collections/store.ts";
import { productsById } from "../../resources/catalogue/products/store.ts";
import { skusById } from "../../resources/catalogue/skus/store.ts";

const COLLECTIONS_MAX = 100;

export async function createCollection(c: WriteCtx, sent: ProductCollectionCreate): Promise<ProductCollectionRow> {
  const { name, type } = sent;
  const content =
    type === "STATIC"
      ? { products: await requireMembers(c, sent.products ?? []), filter: null }
      : { products: [], filter: requireFilter(sent.filter) };
  if ((await lockCount(c.db, c.project.id)) >= COLLECTIONS_MAX)
    throw invalid(`A project has at most ${COLLECTIONS_MAX} product collections`);
  const id = c.newId("pc");
  c.changed("product_collection", id);
  const stamps = { id, project_id: c.project.id, created_at: c.now, updated_at: null };
  return productCollections.insert(c.db, { ...stamps, name, type, ...content });
}

/** The filter as it was sent: it is compiled when it is read. */
export function requireFilter(filter: Record<string, unknown> | undefined): Record<string, unknown> {
  if (filter?.junction === undefined)
    throw invalid("'AUTO_UPDATE' collection must contain valid filter with 'junction' property");
  try {
    compileFilter(filter, PRODUCT_FIELDS, { isSent: true });
    return filter;
  } catch (error) {
    if (error instanceof FilterFault) throw invalid(error.message);
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
      throw invalid(`Property .products[${n}] names ${object} ${id}, which does not exist`);
    entries.set(`${object} ${id}`, { id, object, ...(product_id !== undefined && { product_id }) });
  }
  return [...entries.values()];
}
