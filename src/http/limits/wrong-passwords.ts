import type { Answer } from "../../core/answer.ts";
import { ApiError } from "../../core/errors.ts";
import { createAddressLimit } from "./address-limit.ts";
import type { SharedCounts } from "./limit-counts.ts";

const WINDOW_MS = 15 * 60_000;
/** An address may stand for an office. */
const LOGINS = 5;

/** Who tries: a stranger who names an address of theirs, or a user who is signed in. */
type SigningIn = { ip: string; body: unknown; authenticated: { caller: { key_id: string } } };

/**
 * Runs requests that tell whether a password is right, and limits the wrong ones that an address may try: for one login, and
 * for all together. Nobody is kept out by what somebody else does from another address. Of requests at once that bring more
 * wrong ones than allowed, those that end too late are refused instead of answered.
 */
export function createPasswordGuard(
  max: number,
  { processes, nowMs, shared }: { processes: number; nowMs(): number; shared?: SharedCounts | undefined },
) {
  const limit = (times: number, details: string) =>
    createAddressLimit({ max: max * times, windowMs: WINDOW_MS, processes, nowMs, details, shared });
  const tried = limit(LOGINS, "Too many wrong passwords from this address");
  const triedForLogin = limit(1, "Too many wrong passwords for this login from this address");
  const count = ({ ip, body, authenticated }: SigningIn, wrong: number) => {
    const { email } = (body ?? {}) as { email?: string };
    const login = email?.toLowerCase() ?? authenticated.caller.key_id;
    const [ofLogin, ofAddress] = [triedForLogin(ip, wrong, login), tried(ip, wrong)];
    return ofLogin ?? ofAddress;
  };
  return async (request: SigningIn, run: () => Promise<Answer>): Promise<Answer> => {
    const enough = count(request, 0);
    if (enough) throw enough;
    return run().catch((error: unknown) => {
      throw (isWrong(error, request.body) && count(request, 1)) || error;
    });
  };
}

/** Whether a password or a code was wrong. A code that is only missing is asked for, and was not tried. */
function isWrong(error: unknown, body: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { key } = error.body;
  return key === "unauthorized" || (key === "second_factor_required" && (body as { code?: string }).code !== undefined);
}
