import { type Static, Type } from "typebox";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import { Product, type ProductQuery } from "../../resources/catalogue/products/schema.ts";
import {
  getProduct,
  listProducts,
  type ProductRow,
  view as productView,
} from "../../resources/catalogue/products/store.ts";
import { SkuList, type SkuQuery } from "../../resources/catalogue/skus/schema.ts";
import { getSku, listSkus, type SkuRow, skusOf, view as skuView } from "../../resources/catalogue/skus/store.ts";

/** How many SKUs stand inside a product; `total` tells how many there are, and its list of SKUs has them all. */
const SKUS_IN_PRODUCT_MAX = 1000;
const SKUS_IN_LISTED_MAX = 100;

/** A product as it is read: with its SKUs. */
export const ProductWithSkus = Type.Object({ ...Product.properties, skus: SkuList }, { title: "ProductWithSkus" });
export type ProductWithSkus = Static<typeof ProductWithSkus>;

export const showProduct = async (c: Ctx, reference: string): Promise<ProductWithSkus> =>
  withSkus(c, await getProduct(c.db, c.project.id, reference));

export async function withSkus(c: Ctx | WriteCtx, row: ProductRow): Promise<ProductWithSkus> {
  const skus = await skusOf(c.db, c.project.id, [row.id], SKUS_IN_PRODUCT_MAX);
  return { ...productView(row), skus: skuList(skus.get(row.id)) };
}

export async function showProducts(c: Ctx, query: ProductQuery) {
  const { rows, total } = await listProducts(c.db, c.project.id, { ...query, now: c.now });
  const ids = rows.map(({ id }) => id);
  const skus = await skusOf(c.db, c.project.id, ids, SKUS_IN_LISTED_MAX);
  return { rows: rows.map((row) => ({ ...productView(row), skus: skuList(skus.get(row.id)) })), total };
}

const skuList = ({ rows, total }: { rows: SkuRow[]; total: number } = { rows: [], total: 0 }) => ({
  object: "list" as const,
  data_ref: "data" as const,
  data: rows.map(skuView),
  total,
});

export async function listSkusOf(c: Ctx, productReference: string, query: SkuQuery) {
  const { id } = await getProduct(c.db, c.project.id, productReference);
  return listSkus(c.db, c.project.id, id, query);
}

export async function showSkuOf(c: Ctx, productReference: string, reference: string): Promise<SkuRow> {
  const { id } = await getProduct(c.db, c.project.id, productReference);
  return getSku(c.db, c.project.id, reference, id);
}
