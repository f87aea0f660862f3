import type { Order, OrderItem } from "./order.ts";
import { subtotalOf, totalsOf } from "./order.ts";

type Fields = Record<string, unknown>;
/** Discounts that are zero are left out, as in the public API; amounts that are known are always shown. */
const nonZero = (fields: Record<string, number>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0));
const known = (fields: Record<string, unknown>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** A line as clients see it. */
export function itemView(item: OrderItem): Fields {
  const { id, product, sku, price, quantity, amount, initial_quantity, initial_amount, metadata } = item;
  const named = sku ?? product;
  const hasUnits = item.applied_quantity !== 0;
  return {
    object: "order_item",
    ...known({ id, product_id: product?.id ?? null, sku_id: sku?.id ?? null, source_id: named?.source_id ?? null }),
    ...(named && { related_object: sku ? "sku" : "product" }),
    quantity,
    initial_quantity,
    ...nonZero({
      discount_quantity: item.discount_quantity,
      applied_discount_quantity: item.applied_discount_quantity,
    }),
    ...known({ price, amount, initial_amount }),
    ...nonZero({ discount_amount: item.discount_amount, applied_discount_amount: item.applied_discount_amount }),
    ...(hasUnits && { applied_quantity: item.applied_quantity, applied_quantity_amount: item.applied_quantity_amount }),
    ...(amount !== null && { subtotal_amount: subtotalOf(item) }),
    ...(product && { product: known({ ...product }) }),
    ...(sku && { sku: known({ ...sku }) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** An order with all its amounts, as it stands after a step or after a whole request. */
export function orderView(order: Order, people: { customer_id: string | null; referrer_id: string | null }): Fields {
  const totals = totalsOf(order);
  const { amount } = order;
  return {
    ...known({ id: order.id, source_id: order.source_id, amount, initial_amount: order.initial_amount }),
    ...nonZero({
      discount_amount: order.discount_amount,
      items_discount_amount: totals.items_discount_amount,
      total_discount_amount: totals.total_discount_amount,
    }),
    ...(amount !== null && { total_amount: totals.total_amount }),
    ...nonZero({
      applied_discount_amount: order.applied_discount_amount,
      items_applied_discount_amount: totals.items_applied_discount_amount,
      total_applied_discount_amount: totals.total_applied_discount_amount,
    }),
    ...(order.items.length > 0 && { items: order.items.map(itemView) }),
    metadata: order.metadata,
    ...people,
    object: "order",
  };
}
