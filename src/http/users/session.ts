import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import type { Answer, OpenSession } from "../../core/answer.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import { isLive, sessionExpiry } from "../../core/users/sessions.ts";
import type { Caller } from "../../ctx.ts";
import type { Project } from "../../request.ts";
import type { Route } from "../route.ts";
import { grantedTo, type ProjectMembership, placeOf, requirePermission } from "./permissions.ts";

const COOKIE = "laurel_session";
const SIGN_ON_COOKIE = "laurel_sign_on";
/** Where the cookie of a sign-in at the provider is sent, and nowhere else. */
const SIGN_ON_PATH = "/management/v1/single-sign-on";
export const CSRF_HEADER = "X-Laurel-CSRF";
export const PROJECT_HEADER = "X-Laurel-Project";
const TOKEN = /^[0-9a-f]{64}$/;

type Headers = Record<string, string | string[] | undefined>;
const headerOf = (headers: Headers, name: string): string => {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" ? value : "";
};

export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** What a page sends beside its cookie, to show that it is ours. Made from the token, so nothing more has to be stored. */
export const csrfTokenOf = (token: string): string => createHmac("sha256", token).update("laurel csrf").digest("hex");

/** The token of a cookie, or null. What cannot be one is none. */
function tokenIn({ cookie }: Headers, name: string): string | null {
  if (typeof cookie !== "string" || !cookie.includes(name)) return null;
  const token = parseCookie(cookie)[name] ?? "";
  return TOKEN.test(token) ? token : null;
}
export const sessionTokenOf = (headers: Headers): string | null => tokenIn(headers, COOKIE);
export const signOnTokenOf = (headers: Headers): string | null => tokenIn(headers, SIGN_ON_COOKIE);

/** No script can read it, and no other site sends it along. */
function cookieHeader(name: string, path: string, open: OpenSession | null, protocol: string): string {
  const { token: value, ends_at } = open ?? { token: "", ends_at: 0 };
  const scope = { path, httpOnly: true, sameSite: "strict", secure: protocol === "https" } as const;
  return stringifySetCookie({ name, value, expires: new Date(ends_at), ...scope });
}

/** The headers that give a browser its session, or take it away, and the same of a sign-in at the provider. */
export function cookiesOf({ session, signOn }: Pick<Answer, "session" | "signOn">, protocol: string): string[] {
  return [
    ...(session === undefined ? [] : [cookieHeader(COOKIE, "/", session, protocol)]),
    ...(signOn === undefined ? [] : [cookieHeader(SIGN_ON_COOKIE, SIGN_ON_PATH, signOn, protocol)]),
  ];
}

/** A session as the one statement for credentials reads it, with its user and the role in the project that is named. */
export type SessionRow = {
  user_id: string;
  login: string;
  is_owner: boolean;
  created_at: string;
  last_used_at: string;
  ends_at: string;
  /** Null: the user is not in the project, or none was named. */
  role: string | null;
  /** Of a custom role. */
  permissions: string[] | null;
};

/** The project that a request with a session is about; null: one that belongs to none. */
export function projectNamedIn(route: Route, headers: Headers, params: unknown): string | null {
  const place = placeOf(route);
  if (place === "path") return (params as { projectId: string }).projectId.replaceAll("\0", "\ufffd");
  return place === "header" ? headerOf(headers, PROJECT_HEADER).replaceAll("\0", "\ufffd") : null;
}

export const requireLiveSession = (row: SessionRow | null | undefined, now: string): SessionRow => {
  if (!row || !isLive(row, now))
    throw new ApiError("session_expired", { details: "The session is over, or never was one: sign in again" });
  return row;
};

export const missingSession = (): ApiError =>
  new ApiError("unauthorized", { details: "Nobody is signed in: POST /management/v1/session begins a session" });

/** A page of another site can make a browser send its cookies, but no header of ours. */
function requireCsrfToken({ method }: Route, headers: Headers, token: string): void {
  if (method === "GET") return;
  const [sent, expected] = [hashToken(headerOf(headers, CSRF_HEADER)), hashToken(csrfTokenOf(token))];
  if (!timingSafeEqual(Buffer.from(sent), Buffer.from(expected)))
    throw new ApiError("csrf_token_missing", {
      details: `The header ${CSRF_HEADER} must be the csrf_token of the session`,
    });
}

type SignedInRequest = { token: string; row: SessionRow; project: Project | undefined; headers: Headers; now: string };

/**
 * Whether a user may call an operation, and for which project. A project that is not there and one that the user is not in are the
 * same to them: a 404, which management operations say when they run.
 */
export function admitSession(route: Route, { token, row, project, headers, now }: SignedInRequest) {
  requireCsrfToken(route, headers, token);
  const member = row.role === null ? null : ({ ...row, role: row.role } satisfies ProjectMembership);
  const own = member === null ? undefined : project;
  const place = placeOf(route);
  if (place === "header" && !own) {
    const named = headerOf(headers, PROJECT_HEADER);
    if (named === "") throw invalid(`The header ${PROJECT_HEADER} must name a project`);
    throw notFound("project", named);
  }
  if (place === "installation" && !row.is_owner) requirePermission(route, []);
  const permissions = own && member ? grantedTo(member) : [];
  if (own) requirePermission(route, permissions);
  const caller: Caller = {
    kind: "session",
    key_id: row.user_id,
    key_name: row.login,
    permissions,
    session: {
      hash: hashToken(token),
      csrf_token: csrfTokenOf(token),
      created_at: new Date(row.created_at).toISOString(),
      expires_at: sessionExpiry({ ends_at: row.ends_at, last_used_at: now }),
    },
  };
  return { caller, project: own as Project, secret: token };
}
