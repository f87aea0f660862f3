import { isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";
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
};

/** Counts something that addresses do, in windows of time. With several processes each allows its share. */
export function createAddressLimit({ max, windowMs, processes, nowMs, details }: Limit) {
  const limit = Math.max(1, Math.floor(max / processes));
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

  /** Counts what a request did, for one thing where it is named, and says how to refuse it where there was enough before. */
  return (ip: string, count: number, about = ""): RateLimited | null => {
    const name = `${networkOf(ip)} ${about}`;
    const known = addresses.get(name);
    if (!known || endOf(known) <= nowMs()) {
      addresses.delete(name);
      if (count > 0) addresses.set(name, { since: nowMs(), count });
      return null;
    }
    const isFull = known.count >= limit;
    known.count += count;
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
