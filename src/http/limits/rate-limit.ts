import { LRUCache } from "lru-cache";
import { ApiError } from "../../core/errors.ts";
import type { Caller } from "../../ctx.ts";
import type { SharedCounts, WindowCount } from "./limit-counts.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

/**
 * Requests a minute for each kind of key; 0 means no limit. Operations that take many objects at once have a limit of their
 * own (`bulk`), beside that of the key; with 0 they count as its other requests.
 */
export type RateLimits = Record<"app" | "client" | "management" | "bulk", number> & {
  /** Of each user who is signed in, in all their browsers together. */
  session?: number;
};

/**
 * Counts the requests of each key in windows of a minute, in this process. With several processes each gets its
 * share of the limit, so that together they keep it; where counts are shared, each has all of it and learns of the others.
 */
export function createRateLimiter(limits: RateLimits, processes: number, shared?: SharedCounts) {
  const windows = new LRUCache<string, WindowCount>({ max: KEYS_MAX });
  const shares = shared ? 1 : processes;
  // Windows that all machines have begin and end at full minutes.
  const endOf = (nowMs: number) => (shared ? (Math.floor(nowMs / WINDOW_MS) + 1) * WINDOW_MS : nowMs + WINDOW_MS);

  /** Counts a request and returns the headers that tell the client where it stands. */
  return ({ kind, key_id }: Caller, nowMs: number, isBulk = false): Record<string, string> => {
    const counted = isBulk && limits.bulk > 0 ? "bulk" : kind;
    const ofAll = counted === "none" ? 0 : (limits[counted] ?? 0);
    const limit = ofAll === 0 ? 0 : Math.max(1, Math.floor(ofAll / shares));
    if (limit === 0) return {};
    const name = `${counted} ${key_id}`;
    const known = windows.get(name);
    const window = known && known.endsAt > nowMs ? known : { endsAt: endOf(nowMs), used: 0 };
    if (window !== known) windows.set(name, window);
    window.used += 1;
    shared?.add(`request ${name}`, { used: 1, endsAt: window.endsAt }, (all) => void Object.assign(window, all));
    const headers = {
      "X-Rate-Limit-Limit": `${limit}`,
      "X-Rate-Limit-Remaining": `${Math.max(0, limit - window.used)}`,
      "X-Rate-Limit-Retry": `${Math.ceil(window.endsAt / 1000)}`,
    };
    if (window.used <= limit) return headers;
    const seconds = Math.max(1, Math.ceil((window.endsAt - nowMs) / 1000));
    const type = counted === "bulk" ? "bulk_api_calls" : "api_calls";
    throw new RateLimited({ ...headers, "X-Rate-Limit-Type": type, "Retry-After": `${seconds}` });
  };
}

export class RateLimited extends ApiError {
  readonly headers: Record<string, string>;
  constructor(headers: Record<string, string>, details?: string) {
    super("too_many_requests", details === undefined ? {} : { details });
    this.headers = headers;
  }
}
