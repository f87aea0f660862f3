import type { Db, Tx } from "../../db/db.ts";

export type KeyKind = "app" | "client" | "management";
export type KeyRow = {
  kind: KeyKind;
  id: string;
  project_id: string | null;
  name: string;
  secret_hash: string;
  previous_secret_hash: string | null;
  previous_until: string | null;
  created_at: string;
  last_used_at: string | null;
  disabled_at: string | null;
};
type NewKey = Pick<KeyRow, "kind" | "id" | "project_id" | "name" | "secret_hash" | "created_at">;

export const insertKey = (tx: Tx, key: NewKey) => tx`insert into keys ${tx(key)}`;

export const listKeys = (db: Db, projectId: string | null) =>
  db<KeyRow[]>`
    select * from keys where ${projectId === null ? db`true` : db`project_id = ${projectId}`} order by created_at, id`;

export async function disableKey(db: Db, { id, now }: { id: string; now: string }): Promise<KeyRow | undefined> {
  const [row] = await db<KeyRow[]>`
    update keys set disabled_at = coalesce(disabled_at, ${now}) where id = ${id} returning *`;
  return row;
}

type Rotation = { id: string; secret_hash: string; previous_until: string };
/** The old secret works on until `previous_until`, so that callers can be moved one by one. */
export async function rotateKey(db: Db, { id, secret_hash, previous_until }: Rotation): Promise<KeyRow | undefined> {
  const [row] = await db<KeyRow[]>`
    update keys set previous_secret_hash = secret_hash, previous_until = ${previous_until}, secret_hash = ${secret_hash}
    where id = ${id} and disabled_at is null returning *`;
  return row;
}
