import type { Order } from "../order/order.ts";
import { type ApplicableEntry, matches } from "./targets.ts";

export const BUNDLE_LIMIT_MAX = 100;
/** One part of a bundle: so many units of a product, a SKU or a collection. */
export type BundlePart = { entry: Pick<ApplicableEntry, "object" | "id" | "source_id">; quantity: number };
export type Bundle = { parts: readonly BundlePart[]; limit: number };

type Named = { id: string; object: "product" | "sku" | "products_collection"; item_quantity: number };
export type BundleResult = {
  quantity: number;
  limit: number;
  identified: (Named & { item_index: number })[];
  missing?: Named[];
};

const SPECIFICITY = { sku: 0, product: 1, products_collection: 2 } as const;

/** Gives the units of the cart to the parts of so many bundles, the most specific part first; a unit serves one part. */
function allocate(order: Order, parts: readonly BundlePart[], bundles: number) {
  const free = order.items.map(({ quantity }) => quantity);
  const identified: BundleResult["identified"] = [];
  const missing: Named[] = [];
  for (const { entry, quantity } of parts.toSorted(
    (a, b) => SPECIFICITY[a.entry.object] - SPECIFICITY[b.entry.object],
  )) {
    let needed = quantity * bundles;
    for (const [index, item] of order.items.entries()) {
      if (needed === 0) break;
      const taken = matches(entry, item) ? Math.min(free[index]!, needed) : 0;
      if (taken === 0) continue;
      free[index]! -= taken;
      needed -= taken;
      const isSku = item.sku?.id != null || item.sku?.source_id != null;
      const named = isSku ? item.sku : item.product;
      const id = named?.id ?? named?.source_id ?? entry.id;
      identified.push({ id, object: isSku ? "sku" : "product", item_index: index, item_quantity: taken });
    }
    if (needed > 0) missing.push({ id: entry.id, object: entry.object, item_quantity: needed });
  }
  return { identified, missing };
}

const PART_STEPS = 1;
/** What it costs to look for bundles: each of the parts is looked for in all lines, and how many there are by halving. */
export const bundleSteps = ({ items }: Order, { parts, limit }: Bundle): number =>
  PART_STEPS * parts.length * items.length * (Math.ceil(Math.log2(limit + 1)) + 1);

/** How many whole bundles the cart holds, up to the limit, and which lines make them. */
export function findBundles(order: Order, { parts, limit }: Bundle): BundleResult {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (allocate(order, parts, middle).missing.length === 0) low = middle;
    else high = middle - 1;
  }
  const { identified, missing } = allocate(order, parts, Math.max(1, low));
  return { quantity: low, limit, identified, ...(missing.length > 0 && { missing }) };
}
