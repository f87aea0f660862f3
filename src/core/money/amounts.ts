import { Decimal } from "decimal.js";

/** `numerator * by / over`, rounded half up, without passing through a binary fraction. */
export function scaleHalfUp(numerator: number, by: number, over: number): number {
  const [product, divisor] = [BigInt(numerator) * BigInt(by), BigInt(over)];
  // Not Node's assert: the dashboard reads formulas in the browser with this file.
  if (product < 0n || divisor <= 0n) throw new RangeError("amounts are not negative");
  return Number((2n * product + divisor) / (2n * divisor));
}

const EXACT_MAX = 2 ** 50;
/** Digits enough for an amount times a percentage: nothing is rounded but the result. */
const Exact = Decimal.clone({ precision: 80, rounding: Decimal.ROUND_HALF_UP });

/** A percentage as it was written, or as a formula gives it: with more digits than a number holds. */
export type Percent = number | Decimal;
const HUNDRED = 100;
const SHOWN_PLACES = 10;
/** The percentage as answers show it: a third is 33.3333333333. */
export const shownPercent = (percent: Percent): number =>
  typeof percent === "number" ? percent : percent.toDecimalPlaces(SHOWN_PLACES).toNumber();
/** A percentage multiplied, at most 100: three times 5.1 is 15.3 exactly. */
export function timesPercent(percent: Percent, by: number): Percent {
  if (by === 1) return percent;
  const product = new Exact(percent).times(by);
  return product.gt(HUNDRED) ? HUNDRED : product;
}

/** A formula's quotient ends after 30 digits: with fewer, what is half a minor unit is exactly that. */
const SETTLED_DIGITS = 28;
/** A percentage before it is rounded. */
export function exactPercentOf(amount: Decimal.Value, percent: Percent): Decimal {
  const exact = new Exact(amount).times(percent).div(HUNDRED);
  return typeof percent === "number" ? exact : exact.toSignificantDigits(SETTLED_DIGITS);
}

/** A percentage of an amount, rounded half up once: 3% of 103,350 is 3,100.5 and becomes 3,101. */
export function percentOf(amount: Decimal.Value, percent: Percent): number {
  // Whole numbers whose product is exact need no decimals: half up, in hundredths.
  if (Number.isSafeInteger(amount) && Number.isSafeInteger(percent)) {
    const product = (amount as number) * (percent as number);
    if (product >= 0 && product < EXACT_MAX) return Math.floor((product + 50) / 100);
  }
  return toMinor(exactPercentOf(amount, percent));
}

/** `amount * by / over` before it is rounded, for what is calculated with it. */
export const exactPart = (amount: number, by: number, over: number): Decimal => new Exact(amount).times(by).div(over);

/** Half up to whole minor units; what is below zero or no number is zero. */
function toMinor(value: Decimal): number {
  if (!value.isFinite() || value.isNegative()) return 0;
  return value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
}

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
