import assert from "node:assert/strict";
import { test } from "node:test";
import { earn, heed } from "../earning/earn.ts";
import { closeCard, openCard } from "../program/lifecycle.ts";
import { sampleCard, sampleTiers, sampleWorld } from "../program/sample.ts";
import { tierProgress } from "../tiers/progress.ts";
import { advance, dueAt } from "./advance.ts";
import { balanceOf, bucketsOf, type CardState, type Lifetime, lifetimeOf, nextOf } from "./card.ts";
import { adjust, expireBucket, settlePending } from "./manual.ts";
import type { World } from "./moves.ts";
import type { PendingPoints, PointsExpiration } from "./wallet.ts";

const lifetime = (
  points: Partial<Lifetime["points"]>,
  pending: Partial<Lifetime["pending_points"]> = {},
): Lifetime => ({
  points: {
    ...{ total: 0, earned: 0, added: 0, purchased: 0, purchased_reversed: 0, subtracted: 0 },
    ...{ expired: 0, spent: 0, refunded: 0, returned: 0, locked: 0, unlocked: 0, ...points },
  },
  pending_points: { total: 0, activated: 0, canceled: 0, ...pending },
});

test("the counters of a card say what it holds", () => {
  const one = lifetime({
    total: 740,
    earned: 40,
    added: 700,
    subtracted: 30,
    expired: 300,
    spent: 250,
    locked: 250,
    unlocked: 250,
  });
  assert.equal(balanceOf(one).points, 160);
  assert.deepEqual(balanceOf(lifetime({ total: 50, added: 50 }, { total: 50 })), { points: 50, pending_points: 50 });
  const annual = lifetime(
    { total: 1250, earned: 250, added: 1000, subtracted: 1000, spent: 150, locked: 10, unlocked: 10 },
    { total: 300, activated: 250 },
  );
  assert.deepEqual(balanceOf(annual), { points: 100, pending_points: 50 });
});

const rolling = (value: number, unit: "DAY" | "MONTH" = "DAY"): PointsExpiration => ({
  type: "ROLLING_EXPIRATION",
  rolling_expiration: { period: { value, unit } },
});
const told = { reason: null, orderTotal: null };
const left = ({ lots }: CardState) =>
  Object.fromEntries(bucketsOf(lots, "available").map(({ date, points }) => [date, points]));
const at = (world: World, now: string): World => ({ ...world, now });

test("points that expire first are spent first, those that never do last", () => {
  const world = sampleWorld({ now: "2026-06-01T12:00:00.000Z" });
  const until = (day: number, month: number): PointsExpiration => ({
    type: "CALENDAR_EXPIRATION",
    calendar_expiration: { expiration_dates: [{ day, month }] },
  });
  let card = sampleCard(world);
  for (const [points, effect] of [
    [100, null],
    [40, until(30, 9)],
    [30, until(31, 8)],
  ] as const)
    card = earn(card, world, { points, effect, ...told }).change.card;
  const { change } = { change: adjust(card, world, { points: -60, reason: null }) };
  assert.deepEqual(left(change.card), { "2026-09-30": 10 });
  assert.equal(change.card.account.sums.available, 110);
  assert.deepEqual(
    change.lots.map(({ bucket_date, remaining }) => [bucket_date, remaining]),
    [
      ["2026-08-31", 0],
      ["2026-09-30", 10],
    ],
  );
});

test("points of one day and type are one bucket, and expire in one transaction", () => {
  const world = sampleWorld({ now: "2026-06-08T12:00:00.000Z", wallet: { points_expiration: rolling(1) } });
  let card = sampleCard(world);
  card = earn(card, world, { points: 30, ...told }).change.card;
  card = earn(card, world, { points: 20, ...told }).change.card;
  const [bucket, ...more] = bucketsOf(card.lots, "available");
  assert.deepEqual([bucket?.date, bucket?.points, more], ["2026-06-09", 50, []]);
  assert.deepEqual(nextOf(card.lots, "available"), { points: 50, date: "2026-06-09", type: "ROLLING_EXPIRATION" });
  assert.equal(dueAt(card, world), "2026-06-10T00:00:00.000Z");
  assert.deepEqual(advance(card, at(world, "2026-06-09T23:59:59.999Z")).entries, []);
  const { card: after, entries } = advance(card, at(world, "2026-06-10T00:02:00.000Z"));
  assert.deepEqual(
    entries.map(({ kind, amount, reason, details, created_at }) => ({ kind, amount, reason, details, created_at })),
    [
      {
        kind: "expiration",
        amount: -50,
        reason: "Points expired automatically",
        details: {
          rejection: null,
          metadata: {},
          points: { total: 50 },
          date: "2026-06-09",
          buckets: [
            {
              id: bucket!.id,
              points: { total: 50 },
              expiration_date: "2026-06-09",
              expiration_type: "ROLLING_EXPIRATION",
            },
          ],
        },
        created_at: "2026-06-10T00:00:00.000Z",
      },
    ],
  );
  assert.deepEqual([after.account.sums.available, after.account.sums.expired, after.lots], [0, 50, []]);
  assert.equal(dueAt(after, world), null);
});

test("points are credited and taken by hand, and zero is nothing", () => {
  const world = sampleWorld({ wallet: { points_expiration: rolling(1, "MONTH"), pending_points: PERIOD } });
  const card = sampleCard(world);
  const added = adjust(card, world, { points: 100, reason: null });
  assert.deepEqual([added.entries[0]?.kind, added.entries[0]?.amount], ["addition", 100]);
  assert.deepEqual(added.entries[0]?.details.points, { total: 100, expiration_date: "2026-02-01" });
  const taken = adjust(added.card, world, { points: -100, reason: "Mistake" });
  assert.deepEqual(
    [taken.entries[0]?.kind, taken.entries[0]?.amount, taken.entries[0]?.reason],
    ["removal", -100, "Mistake"],
  );
  assert.deepEqual(taken.entries[0]?.details.points, { total: -100 });
  assert.deepEqual(adjust(card, world, { points: 0, reason: null }).entries, []);
  const refused = adjust(added.card, world, { points: -101, reason: null });
  assert.deepEqual([refused.entries[0]?.amount, refused.card], [0, added.card]);
  assert.deepEqual(refused.entries[0]?.details.rejection, { reason: "NOT_ENOUGH_BALANCE", details: null });
  const most = adjust(added.card, world, { points: Number.MAX_SAFE_INTEGER, reason: null });
  assert.deepEqual([most.entries[0]?.amount, most.card.account.sums.available], [0, 100]);
});

test("a card that may owe points is filled up by later ones", () => {
  const world = sampleWorld({ wallet: { balance_settings: { allow_negative: true } } });
  const owing = adjust(sampleCard(world), world, { points: -70, reason: null }).card;
  assert.equal(owing.account.sums.available, -70);
  const part = earn(owing, world, { points: 50, ...told }).change;
  assert.deepEqual(
    [part.card.account.sums.available, part.card.lots, part.lots.map((lot) => lot.remaining)],
    [-20, [], [0]],
  );
  const whole = earn(part.card, world, { points: 50, ...told }).change.card;
  assert.deepEqual([whole.account.sums.available, whole.lots.map(({ remaining }) => remaining)], [30, [30]]);
});

const PERIOD: PendingPoints = { type: "PERIOD_BASED", period_based: { period: { value: 10, unit: "DAY" } } };
const EVENT: PendingPoints = {
  type: "EVENT_BASED",
  event_based: { event_types: ["ms_1"], cancel_period: { value: 1, unit: "MONTH" } },
};

test("points wait, become available at the beginning of their day, and expire counted from then", () => {
  const world = sampleWorld({
    now: "2026-06-11T18:00:00.000Z",
    wallet: { pending_points: PERIOD, points_expiration: rolling(1) },
  });
  const { change, points, pending_points } = earn(sampleCard(world), world, {
    points: 30,
    effect: rolling(3),
    ...told,
  });
  assert.deepEqual([points, pending_points, change.entries[0]?.kind], [0, 30, "pending_addition"]);
  const more = earn(change.card, world, { points: 20, ...told }).change.card;
  assert.deepEqual(nextOf(more.lots, "pending"), { points: 50, date: "2026-06-21", type: "PERIOD_BASED" });
  const { card, entries } = advance(more, at(world, "2026-06-21T00:00:00.000Z"));
  assert.deepEqual(
    entries.map(({ pot, kind, amount }) => [pot, kind, amount]),
    [
      ["pending", "activation_out", -50],
      ["available", "activation_in", 50],
    ],
  );
  // One remembers the settings of its effect.
  assert.deepEqual(left(card), { "2026-06-22": 20, "2026-06-24": 30 });
  const { points: p, pending_points: pending } = lifetimeOf(card.account.sums);
  assert.deepEqual([p.total, p.earned, pending], [50, 50, { total: 50, activated: 50, canceled: 0 }]);
});

test("an event makes everything available that waits for it; what nothing came for is cancelled after its day", () => {
  const world = sampleWorld({ now: "2026-06-01T12:00:00.000Z", wallet: { pending_points: EVENT } });
  const first = earn(sampleCard(world), world, { points: 10, ...told }).change.card;
  const card = earn(first, at(world, "2026-06-02T12:00:00.000Z"), { points: 5, ...told }).change.card;
  const deadline = at(world, "2026-07-01T23:59:59.000Z");
  assert.deepEqual(advance(card, deadline).entries, []);
  const { card: after, entries } = heed(card, deadline, "ms_1");
  assert.deepEqual(
    entries.map(({ kind, amount }) => [kind, amount]),
    [
      ["activation_out", -10],
      ["activation_in", 10],
      ["activation_out", -5],
      ["activation_in", 5],
    ],
  );
  assert.deepEqual([after.account.sums.available, after.account.sums.pending], [15, 0]);
  assert.deepEqual(heed(card, deadline, "ms_2").entries, []);
  const late = advance(card, at(world, "2026-07-02T00:00:00.000Z"));
  assert.deepEqual(
    late.entries.map(({ kind, amount }) => [kind, amount]),
    [["cancellation", -10]],
  );
  assert.deepEqual([late.card.account.sums.pending, late.card.account.sums.pending_canceled], [5, 10]);
});

test("buckets are settled by hand, each once", () => {
  const world = sampleWorld({
    now: "2026-06-11T12:00:00.000Z",
    wallet: { pending_points: PERIOD, points_expiration: rolling(5) },
  });
  const card = earn(sampleCard(world), world, { points: 30, ...told }).change.card;
  const [bucket] = bucketsOf(card.lots, "pending");
  const bucketId = bucket!.id;
  const cancelled = settlePending(card, world, { bucketId, how: "cancel" });
  assert.deepEqual(
    cancelled.change?.entries.map(({ kind, reason }) => [kind, reason]),
    [["cancellation", "Manual points cancellation"]],
  );
  assert.equal(
    settlePending(cancelled.change!.card, world, { bucketId, how: "activate" }).fault,
    "invalid_pending_points_bucket_status",
  );
  const { change } = settlePending(card, world, { bucketId, how: "activate" });
  assert.deepEqual(change?.entries.map(({ kind, reason }) => [kind, reason])[1], [
    "activation_in",
    "Manual points activation",
  ]);
  assert.deepEqual(left(change!.card), { "2026-06-16": 30 });
  const expiring = bucketsOf(change!.card.lots, "available")[0]!;
  const over = expireBucket(change!.card, world, { bucketId: expiring.id, reason: null }).change!;
  assert.deepEqual(over.entries[0]?.details.bucket, {
    id: expiring.id,
    points: { total: 30 },
    expiration_date: "2026-06-16",
    expiration_type: "ROLLING_EXPIRATION",
  });
  assert.deepEqual([over.entries[0]?.kind, over.card.account.sums.expired], ["manual_expiration", 30]);
  assert.equal(
    expireBucket(over.card, world, { bucketId: expiring.id, reason: null }).fault,
    "invalid_points_bucket_status",
  );
  const plain = sampleWorld();
  assert.equal(settlePending(card, plain, { bucketId, how: "cancel" }).fault, "pending_points_not_enabled");
  assert.equal(expireBucket(card, plain, { bucketId, reason: null }).fault, "points_expiration_not_enabled");
  assert.equal(
    settlePending(card, at(world, "2026-06-21T00:00:00.000Z"), { bucketId, how: "cancel" }).fault,
    "invalid_pending_points_bucket_date",
  );
});

test("limits refuse or cut what is earned, and a period is counted", () => {
  const global = {
    type: "LIMITED" as const,
    limits: [
      {
        type: "TIME_BASED" as const,
        period: { type: "CURRENT_PERIOD" as const, current_period: { unit: "DAY" as const } },
        points: { max: 100 },
      },
    ],
  };
  const transactions = { type: "LIMITED" as const, limits: [{ type: "POINTS" as const, max: 80 }] };
  const world = sampleWorld({ wallet: { earning_limits: { global, transactions } } });
  const { change, points } = earn(sampleCard(world), world, { points: 80, ...told });
  assert.equal(points, 80);
  const over = earn(change.card, world, { points: 81, ...told });
  assert.equal(over.rejection?.reason, "TRANSACTION_EARNING_LIMIT_EXCEEDED");
  assert.deepEqual([over.change.entries[0]?.amount, over.change.entries[0]?.details.points], [0, { total: 81 }]);
  const cut = earn(change.card, world, { points: 50, ...told });
  assert.equal(cut.points, 20);
  assert.deepEqual(earn(cut.change.card, world, { points: 50, ...told }).change.entries, []);
  assert.equal(earn(cut.change.card, at(world, "2026-01-02T00:00:00.000Z"), { points: 50, ...told }).points, 50);
});

test("a card follows its tiers from the first to the last day, and tells where it stands", () => {
  const tiers = sampleTiers({
    expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 30, unit: "DAY" } } },
    downgrade: { type: "MULTI_LEVEL", grace_period: { value: 1, unit: "MONTH" } },
  });
  const world = sampleWorld({ tiers, wallet: { points_expiration: rolling(10) } });
  const opened = openCard({ id: "lcrd_1", program_id: "p", member_id: "m", card_definition_id: "d" }, world);
  assert.deepEqual(
    opened.tiers.map((one) => one.kind === "made" && one.transaction.type),
    ["JOINED"],
  );
  const { change } = earn(opened.card, world, { points: 250, ...told });
  const [upgrade] = change.tiers;
  assert.ok(upgrade?.kind === "made");
  assert.deepEqual(upgrade.transaction.details.origin, {
    type: "card_operations",
    card_transaction_ids: [change.entries[0]!.id],
  });
  assert.deepEqual(tierProgress(change.card, world), {
    current: {
      tier: { id: "gold", name: "gold" },
      start_at: "2026-01-01T12:00:00.000Z",
      expires_at: "2026-02-01T00:00:00.000Z",
      points: { current: 250, min: 200, max: 299 },
    },
    tier_structure: { id: "lts_1", object: "tier_structure" },
    deferred: [],
    risks: [],
    opportunities: [{ valid_until: null, tier: { id: "platinum", name: "platinum" }, points: 50 }],
    object: "member_tier_progress",
  });
  const expired = advance(change.card, at(world, "2026-01-20T00:00:00.000Z")).card;
  assert.deepEqual(tierProgress(expired, world)?.risks, [
    { type: "TIER_DOWNGRADE", date: "2026-03-01T00:00:00.000Z", tier: { id: "bronze", name: "bronze" } },
  ]);
  const after = advance(expired, at(world, "2026-03-01T00:00:00.000Z"));
  assert.deepEqual(
    after.tiers.map((one) => one.kind === "made" && one.transaction.type),
    ["DOWNGRADED"],
  );
  assert.equal(after.card.tier?.tier_id, "bronze");
  assert.deepEqual(
    closeCard(after.card, world).tiers.map((one) => one.kind === "made" && one.transaction.type),
    ["LEFT"],
  );
  assert.equal(tierProgress(after.card, { ...world, tiers: null }), null);
});
