import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Lot } from "../../ledger/account.ts";
import { earn } from "../earning/earn.ts";
import { parseUseLimits } from "../earning/use-limits.ts";
import type { Reward } from "../program/reward.ts";
import { sampleCard, sampleTiers, sampleWorld } from "../program/sample.ts";
import { used } from "../program/uses.ts";
import { type CardState, type Change, lifetimeOf } from "./card.ts";
import { adjust } from "./manual.ts";
import type { World } from "./moves.ts";
import { type PurchaseFacts, type PurchaseFault, purchaseFault } from "./purchase.ts";
import {
  cancelOrder,
  type PaymentLimit,
  paymentOf,
  payOrder,
  purchasePoints,
  returnPoints,
  reversePurchase,
  settlementFault,
  spendPoints,
} from "./spend.ts";
import type { SpendingLimits, Wallet } from "./wallet.ts";
import { ANY_TIME } from "./window.ts";

const holding = (
  points: number,
  wallet: Partial<Wallet> = {},
  now = "2026-01-01T12:00:00.000Z",
): { card: CardState; world: World } => {
  const world = sampleWorld({ wallet, now });
  return { world, card: adjust(sampleCard(world), world, { points, reason: null }).card };
};
const NONE: { type: "NO_LIMIT"; limits: [] } = { type: "NO_LIMIT", limits: [] };
const most = (max: number, inAll?: number): SpendingLimits => ({
  global: inAll === undefined ? NONE : { type: "LIMITED", limits: [{ type: "SPENDING_BASED", max: inAll }] },
  transactions: { type: "LIMITED", limits: [{ type: "POINTS", max }] },
});

const BALANCE: PaymentLimit = { type: "CARD_BALANCE" };
const points = (max: number): PaymentLimit => ({ type: "POINTS_LIMIT", points_limit: { max } });
const money = (max: number): PaymentLimit => ({ type: "AMOUNT_LIMIT", amount_limit: { max } });
const PAYMENTS: [
  balance: number,
  ratio: number,
  limit: PaymentLimit,
  expected: [number, number, Record<string, number>],
][] = [
  [200, 1, BALANCE, [200, 200, {}]],
  [650, 1, money(2000), [650, 650, { amount_limit: 2000 }]],
  [100, 1, points(150), [100, 100, { points_limit: 150 }]],
  [5000, 1, money(2000), [2000, 2000, { amount_limit: 2000 }]],
  [1000, 0.5, money(50), [50, 25, { amount_limit: 50 }]],
  [1000, 0.5, BALANCE, [2000, 1000, {}]],
  [100, 3, BALANCE, [33, 99, {}]],
  [100, 0.3, money(1), [1, 1, { amount_limit: 1 }]],
];
for (const [balance, ratio, limit, [amount, points_spent, metadata]] of PAYMENTS)
  test(`${balance} points at ${ratio} pay ${amount} for ${points_spent} with ${JSON.stringify(limit)}`, () => {
    const { card, world } = holding(balance);
    assert.deepEqual(paymentOf(card, world, { ratio, limit }), { amount, points_spent, metadata });
  });

test("limits of the card cap a payment, and a card without enough pays nothing", () => {
  const limited = holding(1000, { spending_limits: most(300, 200) });
  assert.deepEqual(paymentOf(limited.card, limited.world, { ratio: 1, limit: BALANCE }), {
    amount: 200,
    points_spent: 200,
    metadata: {},
  });
  const spent = spendPoints(limited.card, limited.world, { kind: "order_spend", points: 200, reason: null }).card;
  assert.deepEqual(paymentOf(spent, limited.world, { ratio: 1, limit: BALANCE }), {
    fault: "insufficient_card_balance",
  });
  const { card, world } = holding(5);
  const fault = (ratio: number) => paymentOf(card, world, { ratio, limit: BALANCE });
  assert.deepEqual(fault(6), { fault: "insufficient_card_balance" });
  for (const ratio of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    assert.deepEqual(fault(ratio), { fault: "invalid_exchange_ratio" });
  const owing = holding(-5, { balance_settings: { allow_negative: true } });
  assert.deepEqual(paymentOf(owing.card, owing.world, { ratio: 1, limit: BALANCE }), { fault: "zero_card_balance" });
});

test("for any ratio: no more points than there are, and never more money than they are worth", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.double({ min: 0.001, max: 1000, noNaN: true }),
      (balance, ratio) => {
        const { card, world } = holding(balance);
        const paid = paymentOf(card, world, { ratio, limit: BALANCE });
        if ("fault" in paid) return assert.ok(balance < ratio);
        assert.ok(paid.points_spent <= balance && paid.amount * ratio <= balance * (1 + 1e-12));
        assert.ok(paid.points_spent >= paid.amount * ratio * (1 - 1e-12));
      },
    ),
  );
});

test("a payment above what is left to pay is refused, and its points are locked and unlocked", () => {
  assert.deepEqual(settlementFault(2000, { total: 1500, paid: 0 }), {
    reason: "PAYMENT_EXCEEDS_ORDER_TOTAL_AMOUNT",
    details: null,
  });
  assert.equal(settlementFault(500, { total: 1500, paid: 1000 }), null);
  assert.notEqual(settlementFault(501, { total: 1500, paid: 1000 }), null);
  const { card, world } = holding(2000);
  const rejection = settlementFault(2000, { total: 1500, paid: 0 });
  const { card: after, entries } = payOrder(card, world, { points: 2000, rejection, reason: null, order_id: "ord_1" });
  assert.deepEqual(
    [entries[0]?.kind, entries[0]?.amount, entries[0]?.details.rejection],
    ["order_spend", 0, rejection],
  );
  const { locked, unlocked, spent } = lifetimeOf(after.account.sums).points;
  assert.deepEqual([locked, unlocked, spent, after.account.sums.available], [2000, 2000, 0, 2000]);
});

test("what was spent comes back, what was bought goes", () => {
  const { card, world } = holding(500);
  const spent = spendPoints(card, world, { kind: "reward_spend", points: 300, reason: "Points spent on reward" });
  const back = returnPoints(spent.card, world, { points: 300, reason: null });
  assert.equal(back.card.account.sums.available, 500);
  const { spent: s, returned } = lifetimeOf(back.card.account.sums).points;
  assert.deepEqual([s, returned], [300, 300]);
  const bought = purchasePoints(card, world, { points: 70, reason: null });
  assert.equal(lifetimeOf(bought.card.account.sums).points.purchased, 70);
  assert.equal(reversePurchase(bought.card, world, { points: 70, reason: null }).card.account.sums.available, 500);
  // Down to zero, or below it where the card allows it.
  const poor = adjust(bought.card, world, { points: -550, reason: null }).card;
  assert.equal(reversePurchase(poor, world, { points: 70, reason: null }).card.account.sums.available, 0);
  assert.deepEqual(
    reversePurchase(adjust(poor, world, { points: -20, reason: null }).card, world, { points: 70, reason: null })
      .entries,
    [],
  );
  const owing = holding(10, { balance_settings: { allow_negative: true } });
  assert.equal(reversePurchase(owing.card, owing.world, { points: 70, reason: null }).card.account.sums.available, -60);
});

type Refunds = Wallet["refunds"];
const revoking = (
  method: Refunds["earned_points"]["methods"][number],
  mode: "REFUND_ALL" | "REFUND_ITEM" = "REFUND_ALL",
): Refunds => ({
  spent_points: { type: "REFUNDABLE", methods: [{ type: "RETURN_POINTS", mode }] },
  earned_points: { type: "REFUNDABLE", methods: [method] },
});
const lotsOf = (changes: readonly Change[]): Lot[] => {
  const lots = new Map(changes.flatMap((change) => change.lots.map((lot) => [lot.id, lot])));
  return [...lots.values()].filter(({ order_id }) => order_id === "ord_1");
};
const told = { reason: null, order_id: "ord_1", orderTotal: 1000 };

test("a cancelled order gives back what paid it and takes what it earned, down to zero or below", () => {
  const cancelled = (method: Refunds["earned_points"]["methods"][number], allow_negative: boolean) => {
    const world = sampleWorld({ wallet: { refunds: revoking(method), balance_settings: { allow_negative } } });
    const earned = earn(sampleCard(world), world, { points: 100, ...told }).change;
    const less = adjust(earned.card, world, { points: -70, reason: null });
    return cancelOrder(less.card, world, { order_id: "ord_1", lots: lotsOf([earned, less]), paid: 0 });
  };
  const zero = cancelled({ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" }, false);
  assert.deepEqual(
    zero.entries.map(({ kind, amount, order_id }) => [kind, amount, order_id]),
    [["revocation", -30, "ord_1"]],
  );
  const below = cancelled({ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_BELOW_ZERO" }, true);
  assert.deepEqual([below.card.account.sums.available, below.card.account.sums.refunded], [-70, 100]);
  assert.deepEqual(cancelled({ type: "REVOKE_FROM_PENDING" }, false).entries, []);
});

test("what waits of a cancelled order is cancelled, and what became available of it stays or is taken", () => {
  const pending_points: Wallet["pending_points"] = {
    type: "PERIOD_BASED",
    period_based: { period: { value: 5, unit: "DAY" } },
  };
  const cancelled = (method: Refunds["earned_points"]["methods"][number]) => {
    const world = sampleWorld({ wallet: { refunds: revoking(method), pending_points } });
    const first = earn(sampleCard(world), world, { points: 40, ...told }).change;
    const second = earn(first.card, world, { points: 7, ...told, order_id: "ord_2" }).change;
    return cancelOrder(second.card, world, { order_id: "ord_1", lots: lotsOf([first, second]), paid: 0 });
  };
  for (const method of [
    { type: "REVOKE_FROM_PENDING" },
    { type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" },
  ] as const) {
    const { entries, card } = cancelled(method);
    assert.deepEqual(
      entries.map(({ kind, amount }) => [kind, amount]),
      [["cancellation", -40]],
    );
    assert.equal(card.account.sums.pending, 7);
  }
});

test("points that paid a cancelled order come back only as a whole", () => {
  const paid = (mode: "REFUND_ALL" | "REFUND_ITEM") => {
    const { card, world } = holding(100, { refunds: revoking({ type: "REVOKE_FROM_PENDING" }, mode) });
    const { card: after } = payOrder(card, world, { points: 60, rejection: null, reason: null, order_id: "ord_1" });
    return cancelOrder(after, world, { order_id: "ord_1", lots: [], paid: 60 }).card.account.sums.available;
  };
  assert.deepEqual([paid("REFUND_ALL"), paid("REFUND_ITEM")], [100, 40]);
});

test("points that are taken back count no more for the tier when they were earned in the same period", () => {
  const tiers = sampleTiers({
    type: "POINT_EARNED",
    point_earned: { period: { value: 1, unit: "MONTH" }, type: "IMMEDIATELY" },
  });
  const world = sampleWorld({
    tiers,
    wallet: { refunds: revoking({ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" }) },
  });
  const earned = earn(sampleCard(world), world, { points: 250, ...told }).change;
  assert.equal(earned.card.tier?.tier_id, "gold");
  const other = earn(earned.card, world, { points: 40, ...told, order_id: "ord_2" }).change;
  const after = cancelOrder(other.card, world, { order_id: "ord_1", lots: lotsOf([earned, other]), paid: 0 });
  assert.deepEqual([after.card.tier?.tracking?.points, after.card.tier?.tier_id], [40, "bronze"]);
});

const reward: Reward = {
  id: "lrew_1",
  name: "Mug",
  type: "DIGITAL",
  status: "ACTIVE",
  material: null,
  digital: { type: "LOYALTY_CARD_POINTS", loyalty_card_points: { points: 5, card_definition_id: "lcdef_2" } },
  refunds: { type: "NONE" },
  costs: [
    {
      id: "lrcst_1",
      tier_rules: { type: "NO_REQUIREMENTS" },
      spending: [{ id: "lrspn_1", name: null, points: 301, card_definition_id: "lcdef_1" }],
    },
  ],
  purchase_limits: parseUseLimits(null, ""),
  start_date: null,
  end_date: null,
  validity_hours: ANY_TIME,
  metadata: {},
  created_at: "2026-01-01T00:00:00Z",
  updated_at: null,
};
const window = { start_date: null, end_date: null, validity_hours: ANY_TIME };
const past = { start_date: null, end_date: "2020-01-01T00:00:00Z", validity_hours: ANY_TIME };

test("a purchase is refused by the first check that fails, in the order of the table", () => {
  const now = "2026-01-01T12:00:00.000Z";
  const rich = holding(1000);
  const pause = parseUseLimits(
    { cooldown: { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value: 1, unit: "DAY" } } } },
    "",
  );
  const often = parseUseLimits(
    { frequency: { type: "LIMITED", limits: [{ period: { current_period: { unit: "DAY" } }, triggers: { max: 1 } }] } },
    "",
  );
  const uses = used({}, "lrew_1", { now, zone: "UTC" });
  const paying =
    (payer: { card: CardState; world: World } | null, target: boolean): PurchaseFacts["cardOf"] =>
    (id) =>
      id === "lcdef_1" ? payer : target ? rich : null;
  // From the last check to the first: each state fails one check more.
  const failing: [PurchaseFault, Partial<PurchaseFacts>][] = [
    ["insufficient_card_balance", { cardOf: paying(holding(300), true) }],
    ["global_spending_limit_exceeded", { cardOf: paying(holding(300, { spending_limits: most(400, 300) }), true) }],
    ["transaction_spending_limit_exceeded", { cardOf: paying(holding(1000, { spending_limits: most(300) }), true) }],
    ["no_target_card", { cardOf: paying(holding(1000, { spending_limits: most(300) }), false) }],
    ["no_card_for_cost", { cardOf: () => null }],
    ["no_matching_reward_cost", { holds: () => false }],
    [
      "reward_purchase_limit_exceeded",
      { member: { status: "ACTIVE", uses }, reward: { ...reward, purchase_limits: often } },
    ],
    ["reward_purchase_cooldown", { reward: { ...reward, purchase_limits: { ...often, cooldown: pause.cooldown } } }],
    ["reward_out_of_stock", { stock: 0 }],
    ["reward_outside_validity_window", { reward: { ...reward, ...past } }],
    ["non_active_reward", { reward: { ...reward, ...past, status: "INACTIVE" } }],
    ["non_active_member", { member: { status: "INACTIVE", uses } }],
    ["program_outside_validity_window", { program: { status: "ACTIVE", ...past } }],
    ["non_active_program", { program: { status: "INACTIVE", ...past } }],
  ];
  let facts: PurchaseFacts = {
    program: { status: "ACTIVE", ...window },
    member: { status: "ACTIVE", uses: {} },
    reward,
    stock: 1,
    tierIn: () => null,
    holds: () => true,
    cardOf: paying(rich, true),
    now,
    zone: "UTC",
  };
  assert.equal(purchaseFault(facts), null);
  assert.equal(purchaseFault({ ...facts, stock: null }), null);
  for (const [fault, given] of failing) {
    facts = { ...facts, ...given };
    assert.equal(purchaseFault(facts), fault);
  }
});

test("the first cost that fits is the price, also for who cannot pay it", () => {
  const tier_rules = { type: "ANY_OF" as const, any_of: [{ tier_structure_id: "lts_1", tier_ids: ["gold"] }] };
  const costs = [
    { ...reward.costs[0]!, tier_rules },
    { ...reward.costs[0]!, id: "lrcst_2", spending: [{ ...reward.costs[0]!.spending[0]!, points: 10 }] },
  ];
  const of = (tier: string | null) =>
    purchaseFault({
      program: { status: "ACTIVE", ...window },
      member: { status: "ACTIVE", uses: {} },
      reward: { ...reward, costs },
      stock: null,
      tierIn: () => tier,
      holds: () => true,
      cardOf: () => holding(300),
      now: "2026-01-01T12:00:00.000Z",
      zone: "UTC",
    });
  assert.deepEqual([of("gold"), of(null)], ["insufficient_card_balance", null]);
});
