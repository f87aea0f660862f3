const DAY_MS = 86_400_000;
const RECENT_DAYS = 7;
const LATE_MS = 10 * 60_000;

type Action = {
  status: string;
  operation_status: string;
  created_at: string;
  updated_at: string | null;
  result?: { failed_count?: number } | null;
};

/** Work that failed, and not long ago. Rows of a file that could not be taken were told to who sent it, or only tried. */
export const isFailed = ({ status, operation_status, created_at, result }: Action, now: number): boolean =>
  (status === "FAILED" || (operation_status === "FAILED" && !result?.failed_count)) &&
  Date.parse(created_at) > now - RECENT_DAYS * DAY_MS;

/** Work that has not ended, and of which nothing was done for ten minutes. */
export const isLate = ({ status, created_at, updated_at }: Action, now: number): boolean =>
  (status === "ENQUEUED" || status === "IN_PROGRESS") && Date.parse(updated_at ?? created_at) < now - LATE_MS;
