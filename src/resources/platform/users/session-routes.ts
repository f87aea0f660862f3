import type { WriteCtx } from "../../../ctx.ts";
import { openSession, openWithLink, requirePassword } from "../../../flows/platform/sign-in.ts";
import { type Route, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { grantedTo, operationsIn, operationsOfInstallation } from "../../../http/users/permissions.ts";
import { csrfTokenOf, hashToken } from "../../../http/users/session.ts";
import { STRANGER_BYTES_MAX } from "./schema.ts";
import { SessionCreate, SessionLink, UserSession } from "./session-schema.ts";
import { listProjectsOf, removeSession } from "./session-store.ts";
import { getUser } from "./store.ts";
import { hasTotp } from "./totp-store.ts";

type SessionTimes = Pick<UserSession, "csrf_token" | "created_at" | "expires_at">;

/** A session that was stored under the hash of its token. */
type Opened = Omit<SessionTimes, "csrf_token"> & { user_id: string; ends_at: string };
type ShowSession = ReturnType<typeof createShowSession>;

/** `allRoutes` is asked when all routes are there: a session says which of them its user may call. */
export function createShowSession(allRoutes: () => readonly Route[]) {
  const show = async (db: Parameters<typeof getUser>[0], userId: string, times: SessionTimes): Promise<UserSession> => {
    const { id, login, first_name, last_name, is_owner, has_password, has_identity } = await getUser(db, userId);
    const projects = await listProjectsOf(db, userId);
    const has_totp = await hasTotp(db, userId);
    return {
      object: "session",
      ...times,
      user: { id, login, first_name, last_name, is_owner, has_password, has_identity, has_totp },
      projects: projects.map(({ permissions, ...project }) => ({
        ...project,
        operations: operationsIn(allRoutes(), grantedTo({ role: project.role, permissions, is_owner })),
      })),
      operations: is_owner ? operationsOfInstallation(allRoutes()) : [],
    };
  };
  /** Gives the browser a session. */
  const begin = async (c: WriteCtx, token: string, opened: Opened): Promise<UserSession> => {
    const { user_id, created_at, expires_at, ends_at } = opened;
    c.setSession({ token, ends_at });
    return show(c.db, user_id, { csrf_token: csrfTokenOf(token), created_at, expires_at });
  };
  return { show, begin };
}

export function sessionRoutes({ show, begin: give }: ShowSession): Route[] {
  /** Gives the browser a session that `open` stores under the hash of a new token. */
  const begin = async (c: WriteCtx, open: (hash: string) => Promise<Opened>): Promise<UserSession> => {
    const token = c.newSecret();
    return give(c, token, await open(hashToken(token)));
  };
  return [
    write(
      "POST /management/v1/session",
      {
        id: "createSession",
        summary: "Sign in",
        description:
          "Begins a session and sets the cookie `laurel_session`, which stands for the user on `/v1`, `/v2` and `/management/v1`. A wrong address and a wrong password are answered alike. Users with a second factor send a `code` too; without it the answer is 401 `second_factor_required`.",
        body: SessionCreate,
        bodyLimitBytes: STRANGER_BYTES_MAX,
        ok: UserSession,
        secret: true,
        findsPasswords: true,
        before: (c) => requirePassword(c.db, c.body),
      },
      async (c) => begin(c, (hash) => openSession(c, c.checked, { code: c.body.code, token_hash: hash })),
    ),
    write(
      "POST /management/v1/session/link",
      {
        id: "createSessionWithLink",
        summary: "Sign in with a link",
        description:
          "Begins the session of a user who has no password yet, with the token of their invitation or of the link that the first start prints. It works once. They choose a password with `PUT /management/v1/session/password`.",
        body: SessionLink,
        bodyLimitBytes: STRANGER_BYTES_MAX,
        ok: UserSession,
        secret: true,
      },
      async (c) => begin(c, (hash) => openWithLink(c, hashToken(c.body.token), hash)),
    ),
    read(
      "GET /management/v1/session",
      {
        id: "getSession",
        summary: "Read the session",
        description: "Who is signed in, and what they may do.",
        ok: UserSession,
        secret: true,
      },
      async (c) => {
        const { csrf_token, created_at, expires_at } = c.caller.session!;
        return show(c.db, c.caller.key_id, { csrf_token, created_at, expires_at });
      },
    ),
    write(
      "DELETE /management/v1/session",
      { id: "deleteSession", summary: "Sign out", description: "Ends the session and clears its cookie.", ok: Empty },
      async (c) => {
        await removeSession(c.db, c.caller.session!.hash);
        c.setSession(null);
        return null;
      },
    ),
  ];
}
