import type { Metadata, Order, OrderItem, ProductInfo, SkuInfo } from "./order.ts";

type Reference = { id?: string | null; source_id?: string | null; price?: number | null; metadata?: Metadata | null };
export type OrderItemRequest = {
  id?: string | null;
  sku_id?: string | null;
  product_id?: string | null;
  source_id?: string | null;
  related_object?: "product" | "sku" | null;
  quantity?: number | string | null;
  initial_quantity?: number | null;
  price?: number | null;
  amount?: number | null;
  product?: (Reference & { name?: string | null; override?: boolean | null }) | null;
  sku?: (Reference & { sku?: string | null; override?: boolean | null }) | null;
  metadata?: Metadata | null;
};
export type OrderRequest = {
  id?: string | null;
  source_id?: string | null;
  amount?: number | null;
  items?: readonly OrderItemRequest[] | null;
  metadata?: Metadata | null;
};

/** The part of the product catalogue that an order names, found by id or by source id. */
export type Catalogue = {
  product(reference: string): ProductInfo | undefined;
  sku(reference: string): (SkuInfo & { product: ProductInfo | null }) | undefined;
  /** The collections that hold a product or SKU as it stands in the order. */
  collectionsOf(product: ProductInfo | null, sku: SkuInfo | null): readonly string[];
};

/** Every reference to the catalogue that an order makes, some more than once, for the one query that loads them all. */
export function referencesIn(items: readonly OrderItemRequest[]): { products: string[]; skus: string[] } {
  const [products, skus]: [string[], string[]] = [[], []];
  const add = (to: string[], value: string | null | undefined) => {
    if (value) to.push(value);
  };
  for (const { sku_id, product_id, source_id, related_object, product, sku } of items) {
    add(skus, sku_id);
    if (related_object === "sku") add(skus, source_id);
    if (sku) {
      add(skus, sku.id);
      add(skus, sku.source_id);
    }
    add(products, product_id);
    if (related_object === "product") add(products, source_id);
    if (product) {
      add(products, product.id);
      add(products, product.source_id);
    }
  }
  return { products, skus };
}

const first = <T>(
  references: readonly (string | null | undefined)[],
  find: (reference: string) => T | undefined,
): T | undefined => {
  for (const reference of references) {
    const found = reference ? find(reference) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/** What the request says of a product wins for this calculation; what it leaves out comes from the catalogue. */
function productOf(
  item: OrderItemRequest,
  catalogue: Catalogue,
  parent: ProductInfo | null | undefined,
): ProductInfo | null {
  const { product: given, related_object, source_id } = item;
  const references = [item.product_id, related_object === "product" ? source_id : null, given?.id, given?.source_id];
  const stored = first(references, catalogue.product) ?? parent ?? undefined;
  const named = related_object === "product" ? (source_id ?? null) : null;
  // Of most lines the catalogue says it all, and then they share it. One without a source id gets what the line calls it.
  if (!given && stored && (stored.source_id !== null || named === null)) return stored;
  if (!stored && !references.some(Boolean) && !given) return null;
  return {
    id: stored?.id ?? given?.id ?? item.product_id ?? null,
    source_id: stored?.source_id ?? given?.source_id ?? named,
    name: given?.name ?? stored?.name ?? null,
    price: given?.price ?? stored?.price ?? null,
    ...(given?.override != null && { override: given.override }),
    metadata: { ...stored?.metadata, ...given?.metadata },
  };
}

function skuOf(item: OrderItemRequest, catalogue: Catalogue): { sku: SkuInfo | null; parent: ProductInfo | null } {
  const { sku: given, related_object, source_id } = item;
  const references = [item.sku_id, related_object === "sku" ? source_id : null, given?.id, given?.source_id];
  const stored = first(references, catalogue.sku);
  if (!stored && !references.some(Boolean) && !given) return { sku: null, parent: null };
  const sku = {
    id: stored?.id ?? given?.id ?? item.sku_id ?? null,
    source_id: stored?.source_id ?? given?.source_id ?? (related_object === "sku" ? (source_id ?? null) : null),
    sku: given?.sku ?? stored?.sku ?? null,
    price: given?.price ?? stored?.price ?? null,
    ...(given?.override != null && { override: given.override }),
    metadata: { ...stored?.metadata, ...given?.metadata },
  };
  return { sku, parent: stored?.product ?? null };
}

/** A line as the engine calculates with it: its price is its own, the SKU's or the product's, in this order. */
function resolveItem(item: OrderItemRequest, catalogue: Catalogue): OrderItem {
  const { sku, parent } = skuOf(item, catalogue);
  const product = productOf(item, catalogue, parent);
  const quantity = item.quantity == null ? 1 : Number(item.quantity);
  const price = item.price ?? sku?.price ?? product?.price ?? null;
  const amount = item.amount ?? (price === null ? null : price * quantity);
  return {
    id: item.id ?? null,
    product,
    sku,
    collections: catalogue.collectionsOf(product, sku),
    price,
    quantity,
    amount,
    initial_quantity: quantity,
    initial_amount: amount,
    discount_amount: 0,
    discount_quantity: 0,
    applied_discount_amount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
    metadata: item.metadata ?? {},
  };
}

/**
 * The cart of a request. An amount that the caller sends for a line or for the order counts, also when it is not price
 * times quantity or the sum of the lines; what the caller says of discounts does not.
 */
export function resolveOrder(request: OrderRequest, catalogue: Catalogue): Order {
  const items = (request.items ?? []).map((item) => resolveItem(item, catalogue));
  const known = items.flatMap(({ amount }) => amount ?? []);
  const total = known.length === 0 ? null : known.reduce((all, amount) => all + amount, 0);
  const amount = request.amount ?? total;
  return {
    id: request.id ?? null,
    source_id: request.source_id ?? null,
    amount,
    initial_amount: amount,
    discount_amount: 0,
    applied_discount_amount: 0,
    items,
    metadata: request.metadata ?? {},
  };
}

const SAFE = Number.MAX_SAFE_INTEGER;

/** What makes an order impossible to calculate with, or null: a total beyond what a number holds exactly. */
export function orderFault({ items, amount }: Order): string | null {
  for (const [i, item] of items.entries()) {
    if (!Number.isSafeInteger(item.quantity) || item.quantity < 0)
      return `Property .order.items[${i}].quantity must be a whole number >= 0`;
    if (item.amount !== null && item.amount > SAFE) return `Property .order.items[${i}].amount must be <= ${SAFE}`;
  }
  return amount !== null && amount > SAFE ? `Property .order.amount must be <= ${SAFE}` : null;
}
