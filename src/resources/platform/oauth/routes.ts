import { ApiError } from "../../../core/errors.ts";
import { serverTime } from "../../../core/time/project-time.ts";
import type { Ctx, WriteCtx } from "../../../ctx.ts";
import { isSigned, rowNamedBy, signToken } from "../../../http/callers/token.ts";
import { read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { SCOPES } from "../../../http/scopes.ts";
import { AccessToken, Introspection, TokenReference, TokenRequest } from "./schema.ts";
import { currentSigningKey, deleteToken, findToken, insertSigningKey, insertToken, type TokenRow } from "./store.ts";

const LIFETIME_S = 900;
const SIGNING_KEY_DAYS = 30;

const later = (now: string, seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString();

/** Tokens live in the time of the server, also where a project has its own. */
const nowOf = ({ now, project }: Pick<Ctx | WriteCtx, "now" | "project">) => serverTime(now, project);

function requireField(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value === "string" && value !== "") return value;
  throw new ApiError("missing_parameters", { details: `The form field ${field} is missing` });
}

/** Scopes of the list, each once, in the order in which they were sent. */
function scopesIn(text: string): string {
  const scopes = [...new Set(text.split(/ +/).filter((scope) => scope !== ""))];
  const known = scopes.every((scope) => (SCOPES as readonly string[]).includes(scope));
  if (scopes.length > 0 && known) return scopes.join(" ");
  throw new ApiError("invalid_scope", { details: `Invalid scope: ${text.slice(0, 500)}` });
}

/** The key that signs now. A month old, it is followed by a new one; the old one stays for the tokens it signed. */
async function signingKey(c: WriteCtx) {
  const now = nowOf(c);
  const current = await currentSigningKey(c.db, later(now, -SIGNING_KEY_DAYS * 86_400));
  if (current) return current;
  const made = { id: c.newId("tok"), secret: c.newSecret(), created_at: now };
  await insertSigningKey(c.db, made);
  return made;
}

const view = ({ key_id, scope, expires_at }: TokenRow, access_token: string, now: string): AccessToken => ({
  access_token,
  client_id: key_id,
  expires_at: Math.floor(Date.parse(expires_at) / 1000),
  expires_in: Math.ceil((Date.parse(expires_at) - Date.parse(now)) / 1000),
  scope,
  token_type: "Bearer",
});

/** The row of a live token of the caller's project, or undefined for everything else that may be sent. */
async function liveToken(
  c: Pick<Ctx | WriteCtx, "db" | "project" | "now">,
  text: string,
): Promise<TokenRow | undefined> {
  const row = await findToken(c.db, c.project.id, rowNamedBy(text).id, nowOf(c));
  return row && (await isSigned(text, row)) ? row : undefined;
}

export const oauthRoutes = [
  write(
    "POST /v1/oauth/token",
    {
      id: "createOauthToken",
      summary: "Issue an access token",
      description: "The token works for 15 minutes in place of the key pair, for the operations of its scopes.",
      form: true,
      body: TokenRequest,
      ok: AccessToken,
      secret: true,
    },
    async (c) => {
      if (requireField(c.body, "grant_type") !== "client_credentials")
        throw new ApiError("invalid_grant_type", { details: "The only grant_type is client_credentials" });
      const scope = scopesIn(requireField(c.body, "scope"));
      const key = await signingKey(c);
      const now = nowOf(c);
      const row: TokenRow = {
        project_id: c.project.id,
        id: c.newId("tok"),
        key_id: c.caller.key_id,
        signing_key_id: key.id,
        scope,
        created_at: now,
        expires_at: later(now, LIFETIME_S),
      };
      await insertToken(c.db, row);
      return view(row, await signToken(key, { ...row, now }), now);
    },
  ),
  read(
    "POST /v1/oauth/introspect",
    {
      id: "introspectOauthToken",
      summary: "Say whether an access token is active",
      form: true,
      body: TokenReference,
      ok: Introspection,
    },
    async (c) => {
      const text = requireField(c.body, "access_token");
      const row = await liveToken(c, text);
      return row ? { ...view(row, text, nowOf(c)), active: true } : { active: false };
    },
  ),
  write(
    "POST /v1/oauth/token/revoke",
    {
      id: "revokeOauthToken",
      summary: "Revoke an access token",
      form: true,
      body: TokenReference,
      ok: Empty,
    },
    async (c) => {
      const row = await liveToken(c, requireField(c.body, "access_token"));
      if (!row || !(await deleteToken(c.db, c.project.id, row.id)))
        throw new ApiError("not_found", { details: "Cannot find a live access token", resource_type: "access_token" });
      return null;
    },
  ),
];
