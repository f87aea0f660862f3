import { type Static, Type } from "typebox";
import { ALL_PRODUCTS_ID } from "../../core/discounts/discount.ts";
import { PRODUCT_FIELDS } from "../../core/filters/fields.ts";
import { evaluationOf, type FilterEvaluation } from "../../core/filters/operator.ts";
import { type CompiledFilter, compileFilter, matchesFilter, neededFacts } from "../../core/filters/predicate.ts";
import { collectionMembers, skuMetadata, subjectOf } from "../../core/order/collections.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import { inPieces } from "../../db/bounded.ts";
import type { CollectionProductsQuery } from "../../resources/catalogue/product-collections/schema.ts";
import {
  countItems,
  getProductCollection,
  type ItemKey,
  type ItemsQuery,
  listItems,
} from "../../resources/catalogue/product-collections/store.ts";
import { Product } from "../../resources/catalogue/products/schema.ts";
import { type ProductRow, productsById, view as productView } from "../../resources/catalogue/products/store.ts";
import { Sku } from "../../resources/catalogue/skus/schema.ts";
import { type SkuRow, skuIdsOf, skusById, view as skuView } from "../../resources/catalogue/skus/store.ts";
import { requireFilter } from "../../steps/goods/product-collections.ts";

const PAGE_LIMIT = 10;
/** How much of the catalogue one request asks a filter about, and how much of it at a time. */
const SCANNED_MAX = 50_000;
const SCANNED_AT_ONCE = 2000;
/** The same of who is still typing a filter, and how much is shown. */
const PREVIEWED_MAX = 10_000;
const PREVIEW_SHOWN = 10;

/** A SKU with its product, and with the metadata of both. */
const SkuWithProduct = Type.Object({ ...Sku.properties, product: Product }, { title: "SkuWithProduct" });
export const ShownCollectionProduct = Type.Union([Product, SkuWithProduct], { title: "CollectionProduct" });
export type ShownCollectionProduct = Static<typeof ShownCollectionProduct>;
export const CollectionPreview = Type.Object(
  {
    count: Type.Integer({ description: "Products and SKUs that fit." }),
    approximate: Type.Boolean({ description: "The filter was asked of the newest part of a large catalogue." }),
    products: Type.Array(ShownCollectionProduct, { description: "The newest ten of them." }),
    object: Type.Literal("products_collection_preview"),
  },
  { title: "ProductCollectionPreview" },
);
type CollectionPreview = Static<typeof CollectionPreview>;

type CollectionPage = { rows: ShownCollectionProduct[]; total: number };
type Page = { items: ItemsQuery; limit: number; offset: number };
/** `scanned`: how many items the filter was asked of. */
type Matching = CollectionPage & { scanned: number };
/** A product, or a SKU and its product. */
type Item = { product: ProductRow; sku: SkuRow | null; skus: readonly string[] };

/** The products and SKUs that a collection holds now, oldest first unless another order is asked for. */
export async function listCollectionProducts(
  c: Ctx,
  id: string,
  query: CollectionProductsQuery,
): Promise<CollectionPage> {
  const collection = await getProductCollection(c.db, c.project.id, id);
  const { limit = PAGE_LIMIT, page = 1, order = "created_at", starting_after } = query;
  const items = { order, ...(starting_after !== undefined && { starting_after }) };
  const asked = { items, limit, offset: (page - 1) * limit };
  if (id === ALL_PRODUCTS_ID) return listed(c, asked);
  if (collection.filter !== null) {
    const { rows, total } = await matching(c, compileFilter(collection.filter, PRODUCT_FIELDS), asked);
    return { rows, total };
  }
  const { products, skus } = collectionMembers(collection.products);
  return listed(c, { ...asked, items: { ...items, members: { products: [...products], skus: [...skus] } } });
}

/** What a collection with this filter would hold, now. Nothing is stored. */
export async function previewCollection(c: Ctx, filter: Record<string, unknown>): Promise<CollectionPreview> {
  const items = { order: "-created_at" } as const;
  const compiled = compileFilter(requireFilter(filter), PRODUCT_FIELDS);
  const asked = { items, limit: PREVIEW_SHOWN, offset: 0 };
  const { rows, total, scanned } = await matching(c, compiled, asked, PREVIEWED_MAX);
  const all = scanned < PREVIEWED_MAX ? scanned : await countItems(c.db, c.project.id, items);
  const approximate = scanned < all;
  // Of 10,000 out of 40,000 there are 25 that fit: about 100 of all.
  const count = approximate ? Math.round((total * all) / scanned) : total;
  return { object: "products_collection_preview", count, approximate, products: rows };
}

async function listed(c: Ctx, { items, limit, offset }: Page): Promise<CollectionPage> {
  const [keys, total] = await Promise.all([
    listItems(c.db, c.project.id, items, { limit, offset }),
    countItems(c.db, c.project.id, items),
  ]);
  return { rows: (await loadItems(c, keys, false)).map(itemView), total };
}

/** Asks the filter of one part of the catalogue after the other. In a very large one, of the first items in the order. */
async function matching(c: Ctx, filter: CompiledFilter, page: Page, most = SCANNED_MAX): Promise<Matching> {
  const { items, limit, offset } = page;
  const at = evaluationOf({ now: c.now, zone: zoneOf(c.project) });
  const needsSkus = neededFacts(filter).has("skus");
  const rows: ShownCollectionProduct[] = [];
  let [total, scanned, after] = [0, 0, undefined as ItemKey | undefined];
  const size = { atOnce: SCANNED_AT_ONCE };
  while (scanned < most) {
    const keys = await listItems(c.db, c.project.id, items, { limit: SCANNED_AT_ONCE, after });
    for await (const { found } of inPieces(c.db, keys, size, (db, some) => loadItems({ ...c, db }, some, needsSkus)))
      for (const item of found) {
        if (!fits(filter, item, at)) continue;
        if (total >= offset && rows.length < limit) rows.push(itemView(item));
        total += 1;
      }
    scanned += keys.length;
    if (keys.length < SCANNED_AT_ONCE) break;
    after = keys.at(-1);
  }
  return { rows, total, scanned };
}

const fits = (filter: CompiledFilter, { product, sku, skus }: Item, at: FilterEvaluation): boolean =>
  matchesFilter(filter, subjectOf({ ...product, skus }, sku), at);

/** What the keys stand for, in their order. What was deleted since they were read is left out. */
async function loadItems(c: Ctx, keys: readonly ItemKey[], needsSkus: boolean): Promise<Item[]> {
  const ids = (object: ItemKey["object"]) => keys.filter((key) => key.object === object).map(({ id }) => id);
  const skus = new Map((await skusById(c.db, c.project.id, ids("sku"))).map((row) => [row.id, row]));
  const named = [...new Set([...ids("product"), ...[...skus.values()].map(({ product_id }) => product_id)])];
  const products = new Map((await productsById(c.db, c.project.id, named)).map((row) => [row.id, row]));
  const skuIds = needsSkus ? await skuIdsOf(c.db, c.project.id, ids("product")) : new Map<string, string[]>();
  return keys.flatMap(({ object, id }) => {
    const sku = object === "sku" ? skus.get(id) : null;
    const product = sku === undefined ? undefined : products.get(sku?.product_id ?? id);
    return product && sku !== undefined ? [{ product, sku, skus: skuIds.get(id) ?? [] }] : [];
  });
}

const itemView = ({ product, sku }: Item): ShownCollectionProduct =>
  sku
    ? { ...skuView(sku), metadata: skuMetadata(product.metadata, sku.metadata), product: productView(product) }
    : productView(product);
