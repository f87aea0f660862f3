export type PeriodKind = "total" | "day" | "week" | "month";

/**
 * The first day of the calendar period that holds `now` in the zone, as `YYYY-MM-DD`. Weeks start on Monday: that of
 * Sunday, 1 March 2026 starts on 23 February. All time has one start, so that a counter of it has one row.
 */
export function periodStart(kind: PeriodKind, now: string, zone: string): string {
  if (kind === "total") return "1970-01-01";
  const today = Temporal.Instant.from(now).toZonedDateTimeISO(zone).toPlainDate();
  return STARTS[kind](today).toString();
}

const STARTS: Record<Exclude<PeriodKind, "total">, (today: Temporal.PlainDate) => Temporal.PlainDate> = {
  day: (today) => today,
  week: (today) => today.subtract({ days: today.dayOfWeek - 1 }),
  month: (today) => today.with({ day: 1 }),
};
