import { LRUCache } from "lru-cache";

const ZONES_MAX = 1000;
/** Every request asks for the zone of its project. */
const zones = new LRUCache<string, { zone: string | null }>({
  max: ZONES_MAX,
  memoMethod: (timezone) => ({ zone: parseZone(timezone) }),
});

/**
 * The zone that `Temporal` calculates in for what a project calls its time zone, or null when there is none.
 * IANA names and offsets are taken as they are; `GMT+1`, `GMT+01:00` and `UTC-3` mean that offset.
 */
export const resolveZone = (timezone: string): string | null => zones.memo(timezone).zone;

/** The zone that a project lives in. */
export const zoneOf = ({ timezone }: { timezone: string }): string => resolveZone(timezone) ?? "UTC";

function parseZone(timezone: string): string | null {
  const match = /^(?:GMT|UTC)(?:([+-])(\d{1,2})(?::?([0-5]\d))?)?$/.exec(timezone);
  const [sign, hours, minutes = "00"] = match?.slice(1) ?? [];
  const zone = sign && hours ? `${sign}${hours.padStart(2, "0")}:${minutes}` : timezone;
  // An instant with a zone in brackets is accepted by `Temporal` too, and is no name of a zone.
  if (zone.includes("[")) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId;
  } catch {
    return null;
  }
}
