import { isIPv6 } from "node:net";
import type { Answer } from "../core/answer.ts";
import { ApiError, type ErrorBody } from "../core/errors.ts";
import { RateLimited } from "./rate-limit.ts";

const WINDOW_MS = 5_000;
const ADDRESSES_MAX = 10_000;

type Asking = { ip: string; params: unknown; query: unknown; body: unknown };
type Run = () => Promise<Answer>;

/**
 * Runs requests that tell whether a code exists, and limits the wrong ones that an address may try, so that codes cannot
 * be guessed. Nothing waits, and right codes cost nothing. Of requests at once that bring more wrong codes than allowed,
 * those that end too late are refused instead of answered.
 */
export function createCodeGuard(max: number, processes: number, nowMs: () => number) {
  const tried = createCount(max, processes, nowMs);
  return async (request: Asking, run: Run): Promise<Answer> => {
    if (!sendsCode(request)) return run();
    const enough = tried(request.ip, 0);
    if (enough) throw enough;
    const answer = await run().catch((error: unknown) => {
      throw (isWrongCode(error) && tried(request.ip, 1)) || error;
    });
    const { wrong, isRedeemed } = lookUpsIn(answer, request.body);
    const tooLate = wrong > 0 ? tried(request.ip, wrong) : null;
    if (tooLate && !isRedeemed) throw tooLate;
    return answer;
  };
}

type Tried = { since: number; wrong: number };

/** Counts wrong codes of addresses, in windows of five seconds. With several processes each allows its share. */
function createCount(max: number, processes: number, nowMs: () => number) {
  const limit = Math.max(1, Math.floor(max / processes));
  const addresses = new Map<string, Tried>();

  // Who tries many at once waits as long as with one after the other.
  const endOf = ({ since, wrong }: Tried) => since + WINDOW_MS * Math.ceil(wrong / limit);

  function add(name: string, wrong: number): void {
    const oldest = addresses.size >= ADDRESSES_MAX ? addresses.keys().next().value : undefined;
    if (oldest !== undefined) addresses.delete(oldest);
    addresses.set(name, { since: nowMs(), wrong });
  }

  function refusalOf(one: Tried): RateLimited {
    const endsAt = endOf(one);
    const headers = {
      "X-Rate-Limit-Limit": `${limit}`,
      "X-Rate-Limit-Remaining": "0",
      "X-Rate-Limit-Retry": `${Math.ceil(endsAt / 1000)}`,
      "X-Rate-Limit-Type": "api_calls",
      "Retry-After": `${Math.max(1, Math.ceil((endsAt - nowMs()) / 1000))}`,
    };
    return new RateLimited(headers, "Too many wrong codes from this address");
  }

  /** Counts what a request brought, and says how to refuse it where there was enough before. */
  return (ip: string, wrong: number): RateLimited | null => {
    const name = networkOf(ip);
    const known = addresses.get(name);
    if (!known || endOf(known) <= nowMs()) {
      addresses.delete(name);
      if (wrong > 0) add(name, wrong);
      return null;
    }
    const isFull = known.wrong >= limit;
    known.wrong += wrong;
    return isFull ? refusalOf(known) : null;
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

type Redeemable = { object?: string; id?: string; result?: { error?: Partial<ErrorBody> } };
type Coded = { code?: unknown } | null | undefined;
type Sent = {
  redeemables?: Redeemable[];
  options?: { filters?: Coded } | null;
  voucher?: string | null;
  loyalty?: Coded;
  referral?: Coded;
};

const withCodes = (redeemables: readonly Redeemable[] = []): number =>
  redeemables.filter(({ object }) => object !== "promotion_tier" && object !== "promotion_stack").length;

/** Whether a request names a code, wherever operations take one. */
function sendsCode({ params, query, body }: Asking): boolean {
  const { redeemables, options, voucher, loyalty, referral } = (body as Sent | null | undefined) ?? {};
  const named = [params, query, loyalty, referral].some((one) => (one as Coded)?.code);
  return named || Boolean(voucher) || withCodes(redeemables) > 0 || textsIn(options?.filters?.code) > 0;
}

// A failed redemption calls the resource `redemption`: only the words say what was looked for.
const isMissing = ({ key, details }: Partial<ErrorBody> = {}): boolean =>
  key === "not_found" && /^Cannot find (?:voucher|loyalty_card) /.test(details ?? "");

/** Whether a request was refused because of a code that is not there. */
const isWrongCode = (error: unknown): boolean => error instanceof ApiError && isMissing(error.body);

type Told = Partial<ErrorBody> & {
  error?: Partial<ErrorBody>;
  redeemables?: Redeemable[] | { data: unknown[] };
  inapplicable_redeemables?: Redeemable[];
  redemptions?: unknown[];
};
const NONE = { wrong: 0, isRedeemed: false };

/** How many codes an answer says are not there, and whether others were redeemed. One that is repeated says nothing new. */
function lookUpsIn({ body, replayed }: Answer, sent: unknown): typeof NONE {
  const { redeemables, options } = (sent as Sent | null | undefined) ?? {};
  const filtered = textsIn(options?.filters?.code);
  const isTold = filtered > 0 || /"(?:not_found|no_applicable_redeemables)"/.test(body);
  if (replayed || body === "" || !isTold) return NONE;
  const told = JSON.parse(body) as Told;
  return { wrong: wrongIn(told, { filtered, asked: withCodes(redeemables) }), isRedeemed: Boolean(told.redemptions) };
}

function wrongIn(told: Told, { filtered, asked }: { filtered: number; asked: number }): number {
  if (isMissing(told) || isMissing(told.error)) return 1;
  // It does not say which of them are wrong.
  if (told.key === "no_applicable_redeemables") return asked;
  const { redeemables = [], inapplicable_redeemables = [] } = told;
  // What was looked for by its code and is not on the page.
  if (!Array.isArray(redeemables)) return Math.max(0, filtered - redeemables.data.length);
  // With one that fails all of them stand in the first list, and those that fail in the second as well.
  const missing = [...redeemables, ...inapplicable_redeemables].filter(({ result }) => isMissing(result?.error));
  return new Set(missing.map(({ id }) => id)).size;
}

/** How many codes a filter names, however they stand in it. */
function textsIn(value: unknown): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + textsIn(one), 0);
}
