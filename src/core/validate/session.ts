export const TTL_UNITS = [
  "DAYS",
  "HOURS",
  "MINUTES",
  "SECONDS",
  "MILLISECONDS",
  "MICROSECONDS",
  "NANOSECONDS",
] as const;
export type TtlUnit = (typeof TTL_UNITS)[number];
export type Session = { type: "LOCK"; key: string; ttl: number; ttl_unit: TtlUnit };
export const DEFAULT_TTL = { ttl: 7, ttl_unit: "DAYS" } as const;

const UNIT_MS: Record<TtlUnit, number> = {
  DAYS: 86_400_000,
  HOURS: 3_600_000,
  MINUTES: 60_000,
  SECONDS: 1000,
  MILLISECONDS: 1,
  MICROSECONDS: 0.001,
  NANOSECONDS: 0.000001,
};
export const TTL_DAYS_MAX = 3650;

/** When a session ends, to the microsecond and not before its time; null when that is too far away. */
export function sessionEnd(now: string, { ttl, ttl_unit }: Pick<Session, "ttl" | "ttl_unit">): string | null {
  const ms = ttl * UNIT_MS[ttl_unit];
  if (!(ms <= TTL_DAYS_MAX * UNIT_MS.DAYS)) return null;
  return Temporal.Instant.from(now)
    .add({ milliseconds: Math.floor(ms), microseconds: Math.ceil((ms % 1) * 1000) })
    .toString({ smallestUnit: "microsecond" });
}
