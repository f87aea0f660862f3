import { isIPv6 } from "node:net";
import type { Answer } from "../core/answer.ts";
import { ApiError, type ErrorBody } from "../core/errors.ts";
import { RateLimited } from "./rate-limit.ts";

const WINDOW_MS = 5_000;
const ADDRESSES_MAX = 10_000;
const WAITING_MAX = 100;

type Address = { startedAt: number; wrong: number; running: number; waiting: (() => void)[] };
/** Says how many wrong codes the request brought. */
type Leave = (wrong: number) => void;

/**
 * Limits the wrong codes that an address may try, in windows of five seconds, so that codes cannot be guessed. Right
 * ones cost nothing. A request that could be one too many waits for those that run: many at once learn no more than one
 * after the other. With several processes each allows its share.
 */
export function createCodeGuard(max: number, processes: number, nowMs: () => number) {
  const limit = max === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(max / processes));
  const addresses = new Map<string, Address>();

  // Who tries many in one request waits as long as with one after the other.
  const endOf = ({ startedAt, wrong }: Address) => startedAt + WINDOW_MS * Math.ceil(wrong / limit);

  function entryOf(name: string): Address {
    const known = addresses.get(name);
    if (known && known.wrong > 0 && endOf(known) <= nowMs()) known.wrong = 0;
    if (known) return known;
    const oldest = addresses.size >= ADDRESSES_MAX ? addresses.keys().next().value : undefined;
    if (oldest !== undefined) addresses.delete(oldest);
    const fresh: Address = { startedAt: 0, wrong: 0, running: 0, waiting: [] };
    addresses.set(name, fresh);
    return fresh;
  }

  function refuse(one: Address): never {
    const endsAt = one.wrong >= limit ? endOf(one) : nowMs() + WINDOW_MS;
    const headers = {
      "X-Rate-Limit-Limit": `${limit}`,
      "X-Rate-Limit-Remaining": "0",
      "X-Rate-Limit-Retry": `${Math.ceil(endsAt / 1000)}`,
      "X-Rate-Limit-Type": "api_calls",
      "Retry-After": `${Math.max(1, Math.ceil((endsAt - nowMs()) / 1000))}`,
    };
    throw new RateLimited(headers, "Too many wrong codes from this address");
  }

  const leaving = (name: string, one: Address) => (wrong: number) => {
    if (one.wrong === 0) one.startedAt = nowMs();
    one.wrong += wrong;
    one.running -= 1;
    for (const wake of one.waiting.splice(0)) wake();
    if (one.wrong + one.running === 0 && addresses.get(name) === one) addresses.delete(name);
  };

  /** Waits for its turn, or refuses. */
  return async (ip: string): Promise<Leave> => {
    if (limit === Number.POSITIVE_INFINITY) return () => {};
    const name = networkOf(ip);
    for (;;) {
      const one = entryOf(name);
      if (one.wrong >= limit) refuse(one);
      if (one.wrong + one.running < limit) {
        one.running += 1;
        return leaving(name, one);
      }
      if (one.waiting.length >= WAITING_MAX) refuse(one);
      await new Promise<void>((wake) => one.waiting.push(wake));
    }
  };
}

/** Who has one IPv6 address has all of its network. */
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

const OF_A_CODE: ReadonlySet<string> = new Set(["voucher", "loyalty_card", "redemption"]);
const isMissing = ({ key, resource_type }: Partial<ErrorBody>): boolean =>
  key === "not_found" && OF_A_CODE.has(resource_type ?? "");

/** Whether a request was refused because of a code that is not there. */
export const isWrongCode = (error: unknown): boolean => error instanceof ApiError && isMissing(error.body);

type Entry = { object?: string; id?: string; result?: { error?: Partial<ErrorBody> } };
type Sent = { redeemables?: Entry[]; options?: { filters?: { code?: unknown } | null } | null } | null | undefined;
type Told = Partial<ErrorBody> & {
  valid?: boolean;
  error?: Partial<ErrorBody>;
  redeemables?: Entry[] | { data: unknown[] };
  inapplicable_redeemables?: Entry[];
};

/** How many codes an answer says are not there. One that is repeated says nothing new. */
export function wrongCodesIn({ body, replayed }: Answer, sent: unknown): number {
  const { redeemables: asked = [], options } = (sent as Sent) ?? {};
  if (replayed || body === "") return 0;
  const named = textsIn(options?.filters?.code);
  if (named === 0 && !/"(?:not_found|no_applicable_redeemables)"/.test(body)) return 0;
  const told = JSON.parse(body) as Told;
  if (isMissing(told)) return 1;
  // It does not say which of them are wrong.
  if (told.key === "no_applicable_redeemables") return asked.filter(({ object }) => object !== "promotion_tier").length;
  if (told.valid === false && told.error?.key === "not_found") return 1;
  const { redeemables = [], inapplicable_redeemables = [] } = told;
  // What was looked for by its code and is not on the page.
  if (!Array.isArray(redeemables)) return Math.max(0, named - redeemables.data.length);
  // With one that fails all of them stand in the first list, and those that fail in the second as well.
  const missing = [...redeemables, ...inapplicable_redeemables].filter(
    ({ object, result }) => object === "voucher" && result?.error?.key === "not_found",
  );
  return new Set(missing.map(({ id }) => id)).size;
}

/** How many codes a filter names, however they stand in it. */
function textsIn(value: unknown): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + textsIn(one), 0);
}
