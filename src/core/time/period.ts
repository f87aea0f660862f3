import { LRUCache } from "lru-cache";

export type PeriodKind = "total" | "day" | "week" | "month";

/**
 * The first day of the calendar period that holds `now` in the zone, as `YYYY-MM-DD`. Weeks start on Monday: that of
 * Sunday, 1 March 2026 starts on 23 February. All time has one start, so that a counter of it has one row.
 */
export function periodStart(kind: PeriodKind, now: string, zone: string): string {
  return kind === "total" ? "1970-01-01" : periodStarts(now, zone)[kind];
}

type Day = { from: number; until: number; day: string; week: string; month: string };

/** The last day that was asked for, by zone. Requests come one after the other, and most of them on the same day. */
const days = new LRUCache<string, Day>({ max: 1000 });
const DAY_MS = 86_400_000;

/** The first days of the periods that hold `now`, all at once. */
export function periodStarts(now: string, zone: string): Readonly<Record<Exclude<PeriodKind, "total">, string>> {
  const at = Date.parse(now);
  const known = days.get(zone);
  if (known && known.from <= at && at < known.until) return known;
  const today = Temporal.Instant.from(now).toZonedDateTimeISO(zone).toPlainDate();
  const begins = (date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;
  const day = {
    from: begins(today),
    until: begins(today.add({ days: 1 })),
    day: today.toString(),
    week: today.subtract({ days: today.dayOfWeek - 1 }).toString(),
    month: today.with({ day: 1 }).toString(),
  };
  // A day on which clocks are changed may come back after midnight: it is not kept.
  if (day.until - day.from !== DAY_MS) return day;
  days.set(zone, day);
  return day;
}
