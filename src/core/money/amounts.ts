import assert from "node:assert/strict";
import { Decimal } from "decimal.js";

/** `numerator * by / over`, rounded half up, without passing through a binary fraction. */
export function scaleHalfUp(numerator: number, by: number, over: number): number {
  const [product, divisor] = [BigInt(numerator) * BigInt(by), BigInt(over)];
  assert(product >= 0n && divisor > 0n, "amounts are not negative");
  return Number((2n * product + divisor) / (2n * divisor));
}

const EXACT_MAX = 2 ** 50;

/** A percentage of an amount, rounded half up once: 3% of 103,350 is 3,100.5 and becomes 3,101. */
export function percentOf(amount: number, percent: number): number {
  // Whole numbers whose product is exact need no decimals: half up, in hundredths.
  const product = amount * percent;
  if (Number.isSafeInteger(amount) && Number.isSafeInteger(percent) && product >= 0 && product < EXACT_MAX)
    return Math.floor((product + 50) / 100);
  return toMinor(new Decimal(amount).times(percent).div(100));
}

/** Half up to whole minor units; what is below zero or no number is zero. */
export function toMinor(value: Decimal): number {
  if (!value.isFinite() || value.isNegative()) return 0;
  return value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
}

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
