import type { Counts } from "../rules/facts.ts";
import { type PeriodKind, periodStarts } from "../time/period.ts";

type Calendar = Exclude<PeriodKind, "total">;
/** The first day of a period, how often in it, and how often in the period before it. */
type Period = readonly [start: string, count: number, before: number];
/** How often a code was redeemed in the periods that hold now, and with which API key. Rolled back ones do not count. */
export type CodeUses = { readonly [K in Calendar]?: Period } & { readonly keys?: Readonly<Record<string, number>> };
export type Starts = Readonly<Record<Calendar, string>>;

const CALENDAR = ["day", "week", "month"] as const satisfies readonly Calendar[];

/** The periods of a moment. */
export const startsOf = (now: string, zone: string): Starts => {
  const { day, week, month } = periodStarts(now, zone);
  return { day, week, month };
};

/** The start of the period before: the week before Monday 2 March 2026 begins on 23 February. */
function before(kind: Calendar, start: string): string {
  const day = Temporal.PlainDate.from(start);
  return day.subtract({ day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[kind]).toString();
}

/** The count of the period that begins on `start`. Requests come late by seconds, never by a whole period. */
function countIn(kind: Calendar, period: Period | undefined, start: string): number {
  if (!period) return 0;
  if (period[0] === start) return period[1];
  return period[0] > start && before(kind, period[0]) === start ? period[2] : 0;
}

export const countsAt = (uses: CodeUses | null, total: number, starts: Starts): Counts => ({
  total,
  day: countIn("day", uses?.day, starts.day),
  week: countIn("week", uses?.week, starts.week),
  month: countIn("month", uses?.month, starts.month),
});

export const keyUses = (uses: CodeUses | null, keyId: string): number => uses?.keys?.[keyId] ?? 0;

function moved(
  kind: Calendar,
  period: Period | undefined,
  { start, by }: { start: string; by: number },
): Period | undefined {
  if (!period) return by > 0 ? [start, by, 0] : undefined;
  const [current, count, previous] = period;
  if (current === start) return [current, Math.max(0, count + by), previous];
  if (current < start) return by > 0 ? [start, by, before(kind, start) === current ? count : 0] : period;
  return before(kind, current) === start ? [current, count, Math.max(0, previous + by)] : period;
}

/** One use more, or with -1 one less in the periods in which it was made. */
export function addUse(
  uses: CodeUses | null,
  { starts, keyId, by }: { starts: Starts; keyId: string; by: 1 | -1 },
): CodeUses {
  const periods = CALENDAR.flatMap((kind) => {
    const period = moved(kind, uses?.[kind], { start: starts[kind], by });
    return period ? [[kind, period] as const] : [];
  });
  const keys = { ...uses?.keys, [keyId]: Math.max(0, keyUses(uses, keyId) + by) };
  return { ...Object.fromEntries(periods), keys };
}
