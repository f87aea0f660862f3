import type { SessionLock } from "../rows/validation.ts";

/** How much of a code is held. */
export type HeldAmounts = Pick<SessionLock, "quantity" | "credits" | "points">;
/**
 * What sessions hold of a code: the sum of all locks, and of the locks themselves only those that somebody may have to leave
 * out: the ones that are over, and the ones of the sessions that ask. So 4,000 sessions on a code cost what one costs.
 */
export type HeldOfCode = {
  sum: HeldAmounts;
  /** By session. */
  locks: Map<string, SessionLock>;
  /** No lock is over before this millisecond. */
  firstEnd: number;
};
/** What sessions hold: of each code that something limits, and the codes of each session that asks. */
export type HeldBySessions = { held: Map<string, HeldOfCode>; codesOf: Map<string, readonly string[]> };

export const NOTHING_HELD: HeldAmounts = { quantity: 0, credits: 0, points: 0 };

export const heldOfCode = (sum: HeldAmounts, locks: readonly SessionLock[]): HeldOfCode => ({
  sum,
  locks: new Map(locks.map((lock) => [lock.session_key, lock])),
  firstEnd: locks.reduce((first, lock) => Math.min(first, endOf(lock)), Number.POSITIVE_INFINITY),
});

/** A part of a millisecond is left out: a lock that ends in the one we are in is looked at. */
const endOf = ({ expires_at }: SessionLock): number => Date.parse(expires_at);

const added = (a: HeldAmounts, b: HeldAmounts, sign: 1 | -1): HeldAmounts => ({
  quantity: a.quantity + sign * b.quantity,
  credits: a.credits + sign * b.credits,
  points: a.points + sign * b.points,
});

/** What is held at a moment, but for the caller's own session. Of a sum of 5 with one lock over and one of ours: 3. */
export const heldAt = (
  held: HeldOfCode | undefined,
  { now, except }: { now: string; except?: string | null | undefined },
): HeldAmounts => {
  if (!held) return NOTHING_HELD;
  const own = except == null ? undefined : held.locks.get(except);
  const rest = own ? added(held.sum, own, -1) : held.sum;
  if (Date.parse(now) < held.firstEnd) return rest;
  return held.locks
    .values()
    .filter((lock) => lock !== own && Temporal.Instant.compare(lock.expires_at, now) <= 0)
    .reduce((sum: HeldAmounts, lock) => added(sum, lock, -1), rest);
};

/**
 * What is held after a session has given back all that it held and holds these locks instead. Of codes that nothing limits
 * nothing is held. Only codes of this session are looked at: a batch may ask for hundreds.
 */
export function holdInstead({ held, codesOf }: HeldBySessions, session: string, locks: readonly SessionLock[]): void {
  const wanted = new Map(locks.map((lock) => [lock.redeemable_id, lock]));
  for (const id of new Set([...(codesOf.get(session) ?? []), ...wanted.keys()])) {
    const one = held.get(id);
    if (one) replaceLock(one, session, wanted.get(id));
  }
  codesOf.set(session, [...wanted.keys()]);
}

function replaceLock(held: HeldOfCode, session: string, lock: SessionLock | undefined): void {
  const own = held.locks.get(session);
  if (own) held.sum = added(held.sum, own, -1);
  held.locks.delete(session);
  if (!lock) return;
  held.sum = added(held.sum, lock, 1);
  held.locks.set(session, lock);
  held.firstEnd = Math.min(held.firstEnd, endOf(lock));
}

export type HeldChange = HeldAmounts & { redeemable_id: string };

/** What the sums of codes change by when some locks are replaced by others. Those that stay as they are change nothing. */
export function changesOfSums(gone: readonly SessionLock[], made: readonly SessionLock[]): HeldChange[] {
  const changes = new Map<string, HeldAmounts>();
  for (const [locks, sign] of [[gone, -1] as const, [made, 1] as const])
    for (const lock of locks)
      changes.set(lock.redeemable_id, added(changes.get(lock.redeemable_id) ?? NOTHING_HELD, lock, sign));
  return [...changes]
    .filter(([, { quantity, credits, points }]) => quantity !== 0 || credits !== 0 || points !== 0)
    .map(([redeemable_id, change]) => ({ redeemable_id, ...change }));
}
