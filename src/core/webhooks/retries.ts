const MINUTE_MS = 60_000;

/** How long after the first attempt each retry is due, in minutes: it doubles up to 17 hours, and the last is a day. */
export const RETRY_MINUTES: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440];

/** When a delivery is tried again after so many attempts; null: never. */
export function retryAt(firstAttemptAt: string, attempts: number): string | null {
  const minutes = RETRY_MINUTES[attempts - 1];
  return minutes === undefined ? null : new Date(Date.parse(firstAttemptAt) + minutes * MINUTE_MS).toISOString();
}
