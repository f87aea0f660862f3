import type { Order, OrderItem, ProductInfo, SkuInfo } from "./order.ts";
import { subtotalOf, totalsOf } from "./order.ts";
import { discountsShown, isEmpty, productView, skuView } from "./view.ts";

// An answer shows a cart for each redeemable and once more for all: with five codes and ten lines sixty lines, of which
// only the amounts differ. So they are written as text at once, and what a line says of its product is written once.
// The text is the one that `JSON.stringify` makes of `orderView`, to the byte; a test says so.

type Goods = { head: string; tail: string };

/** What was written of products: requests that are decided about together resolve one to the same object. */
export type GoodsWritten = Map<ProductInfo, Goods>;

function knownGoodsText(product: ProductInfo | null, sku: SkuInfo | null, known: GoodsWritten): Goods {
  if (sku !== null || product === null) return goodsText(product, sku);
  const before = known.get(product);
  if (before) return before;
  const goods = goodsText(product, null);
  known.set(product, goods);
  return goods;
}

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

/** What a line keeps from step to step, as text: all but the amounts that discounts change. */
type Frame = { head: string; price: string; tail: string };
/** A line as it was last written. */
type Line = Frame & { item: OrderItem; text: string };

const isSameFrame = (a: OrderItem, b: OrderItem): boolean =>
  a.id === b.id &&
  a.quantity === b.quantity &&
  a.initial_quantity === b.initial_quantity &&
  a.price === b.price &&
  a.amount === b.amount &&
  a.initial_amount === b.initial_amount &&
  a.product === b.product &&
  a.sku === b.sku &&
  a.metadata === b.metadata;

function frameOf(item: OrderItem, known: GoodsWritten): Frame {
  const goods = knownGoodsText(item.product, item.sku, known);
  const id = item.id === null ? "" : `,"id":${JSON.stringify(item.id)}`;
  const head = `{"object":"order_item"${id}${goods.head},"quantity":${item.quantity},"initial_quantity":${item.initial_quantity}`;
  let price = "";
  if (item.price !== null) price += `,"price":${item.price}`;
  if (item.amount !== null) price += `,"amount":${item.amount}`;
  if (item.initial_amount !== null) price += `,"initial_amount":${item.initial_amount}`;
  const tail = isEmpty(item.metadata) ? `${goods.tail}}` : `${goods.tail},"metadata":${JSON.stringify(item.metadata)}}`;
  return { head, price, tail };
}

function itemText(item: OrderItem, { head, price, tail }: Frame): string {
  let text = head;
  if (item.discount_quantity !== 0) text += `,"discount_quantity":${item.discount_quantity}`;
  if (item.applied_discount_quantity !== 0) text += `,"applied_discount_quantity":${item.applied_discount_quantity}`;
  text += price;
  if (item.discount_amount !== 0 || item.zero_discounts) text += `,"discount_amount":${item.discount_amount}`;
  if (item.applied_discount_amount !== 0 || item.applied_zero_discounts)
    text += `,"applied_discount_amount":${item.applied_discount_amount}`;
  if (item.applied_quantity !== 0)
    text += `,"applied_quantity":${item.applied_quantity},"applied_quantity_amount":${item.applied_quantity_amount}`;
  if (item.amount !== null) text += `,"subtotal_amount":${subtotalOf(item)}`;
  return text + tail;
}

/**
 * Writes the orders of one request, and remembers the text of their lines. A step copies each line that it changes, but not
 * the objects in it: so the text of these objects is kept, and of the whole line where a step did not copy it.
 */
export function orderWriter(
  people: { customer_id: string | null; referrer_id: string | null },
  known: GoodsWritten = new Map(),
) {
  const lines: Line[] = [];
  let written: { items: readonly OrderItem[]; text: string } | null = null;
  const end = `,"customer_id":${JSON.stringify(people.customer_id)},"referrer_id":${JSON.stringify(people.referrer_id)},"object":"order"}`;

  const textAt = (item: OrderItem, n: number): string => {
    const last = lines[n];
    if (last?.item === item) return last.text;
    const { head, price, tail } = last && isSameFrame(last.item, item) ? last : frameOf(item, known);
    const text = itemText(item, { head, price, tail });
    lines[n] = { item, text, head, price, tail };
    return text;
  };

  const itemsText = (items: readonly OrderItem[]): string => {
    if (written && written.items.length === items.length && written.items.every((item, n) => item === items[n]))
      return written.text;
    let text = textAt(items[0]!, 0);
    for (let n = 1; n < items.length; n += 1) text += `,${textAt(items[n]!, n)}`;
    written = { items, text };
    return text;
  };

  return (order: Order): string => {
    const totals = totalsOf(order);
    const shows = discountsShown(order, totals);
    let text = "{";
    if (order.id !== null) text += `"id":${JSON.stringify(order.id)},`;
    if (order.source_id !== null) text += `"source_id":${JSON.stringify(order.source_id)},`;
    if (order.amount !== null) text += `"amount":${order.amount},`;
    if (order.initial_amount !== null) text += `"initial_amount":${order.initial_amount},`;
    if (shows.order) text += `"discount_amount":${order.discount_amount},`;
    if (shows.items) text += `"items_discount_amount":${totals.items_discount_amount},`;
    if (shows.order || shows.items) text += `"total_discount_amount":${totals.total_discount_amount},`;
    if (order.amount !== null) text += `"total_amount":${totals.total_amount},`;
    if (shows.appliedOrder) text += `"applied_discount_amount":${order.applied_discount_amount},`;
    if (shows.appliedItems) text += `"items_applied_discount_amount":${totals.items_applied_discount_amount},`;
    if (shows.appliedOrder || shows.appliedItems)
      text += `"total_applied_discount_amount":${totals.total_applied_discount_amount},`;
    if (order.items.length > 0) text += `"items":[${itemsText(order.items)}],`;
    return `${text}"metadata":${JSON.stringify(order.metadata)}${end}`;
  };
}
