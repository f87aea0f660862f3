import assert from "node:assert/strict";
import { sum } from "./amounts.ts";

/**
 * Splits `amount` in proportion to `weights`, in whole units that sum to it exactly. Shares are rounded down first; the
 * units left over go to the largest remainders, on a tie to the earlier line. 300 over 3,300 and 3,400 is 148 and 152.
 */
export function prorate(amount: number, weights: readonly number[]): number[] {
  assert(Number.isSafeInteger(amount) && amount >= 0, "an amount is a whole number and not negative");
  const total = weights.reduce((all, weight) => all + BigInt(weight), 0n);
  if (total === 0n) return weights.map(() => 0);
  // In BigInt, because amount times weight passes 2^53 long before either of them does.
  const parts = weights.map((weight, index) => {
    const scaled = BigInt(amount) * BigInt(weight);
    return { index, share: Number(scaled / total), remainder: scaled % total };
  });
  const left = amount - sum(parts.map(({ share }) => share));
  const byRemainder = parts.toSorted((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1,
  );
  for (const part of byRemainder.slice(0, left)) part.share += 1;
  return parts.map(({ share }) => share);
}

/**
 * The same where no share may pass its cap: what does not fit is split again over the lines that have room. The shares
 * sum to the amount, or to all the caps when they are less. 900 over weights 1 and 2 with caps 500 and 400 is 500 and
 * 400: the second line takes 400 of its 600, and the 200 left go to the first. It may take as many rounds as there are
 * lines: `onRound` is told of each before it begins.
 */
export function prorateCapped(
  amount: number,
  weights: readonly number[],
  caps: readonly number[],
  onRound?: () => void,
): number[] {
  const shares = weights.map(() => 0);
  let left = Math.min(amount, sum(caps.map((cap, i) => (weights[i]! > 0 ? cap : 0))));
  while (left > 0) {
    onRound?.();
    const open = weights.map((weight, i) => (shares[i]! < caps[i]! ? weight : 0));
    const next = prorate(left, open).map((share, i) => Math.min(share, caps[i]! - shares[i]!));
    const given = sum(next);
    assert(given > 0, "every round fills a line or spends all");
    for (const [i, share] of next.entries()) shares[i]! += share;
    left -= given;
  }
  return shares;
}

/** Lines that together may have no more than `limit`. */
export type LimitGroup = { limit: number; members: readonly number[] };

/**
 * The same where some lines have a limit together. Those that would pass it share it in proportion, and the others share
 * what is left. 900 over three equal lines, the first two with 300 together, is 150, 150 and 600.
 */
export function prorateLimited(
  amount: number,
  lines: readonly { weight: number; most: number }[],
  groups: readonly LimitGroup[],
  /** Is told before each round how many lines take part in it. */
  onRound?: (lines: number) => void,
): number[] {
  const shares = lines.map(() => 0);
  const share = (whole: number, members: readonly number[]): void => {
    const own = members.map((i) => lines[i]!);
    const parts = prorateCapped(
      whole,
      own.map(({ weight }) => weight),
      own.map(({ most }) => most),
      () => onRound?.(own.length),
    );
    for (const [n, i] of members.entries()) shares[i] = parts[n]!;
  };
  let [left, open] = [amount, lines.map((_, i) => i)];
  for (;;) {
    share(left, open);
    const full = groups.filter(({ limit, members }) => sum(members.map((i) => shares[i]!)) > limit);
    if (full.length === 0) return shares;
    for (const { limit, members } of full) {
      share(limit, members);
      left -= limit;
      open = open.filter((i) => !members.includes(i));
    }
  }
}
