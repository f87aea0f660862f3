import { dayEnd, instantText, isBefore, localDate } from "../time/calendar.ts";

/**
 * A request that began before the segment was there may still write a customer; so much later none does. So everybody is
 * looked at once more then.
 */
const SETTLED_MS = 15_000;

export type SegmentTimes = {
  created_at: string;
  /** The moment for which the members were last worked out for everybody. */
  recalculated_at: string | null;
};

/**
 * The next moment for which the members of an auto-update segment are worked out for everybody: soon after it was made,
 * and then at every local midnight where its filter looks at the time; null: never.
 */
export function segmentDueAt(
  { created_at, recalculated_at }: SegmentTimes,
  { isTimed, zone }: { isTimed: boolean; zone: string },
): string | null {
  const settled = instantText(
    Temporal.Instant.from(created_at).add({ milliseconds: SETTLED_MS }).toZonedDateTimeISO(zone),
  );
  if (recalculated_at === null || isBefore(recalculated_at, settled)) return settled;
  return isTimed ? nextMidnight(recalculated_at, zone) : null;
}

/** The first local midnight after a moment. */
export function nextMidnight(at: string, zone: string): string {
  let day = localDate(at, zone);
  // Where clocks go back over midnight, the day begins before some of the moments that belong to the day before.
  while (!isBefore(at, dayEnd(day, zone))) day = day.add({ days: 1 });
  return dayEnd(day, zone);
}
