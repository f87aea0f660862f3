import assert from "node:assert/strict";
import { test } from "node:test";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import type { OrderItem } from "../../order/order.ts";
import { adjust } from "../card/manual.ts";
import { earn } from "../earning/earn.ts";
import type { Bases } from "../earning/earning.ts";
import { type Occurrence, startsCampaignRule } from "../earning/triggers.ts";
import { sampleCard, sampleTiers, sampleWorld } from "../program/sample.ts";
import { type CardRule, rulePoints, rulesStarted, takeBackEarned, worldOfRule } from "./earning.ts";
import type { Loyalty, Mapping } from "./shapes.ts";

const rule = (given: Partial<CardRule>): CardRule => ({
  campaign_id: "camp_1",
  active: true,
  event: "order.paid",
  segment_id: null,
  custom_event_schema_id: null,
  loyalty_tier_id: null,
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
  ...given,
});
const PAID: Occurrence = { event: "customer.order.paid" };
const upgraded = (tier_id: string, campaign_id = "camp_1"): Occurrence => ({
  event: "customer.loyalty.tier.upgraded",
  tier_id,
  campaign_id,
});

const STARTS: [Partial<CardRule>, Occurrence, boolean][] = [
  [{}, PAID, true],
  [{ event: "order.paid", custom_event_schema_id: "ms_1" }, PAID, false],
  [{ event: "visit", custom_event_schema_id: "ms_1" }, { event: "customer.custom_event", schema_id: "ms_1" }, true],
  [{ event: "visit", custom_event_schema_id: "ms_1" }, { event: "customer.custom_event", schema_id: "ms_2" }, false],
  [{ event: "visit", custom_event_schema_id: "ms_1" }, PAID, false],
  [
    { event: "customer.segment.entered", segment_id: "seg_1" },
    { event: "customer.segment.entered", segment_id: "seg_1" },
    true,
  ],
  [
    { event: "customer.segment.entered", segment_id: "seg_1" },
    { event: "customer.segment.entered", segment_id: "seg_2" },
    false,
  ],
  [{ event: "customer.loyalty.tier.upgraded", loyalty_tier_id: "ltr_1" }, upgraded("ltr_1", "camp_2"), true],
  [{ event: "customer.loyalty.tier.upgraded", loyalty_tier_id: "ltr_1" }, upgraded("ltr_2"), false],
  [{ event: "customer.loyalty.tier.upgraded", loyalty_tier_id: "__ANY__" }, upgraded("ltr_2"), true],
  [{ event: "customer.loyalty.tier.upgraded", loyalty_tier_id: "__ANY__" }, upgraded("ltr_2", "camp_2"), false],
  [{ event: "customer.loyalty.tier.joined", loyalty_tier_id: "__ANY__" }, upgraded("ltr_2"), false],
];
for (const [given, one, expected] of STARTS)
  test(`${JSON.stringify(one)} ${expected ? "starts" : "does not start"} a rule with ${JSON.stringify(given)}`, () => {
    assert.equal(startsCampaignRule(rule(given), one), expected);
  });

const WHEN = { now: "2026-01-10T12:00:00.000Z", zone: "UTC" };
const OPEN = { active: true, start_date: null, expiration_date: null };
const started = (rules: CardRule[], program = OPEN as Parameters<typeof rulesStarted>[1]["program"]) =>
  rulesStarted(rules, { program, occurrence: PAID, holds: () => true }, WHEN).length;

test("a rule gives while it is active and in its time, and dates that it does not have are those of its program", () => {
  const past = "2026-01-09T00:00:00Z";
  const future = "2026-01-11T00:00:00Z";
  assert.equal(started([rule({}), rule({ active: false }), rule({ start_date: future })]), 1);
  assert.equal(started([rule({ expiration_date: past }), rule({ start_date: past, expiration_date: future })]), 1);
  // 10 January 2026 is a Saturday.
  assert.equal(started([rule({ validity_day_of_week: [6] }), rule({ validity_day_of_week: [0] })]), 1);
  const noon = { daily: [{ start_time: "11:00", expiration_time: "12:30" }] };
  assert.equal(started([rule({ validity_hours: noon })]), 1);
  assert.equal(started([rule({})], { ...OPEN, active: false }), 0);
  assert.equal(started([rule({})], { ...OPEN, start_date: future }), 0);
  assert.equal(started([rule({ expiration_date: future })], { ...OPEN, expiration_date: past }), 0, "it is over");
});

test("a rule whose conditions do not hold gives nothing, and the others do", () => {
  const [one, other] = [rule({ segment_id: null }), rule({})];
  const found = rulesStarted(
    [one, other],
    { program: OPEN, occurrence: PAID, holds: (given) => given === other },
    WHEN,
  );
  assert.deepEqual(found, [other]);
});

const line = (product_id: string, given: Partial<OrderItem>): OrderItem => ({
  id: null,
  product: { id: product_id, source_id: null, name: null, price: null, metadata: {} },
  sku: null,
  collections: [],
  price: null,
  quantity: 1,
  amount: null,
  initial_quantity: 1,
  initial_amount: null,
  discount_amount: 0,
  discount_quantity: 0,
  applied_discount_amount: 0,
  applied_discount_quantity: 0,
  applied_quantity: 0,
  applied_quantity_amount: 0,
  metadata: {},
  ...given,
});
const BASES: Bases = {
  order: {
    amount: 2599,
    discount_amount: 600,
    items: [
      line("prod_a", { quantity: 3, discount_quantity: 1, amount: 1500, discount_amount: 100, collections: ["pc_1"] }),
      line("prod_b", { quantity: 2, amount: 1099 }),
    ],
    metadata: { stars: 7 },
  },
  customer: { level: 4, name: "Ann" },
  custom_event: { steps: 12_345 },
};
const per = (calculation_type: string, branch: object): Loyalty =>
  ({ type: "PROPORTIONAL", calculation_type, ...branch }) as Loyalty;
const ofA = { object: "product", id: "prod_a" };
const POINTS: [Loyalty, number][] = [
  [{ type: "FIXED", points: 20 }, 20],
  [per("ORDER_AMOUNT", { order: { amount: { every: 1000, points: 10 } } }), 20],
  [per("ORDER_TOTAL_AMOUNT", { order: { total_amount: { every: 1000, points: 10 } } }), 10],
  [per("ORDER_METADATA", { order: { metadata: { every: 2, points: 5, property: "stars" } } }), 15],
  [per("ORDER_METADATA", { order: { metadata: { every: 2, points: 5, property: "none" } } }), 0],
  [per("ORDER_ITEMS_QUANTITY", { order_items: { quantity: { every: 1, points: 5, ...ofA } } }), 10],
  [per("ORDER_ITEMS_AMOUNT", { order_items: { amount: { every: 100, points: 1, ...ofA } } }), 15],
  [per("ORDER_ITEMS_SUBTOTAL_AMOUNT", { order_items: { subtotal_amount: { every: 100, points: 1, ...ofA } } }), 14],
  [
    per("ORDER_ITEMS_AMOUNT", {
      order_items: {
        amount: { every: 100, points: 1, applicable_to: [ofA, { object: "products_collection", id: "pc_1" }] },
      },
    }),
    15,
  ],
  [per("CUSTOMER_METADATA", { customer: { metadata: { every: 1, points: 2, property: "level" } } }), 8],
  [per("CUSTOMER_METADATA", { customer: { metadata: { every: 1, points: 2, property: "name" } } }), 0],
  [per("CUSTOM_EVENT_METADATA", { custom_event: { metadata: { every: 1000, points: 3, property: "steps" } } }), 36],
];
const given = (mapping?: Mapping) => ({ bases: BASES, mapping, formula: () => null });
for (const [loyalty, expected] of POINTS)
  test(`${JSON.stringify(loyalty).slice(0, 140)} gives ${expected}`, () => {
    assert.equal(rulePoints(loyalty, given()), expected);
  });

test("a tier multiplies points or replaces them, and of a proportion those of each unit", () => {
  const fixed = (points: number): Loyalty => ({ type: "FIXED", points });
  const times = (multiplier: number): Mapping => ({ type: "MULTIPLY", multiplier });
  const ratio = per("ORDER_AMOUNT", { order: { amount: { every: 2599, points: 100 } } });
  assert.equal(rulePoints(fixed(100), given(times(3))), 300);
  assert.equal(rulePoints(fixed(5), given(times(5))), 25);
  assert.equal(rulePoints(fixed(20), given({ type: "CUSTOM", points: 200 })), 200);
  assert.equal(rulePoints(ratio, given(times(3))), 300);
  assert.equal(
    rulePoints(per("ORDER_AMOUNT", { order: { amount: { every: 1000, points: 10 } } }), given(times(1.5))),
    30,
  );
  assert.equal(rulePoints(fixed(5), given(times(1.5))), 7, "what is left over is dropped");
  const bases = { ...BASES, order: { ...BASES.order!, amount: 10_000, items: [] } };
  const each = per("ORDER_AMOUNT", { order: { amount: { every: 100, points: 1 } } });
  assert.equal(rulePoints(each, { ...given(times(1.5)), bases }), 150, "100 times 1.5, rounded down once");
  assert.equal(rulePoints(each, { ...given(times(0.333)), bases }), 33);
});

test("a formula says the points, whole and not below zero, and what it cannot work out is the fixed number", () => {
  const loyalty: Loyalty = { type: "FIXED", points: 20, points_formula: "f" };
  const value = (text: string | null) => ({ ...given(), formula: () => text && new Decimal(text) }) as never;
  assert.equal(rulePoints(loyalty, value("12.9")), 12);
  assert.equal(rulePoints(loyalty, value("-3")), 0);
  assert.equal(rulePoints(loyalty, value(null)), 20);
  assert.equal(rulePoints(loyalty, value("1e400")), Number.MAX_SAFE_INTEGER);
});

test("for any rule, order and tier: whole points, from none to as many as can be counted", () => {
  const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const mapping = fc.oneof(
    fc.constant(undefined),
    fc.record({ type: fc.constant("MULTIPLY" as const), multiplier: fc.double({ min: 0, max: 1e6, noNaN: true }) }),
    fc.record({ type: fc.constant("CUSTOM" as const), points: whole }),
  );
  fc.assert(
    fc.property(whole, fc.integer({ min: 1, max: 1e9 }), whole, mapping, (amount, every, points, mapped) => {
      const bases = { ...BASES, order: { ...BASES.order!, amount, items: [] } };
      const found = rulePoints(per("ORDER_AMOUNT", { order: { amount: { every, points } } }), {
        ...given(mapped),
        bases,
      });
      assert.ok(Number.isSafeInteger(found) && found >= 0);
      if (amount < every) assert.equal(found, 0);
    }),
  );
});

// Taking back.

const MONTH = { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "MONTH" } } } as const;

test("points of a rule that waits become available on their day, and others at once", () => {
  const world = sampleWorld({ wallet: { points_expiration: MONTH } });
  const told = { reason: null, orderTotal: null, order_id: "ord_1" };
  const waiting = earn(sampleCard(world), worldOfRule(world, { period_type: "DAY", period_value: 3 }), {
    ...told,
    points: 15,
  });
  assert.deepEqual([waiting.points, waiting.pending_points], [0, 15]);
  assert.equal(waiting.change.card.lots[0]!.activates_at, "2026-01-04T00:00:00.000Z");
  const world2 = sampleWorld({
    wallet: { pending_points: { type: "PERIOD_BASED", period_based: { period: { value: 9, unit: "DAY" } } } },
  });
  assert.equal(earn(sampleCard(world2), worldOfRule(world2, null), { ...told, points: 15 }).points, 15);
});

const MOVES = fc.array(
  fc.record({
    order: fc.constantFrom("ord_1", "ord_2"),
    points: fc.integer({ min: 1, max: 500 }),
    waits: fc.boolean(),
  }),
  { maxLength: 8 },
);
test("for any earnings: an order takes back what it earned, to zero at most, and says what was forgiven", () => {
  fc.assert(
    fc.property(MOVES, fc.nat(2000), fc.boolean(), (moves, spent, mayOwe) => {
      const tiers = sampleTiers({
        type: "POINT_EARNED",
        point_earned: { type: "IMMEDIATE", period: { type: "ROLLING", value: 1, unit: "MONTH" } } as never,
      });
      const world = sampleWorld({ tiers });
      let card = sampleCard(world);
      if (mayOwe)
        card = { ...card, account: { ...card.account, sums: { ...card.account.sums, allows_negative: true } } };
      const lots = new Map();
      for (const { order, points, waits } of moves) {
        const own = worldOfRule(world, waits ? { period_type: "DAY", period_value: 3 } : null);
        const { change } = earn(card, own, { points, reason: null, orderTotal: null, order_id: order });
        card = change.card;
        for (const lot of change.lots) lots.set(lot.id, lot);
      }
      const taken = Math.min(spent, card.account.sums.available);
      if (taken > 0) card = adjust(card, world, { points: -taken, reason: null }).card;
      const before = card.account.sums;
      const mine = [...lots.values()].filter((lot) => lot.order_id === "ord_1");
      const change = takeBackEarned(card, world, {
        order_id: "ord_1",
        lots: mine,
        expiredOf: () => 0,
        reason: "Order canceled",
      });
      const after = change.card.account.sums;
      const sum = (waits: boolean) =>
        moves.reduce((all, one) => all + (one.order === "ord_1" && one.waits === waits ? one.points : 0), 0);
      const earned = sum(false);
      const lost = mayOwe ? earned : Math.min(earned, before.available);
      assert.equal(after.available, before.available - lost);
      assert.equal(after.pending, before.pending - sum(true));
      const entry = change.entries.find(({ kind }) => kind === "taken_back");
      if (earned > 0) assert.deepEqual(entry?.details.forgiven, { points: earned - lost });
      else assert.equal(entry, undefined);
      assert.equal(after.available, after.received - after.subtracted - after.expired - after.spent);
    }),
  );
});
