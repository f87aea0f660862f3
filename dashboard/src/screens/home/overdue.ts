const DAY_MS = 86_400_000;
const RECENT_DAYS = 7;
const LATE_MS = 10 * 60_000;

type Action = { status: string; operation_status: string; created_at: string; updated_at: string | null };

/** Work that failed, and not long ago. */
export const isFailed = ({ status, operation_status, created_at }: Action, now: number): boolean =>
  (status === "FAILED" || operation_status === "FAILED") && Date.parse(created_at) > now - RECENT_DAYS * DAY_MS;

/** Work that has not ended, and of which nothing was done for ten minutes. */
export const isLate = ({ status, created_at, updated_at }: Action, now: number): boolean =>
  (status === "ENQUEUED" || status === "IN_PROGRESS") && Date.parse(updated_at ?? created_at) < now - LATE_MS;

/** How many messages were given up, or were tried and are tried again. None where the last one arrived: it works again. */
export function failedIn(deliveries: readonly { status: string; attempts: number }[]): number {
  if (deliveries.find(({ attempts }) => attempts > 0)?.status === "DELIVERED") return 0;
  return deliveries.filter(({ status, attempts }) => status === "FAILED" || (status === "WAITING" && attempts > 0))
    .length;
}
