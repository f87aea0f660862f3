import { isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";
import type { SharedCounts } from "./limit-counts.ts";
import { RateLimited } from "./rate-limit.ts";

const ADDRESSES_MAX = 10_000;

type Used = { since: number; count: number };
type Limit = {
  /** How many in a window, in all processes together. */
  max: number;
  windowMs: number;
  processes: number;
  nowMs(): number;
  /** What somebody is told who had enough. */
  details: string;
  /** Where machines count together; without it each process counts for itself. */
  shared?: SharedCounts | undefined;
};

/** Counts something that addresses do, in windows of time. With several processes each allows its share, or all of them one. */
export function createAddressLimit({ max, windowMs, processes, nowMs, details, shared }: Limit) {
  const limit = Math.max(1, Math.floor(max / (shared ? 1 : processes)));
  const addresses = new LRUCache<string, Used>({ max: ADDRESSES_MAX });

  // Who does many at once waits as long as with one after the other.
  const endOf = ({ since, count }: Used) => since + windowMs * Math.ceil(count / limit);

  function refusalOf(used: Used): RateLimited {
    const endsAt = endOf(used);
    const headers = {
      "X-Rate-Limit-Limit": `${limit}`,
      "X-Rate-Limit-Remaining": "0",
      "X-Rate-Limit-Retry": `${Math.ceil(endsAt / 1000)}`,
      "X-Rate-Limit-Type": "api_calls",
      "Retry-After": `${Math.max(1, Math.ceil((endsAt - nowMs()) / 1000))}`,
    };
    return new RateLimited(headers, details);
  }

  const share = (name: string, used: Used, count: number) =>
    shared?.add(`${details} ${name}`, { used: count, endsAt: endOf(used) }, (all) => {
      used.count = all.used;
      used.since = all.endsAt - windowMs * Math.ceil(all.used / limit);
    });

  /** Counts what a request did, for one thing where it is named, and says how to refuse it where there was enough before. */
  return (ip: string, count: number, about = ""): RateLimited | null => {
    const name = `${networkOf(ip)} ${about}`;
    const known = addresses.get(name);
    if (!known || endOf(known) <= nowMs()) {
      addresses.delete(name);
      if (count === 0) return null;
      const first = { since: nowMs(), count };
      addresses.set(name, first);
      share(name, first, count);
      return null;
    }
    const isFull = known.count >= limit;
    known.count += count;
    if (count > 0) share(name, known, count);
    return isFull ? refusalOf(known) : null;
  };
}

/** A client with one IPv6 address has all addresses of its network. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped) return mapped[1]!;
  const [head = "", tail] = ip.split("%")[0]!.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":").length : 0;
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after);
  const all = [...groups, ...Array<string>(zeros).fill("0"), ...(tail ? tail.split(":") : [])];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
