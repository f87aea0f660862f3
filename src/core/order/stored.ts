import type { OrderRow } from "../rows/order.ts";
import { type Order, totalsOf } from "./order.ts";
import { orderView } from "./view.ts";

/** The amounts of a cart as columns. */
export const storedAmounts = (cart: Order) => ({
  amount: cart.amount,
  initial_amount: cart.initial_amount,
  discount_amount: cart.discount_amount,
  applied_discount_amount: cart.applied_discount_amount,
  items_discount_amount: totalsOf(cart).items_discount_amount,
  items_applied_discount_amount: totalsOf(cart).items_applied_discount_amount,
  zero_discounts: cart.zero_discounts || null,
  applied_zero_discounts: cart.applied_zero_discounts || null,
  items: [...cart.items],
});

/** The cart of a stored order, with what was taken off it before. */
export const cartOf = ({
  id,
  source_id,
  amount,
  initial_amount,
  discount_amount,
  applied_discount_amount,
  zero_discounts,
  applied_zero_discounts,
  items,
  metadata,
}: OrderRow): Order => ({
  id,
  source_id,
  amount,
  initial_amount,
  discount_amount,
  applied_discount_amount,
  ...(zero_discounts !== null && { zero_discounts, applied_zero_discounts: applied_zero_discounts ?? 0 }),
  items,
  metadata,
});

const person = (id: string | null) => (id === null ? undefined : ({ id, object: "customer" } as const));

/** A stored order as it is shown. */
export function storedOrderView(row: OrderRow): Record<string, unknown> {
  const { customer_id, referrer_id, source_id, status, redemptions, created_at, updated_at } = row;
  const [customer, referrer] = [person(customer_id), person(referrer_id)];
  return {
    ...orderView(cartOf(row), { customer_id, referrer_id }),
    source_id,
    status,
    ...(customer && { customer }),
    ...(referrer && { referrer }),
    redemptions,
    created_at,
    updated_at,
  };
}
