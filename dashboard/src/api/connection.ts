import { onlineManager } from "@tanstack/react-query";

// Whether the server answers. While it does not, queries and writes wait; they go on when it is back.
const FIRST_MS = 1_000;
const LAST_MS = 30_000;
let isLost = false;

async function answers(): Promise<boolean> {
  try {
    return (await fetch("/health/live", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Called when nobody answered a request: asks again and again, more and more seldom. */
export function connectionLost(): void {
  if (isLost) return;
  isLost = true;
  onlineManager.setOnline(false);
  let waitMs = FIRST_MS;
  const ask = async () => {
    if (await answers()) {
      isLost = false;
      onlineManager.setOnline(true);
      return;
    }
    waitMs = Math.min(2 * waitMs, LAST_MS);
    setTimeout(ask, waitMs);
  };
  setTimeout(ask, waitMs);
}
