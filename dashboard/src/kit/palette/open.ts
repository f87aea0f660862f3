import { want } from "../floating/wanted.ts";

export const PALETTE_EVENT = "laurel:palette";
/** Opens the palette; the first time it is loaded, and opens by itself. */
export function openPalette(): void {
  want("palette");
  window.dispatchEvent(new Event(PALETTE_EVENT));
}
