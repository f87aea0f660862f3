import type { Formula } from "./asked.ts";
import { type Cart, type Line, left } from "./cart.ts";
import {
  ceil,
  compare,
  decimal,
  type Fraction,
  floor,
  fraction,
  halfUp,
  least,
  minus,
  over,
  plus,
  sum,
  times,
} from "./fractions.ts";

// Part of the reference calculator: formulas.

export const hundredth = fraction(1n, 100n);
const money = (value: bigint | null): Fraction | null => (value === null ? null : times(fraction(value), hundredth));

function variable(name: string, cart: Cart, item: Line | null): Fraction | null {
  if (name === "ORDER_AMOUNT") return money(cart.amount);
  if (name === "ORDER_ITEMS_QUANTITY") return fraction(BigInt(cart.lines.length));
  if (name === "ORDER_UNITS_QUANTITY") return fraction(sum(cart.lines.map(({ quantity }) => quantity)));
  const [, which, what] = /^(CHEAPEST_|MOST_EXPENSIVE_|)ORDER_ITEM_(\w+)$/.exec(name)!;
  const line = which === "" ? item : extreme(cart.lines, which === "CHEAPEST_" ? 1 : -1);
  if (line === null) return null;
  if (what === "PRICE") return money(line.price);
  if (what === "AMOUNT") return money(line.amount);
  if (what === "SUBTOTAL") return line.amount === null ? null : money(left(line));
  return fraction(line.quantity);
}
function extreme(lines: Line[], sign: 1 | -1): Line | null {
  const priced = lines.filter(({ price }) => price !== null);
  const order = (a: Line, b: Line) => sign * Number(a.price! - b.price!) || Number(left(a) - left(b));
  return priced.toSorted(order)[0] ?? null;
}

/** Null: it cannot be worked out. */
function evaluate(formula: Formula, cart: Cart, item: Line | null): Fraction | null {
  const of = (one: Formula) => evaluate(one, cart, item);
  if ("number" in formula) return decimal(formula.number);
  if ("variable" in formula) return variable(formula.variable, cart, item);
  if ("missing" in formula) return null;
  if ("operator" in formula) {
    const [a, b] = [of(formula.left), of(formula.right)];
    if (a === null || b === null) return null;
    return { "+": plus, "-": minus, "*": times, "/": over }[formula.operator](a, b);
  }
  if ("choose" in formula) {
    const values = formula.of.map(of);
    if (values.includes(null)) return null;
    const sign = formula.choose === "MIN" ? 1 : -1;
    return (values as Fraction[]).toSorted((a, b) => sign * compare(a, b))[0]!;
  }
  if ("round" in formula) {
    const value = of(formula.value);
    const scale = fraction(10n ** BigInt(formula.places));
    return (
      value && over(fraction({ ROUND: halfUp, FLOOR: floor, CEIL: ceil }[formula.round](times(value, scale))), scale)
    );
  }
  const [one, other] = [of(formula.if), of(formula.above)];
  if (one === null || other === null) return null;
  return of(compare(one, other) > 0 ? formula.so : formula.otherwise);
}

export type Values = { cart: Cart; item: Line | null };
export const worked = (formula: Formula | undefined, { cart, item }: Values): Fraction | null => {
  const value = formula && evaluate(formula, cart, item);
  return value ? (value.n < 0n ? fraction(0n) : value) : null;
};
/** An amount in minor units, or the fixed one that stands beside the formula. */
export const moneyOf = (formula: Formula | undefined, fixed: number | undefined, values: Values): bigint => {
  const value = worked(formula, values);
  return value ? halfUp(times(value, fraction(100n))) : BigInt(fixed ?? 0);
};
export const countOf = (formula: Formula | undefined, fixed: number | undefined, values: Values): bigint => {
  const value = worked(formula, values);
  return value ? least(floor(value), 1_000_000n) : BigInt(fixed ?? 0);
};
export const percentOf = (formula: Formula | undefined, fixed: number | undefined, values: Values): Fraction => {
  const value = worked(formula, values) ?? decimal(fixed ?? 0);
  return compare(value, fraction(100n)) > 0 ? fraction(100n) : value;
};
