import { transaction } from "../../db/batches/commit.ts";
import type { Pool, Tx } from "../../db/db.ts";

const LAST_USED_MS = 30_000;

type Use = { kind: string; id: string; at: string };

/** When keys and sessions were last used, written every half minute and not with every request. */
export function noteLastUsed(pool: Pool, now: () => string) {
  const used = new Map<string, Use>();
  const save = async (): Promise<void> => {
    const { session = [], key = [] } = Object.groupBy(used.values(), ({ kind }) =>
      kind === "session" ? "session" : "key",
    );
    used.clear();
    // What fails is noted again with the next use.
    if (key.length > 0) await transaction(pool, (tx) => saveKeys(tx, key)).catch(() => {});
    if (session.length > 0) await transaction(pool, (tx) => saveSessions(tx, session)).catch(() => {});
  };
  const timer = setInterval(() => void save(), LAST_USED_MS).unref();
  return {
    /** A key by its id, a session by the hash of its token. */
    note: (kind: string, id: string) => void used.set(`${kind} ${id}`, { kind, id, at: now() }),
    close: async () => {
      clearInterval(timer);
      await save();
    },
  };
}

async function saveKeys(tx: Tx, rows: readonly Use[]): Promise<void> {
  const [kinds, ids] = [rows.map((r) => r.kind), rows.map((r) => r.id)];
  await tx`select id from keys where kind = any(${kinds}) and id = any(${ids}) order by kind, id for no key update`;
  await tx`
    update keys k set last_used_at = greatest(k.last_used_at, x.at)
    from unnest(${kinds}::text[], ${ids}::text[], ${rows.map((r) => r.at)}::timestamptz[]) as x (kind, id, at)
    where k.kind = x.kind and k.id = x.id`;
}

async function saveSessions(tx: Tx, rows: readonly Use[]): Promise<void> {
  const hashes = rows.map((r) => r.id);
  await tx`select token_hash from user_sessions where token_hash = any(${hashes}) order by token_hash for no key update`;
  await tx`
    update user_sessions s set last_used_at = greatest(s.last_used_at, x.at)
    from unnest(${hashes}::text[], ${rows.map((r) => r.at)}::timestamptz[]) as x (token_hash, at)
    where s.token_hash = x.token_hash`;
}
