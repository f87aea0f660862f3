import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Account,
  type Entry,
  empty,
  openAccount,
  receive,
  receiveLots,
  refund,
  refuseSpend,
  type Touched,
  takeOut,
} from "./account.ts";

const T0 = "2026-01-01T00:00:00.000Z";
const open = (amount: number) => openAccount("v_1", { amount, lot: { id: "lot_0", expires_at: null, created_at: T0 } });

test("what expires first is spent first, and comes back to where it was", () => {
  let { account } = open(100);
  const lot = (id: string, expires_at: string) => ({ id, expires_at, created_at: T0 });
  ({ account } = receive(account, { amount: 50, lot: lot("late", "2026-06-01T00:00:00.000Z"), kind: "addition" }));
  ({ account } = receive(account, { amount: 30, lot: lot("soon", "2026-02-01T00:00:00.000Z"), kind: "addition" }));
  const spent = takeOut(account, { amount: 90, kind: "redemption" });
  assert.deepEqual(spent.entry.lots, [
    ["soon", -30],
    ["late", -50],
    ["lot_0", -10],
  ]);
  assert.deepEqual([spent.entry.amount, spent.entry.balance], [-90, 90]);
  const back = refund(spent.account, {
    amount: 90,
    from: spent.entry.lots,
    gone: account.lots.filter(({ id }) => id !== "lot_0").map((one) => ({ ...one, remaining: 0 })),
  });
  assert.deepEqual([back.account.sums.available, back.account.sums.spent], [180, 0]);
  const left = (of: Account) => Object.fromEntries(of.lots.map(({ id, remaining }) => [id, remaining]));
  assert.deepEqual(left(back.account), left(account));
  // A part of it goes to the lots that would have been spent last.
  const part = refund(spent.account, {
    amount: 15,
    from: spent.entry.lots,
    gone: account.lots.map((one) => ({ ...one, remaining: 0 })).filter(({ id }) => id !== "lot_0"),
  });
  assert.deepEqual(part.entry.lots, [
    ["lot_0", 10],
    ["late", 5],
  ]);
});

type Step = { kind: "receive" | "spend" | "remove" | "refund"; amount: number; days: number | null };
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom("receive" as const, "spend" as const, "remove" as const, "refund" as const),
    amount: fc.integer({ min: 0, max: 200 }),
    days: fc.option(fc.integer({ min: 1, max: 400 })),
  }),
  { maxLength: 40 },
);

test("for any history: entries, lots and sums agree, and a refund gives back exactly what was taken", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500 }), steps, (amount, history: Step[]) => {
      let { account, entry } = open(amount);
      const entries: Entry[] = [entry];
      const all = new Map(account.lots.map((lot) => [lot.id, lot]));
      const open_: { lots: Touched; amount: number }[] = [];
      for (const [n, step] of history.entries()) {
        const created_at = new Date(Date.parse(T0) + n * 1000).toISOString();
        const expires_at = step.days === null ? null : new Date(Date.parse(T0) + step.days * 86_400_000).toISOString();
        const gone = [...all.values()]
          .filter(({ id }) => !account.lots.some((lot) => lot.id === id))
          .map((lot) => ({ ...lot, remaining: 0 }));
        if (step.kind === "receive")
          ({ account, entry } = receive(account, {
            amount: step.amount,
            lot: { id: `lot_${n + 1}`, expires_at, created_at },
            kind: "addition",
          }));
        else if (step.kind === "refund") {
          const last = open_.pop();
          if (!last) continue;
          ({ account, entry } = refund(account, { amount: last.amount, from: last.lots, gone }));
        } else {
          const taken = Math.min(step.amount, account.sums.available);
          ({ account, entry } = takeOut(account, {
            amount: taken,
            kind: step.kind === "spend" ? "redemption" : "removal",
          }));
          if (step.kind === "spend") open_.push({ lots: entry.lots, amount: taken });
        }
        for (const lot of account.lots) all.set(lot.id, lot);
        entries.push(entry);
        const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
        assert.equal(account.sums.available, sum(entries.map((one) => one.amount)));
        assert.equal(account.sums.available, sum(account.lots.map(({ remaining }) => remaining)));
        assert.equal(
          account.sums.available,
          account.sums.received - account.sums.subtracted - account.sums.expired - account.sums.spent,
        );
        assert.equal(entry.balance, account.sums.available);
        assert.ok(
          account.sums.available >= 0 &&
            account.lots.every(({ remaining, amount: whole }) => remaining > 0 && remaining <= whole),
        );
      }
    }),
  );
});

test("nothing that was taken is minus zero, and what waits is another pot", () => {
  const { account } = open(0);
  assert.ok(Object.is(takeOut(account, { amount: 0, kind: "redemption" }).entry.amount, 0));
  const lot = { id: "lot_1", expires_at: null, created_at: T0, activates_at: "2026-02-01T00:00:00.000Z" };
  const waits = receive(account, { amount: 40, lot, kind: "pending_addition" }).account;
  assert.deepEqual([waits.sums.available, waits.sums.pending, waits.sums.received], [0, 40, 0]);
  assert.throws(() => takeOut(waits, { amount: 1, kind: "redemption" }), /no more is taken/);
  const out = empty(waits, { lots: waits.lots, kind: "activation_out" });
  assert.deepEqual([out.entry.amount, out.changed[0]?.remaining, out.account.lots], [-40, 0, []]);
  assert.throws(() => empty(waits, { lots: waits.lots, kind: "expiration" }), /from a lot of the pot/);
  const into = receiveLots(out.account, {
    kind: "activation_in",
    lots: [15, 25].map((amount) => ({ ...lot, id: `in_${amount}`, amount })),
  });
  assert.deepEqual([into.entry.amount, into.account.sums.available, into.account.sums.earned], [40, 40, 40]);
});

test("a refused spending moves nothing and counts that it was locked and unlocked", () => {
  const { account } = open(100);
  const { account: after, entry } = refuseSpend(account, { amount: 60, kind: "order_spend" });
  assert.deepEqual([entry.amount, entry.balance, entry.lots], [0, 100, []]);
  assert.deepEqual([after.sums.available, after.sums.locked, after.sums.unlocked, after.sums.spent], [100, 60, 60, 0]);
});

test("a debt is paid by what comes in and by what comes back, and no lot is made of that", () => {
  const { account: opened } = open(10);
  const account: Account = { ...opened, sums: { ...opened.sums, allows_negative: true } };
  const owing = takeOut(account, { amount: 50, kind: "redemption" });
  assert.deepEqual([owing.account.sums.available, owing.account.lots], [-40, []]);
  const lot = { id: "lot_1", expires_at: null, created_at: T0 };
  const less = receive(owing.account, { amount: 30, lot, kind: "addition" });
  assert.deepEqual([less.account.sums.available, less.account.lots, less.changed[0]?.remaining], [-10, [], 0]);
  const gone = opened.lots.map((one) => ({ ...one, remaining: 0 }));
  const back = refund(less.account, { amount: 15, from: owing.entry.lots, gone });
  assert.deepEqual([back.account.sums.available, back.account.lots.map(({ remaining }) => remaining)], [5, [5]]);
});
