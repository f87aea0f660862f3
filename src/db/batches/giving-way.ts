import { setImmediate as others } from "node:timers/promises";

/** For so long at most a batch keeps the process to itself. */
const TURN_MS = 5;

/**
 * Collects what is made one after the other, and lets other requests have their turn in between. To plan 64 redemptions takes 30 ms:
 * a request that only needs to hear "503" waits for 5 ms of that. While it is made, nobody else may change what it is made from.
 */
export async function givingWay<T>(made: Iterable<T>, now = () => performance.now()): Promise<T[]> {
  const all: T[] = [];
  let since = now();
  for (const one of made) {
    all.push(one);
    if (now() - since < TURN_MS) continue;
    await others();
    since = now();
  }
  return all;
}
