import type { Catalog } from "../../catalog/catalog.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { Metadata } from "../../core/order/order.ts";
import { type Catalogue, type OrderItemRequest, referencesIn } from "../../core/order/resolve.ts";
import type { Tx } from "../../db/db.ts";
import type { NewId } from "../../request.ts";
import { lockProducts, upsertProducts } from "../../resources/catalogue/products/store.ts";
import { upsertSkus } from "../../resources/catalogue/skus/store.ts";

type ProductOverride = NonNullable<OrderItemRequest["product"]> & { source_id: string };
type SkuOverride = NonNullable<OrderItemRequest["sku"]> & {
  source_id: string;
  /** The product it belongs to, or by what it is called, when it may just be made. */
  product_id: string | null;
  product: string | null;
};
/** What the lines of an order say of the catalogue, which takes it over when the order is stored. */
export type Overrides = { products: readonly ProductOverride[]; skus: readonly SkuOverride[]; fault: string | null };
const NONE: Overrides = { products: [], skus: [], fault: null };

const says = ({ product, sku }: OrderItemRequest): boolean => Boolean(product?.override || sku?.override);

/** What lines that bring the catalogue up to date name of it. */
export function overriddenIn(items: readonly OrderItemRequest[]): string[] {
  const { products, skus } = referencesIn(items.filter(says));
  return [...products, ...skus];
}

/** What lines say that bring the catalogue up to date, and what is wrong with its metadata. */
export function overridesIn(
  items: readonly OrderItemRequest[],
  { catalog, catalogue }: { catalog: Catalog; catalogue: Catalogue },
): Overrides {
  if (!items.some(says)) return NONE;
  let fault: string | null = null;
  const check = (metadata: Metadata | null | undefined, isKnown: boolean): void => {
    const given = { metadata: metadata ?? {}, on: isKnown ? "update" : "create" } as const;
    fault ??= metadataFault(catalog.metadata_schemas, "product", given);
  };
  const products = items.flatMap(({ product, product_id, source_id, related_object }) => {
    if (!product?.override) return [];
    const known = catalogue.product(product.source_id ?? product.id ?? product_id ?? "");
    const reference = product.source_id ?? known?.source_id ?? (related_object === "product" ? source_id : null);
    if (!reference) return [];
    check(product.metadata, known !== undefined);
    return [{ ...product, source_id: reference }];
  });
  const made = new Set(products.map(({ source_id }) => source_id));
  const skus = items.flatMap(({ sku, sku_id, product, product_id, source_id, related_object }) => {
    if (!sku?.override) return [];
    const known = catalogue.sku(sku.source_id ?? sku.id ?? sku_id ?? "");
    const reference = sku.source_id ?? known?.source_id ?? (related_object === "sku" ? source_id : null);
    const parent = product_id ?? product?.id ?? product?.source_id ?? null;
    const own = known?.product?.id ?? (parent === null ? undefined : catalogue.product(parent)?.id) ?? null;
    if (!reference || (own === null && !made.has(parent ?? ""))) return [];
    check(sku.metadata, true); // What a SKU does not say, its product does.
    return [{ ...sku, source_id: reference, product_id: own, product: parent }];
  });
  return { products, skus, fault };
}

type Maker = { newId: NewId; now: string };

/** Products and SKUs that are not there are made, the others take over what is sent: one statement for each. */
export async function overrideCatalogue(
  tx: Tx,
  projectId: string,
  all: readonly { overrides: Overrides; made: Maker }[],
): Promise<void> {
  const products = all.flatMap(({ overrides, made: { newId, now } }) =>
    overrides.products.map((one) => ({ ...one, id: newId("prod"), now })),
  );
  await upsertProducts(tx, projectId, products);
  const skus = all.flatMap(({ overrides, made }) => overrides.skus.map((one) => ({ ...one, made })));
  if (skus.length === 0) return;
  // A product that goes to the bin meanwhile takes its SKUs with it, so it must not go unseen.
  const parents = skus.flatMap(({ product_id, product }) => product_id ?? product ?? []);
  const rows = await lockProducts(tx, projectId, [...new Set(parents)]);
  const idOf = new Map([
    ...rows.map(({ id, source_id }) => [source_id ?? id, id] as const),
    ...rows.map(({ id }) => [id, id] as const),
  ]);
  await upsertSkus(
    tx,
    projectId,
    skus.flatMap(({ made: { newId, now }, product_id, product, ...one }) => {
      const parent = idOf.get(product_id ?? product ?? "");
      return parent === undefined ? [] : [{ ...one, product_id: parent, id: newId("sku"), now }];
    }),
  );
}
