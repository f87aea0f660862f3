import { notFound } from "../../../core/errors.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { BySession, OwnSessionList } from "./session-schema.ts";
import { endSession, endSessions, listSessionsOf, sessionIdOf } from "./session-store.ts";

/** Where somebody is signed in, and the way out of each. */
export const ownSessionRoutes = [
  read(
    "GET /management/v1/sessions",
    {
      id: "listOwnSessions",
      summary: "List the own sessions",
      description: "Every browser in which the user is signed in; the one that was used last comes first.",
      ok: OwnSessionList,
    },
    async (c) => {
      const rows = await listSessionsOf(c.db, c.caller.key_id, c.now);
      return list({ rows, total: rows.length }, ({ token_hash, user_id: _, ...times }) => ({
        id: sessionIdOf(token_hash),
        ...times,
        is_current: token_hash === c.caller.session!.hash,
        object: "user_session" as const,
      }));
    },
  ),
  write(
    "DELETE /management/v1/sessions",
    {
      id: "endOtherSessions",
      summary: "End all other sessions of the own",
      description: "The session that asks goes on.",
      ok: Empty,
    },
    async (c) => {
      await endSessions(c.db, c.caller.key_id, c.caller.session!.hash);
      return null;
    },
  ),
  write(
    "DELETE /management/v1/sessions/{sessionId}",
    {
      id: "endOwnSession",
      summary: "End a session of the own",
      description: "Its browser is signed out with the next request.",
      params: BySession,
      ok: Empty,
    },
    async (c) => {
      if (!(await endSession(c.db, c.caller.key_id, c.params.sessionId))) throw notFound("session", c.params.sessionId);
      return null;
    },
  ),
];
