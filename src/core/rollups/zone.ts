import { zoneOf } from "../time/zone.ts";

/** A zone for `at time zone`, and how many minutes behind the hour of UTC its hours begin. */
export type RollupZone = { zone: string; zone_minutes: number };

/** PostgreSQL takes these names for offsets without summer time. */
const PLACES: Readonly<Record<string, string>> = {
  CET: "Europe/Brussels",
  EET: "Europe/Athens",
  MET: "Europe/Brussels",
  WET: "Europe/Lisbon",
};

/** Where a zone is an offset, PostgreSQL counts it the other way round. */
export function rollupZone(project: { timezone: string }, now: string): RollupZone {
  const zone = zoneOf(project);
  const { offsetNanoseconds } = Temporal.Instant.from(now).toZonedDateTimeISO(zone);
  const minutes = Math.round(offsetNanoseconds / 60e9);
  return {
    zone: (PLACES[zone] ?? zone).replace(/^[+-]/, (sign) => (sign === "+" ? "-" : "+")),
    zone_minutes: ((-minutes % 60) + 60) % 60,
  };
}
