import type { SessionLock } from "../../../core/rows/validation.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { heldRows } from "../../../db/held-rows.ts";
import { tenantOf } from "../../../db/records.ts";

/** The locks on these codes, those that are over too: whoever asks knows what time it is. */
export const loadLocks = (db: Db, projectId: string, redeemableIds: readonly string[]) =>
  db<SessionLock[]>`
    select redeemable_id, session_key, quantity, credits, points, expires_at from session_locks
    where project_id = ${projectId} and redeemable_id = any(${redeemableIds})`;

/**
 * Nobody else works with one of these sessions until the transaction ends. A session that is new cannot be locked, so it
 * is made first; `until` is when nobody will ask for it any more.
 */
export async function lockSessions(tx: Tx, projectId: string, sessions: ReadonlyMap<string, string>): Promise<void> {
  await tx`
    insert into sessions (project_id, key, until)
    select p.project_id, x.key, x.until
    from ${tenantOf(tx, projectId)} cross join unnest(${[...sessions.keys()]}::text[], ${[...sessions.values()]}::timestamptz[]) as x (key, until)
    order by x.key
    on conflict (project_id, key) do update set until = greatest(sessions.until, excluded.until)`;
}

/** The keys of those that another transaction holds. */
export async function heldSessions(tx: Tx, projectId: string, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await heldRows<{ key: string }>(
    tx,
    { table: "sessions", key: "key", projectId },
    () => tx`key = any(${keys})`,
  );
  return new Set(rows.map(({ key }) => key));
}

/** These are all the locks that the sessions have now. */
export async function replaceLocks(
  tx: Tx,
  projectId: string,
  { keys, locks }: { keys: readonly string[]; locks: readonly SessionLock[] },
): Promise<void> {
  await tx`delete from session_locks where project_id = ${projectId} and session_key = any(${keys})`;
  if (locks.length === 0) return;
  await tx`
    insert into session_locks (project_id, redeemable_id, session_key, quantity, credits, points, expires_at)
    select p.project_id, x.* from ${tenantOf(tx, projectId)} cross join unnest(
      ${locks.map((l) => l.redeemable_id)}::text[], ${locks.map((l) => l.session_key)}::text[], ${locks.map((l) => l.quantity)}::bigint[],
      ${locks.map((l) => l.credits)}::bigint[], ${locks.map((l) => l.points)}::bigint[],
      ${locks.map((l) => l.expires_at)}::timestamptz[]) as x`;
}
