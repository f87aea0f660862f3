import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../../core/errors.ts";
import { counterOf, digitsOf, isTotpCode, openSteps, parseBase32, plainCode } from "../../../core/users/totp.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { SecretBox } from "../../../db/secrets/secret-box.ts";

type TotpRow = { user_id: string; secret: string; confirmed_at: string | null; last_step: number };

/** What an app with this secret (in Base32) shows in a step. */
export const codeIn = (secret: string, step: number): string =>
  digitsOf(createHmac("sha1", parseBase32(secret)).update(counterOf(step)).digest());

const hashOf = (code: string): string => createHash("sha256").update(plainCode(code)).digest("hex");

export async function findTotp(db: Db, userId: string): Promise<TotpRow | undefined> {
  const [row] = await db<TotpRow[]>`select * from user_totp where user_id = ${userId}`;
  return row;
}

/** Whether somebody is asked for a code. */
export const hasTotp = async (db: Db, userId: string): Promise<boolean> =>
  Boolean((await findTotp(db, userId))?.confirmed_at);

/** Keeps a secret that was not confirmed yet, in place of the one that was shown before. */
export async function offerTotp(tx: Tx, secretBox: SecretBox, userId: string, secret: string): Promise<void> {
  const stored = secretBox.seal(["user_totp", userId], secret);
  await tx`
    insert into user_totp (user_id, secret, confirmed_at, last_step) values (${userId}, ${stored}, null, 0)
    on conflict (user_id) do update set secret = excluded.secret, confirmed_at = null, last_step = 0`;
}

/** From now on codes are asked for. */
export async function confirmTotp(tx: Tx, userId: string, now: string, codes: readonly string[]): Promise<void> {
  await tx`update user_totp set confirmed_at = ${now} where user_id = ${userId}`;
  await tx`delete from user_recovery_codes where user_id = ${userId}`;
  await tx`insert into user_recovery_codes ${tx(codes.map((code) => ({ user_id: userId, code_hash: hashOf(code) })))}`;
}

/** Removes the second factor of a user, with the recovery codes. False: they had none. */
export async function removeTotp(tx: Tx, userId: string): Promise<boolean> {
  await tx`delete from user_recovery_codes where user_id = ${userId}`;
  return (await tx`delete from user_totp where user_id = ${userId}`).count > 0;
}

/** Of a user who has set one up. A wrong code is counted with wrong passwords; that one is missing is not. */
export async function requireSecondFactor(
  tx: Tx,
  userId: string,
  { code, now, secretBox }: Omit<SentCode, "row" | "code"> & { code: string | undefined },
): Promise<void> {
  const row = await findTotp(tx, userId);
  if (!row?.confirmed_at) return;
  if (code === undefined)
    throw new ApiError("second_factor_required", { details: "Send the code of the authenticator app too" });
  if (!(await takeCode(tx, { row, code, now, secretBox })))
    throw new ApiError("second_factor_required", { details: "The code is wrong, too old, or was used before" });
}

type SentCode = { row: TotpRow; code: string; now: string; secretBox: SecretBox };

/** Uses up a code of the app or a recovery code. Whoever calls has locked the user, so it is taken once. */
export const takeCode = async (tx: Tx, sent: SentCode): Promise<boolean> =>
  (await takeAppCode(tx, sent)) || takeRecoveryCode(tx, sent);

/** Uses up a code of the app. */
export async function takeAppCode(tx: Tx, { row, code, now, secretBox }: SentCode): Promise<boolean> {
  const plain = plainCode(code);
  if (!isTotpCode(plain)) return false;
  const secret = secretBox.open(["user_totp", row.user_id], row.secret);
  const step = openSteps(now, row.last_step).find((one) =>
    timingSafeEqual(Buffer.from(codeIn(secret, one)), Buffer.from(plain)),
  );
  if (step === undefined) return false;
  await tx`update user_totp set last_step = ${step} where user_id = ${row.user_id}`;
  return true;
}

async function takeRecoveryCode(tx: Tx, { row: { user_id }, code }: SentCode): Promise<boolean> {
  const { count } = await tx`
    delete from user_recovery_codes where user_id = ${user_id} and code_hash = ${hashOf(code)}`;
  return count > 0;
}
