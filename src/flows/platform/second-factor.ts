import { ApiError, invalid } from "../../core/errors.ts";
import { base32, RECOVERY_CODES, recoveryCodeOf, totpUri } from "../../core/users/totp.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import { isPassword } from "../../resources/platform/users/password-store.ts";
import type { TotpRemove } from "../../resources/platform/users/session-schema.ts";
import { endSessions, findLogin } from "../../resources/platform/users/session-store.ts";
import { lockUser } from "../../resources/platform/users/store.ts";
import {
  confirmTotp,
  findTotp,
  offerTotp,
  removeTotp,
  takeAppCode,
  takeCode,
} from "../../resources/platform/users/totp-store.ts";

const SECRET_BYTES = 20;
const bytesOf = (secret: string) => Buffer.from(secret, "hex");

const notSetUp = (details: string) => new ApiError("not_found", { details, resource_type: "totp" });

/** Makes a secret for the app of who is signed in. It changes nothing until a code of it was sent. */
export async function setUpTotp(c: WriteCtx) {
  const { id, login, has_password } = await lockUser(c.db, c.caller.key_id);
  // A link opens a session for who has no password, and asks for no code.
  if (!has_password) throw new ApiError("forbidden", { details: "Choose a password first" });
  if ((await findTotp(c.db, id))?.confirmed_at)
    throw new ApiError("duplicate_found", { details: "A second factor is set up; remove it first", resource_id: id });
  const secret = base32(bytesOf(c.newSecret()).subarray(0, SECRET_BYTES));
  await offerTotp(c.db, c.secretBox, id, secret);
  return { object: "totp" as const, secret, uri: totpUri({ login, secret }) };
}

/** From now on a code is asked for. Sessions that began without one end, but for this. */
export async function confirmSetUp(c: WriteCtx, code: string) {
  const { id } = await lockUser(c.db, c.caller.key_id);
  const row = await findTotp(c.db, id);
  if (!row || row.confirmed_at !== null) throw notSetUp("No second factor waits for its first code");
  if (!(await takeAppCode(c.db, { row, code, now: c.now, secretBox: c.secretBox })))
    throw invalid("The code is wrong: check the clock of the device that shows it");
  const codes = Array.from({ length: RECOVERY_CODES }, () => recoveryCodeOf(bytesOf(c.newSecret())));
  await confirmTotp(c.db, id, c.now, codes);
  await endSessions(c.db, id, c.caller.session!.hash);
  c.changed("user", id);
  return { object: "recovery_codes" as const, codes };
}

/** Whether the password is right, where one was sent: checked before the transaction, since a hash takes long. */
export async function requirePasswordIfSent(
  c: Pick<Ctx, "db" | "caller">,
  { code, password }: TotpRemove,
): Promise<boolean> {
  if ((code === undefined) === (password === undefined))
    throw invalid("Payload must have either the property 'code' or the property 'password'");
  if (password === undefined) return false;
  const user = await findLogin(c.db, c.caller.key_id);
  if (!user?.password_hash || !(await isPassword(password, user.password_hash)))
    throw new ApiError("unauthorized", { details: "The password is wrong" });
  return true;
}

/** Removes the second factor of who has shown the password, or a code. */
export async function removeOwnTotp(c: WriteCtx, isPasswordRight: boolean, { code = "" }: TotpRemove): Promise<null> {
  const { id } = await lockUser(c.db, c.caller.key_id);
  const row = await findTotp(c.db, id);
  if (!row?.confirmed_at) throw notSetUp("No second factor is set up");
  if (!isPasswordRight && !(await takeCode(c.db, { row, code, now: c.now, secretBox: c.secretBox })))
    throw new ApiError("unauthorized", { details: "The code is wrong, or was used before" });
  await removeTotp(c.db, id);
  c.changed("user", id);
  return null;
}
