import { dateFormat } from "../../text/formats.ts";

// A moment and the clock on the wall of a zone. Browsers have no library for this yet that all of them share.

const partsIn = (ms: number, zone: string): number => {
  const format = dateFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour!, parts.minute!, parts.second!);
};

/** `2027-05-31T23:59` on the wall, as fields of the kind datetime-local take it. */
export const wallTimeOf = (iso: string, zone: string): string =>
  new Date(partsIn(Date.parse(iso), zone)).toISOString().slice(0, 16);

/**
 * The moment at which the wall shows a time, or null for what is no time. Where the clock is put forward, the time that is left
 * out is the same span later; where it is put back, the first of the two.
 */
export function momentOf(wallTime: string, zone: string): string | null {
  const wall = Date.parse(`${wallTime.length === 10 ? `${wallTime}T00:00` : wallTime}Z`);
  if (Number.isNaN(wall)) return null;
  const offsetAt = (ms: number) => partsIn(ms, zone) - Math.floor(ms / 1000) * 1000;
  const [before, after] = [offsetAt(wall - 86_400_000), offsetAt(wall + 86_400_000)];
  const fitting = [wall - before, wall - after].filter((ms) => ms + offsetAt(ms) === wall);
  return new Date(fitting.length > 0 ? Math.min(...fitting) : wall - before).toISOString();
}
