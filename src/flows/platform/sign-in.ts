import { ApiError } from "../../core/errors.ts";
import { endOfSession, expiryOf } from "../../core/users/sessions.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Pool } from "../../db/db.ts";
import { isPasswordOrNobody } from "../../resources/platform/users/password-store.ts";
import type { SessionCreate } from "../../resources/platform/users/session-schema.ts";
import { findLogin, insertSession, lockWithPassword } from "../../resources/platform/users/session-store.ts";

/** Somebody whose password was right a moment ago. */
export type CheckedUser = { user_id: string; password_hash: string };

/** The same for a wrong address and a wrong password: nobody learns who has an account. */
const wrongLogin = () => new ApiError("unauthorized", { details: "The e-mail address or the password is wrong" });

/** Whose password it is. It takes as long for an address that nobody has. */
export async function requirePassword(db: Pool, { email, password }: SessionCreate): Promise<CheckedUser> {
  const user = await findLogin(db, email);
  const isRight = await isPasswordOrNobody(password, user?.password_hash ?? null);
  if (!user?.password_hash || !isRight) throw wrongLogin();
  return { user_id: user.id, password_hash: user.password_hash };
}

/** Begins a session. Who has changed the password meanwhile has ended what was checked with the one before. */
export async function openSession(c: WriteCtx, { user_id, password_hash }: CheckedUser, token_hash: string) {
  if (!(await lockWithPassword(c.db, user_id, password_hash))) throw wrongLogin();
  const times = { created_at: c.now, last_used_at: c.now, ends_at: endOfSession(c.now) };
  await insertSession(c.db, { token_hash, user_id, ...times });
  return { user_id, ...times, expires_at: expiryOf(times) };
}
