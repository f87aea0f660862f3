import type { CatalogueUnit, CatalogueUnits } from "../../core/discounts/units.ts";
import { PRODUCT_FIELDS } from "../../core/filters/fields.ts";
import type { FilterContext } from "../../core/filters/operator.ts";
import { compileFilter } from "../../core/filters/predicate.ts";
import { oncePer } from "../../core/once-per.ts";
import { type Collection, collectionMembers, collectionSteps, collectionsOf } from "../../core/order/collections.ts";
import type { ProductInfo, SkuInfo } from "../../core/order/order.ts";
import type { Catalogue } from "../../core/order/resolve.ts";
import type { GoodsWritten } from "../../core/order/text.ts";
import { type Steps, spend } from "../../core/steps.ts";
import type { Db } from "../../db/db.ts";
import type { ProductCollectionRow } from "../../resources/catalogue/product-collections/store.ts";
import {
  findProducts,
  isShipping,
  type ProductRow,
  productsById,
  shippingProduct,
} from "../../resources/catalogue/products/store.ts";
import { findSkus, productIdsOf, type SkuRow } from "../../resources/catalogue/skus/store.ts";

/** Products and SKUs by whatever a request may call them: the id, and the source id where no id is so. */
export type Goods = {
  products: ReadonlyMap<string, ProductRow>;
  skus: ReadonlyMap<string, SkuRow>;
  /** The products of the SKUs, by id. */
  parents: ReadonlyMap<string, ProductRow>;
  /** The products as lines of orders show them, and what was written of them. */
  infos: Map<ProductRow, ProductInfo>;
  written: GoodsWritten;
};
type References = { products: readonly string[]; skus: readonly string[] };

function byReference<R extends { id: string; source_id: string | null }>(rows: readonly R[]): Map<string, R> {
  const found = new Map<string, R>();
  for (const row of rows) if (row.source_id !== null) found.set(row.source_id, row);
  for (const row of rows) found.set(row.id, row);
  return found;
}

/** When built-in products were created. */
const BEGINNING = "1970-01-01T00:00:00.000Z";

/** Everything that the references name, in three statements however many there are, which do not wait for each other. */
export async function loadGoods(db: Db, projectId: string, references: References): Promise<Goods> {
  const unique = (names: readonly string[]) => [...new Set(names)];
  const named = { products: unique(references.products), skus: unique(references.skus) };
  const [products, skus, ofSkus] = await Promise.all([
    named.products.length > 0 ? findProducts(db, projectId, named.products) : [],
    named.skus.length > 0 ? findSkus(db, projectId, named.skus) : [],
    named.skus.length > 0 ? productsById(db, projectId, productIdsOf(db, projectId, named.skus)) : [],
  ]);
  // A SKU that got its name between the two statements has its product looked for once more.
  const found = new Set(ofSkus.map(({ id }) => id));
  const missing = unique(skus.map(({ product_id }) => product_id)).filter((id) => !found.has(id));
  const parents = missing.length > 0 ? [...ofSkus, ...(await productsById(db, projectId, missing))] : ofSkus;
  const asksShipping = references.products.some(isShipping) && !products.some(({ id }) => isShipping(id));
  return {
    products: byReference(asksShipping ? [...products, shippingProduct(projectId, BEGINNING)] : products),
    skus: byReference(skus),
    parents: new Map(parents.map((row) => [row.id, row])),
    infos: new Map(),
    written: new Map(),
  };
}

/** The ids of all of them. */
export const idsOf = ({ products, skus, parents }: Goods): string[] =>
  [...products.values(), ...skus.values(), ...parents.values()].map(({ id }) => id);

/** One for each row: whatever is made of it is made once for all lines that name it. */
function productInfo(row: ProductRow, { infos }: Goods): ProductInfo {
  const known = infos.get(row);
  if (known) return known;
  const { id, source_id, name, price, metadata } = row;
  const info = { id, source_id, name, price, metadata };
  infos.set(row, info);
  return info;
}

const collectionOf = oncePer(
  ({ id, filter, products }: ProductCollectionRow): Collection =>
    filter === null
      ? { id, type: "STATIC", members: collectionMembers(products) }
      : { id, type: "AUTO_UPDATE", filter: compileFilter(filter, PRODUCT_FIELDS) },
);

type CollectionsOf = Catalogue["collectionsOf"];
const LINE_STEPS = 10;

/** Which of these collections hold a line, as the catalogue of the project and the request describe it together. */
export function membershipIn(
  rows: readonly ProductCollectionRow[],
  { products, parents, skus }: Goods,
  moment: FilterContext,
  steps?: Steps,
): CollectionsOf {
  const collections = rows.map(collectionOf);
  const cost = LINE_STEPS + collections.reduce((all, one) => all + collectionSteps(one), 0);
  return (product, sku) => {
    spend(steps, cost);
    const stored = product?.id == null ? undefined : (products.get(product.id) ?? parents.get(product.id));
    const storedSku = sku?.id == null ? undefined : skus.get(sku.id);
    const kept = (row: ProductRow | SkuRow | undefined) =>
      row && { image_url: row.image_url, created_at: row.created_at, updated_at: row.updated_at };
    return collectionsOf(
      product && { ...kept(stored), ...(stored && { attributes: stored.attributes }), ...product },
      sku && { ...kept(storedSku), ...(storedSku && { attributes: storedSku.attributes }), ...sku },
      collections,
      moment,
    );
  };
}

/** What an order is resolved with. Without collections no line is in any. */
export const catalogueOf = (goods: Goods, collections: CollectionsOf = () => []): Catalogue => ({
  product: (reference) => {
    const row = goods.products.get(reference);
    return row && productInfo(row, goods);
  },
  sku: (reference) => {
    const row = goods.skus.get(reference);
    if (!row) return undefined;
    const { id, source_id, sku, price, metadata, product_id } = row;
    const parent = goods.parents.get(product_id);
    return { id, source_id, sku, price, metadata, product: parent ? productInfo(parent, goods) : null };
  },
  collectionsOf: collections,
});

/** What unit discounts may add to a cart. */
export function unitsOf(goods: Goods, collections: CollectionsOf): CatalogueUnits {
  const { product, sku } = catalogueOf(goods);
  const ofProducts = [...goods.products.keys()].map((reference) => {
    const own = product(reference)!;
    return [reference, { product: own, sku: null, collections: collections(own, null) }] as const;
  });
  const ofSkus = [...goods.skus.keys()].map((reference) => {
    const { product: parent, ...own } = sku(reference)!;
    const info: SkuInfo = own;
    return [reference, { product: parent, sku: info, collections: collections(parent, info) }] as const;
  });
  return new Map<string, CatalogueUnit>([...ofProducts, ...ofSkus]);
}
