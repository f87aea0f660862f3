// Ids are `<prefix>_` + 24 hex digits: 48 bits of milliseconds, then 48 bits that grow within a millisecond, so that
// ids of one process sort as they were made. Each step within a millisecond is random: the next id cannot be guessed.
const HEX_TIME = 12;
const STEP = 2 ** 24;

/** Makes ids from a clock and a source of random bytes. */
export function createIds(nowMs: () => number, random: (bytes: number) => Uint8Array) {
  let [lastMs, low] = [0, 0];
  const integer = (bytes: number) => random(bytes).reduce((sum, byte) => sum * 256 + byte, 0);
  return (prefix: string, separator = "_"): string => {
    const ms = Math.max(nowMs(), lastMs);
    // Starts in the lower half, so that steps have room: 2^47 / 2^24 is 8 million ids in a millisecond at least.
    low = ms === lastMs ? low + 1 + (integer(3) % STEP) : integer(6) % 2 ** 47;
    lastMs = ms;
    return `${prefix}${separator}${ms.toString(16).padStart(HEX_TIME, "0")}${low.toString(16).padStart(12, "0")}`;
  };
}
