import { createHash } from "node:crypto";
import { keyChange } from "../../catalog/audit.ts";
import { invalid, notFound } from "../../core/errors.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import type { Db } from "../../db/db.ts";
import { disableKey, findKeys, type KeyKind, type KeyRow, rotateKey } from "../../resources/platform/keys/store.ts";

type Named = { keyId: string; kind: KeyKind | undefined };

/** A key of the project; those of others, and management keys, are not found. */
export async function keyNamed(c: Pick<Ctx, "project"> & { db: Db }, { keyId, kind }: Named): Promise<KeyRow> {
  const found = (await findKeys(c.db, keyId)).filter(
    (key) => key.project_id === c.project.id && (kind === undefined || key.kind === kind),
  );
  if (found.length > 1) throw invalid(`There are two keys ${keyId}: say which with ?kind=app or ?kind=client`);
  if (!found[0]) throw notFound("key", keyId);
  return found[0];
}

const HOUR_MS = 3_600_000;

/** Gives a key another secret, which is in what is returned and nowhere else. The old one works on for a while. */
export async function changeSecret(c: WriteCtx, named: Named, overlapHours: number) {
  const { kind, id } = await keyNamed(c, named);
  const secret = c.newSecret();
  const secret_hash = createHash("sha256").update(secret).digest("hex");
  const previous_until = new Date(Date.parse(c.now) + overlapHours * HOUR_MS).toISOString();
  const row = await rotateKey(c.db, { kind, id, secret_hash, previous_until });
  if (!row) throw invalid(`Key ${id} is disabled: make another one`);
  note(c, row);
  return { row, secret };
}

/** For good: whoever has it is refused from now on. */
export async function switchOffKey(c: WriteCtx, named: Named): Promise<KeyRow> {
  const { kind, id } = await keyNamed(c, named);
  const row = await disableKey(c.db, { kind, id, now: c.now });
  note(c, row!);
  return row!;
}

export function note(c: Pick<WriteCtx, "changed">, { kind, id }: Pick<KeyRow, "kind" | "id">): void {
  const change = keyChange(kind, id);
  c.changed(change.kind, change.id);
}
