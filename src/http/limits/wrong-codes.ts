import type { Answer } from "../../core/answer.ts";
import { ApiError, type ErrorBody } from "../../core/errors.ts";
import { createAddressLimit } from "./address-limit.ts";
import type { SharedCounts } from "./limit-counts.ts";

const WINDOW_MS = 5_000;

type Asking = { ip: string; params: unknown; query: unknown; body: unknown };
type Run = () => Promise<Answer>;

/**
 * Runs requests that tell whether a code exists, and limits the wrong ones that an address may try, so that codes cannot
 * be guessed. Nothing waits, and right codes cost nothing. Of requests at once that bring more wrong codes than allowed,
 * those that end too late are refused instead of answered.
 */
export function createCodeGuard(
  max: number,
  { processes, nowMs, shared }: { processes: number; nowMs(): number; shared?: SharedCounts | undefined },
) {
  const tried = createAddressLimit({
    max,
    windowMs: WINDOW_MS,
    processes,
    nowMs,
    shared,
    details: "Too many wrong codes from this address",
  });
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

type Redeemable = { object?: string; id?: string; result?: { error?: Partial<ErrorBody> } };
type Coded = { code?: unknown } | null | undefined;
type BodyWithCodes = {
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
  const { redeemables, options, voucher, loyalty, referral } = (body as BodyWithCodes | null | undefined) ?? {};
  const named = [params, query, loyalty, referral].some((one) => (one as Coded)?.code);
  return named || Boolean(voucher) || withCodes(redeemables) > 0 || countTexts(options?.filters?.code) > 0;
}

// A failed redemption calls the resource `redemption`: only the words say what was looked for.
const isMissing = ({ key, details }: Partial<ErrorBody> = {}): boolean =>
  key === "not_found" && /^Cannot find (?:voucher|loyalty_card) /.test(details ?? "");

/** Whether a request was refused because of a code that is not there. */
const isWrongCode = (error: unknown): boolean => error instanceof ApiError && isMissing(error.body);

type AnswerWithCodes = Partial<ErrorBody> & {
  error?: Partial<ErrorBody>;
  redeemables?: Redeemable[] | { data: unknown[] };
  inapplicable_redeemables?: Redeemable[];
  redemptions?: unknown[];
};
const NONE = { wrong: 0, isRedeemed: false };

/** How many codes an answer says are not there, and whether others were redeemed. One that is repeated says nothing new. */
function lookUpsIn({ body, replayed }: Answer, sent: unknown): typeof NONE {
  const { redeemables, options } = (sent as BodyWithCodes | null | undefined) ?? {};
  const filtered = countTexts(options?.filters?.code);
  const isTold = filtered > 0 || /"(?:not_found|no_applicable_redeemables)"/.test(body);
  if (replayed || body === "" || !isTold) return NONE;
  const told = JSON.parse(body) as AnswerWithCodes;
  return { wrong: wrongIn(told, { filtered, asked: withCodes(redeemables) }), isRedeemed: Boolean(told.redemptions) };
}

function wrongIn(told: AnswerWithCodes, { filtered, asked }: { filtered: number; asked: number }): number {
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
function countTexts(value: unknown): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countTexts(one), 0);
}
