import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionLock } from "../rows/validation.ts";
import { changesOfSums, type HeldAmounts, heldAt, heldOfCode, holdInstead, NOTHING_HELD } from "./session-locks.ts";

const minute = (n: number): string => `2026-01-01T12:${String(n).padStart(2, "0")}:00.000Z`;
const CODES = ["v_1", "v_2", "v_3"];
const lock = fc.record({
  redeemable_id: fc.constantFrom(...CODES),
  session_key: fc.constantFrom("a", "b", "c"),
  quantity: fc.constant(1),
  credits: fc.nat(500),
  points: fc.nat(50),
  expires_at: fc.nat(59).map(minute),
});
const locks = fc.uniqueArray(lock, { selector: (one) => `${one.session_key} ${one.redeemable_id}`, maxLength: 9 });

const sumOf = (some: readonly SessionLock[]): HeldAmounts =>
  some.reduce(
    (sum: HeldAmounts, one) => ({
      quantity: sum.quantity + one.quantity,
      credits: sum.credits + one.credits,
      points: sum.points + one.points,
    }),
    NOTHING_HELD,
  );
const of = (some: readonly SessionLock[], id: string) => some.filter(({ redeemable_id }) => redeemable_id === id);
/** As it is read: of the locks only those that are over at the last moment, and those of the sessions that ask. */
function read(some: readonly SessionLock[], { until, asking }: { until: string; asking: readonly string[] }) {
  const seen = (one: SessionLock) => one.expires_at <= until || asking.includes(one.session_key);
  const held = new Map(CODES.map((id) => [id, heldOfCode(sumOf(of(some, id)), of(some, id).filter(seen))]));
  const own = (key: string) => some.filter(({ session_key }) => session_key === key);
  const codesOf = new Map(asking.map((key) => [key, own(key).map(({ redeemable_id }) => redeemable_id)]));
  return { held, codesOf };
}
const live = (some: readonly SessionLock[], now: string, except?: string) =>
  some.filter((one) => one.expires_at > now && one.session_key !== except);

test("law: a sum without what is over and what is one's own is the sum of the live locks of others", () => {
  fc.assert(
    fc.property(locks, fc.nat(59), fc.nat(59), fc.constantFrom("a", "b", undefined), (some, at, later, except) => {
      const [now, until] = [minute(Math.min(at, later)), minute(Math.max(at, later))];
      const { held } = read(some, { until, asking: except ? [except] : [] });
      for (const id of CODES)
        assert.deepEqual(heldAt(held.get(id), { now, except }), sumOf(live(of(some, id), now, except)));
    }),
  );
});

test("law: what a session holds instead is held at once, and the changes of the sums are the differences", () => {
  fc.assert(
    fc.property(locks, locks, fc.nat(59).map(minute), (before, wanted, now) => {
      const sessions = read(before, { until: now, asking: ["a"] });
      const { held } = sessions;
      const mine = wanted.filter(({ session_key }) => session_key === "a");
      const others = before.filter(({ session_key }) => session_key !== "a");
      holdInstead(sessions, "a", wanted.map((one) => ({ ...one, session_key: "a" })).slice(0, 1));
      holdInstead(sessions, "a", mine);
      const after = [...others, ...mine];
      for (const id of CODES) {
        assert.deepEqual(held.get(id)!.sum, sumOf(of(after, id)));
        assert.deepEqual(heldAt(held.get(id), { now, except: "a" }), sumOf(live(of(after, id), now, "a")));
        const [gone] = [before.filter(({ session_key }) => session_key === "a")];
        const change = changesOfSums(gone!, mine).find(({ redeemable_id }) => redeemable_id === id) ?? NOTHING_HELD;
        assert.equal(sumOf(of(before, id)).credits + change.credits, sumOf(of(after, id)).credits);
        assert.equal(sumOf(of(before, id)).quantity + change.quantity, sumOf(of(after, id)).quantity);
      }
    }),
  );
});

test("what stays as it is changes no sum, and of a code that was not read nothing is held", () => {
  const one = { redeemable_id: "v_1", session_key: "a", quantity: 1, credits: 5, points: 0, expires_at: minute(1) };
  assert.deepEqual(changesOfSums([one], [{ ...one, expires_at: minute(9) }]), []);
  const sessions = { held: new Map(), codesOf: new Map() };
  holdInstead(sessions, "a", [one]);
  assert.equal(sessions.held.size, 0);
  assert.equal(heldAt(undefined, { now: minute(0) }), NOTHING_HELD);
});
