// By part: the whole of jose is twice as many modules to load at every start.
import { decodeJwt } from "jose/jwt/decode";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";

const ALGORITHM = "HS256";
const ISSUER = "laurel";

export type TokenClaims = { id: string; project_id: string; key_id: string; scope: string; expires_at: string };
export type SigningKey = { id: string; secret: string };

const signingKey = (secret: string) => new TextEncoder().encode(secret);

/** An access token. Its row in the database decides what it may do; the signed text only names that row. */
export const signToken = (
  { id, secret }: SigningKey,
  { now, ...token }: TokenClaims & { now: string },
): Promise<string> =>
  new SignJWT({ client_id: token.key_id, scope: token.scope })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: id })
    .setIssuer(ISSUER)
    .setSubject(token.project_id)
    .setJti(token.id)
    .setIssuedAt(new Date(now))
    .setExpirationTime(new Date(token.expires_at))
    .sign(signingKey(secret));

// Anyone can write a token, and PostgreSQL cannot read every text.
const claimText = (claim: unknown) => (typeof claim === "string" && !claim.includes("\0") ? claim : "");

/** Which row a token names, without trusting it yet. A text that is no token names none. */
export function rowNamedBy(token: string): { project_id: string; id: string } {
  try {
    const { sub, jti } = decodeJwt(token);
    return { project_id: claimText(sub), id: claimText(jti) };
  } catch {
    return { project_id: "", id: "" };
  }
}

/** Whether we signed this token, with the one algorithm we sign with. Its dates are the row's business, not its own. */
export async function isSigned(token: string, { secret, expires_at }: { secret: string; expires_at: string }) {
  const options = { algorithms: [ALGORITHM], issuer: ISSUER, currentDate: new Date(Date.parse(expires_at) - 1000) };
  return jwtVerify(token, signingKey(secret), options).then(
    () => true,
    () => false,
  );
}
