import { ApiError } from "../../core/errors.ts";

export type KeyKind = "app" | "client" | "management";

export const PAIR_HEADERS: Record<KeyKind, readonly [id: string, secret: string]> = {
  app: ["X-App-Id", "X-App-Token"],
  client: ["X-Client-Application-Id", "X-Client-Token"],
  management: ["X-Management-Id", "X-Management-Token"],
};
export const KEY_KINDS = Object.keys(PAIR_HEADERS) as KeyKind[];

const KIND_NAMES: Record<KeyKind, { name: string; paths: string }> = {
  app: { name: "server-side key pair", paths: "/v1 and /v2" },
  client: { name: "client-side key pair", paths: "/client/v1" },
  management: { name: "management key pair", paths: "/management/v1" },
};
const pairText = (kind: KeyKind) => PAIR_HEADERS[kind].join(" and ");
const TOKEN_SOURCE = "get one with POST /v1/oauth/token";

/** What a request sent for a kind of key pair. Only whether a header is there, never what it says. */
export type SentPair = { id: boolean; secret: boolean };

// A 401 names headers and kinds of keys. Whether an id exists or a secret is close is never told: every pair that does not
// open anything gets the same sentence.
const unauthorized = (details: string) => new ApiError("unauthorized", { details });

/** Where a bearer token counts: in place of the key pair, beside it, or not at all. */
export type TokenPlace = "instead" | "beside" | "none";

const BEARER = "Authorization: Bearer with an access token";
const WITH_TOKEN: Record<TokenPlace, string> = { instead: `, or ${BEARER}`, beside: `, and ${BEARER}`, none: "" };

/** No complete key pair of the right kind was sent. */
export function missingPair(kind: KeyKind, sent: Record<KeyKind, SentPair>, token: TokenPlace): ApiError {
  const [id, secret] = PAIR_HEADERS[kind];
  if (sent[kind].id !== sent[kind].secret)
    return unauthorized(`The header ${sent[kind].id ? secret : id} is missing; ${id} and ${secret} go together`);
  const needs = `Send the headers ${id} and ${secret}${WITH_TOKEN[token]}`;
  const other = KEY_KINDS.find((one) => one !== kind && sent[one].id && sent[one].secret);
  if (!other) return unauthorized(needs);
  const [right, wrong] = [KIND_NAMES[kind], KIND_NAMES[other]];
  return unauthorized(
    `This path takes a ${right.name}, and a ${wrong.name} was sent. ${needs}; ${pairText(other)} are for ${wrong.paths}`,
  );
}

/** `/v2` takes the key pair and a bearer token, both. */
export const missingToken = (): ApiError =>
  unauthorized(`/v2 also needs a bearer token: send ${BEARER}; ${TOKEN_SOURCE}`);

/** The pair opens nothing. `actual` is set when it is a valid pair of another kind, secret and all. */
export const wrongPair = (kind: KeyKind, actual: KeyKind | undefined): ApiError =>
  unauthorized(
    actual
      ? `These are the values of a ${KIND_NAMES[actual].name}: send them as ${pairText(actual)}, ` +
          `to ${KIND_NAMES[actual].paths}. ${pairText(kind)} take a ${KIND_NAMES[kind].name}`
      : `${pairText(kind)} were not accepted: the id is unknown, the token is not its token, or the key is disabled`,
  );

export const wrongToken = (): ApiError =>
  unauthorized(`The bearer token was not accepted: it is unknown, expired or revoked; ${TOKEN_SOURCE}`);

export const twoProjects = (): ApiError => unauthorized("The key pair and the bearer token belong to two projects");

export const untrustedOrigin = (origin: string | undefined): ApiError =>
  unauthorized(
    origin === undefined
      ? "Origin is not allowed: the header Origin is missing. Client-side keys are for browsers, which send it"
      : "Origin is not allowed: add it to client_trusted_domains of the project",
  );
