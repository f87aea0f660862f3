import { createHmac } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { ClientAuth, Configuration } from "openid-client";
import { ApiError } from "../../core/errors.ts";
import type { ProviderIdentity } from "../../core/users/single-sign-on.ts";
import type { SingleSignOn } from "../../ctx.ts";

/** Where the provider sends browsers back to: a page of the dashboard. */
export const CALLBACK_PATH = "/sign-in/callback";

export type OidcSettings = Pick<SingleSignOn, "name" | "domains" | "role" | "projects"> & {
  issuer: string;
  clientId: string;
  /** Null: the provider knows this server as a public client. */
  clientSecret: string | null;
  redirectUri: string;
  log: Pick<FastifyBaseLogger, "warn">;
};
type Client = typeof import("openid-client");

/** In seconds, for each of the up to four requests of a sign-in: all together end within the time of a request. */
const PROVIDER_S = 3;
const SCOPE = "openid email profile";
const NAME_MAX = 200;
const REASON_MAX = 100;

/** What goes to the provider is made from the token in the cookie: whoever comes back must have it. */
const made = (token: string, what: "state" | "nonce" | "verifier"): string =>
  createHmac("sha256", token).update(`laurel single sign-on ${what}`).digest("hex");

/** Refusals of who came back. Everything else is the fault of the provider, or of the settings. */
const FAILURES = new Set([
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
]);

type ProviderError = { code?: string; error?: string; message?: string };
const REFUSES_US = new Set(["invalid_client", "unauthorized_client"]);

/** The provider does not answer, or the settings are not those that it knows. */
function unavailable(thrown: unknown, log: OidcSettings["log"]): ApiError {
  const { code, error = "" } = thrown as ProviderError;
  log.warn({ err: thrown }, "the provider of single sign-on did not answer as it should");
  const refusesUs = code === "OAUTH_WWW_AUTHENTICATE_CHALLENGE" || REFUSES_US.has(error);
  return new ApiError("single_sign_on_unavailable", {
    details: refusesUs
      ? "The provider of single sign-on refuses this server: its client id or its secret is wrong"
      : "The provider of single sign-on did not answer as it should",
  });
}

function failedOrUnavailable(thrown: unknown, log: OidcSettings["log"]): ApiError {
  const { code = "", error, message = "" } = thrown as ProviderError;
  // `invalid_grant`: a code that was used before, is too old, or belongs to another sign-in.
  if (!FAILURES.has(code) && error !== "invalid_grant") return unavailable(thrown, log);
  const why = (error ?? message).slice(0, REASON_MAX);
  return new ApiError("single_sign_on_failed", {
    details: `The provider's answer does not sign anybody in: ${why}`,
  });
}

/** Sends the secret as the provider takes it: in the header unless it says that it does not. */
const authentication =
  ({ ClientSecretBasic, ClientSecretPost, None }: Client, secret: string | null): ClientAuth =>
  (server, ...rest) => {
    if (secret === null) return None()(server, ...rest);
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const send = methods.includes("client_secret_basic") ? ClientSecretBasic : ClientSecretPost;
    return send(secret)(server, ...rest);
  };

/** What others write is stored and shown: without what ends a line or a text. */
const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
        .replace(/\p{Cc}/gu, " ")
        .trim()
        .slice(0, NAME_MAX)
    : "";

/** Of the claims that both tell, those of the user info are newer. Whether an address is verified says who tells the address. */
function identityIn(issuer: string, claims: Record<string, unknown>): ProviderIdentity {
  return {
    issuer,
    subject: String(claims.sub),
    email: typeof claims.email === "string" ? claims.email.trim() : null,
    is_verified: claims.email_verified === true,
    first_name: textOf(claims.given_name) || textOf(claims.name),
    last_name: textOf(claims.given_name) === "" ? "" : textOf(claims.family_name),
  };
}

/** Signs people in with a provider of OpenID Connect: an authorization code with PKCE, state and nonce. */
export function createSingleSignOn({ issuer, clientId, clientSecret, redirectUri, log, ...who }: OidcSettings) {
  let known: Promise<{ client: Client; config: Configuration }> | undefined;
  const discover = async () => {
    // Loaded with the first sign-in, so that a start does not pay for it.
    const client = await import("openid-client");
    const server = new URL(issuer);
    // The setting allows http on this machine only.
    const insecure = server.protocol === "http:" ? [client.allowInsecureRequests] : [];
    const config = await client.discovery(server, clientId, undefined, authentication(client, clientSecret), {
      timeout: PROVIDER_S,
      execute: [...insecure, client.enableNonRepudiationChecks],
    });
    return { client, config };
  };
  const provider = async () => {
    // A failure is not kept: the next sign-in asks again.
    known ??= discover().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    ...who,
    urlFor: async (token) => {
      try {
        const { client, config } = await provider();
        const parameters = {
          redirect_uri: redirectUri,
          scope: SCOPE,
          state: made(token, "state"),
          nonce: made(token, "nonce"),
          code_challenge: await client.calculatePKCECodeChallenge(made(token, "verifier")),
          code_challenge_method: "S256",
        };
        return client.buildAuthorizationUrl(config, parameters).href;
      } catch (error) {
        throw unavailable(error, log);
      }
    },
    identityOf: async (token, query) => {
      const url = new URL(redirectUri);
      url.search = query;
      try {
        const { client, config } = await provider();
        const tokens = await client.authorizationCodeGrant(config, url, {
          expectedState: made(token, "state"),
          expectedNonce: made(token, "nonce"),
          pkceCodeVerifier: made(token, "verifier"),
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        // Some tell the address there only.
        const told = config.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
          : {};
        const { email_verified } = ("email" in told ? told : claims) as { email_verified?: unknown };
        return identityIn(claims.iss, { ...claims, ...told, email_verified });
      } catch (error) {
        throw failedOrUnavailable(error, log);
      }
    },
  } satisfies SingleSignOn;
}
