import { useSyncExternalStore } from "react";

// What stands over a page is loaded when it is first wanted: nobody waits for it before.
type Part = "palette" | "notices" | "questions" | "keys";
let wanted: ReadonlySet<Part> = new Set();
const listeners = new Set<() => void>();

export function want(part: Part): void {
  if (wanted.has(part)) return;
  wanted = new Set([...wanted, part]);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
export const useWanted = (): ReadonlySet<Part> => useSyncExternalStore(subscribe, () => wanted);
