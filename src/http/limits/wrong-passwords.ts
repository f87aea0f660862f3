import type { Answer } from "../../core/answer.ts";
import { ApiError } from "../../core/errors.ts";
import { createAddressLimit } from "./address-limit.ts";
import type { SharedCounts } from "./limit-counts.ts";

const WINDOW_MS = 15 * 60_000;
/** An address may stand for an office. */
const LOGINS = 5;
/** A login may be used from several places. */
const PLACES = 5;

/** Who tries: a stranger who names an address of theirs, or a user who is signed in. */
type SigningIn = { ip: string; body: unknown; authenticated: { caller: { key_id: string } } };

/**
 * Runs requests that tell whether a password is right, and limits the wrong ones that an address may try: for one login, and
 * for all together. Nobody is kept out by what somebody else does from another address. Of requests at once that bring more
 * wrong ones than allowed, those that end too late are refused instead of answered. Wrong codes of a second factor are limited for
 * the login, whatever address they come from: who tries them knows the password, and has a million codes to try.
 */
export function createPasswordGuard(
  max: number,
  { processes, nowMs, shared }: { processes: number; nowMs(): number; shared?: SharedCounts | undefined },
) {
  const limit = (times: number, details: string) =>
    createAddressLimit({ max: max * times, windowMs: WINDOW_MS, processes, nowMs, details, shared });
  const tried = limit(LOGINS, "Too many wrong passwords from this address");
  const triedForLogin = limit(1, "Too many wrong passwords for this login from this address");
  const triedCodes = limit(PLACES, "Too many wrong codes for this login");
  const count = ({ ip, body, authenticated }: SigningIn, { wrong, codes }: typeof NONE) => {
    const { email, code } = (body ?? {}) as { email?: string; code?: string };
    const login = email?.toLowerCase() ?? authenticated.caller.key_id;
    const ofCode = code === undefined ? null : triedCodes(ANYWHERE, codes, login);
    const [ofLogin, ofAddress] = [triedForLogin(ip, wrong, login), tried(ip, wrong)];
    return ofLogin ?? ofAddress ?? ofCode;
  };
  return async (request: SigningIn, run: () => Promise<Answer>): Promise<Answer> => {
    const enough = count(request, NONE);
    if (enough) throw enough;
    return run().catch((error: unknown) => {
      const found = wrongIn(error, request.body);
      throw (found.wrong > 0 && count(request, found)) || error;
    });
  };
}

const ANYWHERE = "";
const NONE = { wrong: 0, codes: 0 };

/** What was wrong: a password, or a code behind a right one. A code that is only missing is asked for, and was not tried. */
function wrongIn(error: unknown, body: unknown): typeof NONE {
  if (!(error instanceof ApiError)) return NONE;
  const { key } = error.body;
  if (key === "unauthorized") return { wrong: 1, codes: 0 };
  const isCode = key === "second_factor_required" && (body as { code?: string }).code !== undefined;
  return isCode ? { wrong: 1, codes: 1 } : NONE;
}
