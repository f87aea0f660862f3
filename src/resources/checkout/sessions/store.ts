import { notFound } from "../../../core/errors.ts";
import type { SessionLock } from "../../../core/rows/validation.ts";
import {
  changesOfSums,
  type HeldBySessions,
  type HeldChange,
  heldOfCode,
  NOTHING_HELD,
} from "../../../core/validate/session-locks.ts";
import type { Db, IdList, Tx } from "../../../db/db.ts";
import { heldRows } from "../../../db/held-rows.ts";
import { tenantOf } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";

type LockFilter<C = readonly string[]> = {
  /** The codes of which something limits what sessions hold. */
  codes: C;
  /** The sessions that ask. */
  sessions: readonly string[];
  /** The latest moment that is asked about: what is over by then is read as well. */
  now: string;
};
/** A sum, which no session has, or a lock. */
type HeldRow = Omit<SessionLock, "session_key"> & { session_key: string | null };
export type SessionLocks = HeldBySessions & {
  /** Everything that the sessions that ask hold, of any code. */
  own: readonly SessionLock[];
};

/**
 * What sessions hold of these codes. One statement: a sum and locks of two moments would not fit each other. It reads one row
 * for each code, the locks of the sessions that ask, and those that are over and not removed yet.
 */
export const loadHeldBySessions = async (
  db: Db,
  projectId: string,
  { codes, sessions, now }: LockFilter<IdList>,
): Promise<readonly HeldRow[]> =>
  "length" in codes && codes.length + sessions.length === 0
    ? []
    : db<HeldRow[]>`
        select redeemable_id, null as session_key, quantity, credits, points, null as expires_at from session_sums
        where project_id = ${projectId} and redeemable_id = any(${codes})
        union all
        select redeemable_id, session_key, quantity, credits, points, expires_at from session_locks
        where project_id = ${projectId} and redeemable_id = any(${codes}) and expires_at <= ${now}
          and not session_key = any(${sessions})
        union all
        select redeemable_id, session_key, quantity, credits, points, expires_at from session_locks
        where project_id = ${projectId} and session_key = any(${sessions})`;

/** The same by code. Of codes that are not named here nothing is held: nothing limits them. */
export function locksOf(rows: readonly HeldRow[], { codes, sessions }: Omit<LockFilter, "now">): SessionLocks {
  const locks = rows.filter((row): row is SessionLock => row.session_key !== null);
  const locksOfCode = Map.groupBy(locks, ({ redeemable_id }) => redeemable_id);
  const held = new Map(codes.map((id) => [id, heldOfCode(NOTHING_HELD, [])]));
  for (const { redeemable_id, session_key, quantity, credits, points } of rows)
    if (session_key === null && held.has(redeemable_id))
      held.set(redeemable_id, heldOfCode({ quantity, credits, points }, locksOfCode.get(redeemable_id) ?? []));
  const asking = new Set(sessions);
  const own = locks.filter(({ session_key }) => asking.has(session_key));
  const ownOf = Map.groupBy(own, ({ session_key }) => session_key);
  const codesOf = new Map([...ownOf].map(([key, some]) => [key, some.map(({ redeemable_id }) => redeemable_id)]));
  return { held, codesOf, own };
}

export const loadLocks = async (db: Db, projectId: string, filter: LockFilter): Promise<SessionLocks> =>
  locksOf(await loadHeldBySessions(db, projectId, filter), filter);

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
    on conflict (project_id, key) do update set until = greatest(sessions.until, excluded.until)`.execute();
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

/**
 * These are all the locks that the sessions have now. `gone` is what they had: nobody changes a lock without holding its
 * session, so it is what is there.
 */
export async function replaceLocks(
  tx: Tx,
  projectId: string,
  { keys, gone, locks }: { keys: readonly string[]; gone: readonly SessionLock[]; locks: readonly SessionLock[] },
): Promise<void> {
  const replaced = new Set(keys);
  const lost = gone.filter(({ session_key }) => replaced.has(session_key));
  await together([
    lost.length > 0 &&
      tx`delete from session_locks where project_id = ${projectId} and session_key = any(${keys})`.execute(),
    locks.length > 0 &&
      tx`
        insert into session_locks (project_id, redeemable_id, session_key, quantity, credits, points, expires_at)
        select p.project_id, x.* from ${tenantOf(tx, projectId)} cross join unnest(
          ${locks.map((l) => l.redeemable_id)}::text[], ${locks.map((l) => l.session_key)}::text[], ${locks.map((l) => l.quantity)}::bigint[],
          ${locks.map((l) => l.credits)}::bigint[], ${locks.map((l) => l.points)}::bigint[],
          ${locks.map((l) => l.expires_at)}::timestamptz[]) as x`.execute(),
    addToSums(tx, projectId, changesOfSums(lost, locks)),
  ]);
}

/** Rows are locked in order of their ids: those who change the same ones wait for each other in one order. */
async function addToSums(tx: Tx, projectId: string, changes: readonly HeldChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx`
    insert into session_sums (project_id, redeemable_id, quantity, credits, points)
    select p.project_id, x.* from ${tenantOf(tx, projectId)} cross join unnest(
      ${changes.map((c) => c.redeemable_id)}::text[], ${changes.map((c) => c.quantity)}::bigint[],
      ${changes.map((c) => c.credits)}::bigint[], ${changes.map((c) => c.points)}::bigint[]) as x (redeemable_id, quantity, credits, points)
    order by x.redeemable_id
    on conflict (project_id, redeemable_id) do update set quantity = session_sums.quantity + excluded.quantity,
      credits = session_sums.credits + excluded.credits, points = session_sums.points + excluded.points`;
}

/** Locks one session. One that is not there holds nothing. */
export const lockSession = (tx: Tx, projectId: string, key: string) =>
  tx`select key from sessions where project_id = ${projectId} and key = ${key} order by key for no key update`;

/** Gives back what a session holds of a code, once the session is locked; 404 when it holds nothing, or not any more. */
export async function releaseSession(
  tx: Tx,
  projectId: string,
  { voucherId, sessionKey, now }: { voucherId: string; sessionKey: string; now: string },
): Promise<void> {
  const gone = await tx<SessionLock[]>`
    delete from session_locks where project_id = ${projectId} and session_key = ${sessionKey}
      and redeemable_id = ${voucherId} and expires_at > ${now}
    returning redeemable_id, session_key, quantity, credits, points, expires_at`;
  if (gone.length === 0) throw notFound("session", sessionKey);
  await addToSums(tx, projectId, changesOfSums(gone, []));
}

/** Removes locks that are over, of sessions that nobody works with; returns how many it looked at. */
export async function removeEndedLocks(tx: Tx, projectId: string, now: string, limit: number): Promise<number> {
  const ended = await tx<{ key: string }[]>`
    select session_key as key from session_locks
    where project_id = ${projectId} and expires_at < ${now} limit ${limit}`;
  const sessions = await tx<{ key: string }[]>`
    select key from sessions where project_id = ${projectId} and key = any(${ended.map(({ key }) => key)})
    order by key for no key update skip locked`;
  if (sessions.length === 0) return 0;
  const gone = await tx<SessionLock[]>`
    delete from session_locks
    where project_id = ${projectId} and session_key = any(${sessions.map(({ key }) => key)}) and expires_at < ${now}
    returning redeemable_id, session_key, quantity, credits, points, expires_at`;
  await addToSums(tx, projectId, changesOfSums(gone, []));
  return gone.length;
}
