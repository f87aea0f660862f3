import { Decimal } from "decimal.js";
import { type EntryIndex, indexEntries, positionFor } from "../discounts/entry-index.ts";
import type { OrderItem } from "../order/order.ts";
import { comparableNumber, comparableText } from "./compare.ts";
import { productEntries } from "./products.ts";

// The values of a rule never change, so a list of them is made into a set once for each version of the rule. A line of
// the cart is then one lookup, and not a thousand comparisons.

type Values = readonly unknown[];
type IsAmong = (element: unknown, values: Values) => boolean;

function once<T>(make: (values: Values) => T): (values: Values) => T {
  const known = new WeakMap<Values, { made: T }>();
  return (values) => {
    const entry = known.get(values) ?? { made: make(values) };
    known.set(values, entry);
    return entry.made;
  };
}

const textsOf = once((values) => new Set(values.map(comparableText)));

export const isAmongTexts: IsAmong = (element, values) => {
  const text = comparableText(element);
  return text !== null && textsOf(values).has(text);
};

/** The same text for the same number, however it is written: 10.1 and "10.10" are one. */
function numberKey(value: unknown): string | null {
  if (Number.isSafeInteger(value)) return String(value);
  const number = comparableNumber(value);
  return number === null ? null : new Decimal(number).toString();
}
const numbersOf = once((values) => new Set(values.map(numberKey)));

export const isAmongNumbers: IsAmong = (element, values) => {
  const key = numberKey(element);
  return key !== null && numbersOf(values).has(key);
};

/** `object` is what a value without a type of its own is taken for. */
const isAmongThings = (object: "product" | "sku" | null): IsAmong => {
  const indexOf = once((values): EntryIndex => indexEntries(values.flatMap((value) => productEntries(value, object))));
  return (element, values) => positionFor(indexOf(values), element as OrderItem) >= 0;
};
const THINGS = { product: isAmongThings("product"), sku: isAmongThings("sku"), open: isAmongThings(null) };

export const isAmongProducts = (object: "product" | "sku" | null): IsAmong => THINGS[object ?? "open"];
