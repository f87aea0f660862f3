import type { Order, OrderItem, ProductInfo, SkuInfo, Totals } from "./order.ts";
import { subtotalOf, totalsOf } from "./order.ts";

type Fields = Record<string, unknown>;

// An answer shows a cart for each redeemable and once more for all, so a line is shown dozens of times in a request.
// Each field is set by itself, by its name: several times faster than to build and filter lists of them. Amounts that
// are known are always shown. A discount of 0 is shown where it was worked out, and else left out (ADR 0020).

export function productView({ id, source_id, name, price, override, metadata }: ProductInfo): Fields {
  const view: Fields = {};
  if (id !== null) view.id = id;
  if (source_id !== null) view.source_id = source_id;
  if (name !== null) view.name = name;
  if (price !== null) view.price = price;
  if (override !== undefined) view.override = override;
  view.metadata = metadata;
  return view;
}

export function skuView({ id, source_id, sku, price, override, metadata }: SkuInfo): Fields {
  const view: Fields = {};
  if (id !== null) view.id = id;
  if (source_id !== null) view.source_id = source_id;
  if (sku !== null) view.sku = sku;
  if (price !== null) view.price = price;
  if (override !== undefined) view.override = override;
  view.metadata = metadata;
  return view;
}

export const isEmpty = (metadata: object): boolean => {
  for (const _ in metadata) return false;
  return true;
};

/** A line as clients see it. */
function itemView(item: OrderItem): Fields {
  const { product, sku, amount } = item;
  const named = sku ?? product;
  const view: Fields = { object: "order_item" };
  if (item.id !== null) view.id = item.id;
  if (product && product.id !== null) view.product_id = product.id;
  if (sku && sku.id !== null) view.sku_id = sku.id;
  if (named) {
    if (named.source_id !== null) view.source_id = named.source_id;
    view.related_object = sku ? "sku" : "product";
  }
  view.quantity = item.quantity;
  view.initial_quantity = item.initial_quantity;
  if (item.discount_quantity !== 0) view.discount_quantity = item.discount_quantity;
  if (item.applied_discount_quantity !== 0) view.applied_discount_quantity = item.applied_discount_quantity;
  if (item.price !== null) view.price = item.price;
  if (amount !== null) view.amount = amount;
  if (item.initial_amount !== null) view.initial_amount = item.initial_amount;
  if (item.discount_amount !== 0 || item.zero_discounts) view.discount_amount = item.discount_amount;
  if (item.applied_discount_amount !== 0 || item.applied_zero_discounts)
    view.applied_discount_amount = item.applied_discount_amount;
  if (item.applied_quantity !== 0) {
    view.applied_quantity = item.applied_quantity;
    view.applied_quantity_amount = item.applied_quantity_amount;
  }
  if (amount !== null) view.subtotal_amount = subtotalOf(item);
  if (product) view.product = productView(product);
  if (sku) view.sku = skuView(sku);
  if (!isEmpty(item.metadata)) view.metadata = item.metadata;
  return view;
}

/** Which discounts of an order are shown: those that are more than 0, and those that were worked out and came to 0. */
export function discountsShown(order: Order, totals: Totals) {
  let [zeros, appliedZeros] = [false, false];
  for (const { zero_discounts, applied_zero_discounts } of order.items) {
    if (zero_discounts) zeros = true;
    if (applied_zero_discounts) appliedZeros = true;
  }
  return {
    order: order.discount_amount !== 0 || !!order.zero_discounts,
    items: totals.items_discount_amount !== 0 || zeros,
    appliedOrder: order.applied_discount_amount !== 0 || !!order.applied_zero_discounts,
    appliedItems: totals.items_applied_discount_amount !== 0 || appliedZeros,
  };
}

/** An order with all its amounts, as it stands after a step or after a whole request. */
export function orderView(order: Order, people: { customer_id: string | null; referrer_id: string | null }): Fields {
  const totals = totalsOf(order);
  const shows = discountsShown(order, totals);
  const view: Fields = {};
  if (order.id !== null) view.id = order.id;
  if (order.source_id !== null) view.source_id = order.source_id;
  if (order.amount !== null) view.amount = order.amount;
  if (order.initial_amount !== null) view.initial_amount = order.initial_amount;
  if (shows.order) view.discount_amount = order.discount_amount;
  if (shows.items) view.items_discount_amount = totals.items_discount_amount;
  if (shows.order || shows.items) view.total_discount_amount = totals.total_discount_amount;
  if (order.amount !== null) view.total_amount = totals.total_amount;
  if (shows.appliedOrder) view.applied_discount_amount = order.applied_discount_amount;
  if (shows.appliedItems) view.items_applied_discount_amount = totals.items_applied_discount_amount;
  if (shows.appliedOrder || shows.appliedItems)
    view.total_applied_discount_amount = totals.total_applied_discount_amount;
  if (order.items.length > 0) view.items = order.items.map(itemView);
  view.metadata = order.metadata;
  view.customer_id = people.customer_id;
  view.referrer_id = people.referrer_id;
  view.object = "order";
  return view;
}
