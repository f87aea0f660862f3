import { type Order, type OrderItem, totalsOf, type ZeroDiscounts } from "../order/order.ts";

/** What one redeemable did to a line of the order. */
export type LineStep = {
  index: number;
  discount_amount: number;
  discount_quantity: number;
  quantity: number;
  amount: number;
} & Pick<ZeroDiscounts, "zero_discounts">;
/** What one redeemable did to the order: enough to take it back. */
export type OrderStep = {
  order_discount: number;
  lines: LineStep[];
  discount_amount: number;
  order_amount: number;
} & Pick<ZeroDiscounts, "zero_discounts">;

const NO_STEP: OrderStep = { order_discount: 0, lines: [], discount_amount: 0, order_amount: 0 };

/** The difference that a step made. Lines that it added are those that were not there. */
export function stepBetween(before: Order | null, after: Order | null): OrderStep {
  if (!after) return NO_STEP;
  const lines = after.items.flatMap((item, index): LineStep[] => {
    const first = before?.items[index];
    const step = {
      index,
      discount_amount: item.discount_amount - (first?.discount_amount ?? 0),
      discount_quantity: item.discount_quantity - (first?.discount_quantity ?? 0),
      quantity: item.quantity - (first?.quantity ?? 0),
      amount: (item.amount ?? 0) - (first?.amount ?? 0),
      ...zerosBetween(first, item),
    };
    const { discount_amount, discount_quantity, quantity, amount, zero_discounts } = step;
    return discount_amount || discount_quantity || quantity || amount || zero_discounts ? [step] : [];
  });
  return {
    order_discount: after.discount_amount - (before?.discount_amount ?? 0),
    lines,
    discount_amount: totalsOf(after).total_discount_amount - (before ? totalsOf(before).total_discount_amount : 0),
    order_amount: before?.amount ?? 0,
    ...zerosBetween(before, after),
  };
}

function zerosBetween(before: ZeroDiscounts | null | undefined, after: ZeroDiscounts): { zero_discounts?: number } {
  const more = (after.zero_discounts ?? 0) - (before?.zero_discounts ?? 0);
  return more === 0 ? {} : { zero_discounts: more };
}

/** Takes off `taken` discounts that came to 0, and the count of those that are applied. */
function withoutZeros<T extends ZeroDiscounts>(
  { zero_discounts = 0, applied_zero_discounts: _, ...rest }: T,
  taken = 0,
) {
  return zero_discounts > taken ? { ...rest, zero_discounts: zero_discounts - taken } : rest;
}

/** A step as it is taken back: its lines are known by their ids, when they have any, and else by their places. */
export type TakenStep = Pick<OrderStep, "order_discount" | "zero_discounts"> & {
  lines: readonly (LineStep & { id?: string | null | undefined })[];
};

/** Lines may have gone since, and others come. */
function placeOf(items: readonly OrderItem[], { index, id }: TakenStep["lines"][number]): number {
  if (id == null || items[index]?.id === id) return index;
  return items.findIndex((item) => item.id === id);
}

/**
 * Takes steps back from an order, whatever came after them: discounts that they gave go, units that they added go, and
 * lines that are empty then go too. Nothing becomes less than nothing: an order may have been changed since.
 */
export function takeBackSteps(order: Order, steps: readonly TakenStep[]): Order {
  const items = [...order.items];
  let [discount, amount, zeros] = [order.discount_amount, order.amount, 0];
  for (const { order_discount, zero_discounts = 0, lines } of steps) {
    discount = Math.max(0, discount - order_discount);
    zeros += zero_discounts;
    for (const line of lines) {
      const place = placeOf(items, line);
      const item = items[place];
      if (!item) continue;
      const quantity = Math.max(0, item.quantity - line.quantity);
      const left = item.amount === null ? null : Math.max(0, item.amount - line.amount);
      if (amount !== null) amount = Math.max(0, amount - ((item.amount ?? 0) - (left ?? 0)));
      items[place] = {
        ...withoutZeros(item, line.zero_discounts),
        quantity,
        amount: left,
        discount_amount: Math.max(0, item.discount_amount - line.discount_amount),
        discount_quantity: Math.max(0, item.discount_quantity - line.discount_quantity),
      };
    }
  }
  const applied = {
    applied_discount_amount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
  };
  return {
    ...withoutZeros(order, zeros),
    // Only what was added had an amount.
    amount: amount === 0 && order.initial_amount === null ? null : amount,
    discount_amount: discount,
    applied_discount_amount: 0,
    items: items
      .filter(({ quantity, initial_quantity }) => quantity > 0 || initial_quantity > 0)
      .map((item) => ({ ...withoutZeros(item), ...applied })),
  };
}
