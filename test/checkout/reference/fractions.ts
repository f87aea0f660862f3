// Part of the reference calculator: exact numbers.

/** A fraction; `d` is above zero. */
export type Fraction = { n: bigint; d: bigint };
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
export const fraction = (n: bigint, d = 1n): Fraction => {
  const by = gcd(n, d) * (d < 0n ? -1n : 1n);
  return { n: n / by, d: d / by };
};
export const plus = (a: Fraction, b: Fraction) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Fraction, b: Fraction) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a: Fraction, b: Fraction) => fraction(a.n * b.n, a.d * b.d);
export const over = (a: Fraction, b: Fraction) => (b.n === 0n ? null : fraction(a.n * b.d, a.d * b.n));
export const compare = (a: Fraction, b: Fraction): number =>
  Number(a.n * b.d - b.n * a.d > 0n) - Number(a.n * b.d < b.n * a.d);
export const floor = ({ n, d }: Fraction): bigint => (n >= 0n ? n / d : -((-n + d - 1n) / d));
export const ceil = ({ n, d }: Fraction): bigint => -floor({ n: -n, d });
/** Half away from zero: 2.5 is 3. */
export const halfUp = (x: Fraction): bigint =>
  x.n < 0n ? -halfUp({ n: -x.n, d: x.d }) : (2n * x.n + x.d) / (2n * x.d);
/** A number as it is written: 33.33 is 3,333 / 100. */
export function decimal(value: number): Fraction {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const [whole = "", part = ""] = digits.split(".");
  const scale = BigInt(Number(exponent) - part.length);
  const own = BigInt(whole + part);
  return scale >= 0n ? fraction(own * 10n ** scale) : fraction(own, 10n ** -scale);
}
export const least = (...values: (bigint | null)[]): bigint =>
  values.reduce<bigint | null>((a, b) => (a === null ? b : b === null || a < b ? a : b), null)!;
export const sum = (values: bigint[]): bigint => values.reduce((a, b) => a + b, 0n);
