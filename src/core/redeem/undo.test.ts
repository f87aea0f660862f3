import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Account, type Lot, openAccount, receive, type Touched, takeOut } from "../ledger/account.ts";
import { giveBack, type RedemptionToUndo, type UndoAsked, undoFault } from "./undo.ts";

const REDEEMED: RedemptionToUndo = {
  id: "r_1",
  status: "SUCCEEDED",
  parent_id: null,
  is_stack: false,
  customer_id: "cust_1",
  tracking_id: "track_1",
  order: { id: "ord_1", source_id: "o-1" },
};
const NOTHING: UndoAsked = { takes_stacks: false, customer: null, order: null };
const fault = (redeemed: Partial<RedemptionToUndo>, asked: Partial<UndoAsked> = {}) => {
  const error = undoFault({ ...REDEEMED, ...redeemed }, { ...NOTHING, ...asked });
  return error && [error.key, error.details];
};

test("what can be rolled back, and what cannot", () => {
  assert.equal(fault({}), null);
  assert.equal(fault({}, { takes_stacks: true }), null);
  assert.equal(fault({ is_stack: true }, { takes_stacks: true }), null);
  assert.equal(fault({ status: "ROLLED_BACK" }), null, "that is kept as a failure, so it is another matter");
  const child = "You can rollback only a redemption that does not have parent redemption.";
  assert.deepEqual(fault({ parent_id: "r_0" }), ["invalid_redemption_parent", child]);
  assert.deepEqual(fault({ parent_id: "r_0" }, { takes_stacks: true }), ["invalid_redemption_parent", child]);
  assert.deepEqual(fault({ is_stack: true }), [
    "invalid_redemption",
    "You can rollback only a single redemption. Use different endpoint for stacked redemption.",
  ]);
  assert.equal(fault({ status: "FAILED" })?.[0], "invalid_redemption");
});

test("a customer or an order that is named must be the one of the redemption", () => {
  const customer = (id: string, by: "customer" | "tracking_id", tracking_id: string | null = null) => ({
    customer: { id, by, tracking_id },
  });
  assert.equal(fault({}, customer("cust_1", "customer")), null);
  assert.equal(fault({}, customer("cust_1", "tracking_id")), null);
  const foreign = ["invalid_customer", "Customer is not related with redemption."];
  assert.deepEqual(fault({}, customer("cust_2", "customer", "track_1")), foreign);
  assert.deepEqual(fault({}, customer("cust_2", "tracking_id", "track_2")), foreign);
  assert.deepEqual(fault({ customer_id: null, tracking_id: null }, customer("cust_2", "tracking_id")), foreign);
  // A guest who was tracked, and has a profile by now.
  assert.equal(fault({ customer_id: null }, customer("cust_2", "tracking_id", "track_1")), null);
  const order = ["invalid_order", "Order is not related with redemption."];
  for (const named of [{}, { id: null }, { id: "ord_1" }, { source_id: "o-1" }, { id: "ord_1", source_id: "o-1" }])
    assert.equal(fault({}, { order: named }), null);
  for (const named of [{ id: "ord_2" }, { source_id: "o-2" }, { id: "ord_1", source_id: "o-2" }])
    assert.deepEqual(fault({}, { order: named }), order);
  assert.deepEqual(fault({ order: null }, { order: { id: "ord_1" } }), order);
  assert.equal(fault({ order: null }, { order: {} }), null);
});

const T0 = "2026-01-01T00:00:00.000Z";
const day = (n: number) => new Date(Date.parse(T0) + n * 86_400_000).toISOString();
const lotsOf = (account: Account) => account.lots.reduce((sum, { remaining }) => sum + remaining, 0);

test("what came from a lot that is over by now goes into a fresh one, until the end of the day", () => {
  const first = openAccount("v", { amount: 30, lot: { id: "soon", expires_at: day(5), created_at: T0 } }).account;
  const lot = { id: "never", expires_at: null, created_at: T0 };
  const { account } = receive(first, { amount: 100, lot, kind: "addition" });
  const spent = takeOut(account, { amount: 50, kind: "redemption" });
  const lots = new Map(account.lots.map((one) => [one.id, one.id === "soon" ? { ...one, remaining: 0 } : one]));
  for (const one of spent.account.lots) lots.set(one.id, one);
  const fresh = { id: "fresh", expires_at: day(7), created_at: day(6) };
  const back = giveBack(spent.account, { amount: 50, from: spent.entry.lots, lots, now: day(6), fresh });
  assert.deepEqual(
    back.lots.map(({ id, amount, remaining, expires_at }) => [id, amount, remaining, expires_at]).sort(),
    [
      ["fresh", 30, 30, day(7)],
      ["never", 100, 100, null],
    ],
  );
  assert.deepEqual([back.account.sums.available, back.account.sums.spent, lotsOf(back.account)], [130, 0, 130]);
  const early = giveBack(spent.account, { amount: 50, from: spent.entry.lots, lots, now: day(4), fresh });
  assert.deepEqual(early.lots.map(({ id }) => id).sort(), ["never", "soon"]);
});

test("a debt is paid before anything is put into a lot, and what was spent on credit is not lost", () => {
  const opened = openAccount("v", { amount: 10, lot: { id: "a", expires_at: null, created_at: T0 } }).account;
  const account: Account = { ...opened, sums: { ...opened.sums, allows_negative: true } };
  const lots = new Map(account.lots.map((one) => [one.id, { ...one, remaining: 0 }]));
  const fresh = { id: "fresh", expires_at: day(1), created_at: T0 };
  const spent = takeOut(account, { amount: 25, kind: "redemption" });
  const give = (from: Account) => giveBack(from, { amount: 25, from: spent.entry.lots, lots, now: T0, fresh });
  const back = give(spent.account);
  assert.deepEqual([back.account.sums.available, lotsOf(back.account)], [10, 10]);
  const paid = receive(spent.account, {
    amount: 15,
    lot: { id: "b", expires_at: null, created_at: T0 },
    kind: "addition",
  }).account;
  const later = give(paid);
  assert.deepEqual([later.account.sums.available, lotsOf(later.account)], [25, 25]);
  assert.deepEqual(later.lots.find(({ id }) => id === "fresh")?.expires_at, null);
  const more = takeOut(spent.account, { amount: 20, kind: "redemption" }).account;
  const deep = give(more);
  assert.deepEqual([deep.account.sums.available, lotsOf(deep.account)], [-10, 0]);
});

test("law: what is spent and given back, in whichever order, leaves every sum and every lot as it was", () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });
  const received = fc.array(
    fc.record({ amount: fc.integer({ min: 1, max: 100 }), days: fc.option(fc.integer({ min: 1, max: 9 })) }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(received, amounts, fc.infiniteStream(fc.nat()), (parts, spends, choices) => {
      let { account } = openAccount("v", { amount: 50, lot: { id: "lot", expires_at: null, created_at: T0 } });
      for (const [n, { amount, days }] of parts.entries()) {
        const lot = { id: `lot ${n}`, expires_at: days === null ? null : day(days), created_at: T0 };
        ({ account } = receive(account, { amount, lot, kind: "addition" }));
      }
      const before = account;
      const lots = new Map<string, Lot>(account.lots.map((lot) => [lot.id, lot]));
      const note = (after: Account) => {
        const left = new Map(after.lots.map((lot) => [lot.id, lot]));
        for (const [id, lot] of lots) lots.set(id, left.get(id) ?? { ...lot, remaining: 0 });
        account = after;
      };
      const open: { amount: number; from: Touched }[] = [];
      for (const wanted of spends) {
        const amount = Math.min(wanted, account.sums.available);
        const moved = takeOut(account, { amount, kind: "redemption" });
        open.push({ amount, from: moved.entry.lots });
        note(moved.account);
      }
      const fresh = { id: "fresh", expires_at: day(1), created_at: T0 };
      while (open.length > 0) {
        const [one] = open.splice(choices.next().value % open.length, 1);
        note(giveBack(account, { ...one!, lots, now: T0, fresh }).account);
      }
      const sorted = (of: Account) => of.lots.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      assert.deepEqual(account.sums, before.sums);
      assert.deepEqual(sorted(account), sorted(before));
    }),
  );
});
