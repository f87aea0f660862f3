import { momentOf, wallTimeOf } from "../../../kit/date/zoned.ts";

// The months that a timeline shows, as they stand in the address: `2026-09~6`, the first month and how many.

/** Whether something can still get in the way: what has ended is no conflict, and what overlapped only then neither. */
export const isOpen = ({ reason, to }: { reason: string; to: string | null }, now: number): boolean =>
  reason !== "expired" && (to === null || Date.parse(to) > now);

export const LENGTHS = [3, 6, 12] as const;
export type Span = { year: number; month: number; months: number };

const PATTERN = /^(\d{4})-(\d{2})~(\d{1,2})$/;

/** Without an address: half a year around now, which is after its first two months. */
export function parseSpan(text: string | null, now: string, zone: string): Span {
  const [, year, month, months] = PATTERN.exec(text ?? "") ?? [];
  const length = LENGTHS.find((one) => one === Number(months));
  if (length !== undefined && Number(month) >= 1 && Number(month) <= 12)
    return { year: Number(year), month: Number(month), months: length };
  const [thisYear, thisMonth] = wallTimeOf(now, zone).split("-").map(Number) as [number, number];
  return moveSpan({ year: thisYear, month: thisMonth, months: 6 }, -2);
}

export const printSpan = ({ year, month, months }: Span): string =>
  `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}~${months}`;

export function moveSpan({ year, month, months }: Span, by: number): Span {
  const at = year * 12 + month - 1 + by;
  return { year: Math.floor(at / 12), month: (((at % 12) + 12) % 12) + 1, months };
}

/** The beginnings of its months and the end, in milliseconds. They begin on the clock of the project. */
export const edgesOf = (span: Span, zone: string): number[] =>
  Array.from({ length: span.months + 1 }, (_, n) => {
    const { year, month } = moveSpan(span, n);
    const day = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-01`;
    return Date.parse(momentOf(day, zone)!);
  });

type Stretch = { from: number | null; to: number | null };
/** Stretches of time that touch or overlap are one. */
export function joined(stretches: readonly Stretch[]): Stretch[] {
  const begin = ({ from }: Stretch) => from ?? Number.NEGATIVE_INFINITY;
  const end = ({ to }: Stretch) => to ?? Number.POSITIVE_INFINITY;
  const all: Stretch[] = [];
  for (const one of [...stretches].sort((a, b) => begin(a) - begin(b))) {
    const last = all.at(-1);
    if (last && begin(one) <= end(last))
      all[all.length - 1] = { from: last.from, to: end(one) > end(last) ? one.to : last.to };
    else all.push(one);
  }
  return all;
}

export type Piece = { left: number; width: number; isCutLeft: boolean; isCutRight: boolean };
/** Where a stretch of time stands between two edges, in percent; null: it is not there. Null as an end is open. */
export function pieceOf(
  from: number | null,
  to: number | null,
  [first, last]: readonly [number, number],
): Piece | null {
  const [begin, end] = [Math.max(from ?? first, first), Math.min(to ?? last, last)];
  if (begin > end || (from ?? first) >= last || (to ?? last) <= first) return null;
  const percent = (at: number) => (100 * (at - first)) / (last - first);
  return {
    left: percent(begin),
    width: percent(end) - percent(begin),
    isCutLeft: from === null || from < first,
    isCutRight: to === null || to > last,
  };
}
