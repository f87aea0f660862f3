import { ALL_PRODUCTS_ID } from "../discounts/discount.ts";
import type { ProductSubject } from "../filters/fields.ts";
import { evaluationOf, type FilterContext } from "../filters/operator.ts";
import { type CompiledFilter, matchesFilter } from "../filters/predicate.ts";
import type { Metadata, ProductInfo, SkuInfo } from "./order.ts";

type Kept = { image_url?: string | null; created_at?: string | null; updated_at?: string | null };
/** A product as a request and the catalogue give it together. What only the catalogue knows may be missing. */
export type CollectionProduct = ProductInfo & Kept & { attributes?: readonly string[]; skus?: readonly string[] };
export type CollectionSku = SkuInfo & Kept & { attributes?: Readonly<Record<string, unknown>> };

export type CollectionEntry = { id: string; object: "product" | "sku" };
/** The ids of a static collection. A product stands for all its SKUs, a SKU only for itself. */
export type CollectionMembers = { products: ReadonlySet<string>; skus: ReadonlySet<string> };

export type Collection =
  | { id: string; type: "STATIC"; members: CollectionMembers }
  | { id: string; type: "AUTO_UPDATE"; filter: CompiledFilter };

export function collectionMembers(entries: readonly CollectionEntry[]): CollectionMembers {
  const idsOf = (object: CollectionEntry["object"]) =>
    new Set(entries.filter((entry) => entry.object === object).map(({ id }) => id));
  return { products: idsOf("product"), skus: idsOf("sku") };
}

/** What it costs to ask whether a collection holds an item. */
export const collectionSteps = (collection: Collection): number =>
  collection.type === "STATIC" ? 1 : collection.filter.steps;

/**
 * The ids of the collections that hold an item: that of all products first, which holds whatever is sent, then the
 * others in the order given. An item with a SKU is that SKU: a filter that only its product fits does not hold it.
 */
export function collectionsOf(
  product: CollectionProduct | null,
  sku: CollectionSku | null,
  collections: readonly Collection[],
  context: FilterContext,
): string[] {
  const at = evaluationOf(context);
  const subject = subjectOf(product, sku);
  const holds = (collection: Collection): boolean => {
    if (collection.id === ALL_PRODUCTS_ID) return false;
    if (collection.type === "AUTO_UPDATE") return subject !== null && matchesFilter(collection.filter, subject, at);
    const { products, skus } = collection.members;
    return (isId(product?.id) && products.has(product.id)) || (isId(sku?.id) && skus.has(sku.id));
  };
  return [ALL_PRODUCTS_ID, ...collections.filter(holds).map(({ id }) => id)];
}

/** A SKU has the metadata of its product too; where both have a key, its own counts. */
export const skuMetadata = (product: Metadata, sku: Metadata): Metadata => ({ ...product, ...sku });

const isId = (id: string | null | undefined): id is string => typeof id === "string";

/** What the filter of a collection looks at, as `PRODUCT_FIELDS` names it; null for a line that names nothing. */
export function subjectOf(product: CollectionProduct | null, sku: CollectionSku | null): ProductSubject | null {
  if (!sku) return product && { ...product, object: "product" };
  return {
    ...sku,
    object: "sku",
    product_id: product?.id,
    name: sku.sku,
    metadata: skuMetadata(product?.metadata ?? {}, sku.metadata),
  };
}
