import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { OrderItem } from "../../order/order.ts";
import { ANY_TIME } from "../card/window.ts";
import { used } from "../program/uses.ts";
import type { TierRules } from "../tiers/rules.ts";
import {
  type Bases,
  decideRules,
  type EarningMembership,
  orderTotal,
  pointsOf,
  proportionalPoints,
  proportionOf,
} from "./earning.ts";
import type { Earning, EarningRule } from "./earning-rule.ts";
import type { CountedLines, Proportional } from "./proportional.ts";
import { parseUseLimits } from "./use-limits.ts";

const CASES: [base: unknown, every: number, value: number, points: number][] = [
  [25500, 1, 1, 25500],
  [2599, 1000, 10, 20],
  [3500, 1000, 1.5, 5],
  [3, 1, 5, 15],
  [999, 1000, 10, 0],
  [0, 1, 1, 0],
  [-5, 1, 1, 0],
  ["12", 1, 1, 0],
  [undefined, 1, 1, 0],
  [Number.NaN, 1, 1, 0],
  [10.5, 0.5, 1, 21],
  [0.3, 0.1, 1, 3],
];
for (const [base, every, value, points] of CASES)
  test(`${value} for every ${every} of ${base} is ${points}`, () => {
    assert.equal(proportionOf(base, { every, value }), points);
  });

test("for any amount: as many points as whole parts have, never a fraction", () => {
  const whole = fc.integer({ min: 1, max: 1_000_000_000 });
  fc.assert(
    fc.property(whole, whole, fc.integer({ min: 0, max: 1000 }), (base, every, value) => {
      assert.equal(proportionOf(base, { every, value }), Math.floor(base / every) * value);
    }),
  );
});

const line = (given: Partial<OrderItem> & { product_id?: string }): OrderItem => {
  const { product_id, ...rest } = given;
  return {
    id: null,
    product: product_id ? { id: product_id, source_id: null, name: null, price: null, metadata: {} } : null,
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
    ...rest,
  };
};
const bases = (given: Partial<NonNullable<Bases["order"]>>): Bases => ({
  order: { amount: null, discount_amount: 0, items: [], metadata: {}, ...given },
  customer: { visits: 12, name: "Ada" },
  custom_event: { steps: 1500 },
});
const wallet = { card_definition_id: "lcdef_1" };
const per = { every: 1, value: 1 };

test("an order counts its lines, or its amount when it has none, before and after discounts", () => {
  const items = [
    line({ amount: 1000 }),
    line({ amount: 15000, discount_amount: 500 }),
    line({ amount: 6500 }),
    line({ price: 1500, quantity: 2 }),
  ];
  const before: Proportional = { calculation_type: "PRE_DISCOUNT_ORDER_AMOUNT", ...wallet, order: { amount: per } };
  const after: Proportional = {
    calculation_type: "POST_DISCOUNT_ORDER_AMOUNT",
    ...wallet,
    order: { total_amount: per },
  };
  const cart = bases({ items, amount: 7, discount_amount: 1000 });
  assert.equal(proportionalPoints(before, cart), 25500);
  assert.equal(proportionalPoints(after, cart), 24000);
  assert.equal(orderTotal(cart.order!), 24000);
  assert.equal(proportionalPoints(before, bases({ amount: 70 })), 70);
  assert.equal(proportionalPoints(after, bases({ amount: 70, discount_amount: 100 })), 0);
  assert.equal(proportionalPoints(before, { ...cart, order: null }), 0);
});

test("a line that several targets mean counts once, and units that were free do not", () => {
  const items = [
    line({
      product_id: "prod_1",
      amount: 1000,
      discount_amount: 200,
      collections: ["pc_A", "pc_B"],
      quantity: 4,
      discount_quantity: 1,
    }),
    line({ product_id: "prod_2", amount: 500, quantity: 9 }),
  ];
  const applicable_to: CountedLines[] = ["pc_A", "pc_B"].map((id) => ({
    type: "products_collection",
    products_collection: { id },
  }));
  const rate = { every: 100, value: 1, applicable_to };
  const cart = bases({ items });
  const amount: Proportional = {
    calculation_type: "PRE_DISCOUNT_ORDER_ITEMS_AMOUNT",
    ...wallet,
    order_items: { amount: rate },
  };
  assert.equal(proportionalPoints(amount, cart), 10);
  const subtotal: Proportional = {
    calculation_type: "POST_DISCOUNT_ORDER_ITEMS_AMOUNT",
    ...wallet,
    order_items: {
      subtotal_amount: { ...rate, applicable_to: [...applicable_to, { type: "product", product: { id: "prod_1" } }] },
    },
  };
  assert.equal(proportionalPoints(subtotal, cart), 8);
  const quantity: Proportional = {
    calculation_type: "ORDER_ITEMS_QUANTITY",
    ...wallet,
    order_items: { quantity: { every: 1, value: 5, applicable_to } },
  };
  assert.equal(proportionalPoints(quantity, cart), 15);
});

test("metadata count when they are numbers", () => {
  const customer = (property: string): Proportional => ({
    calculation_type: "CUSTOMER_METADATA_VALUE",
    ...wallet,
    customer: { metadata: { every: 5, value: 2, property } },
  });
  assert.equal(proportionalPoints(customer("visits"), bases({})), 4);
  assert.equal(proportionalPoints(customer("name"), bases({})), 0);
  assert.equal(proportionalPoints(customer("none"), bases({})), 0);
  const event: Proportional = {
    calculation_type: "CUSTOM_EVENT_METADATA_VALUE",
    ...wallet,
    custom_event: { metadata: { every: 1000, value: 1, property: "steps" } },
  };
  assert.equal(proportionalPoints(event, bases({})), 1);
  assert.deepEqual(pointsOf({ type: "POINTS", points: { value: 7, ...wallet, points_expiration: null } }, bases({})), {
    points: 7,
    ...wallet,
    effect: null,
  });
  assert.equal(pointsOf({ type: "INCENTIVE", incentive: { id: "lben_1" } }, bases({})), null);
});

const earning = (id: string, value: number, tier_rules: TierRules = { type: "NO_REQUIREMENTS" }): Earning => ({
  id,
  name: null,
  tier_rules,
  effects: [{ type: "POINTS", points: { value, ...wallet, points_expiration: null } }],
});
const inTier = (tier: string): TierRules => ({
  type: "ANY_OF",
  any_of: [{ tier_structure_id: "lts_1", tier_ids: [tier] }],
});
const rule = (given: Partial<EarningRule> = {}): EarningRule => ({
  id: "lern_1",
  name: "Paid",
  status: "ACTIVE",
  trigger: { event: "customer.order.paid" },
  earnings: [earning("first", 10)],
  error: null,
  start_date: null,
  end_date: null,
  validity_hours: ANY_TIME,
  trigger_limits: parseUseLimits(null, ""),
  metadata: {},
  created_at: "2026-01-01T00:00:00Z",
  updated_at: null,
  ...given,
});
const membership = (given: Partial<EarningMembership> = {}): EarningMembership => ({
  program: { status: "ACTIVE", start_date: null, end_date: null, validity_hours: ANY_TIME },
  member: { status: "ACTIVE", uses: {} },
  rules: [rule()],
  tierIn: () => null,
  holds: () => true,
  ...given,
});
const when = { now: "2026-05-15T12:00:00.000Z", zone: "UTC" };
const paid = { event: "customer.order.paid" } as const;
const outcomes = (given: Partial<EarningMembership>, occurrence: Parameters<typeof decideRules>[1] = paid) =>
  decideRules(membership(given), occurrence, when).map(({ outcome, earning: won }) => won?.id ?? outcome);

test("the first earning whose tier and rules fit is the only one", () => {
  const earnings = [earning("a", 30, inTier("lt_a")), earning("b", 20, inTier("lt_b")), earning("any", 10)];
  const tierIn = (tier: string | null) => () => tier;
  assert.deepEqual(outcomes({ rules: [rule({ earnings })], tierIn: tierIn("lt_b") }), ["b"]);
  assert.deepEqual(outcomes({ rules: [rule({ earnings })], tierIn: tierIn("lt_c") }), ["any"]);
  assert.deepEqual(outcomes({ rules: [rule({ earnings })], holds: ({ id }) => id === "any" }), ["any"]);
  assert.deepEqual(outcomes({ rules: [rule({ earnings })], holds: () => false }), ["no_matching_earning"]);
});

test("every rule that the event starts decides for itself, in order", () => {
  const rules = [
    rule({ id: "lern_1" }),
    rule({ id: "lern_2", earnings: [earning("second", 1)] }),
    rule({ id: "lern_3", status: "INACTIVE" }),
    rule({ id: "lern_4", end_date: "2026-05-15T12:00:00.000Z" }),
    rule({
      id: "lern_5",
      trigger: { event: "customer.custom_event", custom_event: { schema_id: "ms_1" } },
      earnings: [earning("event", 1)],
    }),
    rule({
      id: "lern_6",
      trigger: { event: "customer.segment.entered", segment: { id: "seg_1" } },
      earnings: [earning("segment", 1)],
    }),
  ];
  assert.deepEqual(outcomes({ rules }), ["first", "second"]);
  assert.deepEqual(outcomes({ rules }, { event: "customer.custom_event", schema_id: "ms_1" }), ["event"]);
  assert.deepEqual(outcomes({ rules }, { event: "customer.custom_event", schema_id: "ms_2" }), []);
  assert.deepEqual(outcomes({ rules }, { event: "customer.segment.entered", segment_id: "seg_1" }), ["segment"]);
});

test("a program that is closed and a member who is not active earn nothing", () => {
  const { program } = membership();
  assert.deepEqual(outcomes({ program: { ...program, status: "INACTIVE" } }), []);
  assert.deepEqual(outcomes({ program: { ...program, start_date: "2026-06-01T00:00:00Z" } }), []);
  assert.deepEqual(outcomes({ member: { status: "INACTIVE", uses: {} } }), []);
});

test("a pause and a number of times are reasons to fail, the pause first", () => {
  const uses = used({}, "lern_1", when);
  const limits = parseUseLimits(
    {
      cooldown: { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value: 1, unit: "DAY" } } },
      frequency: {
        type: "LIMITED",
        limits: [{ period: { current_period: { unit: "MONTH" } }, triggers: { max: 1 } }],
      },
    },
    "",
  );
  const member = { status: "ACTIVE", uses } as const;
  const of = (trigger_limits: EarningRule["trigger_limits"]) => outcomes({ member, rules: [rule({ trigger_limits })] });
  assert.deepEqual(of(limits), ["cooldown"]);
  assert.deepEqual(of({ ...limits, cooldown: { type: "NO_COOLDOWN", fixed_cooldown: null } }), ["frequency"]);
  assert.deepEqual(of(parseUseLimits(null, "")), ["first"]);
});
