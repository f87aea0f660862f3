import type { Db, Tx } from "../../../db/db.ts";
import type { Key } from "./schema.ts";

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

/** A key of a project, without what is secret. */
export const view = ({ id, kind, name, created_at, last_used_at, disabled_at, previous_until }: KeyRow): Key => ({
  ...{ id, kind: kind as Key["kind"], name, created_at, last_used_at, disabled_at, previous_until },
  object: "key",
});

export const insertKey = (tx: Tx, key: NewKey) => tx`insert into keys ${tx(key)}`;

export const listKeys = (db: Db, projectId: string | null) =>
  db<KeyRow[]>`
    select * from keys where ${projectId === null ? db`true` : db`project_id = ${projectId}`} order by created_at, id`;

/** Keys of different kinds may have the same id, where the ids were chosen by hand. */
export const findKeys = (db: Db, id: string) => db<KeyRow[]>`select * from keys where id = ${id} order by kind`;

type Named = Pick<KeyRow, "kind" | "id">;
export async function disableKey(db: Db, { kind, id, now }: Named & { now: string }): Promise<KeyRow | undefined> {
  const [row] = await db<KeyRow[]>`
    update keys set disabled_at = coalesce(disabled_at, ${now}) where kind = ${kind} and id = ${id} returning *`;
  return row;
}

type Rotation = Named & { secret_hash: string; previous_until: string };
/** The old secret works on until `previous_until`, so that callers can be moved one by one. */
export async function rotateKey(db: Db, rotation: Rotation): Promise<KeyRow | undefined> {
  const { kind, id, secret_hash, previous_until } = rotation;
  const [row] = await db<KeyRow[]>`
    update keys set previous_secret_hash = secret_hash, previous_until = ${previous_until}, secret_hash = ${secret_hash}
    where kind = ${kind} and id = ${id} and disabled_at is null returning *`;
  return row;
}
