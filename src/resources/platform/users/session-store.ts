import { endOfSession, idleSince, sessionExpiry } from "../../../core/users/sessions.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { UserSession } from "./session-schema.ts";

type SessionRow = {
  token_hash: string;
  user_id: string;
  created_at: string;
  last_used_at: string;
  ends_at: string;
};
/** A project of a user, with their role there; of a custom role its permissions. */
export type MemberProject = Omit<UserSession["projects"][number], "operations"> & { permissions: string[] | null };

type Login = { id: string; password_hash: string | null; is_disabled: boolean };

/** The user of a login, or of an id, and what is stored of their password; null: they have none yet. */
export async function findLogin(db: Db, user: string): Promise<Login | undefined> {
  const [row] = await db<Login[]>`
    select id, password_hash, disabled_at is not null as is_disabled from users where login = ${user.toLowerCase()} or id = ${user}`;
  return row;
}

/** Locks a user whose password is still the one that was checked: who changes it ends all sessions. */
export async function lockWithPassword(tx: Tx, id: string, password_hash: string | null): Promise<boolean> {
  const rows = await tx`
    select id from users where id = ${id} and coalesce(password_hash, '') = ${password_hash ?? ""} and disabled_at is null
    order by id for no key update`;
  return rows.length > 0;
}

/** Uses up the link of a user who has no password yet: that alone lets somebody in. Null: it is none. */
export async function takeLink(tx: Tx, invitation_hash: string, now: string): Promise<string | null> {
  const [row] = await tx<{ id: string }[]>`
    update users set invitation_hash = null, invitation_until = null
    where invitation_hash = ${invitation_hash} and invitation_until > ${now} and password_hash is null and disabled_at is null
    returning id`;
  return row?.id ?? null;
}

/** Begins a session of a user, under the hash of the token that their browser is given. */
export async function insertSession(tx: Tx, user_id: string, token_hash: string, now: string) {
  const times = { created_at: now, last_used_at: now, ends_at: endOfSession(now) };
  await tx`insert into user_sessions ${tx({ token_hash, user_id, ...times } satisfies SessionRow)}`;
  return { user_id, ...times, expires_at: sessionExpiry(times) };
}

export async function removeSession(tx: Tx, token_hash: string): Promise<void> {
  await tx`delete from user_sessions where token_hash = ${token_hash}`;
}

/** Whoever is signed in as this user is not any more, from the next request on; but for one session, where it is named. */
export async function endSessions(tx: Tx, userId: string, keep = ""): Promise<void> {
  await tx`delete from user_sessions where user_id = ${userId} and token_hash <> ${keep}`;
}

/** What names a session to its user: the beginning of the hash, which opens nothing. */
const ID_LENGTH = 16;
export const sessionIdOf = (token_hash: string): string => token_hash.slice(0, ID_LENGTH);

/** The sessions of a user that are not over, those that were used last first. */
export const listSessionsOf = (db: Db, userId: string, now: string) => db<SessionRow[]>`
  select * from user_sessions where user_id = ${userId} and ends_at > ${now} and last_used_at > ${idleSince(now)}
  order by last_used_at desc, created_at desc, token_hash`;

/** Ends one of them. False: there is none of that id. */
export async function endSession(tx: Tx, userId: string, sessionId: string): Promise<boolean> {
  const { count } = await tx`
    delete from user_sessions where user_id = ${userId} and left(token_hash, ${ID_LENGTH}) = ${sessionId}`;
  return count > 0;
}

/** Removes sessions that are over, and returns how many there were. */
export async function removeEndedSessions(db: Db, now: string, limit: number): Promise<number> {
  const { count } = await db`
    delete from user_sessions where token_hash in (
      select token_hash from user_sessions where ends_at <= ${now} or last_used_at <= ${idleSince(now)} limit ${limit})`;
  return count;
}

/** The projects of a user, as they were made. */
export const listProjectsOf = (db: Db, userId: string) => db<MemberProject[]>`
  select p.id, p.name, p.currency, p.timezone, p.is_sandbox, m.role, r.permissions
  from user_projects m
  join projects p on p.id = m.project_id and p.deleted_at is null
  left join roles r on r.id = m.role
  where m.user_id = ${userId} order by p.created_at, p.id`;
