import type { LineAsked, Scenario, Shop } from "./asked.ts";
import { type Fraction, fraction, least, sum } from "./fractions.ts";

// Part of the reference calculator: the cart.

export type Line = {
  product: string | null;
  sku: string | null;
  collections: string[];
  price: bigint | null;
  quantity: bigint;
  amount: bigint | null;
  initial_quantity: bigint;
  initial_amount: bigint | null;
  discount_amount: bigint;
  discount_quantity: bigint;
  applied_discount_amount: bigint;
  applied_discount_quantity: bigint;
  applied_quantity: bigint;
  applied_quantity_amount: bigint;
} & Zeros;
/** Discounts that were worked out and came to nothing: all of them, and those of the last redeemable. */
type Zeros = { zero_discounts: bigint; applied_zero_discounts: bigint };
export type Cart = {
  amount: bigint | null;
  initial_amount: bigint | null;
  discount_amount: bigint;
  applied_discount_amount: bigint;
  lines: Line[];
} & Zeros;

export const big = (value: number | null | undefined): bigint | null => (value == null ? null : BigInt(value));
const collectionsOf = (shop: Shop, product: string | null, sku: string | null): string[] =>
  Object.entries(shop.collections).flatMap(([id, members]) =>
    members.some((one) => one === product || one === sku) ? [id] : [],
  );

export function lineOf({ product, sku, ...given }: LineAsked, shop: Shop): Line {
  const price =
    given.price ??
    (sku === null ? null : shop.skus[sku]!.price) ??
    (product === null ? null : shop.products[product]!.price);
  const [quantity, amount] = [
    BigInt(given.quantity),
    big(given.amount) ?? (price === null ? null : BigInt(price) * BigInt(given.quantity)),
  ];
  return {
    ...{ product, sku, collections: collectionsOf(shop, product, sku), price: big(price), quantity, amount },
    ...{ initial_quantity: quantity, initial_amount: amount, ...NOTHING },
  };
}
export const APPLIED = {
  applied_discount_amount: 0n,
  applied_discount_quantity: 0n,
  applied_quantity: 0n,
  applied_quantity_amount: 0n,
  applied_zero_discounts: 0n,
};
export const NOTHING = { discount_amount: 0n, discount_quantity: 0n, zero_discounts: 0n, ...APPLIED };
const NO_ZEROS = { zero_discounts: 0n, applied_zero_discounts: 0n };

export function cartOf({ lines: asked, amount: sent }: Scenario, shop: Shop): Cart {
  const lines = asked.map((one) => lineOf(one, shop));
  const known = lines.flatMap(({ amount }) => (amount === null ? [] : [amount]));
  const amount = big(sent) ?? (known.length === 0 ? null : sum(known));
  return { amount, initial_amount: amount, discount_amount: 0n, applied_discount_amount: 0n, lines, ...NO_ZEROS };
}

export const zero = (value: bigint): bigint => (value < 0n ? 0n : value);
export const toPay = ({ amount, discount_amount, lines }: Cart): bigint =>
  zero((amount ?? 0n) - discount_amount - sum(lines.map((one) => one.discount_amount)));
export const left = ({ amount, discount_amount }: Line): bigint => zero((amount ?? 0n) - discount_amount);
/** What so many units of a line cost: their part of its amount. */
export const worth = ({ amount, quantity }: { amount: bigint | null; quantity: bigint }, units: bigint): Fraction =>
  amount === null || quantity === 0n ? fraction(0n) : fraction(amount * least(units, quantity), quantity);
export const unitPrice = (line: Line): Fraction => (line.price === null ? worth(line, 1n) : fraction(line.price));

function noteZero(of: Line | Cart): void {
  of.zero_discounts += 1n;
  of.applied_zero_discounts += 1n;
}

/** Takes money off a line, never more than is left of it and to pay. */
export function takeOff(cart: Cart, line: Line, amount: bigint, units = 0n, isEligible = true): bigint {
  const taken = zero(least(amount, left(line), toPay(cart)));
  if (taken === 0n && line.amount !== null && isEligible) noteZero(line);
  line.discount_amount += taken;
  line.applied_discount_amount += taken;
  line.discount_quantity += units;
  line.applied_discount_quantity += units;
  return taken;
}
export function takeOffOrder(cart: Cart, amount: bigint): bigint {
  const taken = zero(least(amount, toPay(cart)));
  if (taken === 0n && cart.amount !== null) noteZero(cart);
  cart.discount_amount += taken;
  cart.applied_discount_amount += taken;
  return taken;
}
