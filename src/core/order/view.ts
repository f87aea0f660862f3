import type { Order, OrderItem, ProductInfo, SkuInfo } from "./order.ts";
import { subtotalOf, totalsOf } from "./order.ts";

type Fields = Record<string, unknown>;

// An answer shows a cart for each redeemable and once more for all, so a line is shown dozens of times in a request:
// its fields are set one by one, which is several times faster than to build lists of them.

/** An amount that is known is always shown. */
function setKnown(view: Fields, name: string, value: string | number | null): void {
  if (value !== null) view[name] = value;
}
/** A discount that is zero is left out, as in the public API. */
function setNonZero(view: Fields, name: string, value: number): void {
  if (value !== 0) view[name] = value;
}

function productView({ id, source_id, name, price, metadata }: ProductInfo): Fields {
  const view: Fields = {};
  setKnown(view, "id", id);
  setKnown(view, "source_id", source_id);
  setKnown(view, "name", name);
  setKnown(view, "price", price);
  view.metadata = metadata;
  return view;
}

function skuView({ id, source_id, sku, price, metadata }: SkuInfo): Fields {
  const view: Fields = {};
  setKnown(view, "id", id);
  setKnown(view, "source_id", source_id);
  setKnown(view, "sku", sku);
  setKnown(view, "price", price);
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
  setKnown(view, "id", item.id);
  setKnown(view, "product_id", product?.id ?? null);
  setKnown(view, "sku_id", sku?.id ?? null);
  setKnown(view, "source_id", named?.source_id ?? null);
  if (named) view.related_object = sku ? "sku" : "product";
  view.quantity = item.quantity;
  view.initial_quantity = item.initial_quantity;
  setNonZero(view, "discount_quantity", item.discount_quantity);
  setNonZero(view, "applied_discount_quantity", item.applied_discount_quantity);
  setKnown(view, "price", item.price);
  setKnown(view, "amount", amount);
  setKnown(view, "initial_amount", item.initial_amount);
  setNonZero(view, "discount_amount", item.discount_amount);
  setNonZero(view, "applied_discount_amount", item.applied_discount_amount);
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
  setKnown(view, "id", order.id);
  setKnown(view, "source_id", order.source_id);
  setKnown(view, "amount", order.amount);
  setKnown(view, "initial_amount", order.initial_amount);
  setNonZero(view, "discount_amount", order.discount_amount);
  setNonZero(view, "items_discount_amount", totals.items_discount_amount);
  setNonZero(view, "total_discount_amount", totals.total_discount_amount);
  if (order.amount !== null) view.total_amount = totals.total_amount;
  setNonZero(view, "applied_discount_amount", order.applied_discount_amount);
  setNonZero(view, "items_applied_discount_amount", totals.items_applied_discount_amount);
  setNonZero(view, "total_applied_discount_amount", totals.total_applied_discount_amount);
  if (order.items.length > 0) view.items = order.items.map(itemView);
  view.metadata = order.metadata;
  view.customer_id = people.customer_id;
  view.referrer_id = people.referrer_id;
  view.object = "order";
  return view;
}
