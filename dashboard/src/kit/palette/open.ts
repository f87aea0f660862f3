import { want } from "../floating/wanted.ts";

export const PALETTE_EVENT = "laurel:palette";
const WAIT_MS = 5_000;

// What somebody types before the palette is there: it is for the palette, and no key of the page.
let typed = "";
let timer: ReturnType<typeof setTimeout> | undefined;

function collect(event: KeyboardEvent): void {
  const isInside = event.target instanceof Element && event.target.closest("[role=dialog]") !== null;
  if (isInside || event.key === "Escape") stop();
  if (isInside || event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  typed += event.key;
}

function stop(): void {
  clearTimeout(timer);
  document.removeEventListener("keydown", collect, true);
}

/** Opens the palette; the first time it is loaded, and opens by itself. */
export function openPalette(): void {
  typed = "";
  stop();
  document.addEventListener("keydown", collect, true);
  timer = setTimeout(stop, WAIT_MS);
  want("palette");
  window.dispatchEvent(new Event(PALETTE_EVENT));
}

/** What was typed meanwhile, once. */
export function takeTyped(): string {
  stop();
  const text = typed;
  typed = "";
  return text;
}
