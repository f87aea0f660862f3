import type { Order, OrderItem, ProductInfo, SkuInfo } from "./order.ts";
import { subtotalOf, totalsOf } from "./order.ts";

type Fields = Record<string, unknown>;

// An answer shows a cart for each redeemable and once more for all, so a line is shown dozens of times in a request.
// Each field is set by itself, by its name: several times faster than to build and filter lists of them. Amounts that
// are known are always shown; discounts that are zero are left out, as in the public API.

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

const isEmpty = (metadata: object): boolean => {
  for (const _ in metadata) return false;
  return true;
};

/** A line as clients see it. */
export function itemView(item: OrderItem): Fields {
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
  if (item.discount_amount !== 0) view.discount_amount = item.discount_amount;
  if (item.applied_discount_amount !== 0) view.applied_discount_amount = item.applied_discount_amount;
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

/** An order with all its amounts, as it stands after a step or after a whole request. */
export function orderView(order: Order, people: { customer_id: string | null; referrer_id: string | null }): Fields {
  const totals = totalsOf(order);
  const view: Fields = {};
  if (order.id !== null) view.id = order.id;
  if (order.source_id !== null) view.source_id = order.source_id;
  if (order.amount !== null) view.amount = order.amount;
  if (order.initial_amount !== null) view.initial_amount = order.initial_amount;
  if (order.discount_amount !== 0) view.discount_amount = order.discount_amount;
  if (totals.items_discount_amount !== 0) view.items_discount_amount = totals.items_discount_amount;
  if (totals.total_discount_amount !== 0) view.total_discount_amount = totals.total_discount_amount;
  if (order.amount !== null) view.total_amount = totals.total_amount;
  if (order.applied_discount_amount !== 0) view.applied_discount_amount = order.applied_discount_amount;
  if (totals.items_applied_discount_amount !== 0)
    view.items_applied_discount_amount = totals.items_applied_discount_amount;
  if (totals.total_applied_discount_amount !== 0)
    view.total_applied_discount_amount = totals.total_applied_discount_amount;
  if (order.items.length > 0) view.items = order.items.map(itemView);
  view.metadata = order.metadata;
  view.customer_id = people.customer_id;
  view.referrer_id = people.referrer_id;
  view.object = "order";
  return view;
}
