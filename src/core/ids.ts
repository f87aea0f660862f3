// Ids are `<prefix>_` + 24 hex digits: 48 bits of milliseconds, then 48 bits that grow within a millisecond, so that
// ids of one process sort as they were made. Each step within a millisecond is random: the next id cannot be guessed.
const HEX_TIME = 12;
const HALF = 2 ** 24;
/** A request takes a dozen ids, so they are put together from these and not by arithmetic on large numbers. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const hexOf = (half: number): string => HEX[half >> 16]! + HEX[(half >> 8) & 255]! + HEX[half & 255]!;

/** Makes ids from a clock and a source of random numbers below 2^24. */
export function createIds(nowMs: () => number, drawHalf: () => number) {
  // The upper and the lower half of the 48 bits.
  let [lastMs, upper, lower, time] = [0, 0, 0, ""];
  return (prefix: string, separator = "_"): string => {
    const ms = Math.max(nowMs(), lastMs);
    if (ms === lastMs) {
      lower += 1 + drawHalf();
      if (lower >= HALF) [upper, lower] = [upper + 1, lower - HALF];
    } else {
      // Starts in the lower half, so that steps have room: 2^47 / 2^24 is 8 million ids in a millisecond at least.
      [upper, lower] = [drawHalf() % (HALF / 2), drawHalf()];
      time = ms.toString(16).padStart(HEX_TIME, "0");
      lastMs = ms;
    }
    return `${prefix}${separator}${time}${hexOf(upper)}${hexOf(lower)}`;
  };
}

/** As an event is called where clients see it: it has one name in every list that shows it. */
export const shownEventId = (eventId: string): string => eventId.replace(/^ev_/, "evcus_");
export const storedEventId = (shown: string): string => shown.replace(/^evcus_/, "ev_");

/** How many events one row holds at most: a place is two hex digits. */
export const EVENT_PLACES = 256;
const EVENT_ROW = "ev_".length + 24;
/**
 * The id of an event by its place in a row. The first has that of the row, the others two digits more: `ev_…9f`, `ev_…9f01`,
 * `ev_…9f02`. So they sort behind the first, and before the next row.
 */
export const eventIdAt = (rowId: string, place: number): string => (place === 0 ? rowId : rowId + HEX[place]!);
/** The id of the row that an event is in. */
export const eventRowOf = (eventId: string): string => eventId.slice(0, EVENT_ROW);
