import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Lot } from "../../ledger/account.ts";
import { earn, heed } from "../earning/earn.ts";
import { openCard } from "../program/lifecycle.ts";
import { sampleCard, sampleTiers, sampleWorld } from "../program/sample.ts";
import type { WatchedStructure } from "../tiers/tiers.ts";
import { advance, dueAt } from "./advance.ts";
import { andThen, balanceOf, bucketsOf, type CardState, type Change, lifetimeOf, noChange } from "./card.ts";
import { adjust, expireBucket, settlePending } from "./manual.ts";
import type { World } from "./moves.ts";
import { cancelOrder, returnPoints, spendPoints } from "./spend.ts";
import type { PendingPoints, PointsExpiration, Wallet } from "./wallet.ts";

const ZONES = [
  "UTC",
  "Europe/Warsaw",
  "America/Sao_Paulo",
  "Asia/Tehran",
  "Pacific/Apia",
  "America/St_Johns",
  "Australia/Lord_Howe",
];
const HOUR = 3_600_000;

const flags = { earning_activity: true, spending_activity: true, custom_activity: true };
const period = fc.record({ value: fc.integer({ min: 1, max: 40 }), unit: fc.constant("DAY" as const) });
const months = fc.record({ value: fc.integer({ min: 1, max: 3 }), unit: fc.constant("MONTH" as const) });
const dates = fc.uniqueArray(
  fc.record({ day: fc.integer({ min: 1, max: 28 }), month: fc.integer({ min: 1, max: 12 }) }),
  { minLength: 1, maxLength: 8 },
);
const expirations: fc.Arbitrary<PointsExpiration> = fc.oneof(
  fc.constant({ type: "NO_EXPIRATION" as const }),
  fc.oneof(period, months).map((one) => ({ type: "ROLLING_EXPIRATION" as const, rolling_expiration: { period: one } })),
  dates.map((expiration_dates) => ({
    type: "CALENDAR_EXPIRATION" as const,
    calendar_expiration: { expiration_dates },
  })),
  period.map((one) => ({
    type: "SLIDING_EXPIRATION" as const,
    sliding_expiration: { ...flags, custom_activity_types: ["ms_1"], period: one },
  })),
);
const pendings: fc.Arbitrary<PendingPoints> = fc.oneof(
  fc.constant({ type: "IMMEDIATE" as const }),
  period.map((one) => ({ type: "PERIOD_BASED" as const, period_based: { period: one } })),
  dates.map((all) => ({ type: "FIXED_DATES" as const, fixed_dates: { dates: all } })),
  period.map((cancel_period) => ({
    type: "EVENT_BASED" as const,
    event_based: { event_types: ["ms_1"], cancel_period },
  })),
);
const wallets: fc.Arbitrary<Partial<Wallet>> = fc
  .record({ points_expiration: expirations, pending_points: pendings, allow_negative: fc.boolean() })
  .map(({ allow_negative, points_expiration, pending_points }) => ({
    pending_points,
    points_expiration: allow_negative ? { type: "NO_EXPIRATION" as const } : points_expiration,
    balance_settings: { allow_negative },
    refunds: {
      spent_points: {
        type: "REFUNDABLE" as const,
        methods: [{ type: "RETURN_POINTS" as const, mode: "REFUND_ALL" as const }],
      },
      earned_points: {
        type: "REFUNDABLE" as const,
        methods: [
          {
            type: "REVOKE_FROM_BALANCE" as const,
            mode: allow_negative ? ("REVOKE_BELOW_ZERO" as const) : ("REVOKE_TO_ZERO" as const),
          },
        ],
      },
    },
  }));
const structures: fc.Arbitrary<Partial<WatchedStructure> | null> = fc.option(
  fc
    .record({
      kept: expirations,
      type: fc.constantFrom("POINT_BALANCE" as const, "POINT_EARNED" as const),
      tracked: fc.record({
        value: fc.integer({ min: 1, max: 40 }),
        unit: fc.constantFrom("HOUR" as const, "DAY" as const, "WEEK" as const, "MONTH" as const),
      }),
      when: fc.constantFrom("IMMEDIATELY" as const, "NEXT_TRACKING_PERIOD" as const),
      down: fc.constantFrom("MULTI_LEVEL" as const, "SINGLE_LEVEL" as const, "NO_DOWNGRADE" as const),
      grace: fc.option(
        fc.record({
          value: fc.integer({ min: 1, max: 20 }),
          unit: fc.constant("DAY" as const),
          round_up: fc.boolean(),
        }),
      ),
    })
    .map(
      ({ kept, type, tracked, when, down, grace }): Partial<WatchedStructure> => ({
        type,
        point_earned: type === "POINT_EARNED" ? { period: tracked, type: when } : null,
        expiration: kept.calendar_expiration
          ? { type: kept.type, calendar_expiration: { calendar_dates: kept.calendar_expiration.expiration_dates } }
          : (kept as WatchedStructure["expiration"]),
        downgrade: { type: down, grace_period: grace },
      }),
    ),
);

const STEPS = [
  "earn",
  "order",
  "add",
  "remove",
  "spend",
  "return",
  "event",
  "activate",
  "cancel",
  "expire",
  "order cancelled",
  "nothing",
] as const;
type Step = { kind: (typeof STEPS)[number]; points: number; hours: number; own: PointsExpiration | null };
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...STEPS),
    points: fc.integer({ min: 1, max: 150 }),
    hours: fc.integer({ min: 0, max: 24 * 45 }),
    own: fc.option(expirations, { freq: 4 }),
  }),
  { maxLength: 25 },
);
const histories = fc.record({
  zone: fc.constantFrom(...ZONES),
  start: fc.date({ min: new Date("2010-06-01"), max: new Date("2028-01-01"), noInvalidDate: true }),
  wallet: wallets,
  structure: structures,
  history: steps,
});

/** What a step does to a card. `before` is everything that happened. */
function done(card: CardState, world: World, { kind, points, own }: Step, before: Change): Change {
  const { sums } = card.account;
  const told = { reason: null };
  const effect = world.wallet.balance_settings.allow_negative ? null : own;
  const pending = bucketsOf(card.lots, "pending").at(-1);
  const expiring = bucketsOf(card.lots, "available")[0];
  switch (kind) {
    case "earn":
      return earn(card, world, { points, effect, orderTotal: null, ...told }).change;
    case "order":
      return earn(card, world, { points, orderTotal: 100, order_id: `ord_${points % 3}`, ...told }).change;
    case "add":
      return adjust(card, world, { points, reason: null });
    case "remove":
      return adjust(card, world, { points: -points, reason: null });
    case "spend":
      return spendPoints(card, world, {
        kind: "reward_spend",
        points: Math.max(0, Math.min(points, sums.available)),
        ...told,
      });
    case "return":
      return returnPoints(card, world, { points: Math.min(points, sums.spent), ...told });
    case "event":
      return heed(card, world, "ms_1");
    case "activate":
    case "cancel":
      return (pending && settlePending(card, world, { bucketId: pending.id, how: kind }).change) ?? noChange(card);
    case "expire":
      return (expiring && expireBucket(card, world, { bucketId: expiring.id, reason: null }).change) ?? noChange(card);
    case "order cancelled": {
      const order_id = `ord_${points % 3}`;
      return cancelOrder(card, world, {
        order_id,
        lots: before.lots.filter((lot) => lot.order_id === order_id),
        paid: 0,
      });
    }
    case "nothing":
      return noChange(card);
  }
}

type History = {
  zone: string;
  start: Date;
  wallet: Partial<Wallet>;
  structure: Partial<WatchedStructure> | null;
  history: readonly Step[];
};

/** Lives through a history. Between the steps time passes at once, or by so many hours. */
function lived(
  { zone, start, wallet, structure, history }: History,
  byHours: number | null,
  look?: (change: Change, world: World) => void,
): Change {
  let now = start.getTime();
  const world = sampleWorld({ zone, wallet, tiers: structure && sampleTiers(structure), now: start.toISOString() });
  const at = (ms: number): World => ({ ...world, now: new Date(ms).toISOString() });
  let change = openCard({ id: "lcrd_1", program_id: "p", member_id: "m", card_definition_id: "d" }, world);
  const pass = (until: number) => {
    for (let ms = now; byHours !== null && ms < until; ms += byHours * HOUR)
      change = andThen(change, (card) => advance(card, at(ms)));
    now = until;
    change = andThen(change, (card) => advance(card, at(now)));
  };
  for (const step of history) {
    pass(now + step.hours * HOUR);
    change = andThen(change, (card) => done(card, at(now), step, change));
    look?.(change, at(now));
  }
  pass(now + 400 * 24 * HOUR);
  look?.(change, at(now));
  return change;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** What holds of every card at every moment. */
function assertSound({ card, entries, lots }: Change): void {
  const { sums } = card.account;
  for (const pot of ["available", "pending"] as const) {
    const own = card.lots.filter((lot) => lot.pot === pot);
    assert.equal(sums[pot], sum(entries.filter((entry) => entry.pot === pot).map(({ amount }) => amount)));
    if (sums[pot] > 0) assert.equal(sums[pot], sum(own.map(({ remaining }) => remaining)));
    else assert.deepEqual(own, []);
    assert.ok(sums.allows_negative || sums[pot] >= 0);
  }
  const life = lifetimeOf(sums);
  assert.deepEqual(balanceOf(life), { points: sums.available, pending_points: sums.pending });
  assert.equal(life.points.total, life.points.earned + life.points.added + life.points.purchased);
  // A bucket is of one day and type, and each day and type has one bucket.
  const bucketed = card.lots.filter(({ bucket_id }) => bucket_id !== null);
  const keys = bucketed.map((lot) => `${lot.pot} ${lot.bucket_date} ${lot.bucket_type}`);
  const pairs = new Set(bucketed.map(({ bucket_id }, n) => `${bucket_id} ${keys[n]}`));
  assert.deepEqual(
    [new Set(keys).size, new Set(bucketed.map(({ bucket_id }) => bucket_id)).size],
    [pairs.size, pairs.size],
  );
  // What is saved is what the card holds.
  const saved = lots.filter(({ remaining }) => remaining > 0).toSorted(byId);
  assert.deepEqual(saved, card.lots.toSorted(byId));
  for (const lot of lots) assert.ok(lot.remaining >= 0 && lot.remaining <= lot.amount);
  assert.deepEqual(
    entries.map(({ id }) => id),
    [...new Set(entries.map(({ id }) => id))],
  );
}
const byId = (a: Lot, b: Lot): number => (a.id < b.id ? -1 : 1);

test("for any history: pots, lots, entries and counters agree, and time leaves nothing undone", () => {
  fc.assert(
    fc.property(histories, (history) => {
      lived(history, null, (change, world) => {
        assertSound(change);
        const again = advance(change.card, world);
        assert.deepEqual([again.card, again.entries, again.tiers], [change.card, [], []]);
        const due = dueAt(change.card, world);
        assert.ok(due === null || Date.parse(due) > Date.parse(world.now));
      });
    }),
    { numRuns: 300 },
  );
});

test("for any history: one leap is the same as many steps", () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 5, max: 70 }), (history, hours) => {
      const [leap, walk] = [lived(history, null), lived(history, hours)];
      assert.deepEqual(walk, leap);
    }),
    { numRuns: 100 },
  );
});

test("for any history: nothing expires twice, and nothing of a later moment comes first", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { entries } = lived(history, null);
      const over = entries
        .filter(({ kind }) => kind === "expiration" || kind === "cancellation")
        .flatMap(({ lots }) => lots.map(([id]) => id));
      assert.equal(new Set(over).size, over.length);
      const times = entries.map(({ created_at }) => Date.parse(created_at));
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    }),
    { numRuns: 100 },
  );
});

test("for any history: the tier is what its transactions say", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { card, tiers } = lived(history, null);
      let tier: string | null = null;
      const waiting = new Map<string, string | null>();
      for (const effect of tiers) {
        if (effect.kind === "settled") {
          assert.ok(waiting.has(effect.id));
          if (effect.status === "APPROVED") tier = waiting.get(effect.id)!;
          waiting.delete(effect.id);
          continue;
        }
        const { id, type, status, tier_id, details } = effect.transaction;
        if (status === "PENDING") waiting.set(id, tier_id);
        else {
          if (type === "JOINED") assert.equal(tier, null);
          if (type === "UPGRADED" || type === "DOWNGRADED" || type === "LEFT") assert.equal(details.tier_from, tier);
          if (type === "PROLONGED") assert.equal(tier_id, tier);
          tier = tier_id;
        }
      }
      assert.equal(card.tier?.tier_id ?? null, tier);
      assert.deepEqual([...waiting.keys()], card.tier?.deferred ? [card.tier.deferred.transaction_id] : []);
    }),
    { numRuns: 200 },
  );
});

test("at one midnight points become available before others expire, and the old tracking period counts them", () => {
  const tiers = sampleTiers({
    type: "POINT_EARNED",
    point_earned: { period: { value: 1, unit: "MONTH" }, type: "NEXT_TRACKING_PERIOD" },
  });
  const pending_points: PendingPoints = { type: "FIXED_DATES", fixed_dates: { dates: [{ day: 1, month: 2 }] } };
  const world = sampleWorld({ tiers, wallet: { pending_points }, now: "2026-01-10T00:00:00.000Z" });
  const { card } = earn(sampleCard(world), world, { points: 250, reason: null, orderTotal: null }).change;
  assert.deepEqual([card.tier?.tier_id, card.tier?.deferred?.tier_id], [null, "bronze"]);
  const { card: after, tiers: moves, entries } = advance(card, { ...world, now: "2026-02-01T00:00:00.000Z" });
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ["activation_out", "activation_in"],
  );
  assert.deepEqual(
    moves.map((one) => (one.kind === "made" ? one.transaction.status : one.status)),
    ["REJECTED", "PENDING", "APPROVED"],
  );
  assert.deepEqual([after.tier?.tier_id, after.tier?.tracking], ["gold", null]);
  // Earned for one period, it is kept for it, and lost when nothing was earned in it.
  assert.equal(advance(after, { ...world, now: "2026-02-28T23:59:59.999Z" }).card.tier?.tier_id, "gold");
  assert.equal(advance(after, { ...world, now: "2026-03-01T00:00:00.000Z" }).card.tier?.tier_id, "bronze");
});

test("a tier that nothing watches waits, points do not", () => {
  const tiers = sampleTiers({
    expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 5, unit: "DAY" } } },
  });
  const points_expiration: PointsExpiration = {
    type: "ROLLING_EXPIRATION",
    rolling_expiration: { period: { value: 10, unit: "DAY" } },
  };
  const world = sampleWorld({ tiers, wallet: { points_expiration } });
  const { card } = earn(sampleCard(world), world, { points: 250, reason: null, orderTotal: null }).change;
  const still = { ...world, tiers: null };
  assert.deepEqual([dueAt(card, world), dueAt(card, still)], ["2026-01-07T00:00:00.000Z", "2026-01-12T00:00:00.000Z"]);
  const { card: after, tiers: moves } = advance(card, { ...still, now: "2026-02-01T00:00:00.000Z" });
  assert.deepEqual([after.account.sums.available, after.tier, moves], [0, card.tier, []]);
  assert.equal(advance(after, { ...world, now: "2026-02-01T00:00:00.000Z" }).card.tier?.tier_id, "bronze");
});
