import { randomBytes } from "node:crypto";
import { createIds } from "./core/ids.ts";
import type { NewId, NewSecret } from "./request.ts";

// The only clock and the only source of randomness. Everything else is given them.

/** Bytes of a supply that is drawn at once: a call of the system for a few would cost more than all else of an id. */
export function random(bytes: number): Uint8Array {
  if (bytes > SUPPLY) return randomBytes(bytes);
  if (used + bytes > supply.length) [supply, used] = [randomBytes(SUPPLY), 0];
  used += bytes;
  return supply.subarray(used - bytes, used);
}
const SUPPLY = 4096;
let [supply, used] = [randomBytes(SUPPLY), 0];

/** 24 random bits, from the same supply. A request takes a dozen ids, and a view of three bytes would be an object for each. */
function random24(): number {
  if (used + 3 > supply.length) [supply, used] = [randomBytes(SUPPLY), 0];
  used += 3;
  return (supply[used - 3]! << 16) | (supply[used - 2]! << 8) | supply[used - 1]!;
}

const makeId = createIds(() => Date.now(), random24);
let [shownMs, shown] = [0, ""];
/** Many requests ask within one millisecond, and each of them several times: its text is made once. */
export function now(): string {
  const ms = Date.now();
  if (ms !== shownMs) [shownMs, shown] = [ms, new Date(ms).toISOString()];
  return shown;
}
export const newId: NewId = (prefix) => makeId(prefix);
export const newSecret: NewSecret = () => randomBytes(32).toString("hex");
export const newRequestId = (): string => makeId("v", "-");
