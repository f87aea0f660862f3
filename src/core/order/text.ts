import type { Order, OrderItem, ProductInfo, SkuInfo } from "./order.ts";
import { subtotalOf, totalsOf } from "./order.ts";
import { productView, skuView } from "./view.ts";

// An answer shows a cart for each redeemable and once more for all: with five codes and ten lines sixty lines, of which
// only the amounts differ. So they are written as text at once, and what a line says of its product is written once.
// The text is the one that `JSON.stringify` makes of `orderView`, to the byte; a test says so.

type Goods = { head: string; tail: string };

function goodsText(product: ProductInfo | null, sku: SkuInfo | null): Goods {
  const named = sku ?? product;
  let head = "";
  if (product && product.id !== null) head += `,"product_id":${JSON.stringify(product.id)}`;
  if (sku && sku.id !== null) head += `,"sku_id":${JSON.stringify(sku.id)}`;
  if (named) {
    if (named.source_id !== null) head += `,"source_id":${JSON.stringify(named.source_id)}`;
    head += sku ? `,"related_object":"sku"` : `,"related_object":"product"`;
  }
  let tail = "";
  if (product) tail += `,"product":${JSON.stringify(productView(product))}`;
  if (sku) tail += `,"sku":${JSON.stringify(skuView(sku))}`;
  return { head, tail };
}

const isEmpty = (metadata: object): boolean => {
  for (const _ in metadata) return false;
  return true;
};

/** Writes orders of one request. Steps copy lines but not what stands in them, so that is what is remembered by. */
export function orderWriter(people: { customer_id: string | null; referrer_id: string | null }) {
  const known = new Map<object, Goods>();
  const end = `,"customer_id":${JSON.stringify(people.customer_id)},"referrer_id":${JSON.stringify(people.referrer_id)},"object":"order"}`;

  const goodsOf = ({ product, sku }: OrderItem): Goods => {
    const key = sku ?? product;
    if (key === null) return { head: "", tail: "" };
    let goods = known.get(key);
    if (goods === undefined) {
      goods = goodsText(product, sku);
      known.set(key, goods);
    }
    return goods;
  };

  const itemText = (item: OrderItem): string => {
    const { amount } = item;
    const { head, tail } = goodsOf(item);
    let text = `{"object":"order_item"`;
    if (item.id !== null) text += `,"id":${JSON.stringify(item.id)}`;
    text += `${head},"quantity":${item.quantity},"initial_quantity":${item.initial_quantity}`;
    if (item.discount_quantity !== 0) text += `,"discount_quantity":${item.discount_quantity}`;
    if (item.applied_discount_quantity !== 0) text += `,"applied_discount_quantity":${item.applied_discount_quantity}`;
    if (item.price !== null) text += `,"price":${item.price}`;
    if (amount !== null) text += `,"amount":${amount}`;
    if (item.initial_amount !== null) text += `,"initial_amount":${item.initial_amount}`;
    if (item.discount_amount !== 0) text += `,"discount_amount":${item.discount_amount}`;
    if (item.applied_discount_amount !== 0) text += `,"applied_discount_amount":${item.applied_discount_amount}`;
    if (item.applied_quantity !== 0)
      text += `,"applied_quantity":${item.applied_quantity},"applied_quantity_amount":${item.applied_quantity_amount}`;
    if (amount !== null) text += `,"subtotal_amount":${subtotalOf(item)}`;
    text += tail;
    return isEmpty(item.metadata) ? `${text}}` : `${text},"metadata":${JSON.stringify(item.metadata)}}`;
  };

  return (order: Order): string => {
    const totals = totalsOf(order);
    let text = "";
    if (order.id !== null) text += `,"id":${JSON.stringify(order.id)}`;
    if (order.source_id !== null) text += `,"source_id":${JSON.stringify(order.source_id)}`;
    if (order.amount !== null) text += `,"amount":${order.amount}`;
    if (order.initial_amount !== null) text += `,"initial_amount":${order.initial_amount}`;
    if (order.discount_amount !== 0) text += `,"discount_amount":${order.discount_amount}`;
    if (totals.items_discount_amount !== 0) text += `,"items_discount_amount":${totals.items_discount_amount}`;
    if (totals.total_discount_amount !== 0) text += `,"total_discount_amount":${totals.total_discount_amount}`;
    if (order.amount !== null) text += `,"total_amount":${totals.total_amount}`;
    if (order.applied_discount_amount !== 0) text += `,"applied_discount_amount":${order.applied_discount_amount}`;
    if (totals.items_applied_discount_amount !== 0)
      text += `,"items_applied_discount_amount":${totals.items_applied_discount_amount}`;
    if (totals.total_applied_discount_amount !== 0)
      text += `,"total_applied_discount_amount":${totals.total_applied_discount_amount}`;
    if (order.items.length > 0) {
      let items = "";
      for (const item of order.items) items += items === "" ? itemText(item) : `,${itemText(item)}`;
      text += `,"items":[${items}]`;
    }
    return `{${text.slice(1)}${text === "" ? "" : ","}"metadata":${JSON.stringify(order.metadata)}${end}`;
  };
}
