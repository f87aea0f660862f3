import type { AddressOwner, ProviderIdentity } from "../../../core/users/single-sign-on.ts";
import type { Db, Tx } from "../../../db/db.ts";

/** Somebody who was sent to the provider. */
export type SignOnRow = {
  token_hash: string;
  return_to: string;
  ends_at: string;
  /** Who they are there; null: they have not come back yet. */
  identity: ProviderIdentity | null;
};

export async function insertSignOn(tx: Tx, row: Omit<SignOnRow, "identity">): Promise<void> {
  await tx`insert into single_sign_ons ${tx(row)}`;
}

export async function findSignOn(db: Db, token_hash: string, now: string): Promise<SignOnRow | undefined> {
  const [row] = await db<SignOnRow[]>`
    select * from single_sign_ons where token_hash = ${token_hash} and ends_at > ${now}`;
  return row;
}

/** Notes who came back. Once: whoever comes back a second time is told to begin again. */
export async function keepIdentity(tx: Tx, token_hash: string, identity: ProviderIdentity): Promise<boolean> {
  const { count } = await tx`
    update single_sign_ons set identity = ${tx.json(identity)} where token_hash = ${token_hash} and identity is null`;
  return count > 0;
}

/** Ends it. False: it was over. */
export async function removeSignOn(tx: Tx, token_hash: string): Promise<boolean> {
  return (await tx`delete from single_sign_ons where token_hash = ${token_hash}`).count > 0;
}

/** Removes those that nobody has ended, and returns how many there were. */
export async function removeEndedSignOns(db: Db, now: string, limit: number): Promise<number> {
  const { count } = await db`
    delete from single_sign_ons where token_hash in (
      select token_hash from single_sign_ons where ends_at <= ${now} limit ${limit})`;
  return count;
}

/** The user whom an account of the provider is linked with. */
export async function findLinked(db: Db, { issuer, subject }: ProviderIdentity) {
  const [row] = await db<Pick<AddressOwner, "id" | "is_disabled">[]>`
    select u.id, u.disabled_at is not null as is_disabled from user_identities i join users u on u.id = i.user_id
    where i.issuer = ${issuer} and i.subject = ${subject}`;
  return row ?? null;
}

/** The user who has the address of an account. */
export async function findAddressOwner(db: Db, { issuer, email }: ProviderIdentity): Promise<AddressOwner | null> {
  const [row] = await db<AddressOwner[]>`
    select u.id, u.password_hash is not null as has_password, u.invitation_until,
      u.disabled_at is not null as is_disabled,
      exists (select from user_identities i where i.user_id = u.id and i.issuer = ${issuer}) as has_identity
    from users u where u.login = ${(email ?? "").toLowerCase()}`;
  return row ?? null;
}

/** Ends every link of a user with a provider. False: there was none. */
export async function removeIdentities(tx: Tx, userId: string): Promise<boolean> {
  return (await tx`delete from user_identities where user_id = ${userId}`).count > 0;
}

/** Links an account with a user, whose invitation is accepted with it. */
export async function linkIdentity(
  tx: Tx,
  userId: string,
  { issuer, subject }: ProviderIdentity,
  now: string,
): Promise<void> {
  await tx`insert into user_identities ${tx({ issuer, subject, user_id: userId, created_at: now })}`;
  await tx`
    update users set invitation_hash = null, invitation_until = null, updated_at = ${now} where id = ${userId}`;
}
