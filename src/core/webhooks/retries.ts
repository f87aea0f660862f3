const MINUTE_MS = 60_000;

/** How long after the first attempt each retry is due, in minutes: it doubles up to 17 hours, and the last is a day. */
export const RETRY_MINUTES: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440];

/**
 * When a delivery is tried again after so many attempts; null: never. An attempt that came late moves the next one: nothing
 * was sent meanwhile, and retries that are due all at once would be used up before anybody could mend the receiver.
 */
export function retryAt(
  { firstAttemptAt, lastAttemptAt }: { firstAttemptAt: string; lastAttemptAt: string },
  attempts: number,
): string | null {
  const minutes = RETRY_MINUTES[attempts - 1];
  if (minutes === undefined) return null;
  const gap = minutes - (RETRY_MINUTES[attempts - 2] ?? 0);
  const due = Math.max(Date.parse(firstAttemptAt) + minutes * MINUTE_MS, Date.parse(lastAttemptAt) + gap * MINUTE_MS);
  return new Date(due).toISOString();
}
