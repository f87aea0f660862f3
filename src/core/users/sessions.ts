/** A session ends when nobody used it for so long, and after a week whatever happens. */
const IDLE_MS = 12 * 3_600_000;
const WHOLE_MS = 7 * 86_400_000;

export type SessionTimes = { last_used_at: string; ends_at: string };

const iso = (ms: number): string => new Date(ms).toISOString();

/** When a session that begins now ends, however much it is used. */
export const endOfSession = (now: string): string => iso(Date.parse(now) + WHOLE_MS);

/** When a session ends that is not used any more. */
export const sessionExpiry = ({ last_used_at, ends_at }: SessionTimes): string =>
  iso(Math.min(Date.parse(ends_at), Date.parse(last_used_at) + IDLE_MS));

export const isLive = (times: SessionTimes, now: string): boolean => Date.parse(sessionExpiry(times)) > Date.parse(now);

/** Sessions that were last used before this are over. */
export const idleSince = (now: string): string => iso(Date.parse(now) - IDLE_MS);
