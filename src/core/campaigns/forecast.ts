/** The speed is that of so many whole days at most, and nothing is told from fewer than the second. */
export const SPEED_DAYS = 14;
const SPEED_DAYS_MIN = 7;
const DAY_MS = 86_400_000;
/** What lasts longer than this does not run out. */
const FAR_DAYS = 3650;

/** A limit of a campaign and how it was used: in all, and by day, today last. */
export type LimitUse = {
  limit: number;
  used: number;
  by_day: readonly number[];
  /** How many whole days before today it could be used on. */
  whole_days: number;
};
export type Forecast = {
  limit: number;
  used: number;
  left: number;
  per_day: number | null;
  runs_out_at: string | null;
};

/** When a limit is used up if the next days are as the last ones were. Null: that is not known, or it lasts. */
export function forecastOf({ limit, used, by_day, whole_days }: LimitUse, now: string): Forecast {
  const left = Math.max(0, limit - used);
  const days = Math.min(SPEED_DAYS, whole_days, by_day.length - 1);
  if (days < SPEED_DAYS_MIN) return { limit, used, left, per_day: null, runs_out_at: null };
  // Today is not over: it would make every morning slow.
  const spent = by_day.slice(-1 - days, -1).reduce((sum, one) => sum + one, 0);
  const speed = spent / days;
  const lasts = speed > 0 ? left / speed : Number.POSITIVE_INFINITY;
  const isSeen = left > 0 && lasts <= FAR_DAYS;
  const runs_out_at = isSeen ? new Date(Date.parse(now) + lasts * DAY_MS).toISOString() : null;
  return { limit, used, left, per_day: Math.round(speed), runs_out_at };
}

/** What was left at the end of each day. A day that gave back more than it used counts below zero. */
export const leftByDay = ({ limit, used, by_day }: Pick<LimitUse, "limit" | "used" | "by_day">): number[] =>
  by_day.map((_, place) => {
    const later = by_day.slice(place + 1).reduce((sum, one) => sum + one, 0);
    return Math.max(0, limit - used + later);
  });
