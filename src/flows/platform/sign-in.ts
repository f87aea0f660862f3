import { ApiError } from "../../core/errors.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import type { Pool } from "../../db/db.ts";
import {
  hashPassword,
  isPassword,
  isPasswordOrNobody,
  setPassword,
} from "../../resources/platform/users/password-store.ts";
import type { PasswordUpdate, SessionCreate } from "../../resources/platform/users/session-schema.ts";
import { findLogin, insertSession, lockWithPassword, takeLink } from "../../resources/platform/users/session-store.ts";
import { requireSecondFactor } from "../../resources/platform/users/totp-store.ts";

/** Somebody whose password was right a moment ago. */
export type CheckedUser = { user_id: string; password_hash: string };

/** The same for a wrong address and a wrong password: nobody learns who has an account. */
const wrongLogin = () => new ApiError("unauthorized", { details: "The e-mail address or the password is wrong" });

/** Whose password it is. It takes as long for an address that nobody has. */
export async function requirePassword(db: Pool, { email, password }: SessionCreate): Promise<CheckedUser> {
  const user = await findLogin(db, email);
  const isRight = await isPasswordOrNobody(password, user?.password_hash ?? null);
  if (!user?.password_hash || !isRight) throw wrongLogin();
  // Only who knows the password is told.
  if (user.is_disabled) throw new ApiError("forbidden", { details: "The account was switched off" });
  return { user_id: user.id, password_hash: user.password_hash };
}

/** Begins a session. Who has changed the password meanwhile has ended what was checked with the one before. */
export async function openSession(
  c: WriteCtx,
  { user_id, password_hash }: CheckedUser,
  { code, token_hash }: { code: string | undefined; token_hash: string },
) {
  if (!(await lockWithPassword(c.db, user_id, password_hash))) throw wrongLogin();
  await requireSecondFactor(c.db, user_id, { code, now: c.now, secretBox: c.secretBox });
  return insertSession(c.db, user_id, token_hash, c.now);
}

/** Begins the session of somebody who was sent a link and has no password yet. The link works once. */
export async function openWithLink(c: WriteCtx, link_hash: string, token_hash: string) {
  const id = await takeLink(c.db, link_hash, c.now);
  if (id === null)
    throw new ApiError("not_found", {
      details: "The link does not exist, was used before, has expired, or was replaced by a newer one",
      resource_type: "link",
    });
  c.changed("user", id);
  return insertSession(c.db, id, token_hash, c.now);
}

/** The hash of the new password of a user who knows the one before, or who has none yet. */
export async function requireCurrent(
  c: Pick<Ctx, "db" | "caller" | "newSecret">,
  { current, password }: PasswordUpdate,
) {
  const user = await findLogin(c.db, c.caller.key_id);
  const before = user?.password_hash ?? null;
  if (before !== null && !(await isPassword(current ?? "", before)))
    throw new ApiError("unauthorized", { details: "The current password is wrong" });
  return { before, hash: await hashPassword(password, c.newSecret()) };
}

/** Sets the password of who is signed in. All their other sessions end. */
export async function changePassword(
  c: WriteCtx,
  { before, hash }: Awaited<ReturnType<typeof requireCurrent>>,
): Promise<null> {
  const { key_id: id, session } = c.caller;
  if (!(await lockWithPassword(c.db, id, before)))
    throw new ApiError("unauthorized", { details: "The password was changed meanwhile" });
  c.changed("user", id);
  await setPassword(c.db, id, hash, c.now, session!.hash);
  return null;
}
