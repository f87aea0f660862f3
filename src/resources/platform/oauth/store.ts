import type { Db, Tx } from "../../../db/db.ts";

export type TokenRow = {
  project_id: string;
  id: string;
  key_id: string;
  signing_key_id: string;
  scope: string;
  created_at: string;
  expires_at: string;
};
export type SigningKeyRow = { id: string; secret: string; created_at: string };

const TOKENS_MAX = 1000;

/** The newest key, when it is younger than `since`. */
export async function currentSigningKey(db: Db, since: string): Promise<SigningKeyRow | undefined> {
  const [row] = await db<SigningKeyRow[]>`
    select * from signing_keys where created_at > ${since} order by created_at desc, id desc limit 1`;
  return row;
}

export const insertSigningKey = (tx: Tx, row: SigningKeyRow) => tx`insert into signing_keys ${tx(row)}`;

/** Stores a token. A project has at most a thousand live ones: expired ones go, then the oldest. */
export async function insertToken(tx: Tx, row: TokenRow): Promise<void> {
  // Two issuers at once would both count 999.
  await tx`select project_id from tenants where project_id = ${row.project_id} order by project_id for no key update`;
  await tx`delete from oauth_tokens where project_id = ${row.project_id} and expires_at <= ${row.created_at}`;
  // All that are no younger than the thousandth: compared with one row, where a list of ids could be read once for each.
  await tx`
    delete from oauth_tokens where project_id = ${row.project_id} and (created_at, id) <= (
      select created_at, id from oauth_tokens where project_id = ${row.project_id}
      order by created_at desc, id desc offset ${TOKENS_MAX - 1} limit 1)`;
  await tx`insert into oauth_tokens ${tx(row)}`;
}

/** A live token of this project whose key is not disabled, with the secret it was signed with. */
export async function findToken(db: Db, projectId: string, id: string, now: string) {
  const [row] = await db<(TokenRow & { secret: string })[]>`
    select t.*, s.secret from oauth_tokens t
    join signing_keys s on s.id = t.signing_key_id
    join keys k on k.kind = 'app' and k.id = t.key_id and k.disabled_at is null
    where t.project_id = ${projectId} and t.id = ${id} and t.expires_at > ${now}`;
  return row;
}

export const deleteToken = async (tx: Tx, projectId: string, id: string): Promise<boolean> =>
  (await tx`delete from oauth_tokens where project_id = ${projectId} and id = ${id}`).count > 0;
