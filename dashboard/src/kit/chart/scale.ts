/** Three to five round numbers from zero to above the largest value. `whole`: there are no halves of what is counted. */
export function ticksUpTo(max: number, { isWhole = true } = {}): number[] {
  if (max <= 0) return [0, 1];
  const rough = max / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fitting = [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= rough) ?? 10 * power;
  const step = isWhole ? Math.max(1, Math.ceil(fitting)) : fitting;
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, place) => place * step);
}
