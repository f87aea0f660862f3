import type { Order, OrderItem } from "../../src/core/order/order.ts";

/** A line of a test cart: what matters of it, the rest is filled in. */
export type CartLine = Partial<Omit<OrderItem, "product" | "sku">> & { product?: string; sku?: string };

const product = (id: string) => ({ id, source_id: null, name: null, price: null, metadata: {} });
const sku = (id: string) => ({ id, source_id: null, sku: null, price: null, metadata: {} });

function line({ product: productId, sku: skuId, ...given }: CartLine): OrderItem {
  const { price = null, quantity = 1 } = given;
  const amount = given.amount ?? (price === null ? null : price * quantity);
  return {
    id: null,
    product: productId === undefined ? null : product(productId),
    sku: skuId === undefined ? null : sku(skuId),
    collections: [],
    discount_amount: 0,
    discount_quantity: 0,
    applied_discount_amount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
    metadata: {},
    ...given,
    price,
    quantity,
    amount,
    initial_quantity: given.initial_quantity ?? quantity,
    initial_amount: given.initial_amount ?? amount,
  };
}

/** A test cart. Its amount is that of its lines unless another is given. */
export function cart(lines: readonly CartLine[], given: Partial<Order> = {}): Order {
  const items = lines.map(line);
  const total = items.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
  const amount = given.amount === undefined ? (items.length === 0 ? null : total) : given.amount;
  return {
    id: null,
    source_id: null,
    discount_amount: 0,
    applied_discount_amount: 0,
    metadata: {},
    ...given,
    amount,
    initial_amount: given.initial_amount ?? amount,
    items,
  };
}
