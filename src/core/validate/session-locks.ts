import type { SessionLock } from "../rows/validation.ts";

/** How much of a code is held. */
export type HeldAmounts = Pick<SessionLock, "quantity" | "credits" | "points">;
/**
 * What sessions hold of a code: the sum of all locks, and of the locks themselves only those that somebody may have to leave
 * out: the ones that are over, and the ones of the sessions that ask. So 4,000 sessions on a code cost what one costs.
 */
export type HeldOfCode = { sum: HeldAmounts; locks: readonly SessionLock[] };

export const NOTHING_HELD: HeldAmounts = { quantity: 0, credits: 0, points: 0 };

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
  const leftOut = held.locks.filter(
    ({ session_key, expires_at }) => session_key === except || Temporal.Instant.compare(expires_at, now) <= 0,
  );
  return leftOut.reduce((sum: HeldAmounts, lock) => added(sum, lock, -1), held.sum);
};

/** The codes after a session has given back all that it held and holds these instead. Codes that nothing limits are not in it. */
export function holdInstead(codes: Map<string, HeldOfCode>, session: string, locks: readonly SessionLock[]): void {
  for (const [id, { sum, locks: all }] of codes) {
    const own = all.filter(({ session_key }) => session_key === session);
    const taken = locks.filter(({ redeemable_id }) => redeemable_id === id);
    if (own.length + taken.length === 0) continue;
    const without = own.reduce((rest: HeldAmounts, lock) => added(rest, lock, -1), sum);
    codes.set(id, {
      sum: taken.reduce((rest: HeldAmounts, lock) => added(rest, lock, 1), without),
      locks: [...all.filter(({ session_key }) => session_key !== session), ...taken],
    });
  }
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
