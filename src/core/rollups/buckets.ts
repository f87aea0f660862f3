export type Unit = "day" | "hour";
/** An hour or a day of a chart. `key` is how rollups name it: the instant at which an hour begins, or the day. */
export type ChartBucket = { key: string; from: Temporal.ZonedDateTime; to: Temporal.ZonedDateTime };

/** So many a series has at most: two years of days, a month of hours. */
const BUCKETS_MAX = { day: 732, hour: 744 } as const;
/** Charts begin and end between these: far from the ends of what a calendar can say. */
const [FIRST, LAST] = ["1900-01-01T00:00:00Z", "9000-01-01T00:00:00Z"].map((text) => Temporal.Instant.from(text));

const startOf = (at: Temporal.ZonedDateTime, unit: Unit): Temporal.ZonedDateTime =>
  unit === "day" ? at.startOfDay() : at.round({ smallestUnit: "hour", roundingMode: "floor" });
const moved = (at: Temporal.ZonedDateTime, unit: Unit, by: number): Temporal.ZonedDateTime =>
  unit === "day" ? at.add({ days: by }).startOfDay() : at.add({ hours: by });
const bucketAt = (from: Temporal.ZonedDateTime, unit: Unit, to = moved(from, unit, 1)): ChartBucket => ({
  key: unit === "day" ? from.toPlainDate().toString() : from.toInstant().toString({ fractionalSecondDigits: 3 }),
  from,
  to,
});

/** As charts show a moment: in the time of the project. */
export const shownMoment = (at: Temporal.ZonedDateTime): string =>
  at.toString({ timeZoneName: "never", smallestUnit: "second" });

type Span = { from: string; to: string; unit: Unit; zone: string };
/** Why there is no series of a span, or null. */
export function spanFault({ from, to, unit }: Span): string | null {
  const [first, last] = [Temporal.Instant.from(from), Temporal.Instant.from(to)];
  if (Temporal.Instant.compare(first, last) >= 0) return "from must be before to";
  if (Temporal.Instant.compare(first, FIRST!) < 0 || Temporal.Instant.compare(last, LAST!) > 0)
    return "from and to must be between the years 1900 and 9000";
  const units = last.since(first).total("hours") / (unit === "day" ? 24 : 1);
  const most = BUCKETS_MAX[unit];
  return units > most - 1 ? `a series has at most ${most} ${unit}s: choose a shorter period` : null;
}

/** The hours or days that a span touches, and as many before it. */
export function chartBuckets({ from, to, unit, zone }: Span): { buckets: ChartBucket[]; before: ChartBucket[] } {
  const end = Temporal.Instant.from(to).toZonedDateTimeISO(zone);
  const buckets: ChartBucket[] = [];
  for (
    let at = startOf(Temporal.Instant.from(from).toZonedDateTimeISO(zone), unit);
    Temporal.ZonedDateTime.compare(at, end) < 0;
    at = buckets.at(-1)!.to
  )
    buckets.push(bucketAt(at, unit));
  const first = buckets[0]!.from;
  const starts = [...buckets.map((_, n) => moved(first, unit, n - buckets.length)), first];
  const before = buckets.map((_, n) => bucketAt(starts[n]!, unit, starts[n + 1]!));
  return { buckets, before };
}
