export type Metadata = Readonly<Record<string, unknown>>;
export type ProductInfo = {
  id: string | null;
  source_id: string | null;
  name: string | null;
  price: number | null;
  /** Whether the line asked the catalogue to take over what it says of its product. */
  override?: boolean;
  metadata: Metadata;
};
export type SkuInfo = {
  id: string | null;
  source_id: string | null;
  sku: string | null;
  price: number | null;
  override?: boolean;
  metadata: Metadata;
};

/**
 * One line of a cart on its way through the redeemables. Amounts are in minor units; null where the caller sent neither
 * a price nor an amount. `discount_*` adds up over all redeemables and earlier redemptions, `applied_*` is of the last.
 */
export type OrderItem = {
  id: string | null;
  product: ProductInfo | null;
  sku: SkuInfo | null;
  /** Collections that hold the product or SKU, the one of all products included. */
  collections: readonly string[];
  price: number | null;
  quantity: number;
  amount: number | null;
  initial_quantity: number;
  initial_amount: number | null;
  discount_amount: number;
  discount_quantity: number;
  applied_discount_amount: number;
  applied_discount_quantity: number;
  /** Units that the last redeemable added, or took away when it replaced them. */
  applied_quantity: number;
  applied_quantity_amount: number;
  metadata: Metadata;
} & ZeroDiscounts;

/**
 * How many discounts came to nothing and are shown as an amount of 0: of all redeemables, and of
 * the last redeemable. They are rare, so they are left out where there are none.
 */
export type ZeroDiscounts = { zero_discounts?: number; applied_zero_discounts?: number };

export type Order = {
  id: string | null;
  source_id: string | null;
  /** Null: an order without any amount, or no order at all. */
  amount: number | null;
  initial_amount: number | null;
  /** Order-level discounts, all together. */
  discount_amount: number;
  applied_discount_amount: number;
  items: readonly OrderItem[];
  metadata: Metadata;
} & ZeroDiscounts;

export type Totals = {
  items_discount_amount: number;
  total_discount_amount: number;
  total_amount: number;
  items_applied_discount_amount: number;
  total_applied_discount_amount: number;
};

/** What follows from the amounts of an order. The total is what is left to pay, never below zero. */
export function totalsOf(order: Order): Totals {
  let [items_discount_amount, items_applied_discount_amount] = [0, 0];
  for (const { discount_amount, applied_discount_amount } of order.items) {
    items_discount_amount += discount_amount;
    items_applied_discount_amount += applied_discount_amount;
  }
  const total_discount_amount = order.discount_amount + items_discount_amount;
  return {
    items_discount_amount,
    total_discount_amount,
    total_amount: Math.max(0, (order.amount ?? 0) - total_discount_amount),
    items_applied_discount_amount,
    total_applied_discount_amount: order.applied_discount_amount + items_applied_discount_amount,
  };
}

export const payable = (order: Order): number => totalsOf(order).total_amount;
/** What is left of a line after the discounts on it. */
export const subtotalOf = ({ amount, discount_amount }: OrderItem): number =>
  Math.max(0, (amount ?? 0) - discount_amount);

/**
 * What one unit costs, also when only the line's amount was sent; null when neither is known. A quotient is rounded to
 * the nearest double, which may make two prices equal but never swaps them.
 */
export function unitPrice({ price, amount, quantity }: OrderItem): number | null {
  if (price !== null) return price;
  return amount === null || quantity === 0 ? null : amount / quantity;
}

const isUntouched = (item: OrderItem): boolean =>
  item.applied_discount_amount === 0 &&
  item.applied_discount_quantity === 0 &&
  item.applied_quantity === 0 &&
  item.applied_quantity_amount === 0 &&
  !item.applied_zero_discounts;

/**
 * The order before a redeemable is applied to it: nothing is applied yet. A line that the step before left alone stays
 * the same object, so that what was made of it is known.
 */
export function nextStep(order: Order): Order {
  const next: Order = { ...order, applied_discount_amount: 0, items: order.items.map(nextLine) };
  if (next.applied_zero_discounts) next.applied_zero_discounts = 0;
  return next;
}

function nextLine(item: OrderItem): OrderItem {
  if (isUntouched(item)) return item;
  const next: OrderItem = {
    ...item,
    applied_discount_amount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
  };
  if (next.applied_zero_discounts) next.applied_zero_discounts = 0;
  return next;
}

/** Counts one more discount that came to nothing, on a copy that the caller has just made. */
function countZero<T extends ZeroDiscounts>(copy: T): T {
  copy.zero_discounts = (copy.zero_discounts ?? 0) + 1;
  copy.applied_zero_discounts = (copy.applied_zero_discounts ?? 0) + 1;
  return copy;
}

/**
 * Gives an id to the lines that discounts added. Lines are only ever appended, so of the steps of one decision the same
 * place is the same line and has the same id.
 */
export function namingLines(newId: () => string): (order: Order) => Order {
  const ids = new Map<number, string>();
  const idAt = (n: number): string => {
    const id = ids.get(n) ?? newId();
    ids.set(n, id);
    return id;
  };
  return (order) =>
    order.items.every(({ id }) => id !== null)
      ? order
      : { ...order, items: order.items.map((item, n) => (item.id === null ? { ...item, id: idAt(n) } : item)) };
}

/** Takes up to `amount` off the order as a whole. */
export function discountOrder(order: Order, amount: number): Order {
  const applied = Math.min(amount, payable(order));
  if (applied === 0) return order.amount === null ? order : countZero({ ...order });
  return {
    ...order,
    discount_amount: order.discount_amount + applied,
    applied_discount_amount: order.applied_discount_amount + applied,
  };
}

/** `target`: how many units of the line it is for; left out: as many as are free. */
export type ItemDiscount = { index: number; amount: number; quantity: number; target?: { count: number } };

/** Takes amounts off lines, each up to what is left of its line and all up to what is left to pay. */
export function discountItems(order: Order, discounts: readonly ItemDiscount[]): Order {
  const items = [...order.items];
  let left = payable(order);
  for (const { index, amount, quantity, target } of discounts) {
    const item = items[index]!;
    const applied = Math.min(amount, subtotalOf(item), left);
    left -= applied;
    const next: OrderItem = {
      ...item,
      discount_amount: item.discount_amount + applied,
      applied_discount_amount: item.applied_discount_amount + applied,
      discount_quantity: item.discount_quantity + quantity,
      applied_discount_quantity: item.applied_discount_quantity + quantity,
    };
    // What a line without an amount would get, or one that limits leave nothing of, is not worked out.
    if (applied === 0 && item.amount !== null && target?.count !== 0) countZero(next);
    items[index] = next;
  }
  return { ...order, items };
}
