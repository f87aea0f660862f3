import { setImmediate as others } from "node:timers/promises";

/** So long a batch keeps the process to itself. */
const TURN_MS = 5;

/**
 * Collects what is made one after the other, and lets others have their turn in between: 256 redemptions are planned for 125 ms, and
 * a request that only needs to hear "503" waits for no more than 5 ms of that. What is made must be nobody else's meanwhile.
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
