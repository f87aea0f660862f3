import { want } from "../floating/wanted.ts";

export const KEYS_EVENT = "laurel:keys";
/** Opens the list of keys; the first time it is loaded, and opens by itself. */
export function openKeys(): void {
  want("keys");
  window.dispatchEvent(new Event(KEYS_EVENT));
}
