import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CartLine, cart } from "../../../test/support/carts.ts";
import { gift, redeemable, rule, SITUATION } from "../../../test/support/redeemables.ts";
import type { Discount } from "../discounts/discount.ts";
import { type Order, subtotalOf, totalsOf } from "../order/order.ts";
import { DEFAULT_STACKING, type StackingSettings } from "../stacking/settings.ts";
import { type Decision, decide } from "./decide.ts";
import type { Candidate } from "./redeemable.ts";
import type { Situation } from "./situation.ts";

type CartOptions = { settings?: Partial<StackingSettings>; situation?: Partial<Situation> };
const run = (candidates: readonly Candidate[], order: Order | null, { settings, situation }: CartOptions = {}) =>
  decide(candidates, order, {
    settings: { ...DEFAULT_STACKING, ...settings },
    situation: { ...SITUATION, ...situation },
  });
const percent = (percent_off: number, effect: "APPLY_TO_ORDER" | "APPLY_TO_ITEMS" = "APPLY_TO_ORDER"): Discount => ({
  type: "PERCENT",
  percent_off,
  effect,
});
const amount = (amount_off: number, effect: "APPLY_TO_ORDER" | "APPLY_TO_ITEMS" = "APPLY_TO_ORDER"): Discount => ({
  type: "AMOUNT",
  amount_off,
  effect,
});
const unknown = (id: string): Candidate => ({
  object: "voucher",
  id,
  unknown: true,
  category_id: null,
  hierarchy: null,
});

/** Each outcome in short: `ok`, the key of a refusal, or the reason of a skip. */
const outcomes = ({ decided }: Decision) =>
  decided.map(({ outcome }) =>
    outcome.status === "APPLICABLE"
      ? "ok"
      : outcome.status === "INAPPLICABLE"
        ? outcome.failure.error.key
        : `-${outcome.reason}`,
  );
const steps = ({ decided }: Decision) =>
  decided.flatMap(({ outcome }) =>
    outcome.status === "APPLICABLE" && outcome.result.order ? [outcome.result.order] : [],
  );
const amounts = (order: Order) => {
  const { items_discount_amount, total_discount_amount, total_amount, items_applied_discount_amount } = totalsOf(order);
  const own = [order.discount_amount, items_discount_amount, total_discount_amount, total_amount];
  return [...own, order.applied_discount_amount, items_applied_discount_amount];
};

test("a gift card, a percentage and an amount: each on what those before left", () => {
  const decision = run(
    [redeemable(gift(5000, { requested: 100 })), redeemable(percent(20)), redeemable(amount(8000))],
    cart([], { amount: 200000 }),
  );
  assert.deepEqual(steps(decision).map(amounts), [
    [100, 0, 100, 199900, 100, 0],
    [40080, 0, 40080, 159920, 39980, 0],
    [48080, 0, 48080, 151920, 8000, 0],
  ]);
  assert.equal(decision.valid, true);
  assert.deepEqual(amounts(decision.order!), [48080, 0, 48080, 151920, 48080, 0]);
});

test("items, credits, percentage and amount in one stack", () => {
  const lines = [
    { sku: "S", price: 2000 },
    { product: "P", price: 700 },
  ];
  const list = [
    redeemable(amount(1000, "APPLY_TO_ITEMS")),
    redeemable(gift(900, { requested: 100 })),
    redeemable(percent(40)),
    redeemable(amount(30)),
  ];
  const decision = run(list, cart(lines));
  assert.deepEqual(steps(decision).map(amounts), [
    [0, 1700, 1700, 1000, 0, 1700],
    [100, 1700, 1800, 900, 100, 0],
    [460, 1700, 2160, 540, 360, 0],
    [490, 1700, 2190, 510, 30, 0],
  ]);
  assert.deepEqual(amounts(decision.order!), [490, 1700, 2190, 510, 490, 1700]);
});

test("a free unit after a percentage, and nothing left on its line for the next", () => {
  const lines = [{ amount: 106000 }, { sku: "H", price: 64900 }];
  const onH = rule({ applicable_to: { included: [{ object: "sku", id: "H" }] } });
  const list = [
    redeemable(percent(30)),
    redeemable({ type: "UNIT", unit_off: 1, unit_type: "H", effect: "ADD_MISSING_ITEMS" }),
    redeemable(amount(1000, "APPLY_TO_ITEMS"), { rules: [onH] }),
  ];
  const decision = run(list, cart(lines));
  assert.deepEqual(
    steps(decision).map((order) => totalsOf(order).total_amount),
    [119630, 54730, 54730],
  );
  assert.deepEqual(amounts(decision.order!), [51270, 64900, 116170, 54730, 51270, 64900]);
});

test("ALL: the first failure ends it and nothing is valid; PARTIAL: what applies is kept", () => {
  const expired = redeemable(amount(1), {
    validity: { ...redeemable(amount(1)).validity, expiration_date: "2025-12-31T00:00:00.000Z" },
  });
  const order = cart([], { amount: 10000 });
  const all = run([unknown("nope"), redeemable(amount(1))], order);
  assert.deepEqual([outcomes(all), all.valid, all.order], [["not_found", "-preceding_validation_failed"], false, null]);
  assert.deepEqual(outcomes(run([redeemable(amount(1)), unknown("x"), redeemable(amount(1))], order)), [
    "ok",
    "not_found",
    "-preceding_validation_failed",
  ]);
  const partial = run([redeemable(amount(1)), expired], order, {
    settings: { redeemables_application_mode: "PARTIAL" },
  });
  assert.deepEqual(
    [outcomes(partial), partial.valid, totalsOf(partial.order!).total_amount],
    [["ok", "voucher_expired"], true, 9999],
  );
  const none = run([expired], order, { settings: { redeemables_application_mode: "PARTIAL" } });
  assert.deepEqual([none.valid, none.order], [false, null]);
});

test("a rule on the amount sees the cart as it is when its turn comes; one on the initial amount does not change", () => {
  const rules = [
    rule({
      rules: {
        1: { name: "order.amount", conditions: { $more_than: [1000] } },
        2: { name: "order.initial_amount", conditions: { $less_than: [1100] } },
        logic: "1 and 2",
      },
    }),
  ];
  const coupon = redeemable(amount(5), { rules });
  const card = redeemable(gift(500, { requested: 100 }));
  const order = cart([], { amount: 1050 });
  assert.deepEqual(outcomes(run([coupon, card], order)), ["ok", "ok"]);
  assert.deepEqual(outcomes(run([card, coupon], order)), ["ok", "order_rules_violated"]);
});

test("a rule on the total after discounts refuses what would go below it, and the calculation with it", () => {
  const rules = [
    rule({
      rules: { 1: { name: "order.total_amount", conditions: { $more_than_or_equal: [900] } } },
      error: { message: "Too cheap" },
    }),
  ];
  const order = cart([], { amount: 1000 });
  assert.deepEqual(outcomes(run([redeemable(amount(100), { rules })], order)), ["ok"]);
  const decision = run([redeemable(amount(101), { rules })], order);
  assert.deepEqual(outcomes(decision), ["order_rules_violated"]);
  const { outcome } = decision.decided[0]!;
  assert.deepEqual(outcome.status === "INAPPLICABLE" && outcome.failure.error, {
    code: 400,
    key: "order_rules_violated",
    message: "order does not match validation rules",
    details: "Discount Coupon cannot be redeemed because of violated validation rules: val_1",
    error: { message: "Too cheap" },
  });
});

test("a budget of the campaign counts what this request took before", () => {
  const rules = [
    rule({ rules: { 1: { name: "campaign.orders.amount_discounted", conditions: { $less_than_or_equal: [150] } } } }),
  ];
  const one = () => redeemable(amount(100), { rules, campaign_id: "camp" });
  const settings = { redeemables_application_mode: "PARTIAL" as const };
  assert.deepEqual(outcomes(run([one(), one()], cart([], { amount: 1000 }), { settings })), [
    "ok",
    "redemption_rules_violated",
  ]);
  const counts = [
    rule({ rules: { 1: { name: "campaign.redemptions.count", conditions: { $less_than_or_equal: [1] } } } }),
  ];
  const two = () => redeemable(amount(1), { rules: counts, campaign_id: "camp" });
  assert.deepEqual(outcomes(run([two(), two()], cart([], { amount: 1000 }), { settings })), [
    "ok",
    "redemption_rules_violated",
  ]);
});

const REFUSALS: [name: string, candidate: Candidate, order: Order | null, key: string, details: string][] = [
  ["a disabled voucher", redeemable(amount(1), { is_active: false }), null, "voucher_disabled", "CODE"],
  [
    "a disabled tier",
    redeemable(amount(1), { is_active: false, object: "promotion_tier", id: "promo_1" }),
    null,
    "promotion_inactive",
    "Promotion Tier with id: promo_1 is disabled.",
  ],
  [
    "a voucher that has not begun",
    redeemable(amount(1), { validity: { ...redeemable(amount(1)).validity, start_date: "2026-01-02T00:00:00.000Z" } }),
    null,
    "voucher_not_active",
    "CODE",
  ],
  [
    "a voucher on the wrong day",
    redeemable(amount(1), { validity: { ...redeemable(amount(1)).validity, validity_day_of_week: [1] } }),
    null,
    "voucher_not_active_now",
    "CODE",
  ],
  [
    "a tier on the wrong day",
    redeemable(amount(1), {
      object: "promotion_tier",
      validity: { ...redeemable(amount(1)).validity, validity_day_of_week: [1] },
    }),
    null,
    "promotion_not_active_now",
    "CODE",
  ],
  ["a voucher that is used up", redeemable(amount(1), { quantity: 1, redeemed: 1 }), null, "quantity_exceeded", "CODE"],
  [
    "a voucher that another session holds",
    redeemable(amount(1), { quantity: 1, locked: 1 }),
    null,
    "quantity_exceeded",
    "CODE",
  ],
  [
    "more credits than there are",
    redeemable(gift(500, { requested: 600 })),
    cart([], { amount: 1000 }),
    "gift_amount_exceeded",
    "CODE",
  ],
  [
    "credits that another session holds",
    redeemable(gift(500, { locked: 400, requested: 200 })),
    cart([], { amount: 1000 }),
    "gift_amount_exceeded",
    "CODE",
  ],
  [
    "a gift card without an amount",
    redeemable(gift(500)),
    null,
    "missing_amount",
    "Amount is required when redeeming a GIFT_VOUCHER",
  ],
  [
    "a gift card for items without any",
    redeemable(gift(500, { effect: "APPLY_TO_ITEMS" })),
    cart([], { amount: 100 }),
    "missing_order_items_amount",
    "At least one applicable order item with amount is required to redeem this GIFT_VOUCHER",
  ],
  [
    "a discount on items without any",
    redeemable(percent(10, "APPLY_TO_ITEMS")),
    cart([], { amount: 100 }),
    "missing_order_items",
    "Order items are required to apply the discount",
  ],
  [
    "a discount on items without an order",
    redeemable(percent(10, "APPLY_TO_ITEMS")),
    null,
    "missing_order",
    "Order is required to apply the discount",
  ],
  [
    "a rule on the customer without one",
    redeemable(amount(1), {
      rules: [rule({ rules: { 1: { name: "customer.segment", conditions: { $is: ["seg_1"] } } } })],
    }),
    null,
    "missing_customer",
    "Customer is required to validate rules",
  ],
  ["a voucher that is not there", unknown("NOPE"), null, "not_found", "Cannot find voucher with id NOPE"],
];
for (const [name, candidate, order, key, details] of REFUSALS) {
  test(`refused with its reason: ${name}`, () => {
    const { outcome } = run([candidate], order).decided[0]!;
    assert.ok(outcome.status === "INAPPLICABLE");
    assert.deepEqual([outcome.failure.error.key, outcome.failure.error.details], [key, details]);
  });
}

test("the one who refers cannot redeem their own code", () => {
  const customer = {
    id: "cust_1",
    source_id: null,
    metadata: {},
    birthdate: null,
    segments: new Set<string>(),
    loyalty_tiers: new Set<string>(),
  };
  const code = redeemable(amount(1), { referrer_id: "cust_1" });
  assert.deepEqual(outcomes(run([code], null, { situation: { customer } })), ["referrer_not_permitted_to_redeem"]);
  assert.deepEqual(outcomes(run([code], null, { situation: { customer: { ...customer, id: "cust_2" } } })), ["ok"]);
  assert.deepEqual(outcomes(run([code], null, { situation: { customer: null } })), ["missing_customer"]);
});

test("a referral code that nobody shares cannot be redeemed by anybody", () => {
  const code = redeemable(amount(1), { is_unshared: true });
  assert.deepEqual(outcomes(run([code], null)), ["not_published"]);
});

test("a bundle that is not there refuses and says what is missing; whole bundles multiply", () => {
  const bundle_rules = {
    1: { name: "order.items.any", conditions: { $is: [{ id: "laptop", type: "product_or_sku", object: "product" }] } },
    2: { name: "order.items.any", conditions: { $is: [{ id: "bag", type: "product_or_sku", object: "product" }] } },
    limit: 5,
  };
  const coupon = redeemable(amount(100), { rules: [rule({ bundle_rules })] });
  const lines = (bags: number): CartLine[] => [
    { product: "laptop", price: 1000, quantity: 2 },
    { product: "bag", price: 100, quantity: bags },
  ];
  const missing = run([coupon], cart(lines(0))).decided[0]!.outcome;
  assert.ok(missing.status === "INAPPLICABLE");
  assert.deepEqual(
    [missing.failure.error.key, missing.failure.bundle?.missing],
    ["order_rules_violated", [{ id: "bag", object: "product", item_quantity: 1 }]],
  );
  assert.equal(totalsOf(run([coupon], cart(lines(2))).order!).total_discount_amount, 200);
});

test("ONCE: a line that one discounted is left alone by the next", () => {
  const settings = { redeemables_products_application_mode: "ONCE" as const };
  const list = [redeemable(percent(10, "APPLY_TO_ITEMS")), redeemable(percent(10, "APPLY_TO_ITEMS"))];
  assert.equal(totalsOf(run(list, cart([{ price: 1000 }]), { settings }).order!).total_amount, 900);
  assert.equal(totalsOf(run(list, cart([{ price: 1000 }])).order!).total_amount, 810);
});

test("a formula of the discount looks at the customer and the cart", () => {
  const customer = {
    id: null,
    source_id: null,
    metadata: { visits: 11 },
    birthdate: null,
    segments: new Set<string>(),
    loyalty_tiers: new Set<string>(),
  };
  const discount: Discount = {
    type: "AMOUNT",
    amount_off: 100,
    amount_off_formula: 'IF(CUSTOMER_METADATA("visits") > 10;ORDER_AMOUNT * 0.15;1)',
  };
  const order = cart([], { amount: 30000 });
  assert.equal(run([redeemable(discount)], order, { situation: { customer } }).order!.discount_amount, 4500);
  assert.equal(run([redeemable(discount)], order).order!.discount_amount, 100);
});

const line = fc.record({
  price: fc.integer({ min: 0, max: 100_000 }),
  quantity: fc.integer({ min: 1, max: 9 }),
  collections: fc.constantFrom<string[]>([], ["m"]),
});
const discount: fc.Arbitrary<Discount> = fc.oneof(
  fc.record({
    type: fc.constant("AMOUNT" as const),
    amount_off: fc.integer({ min: 0, max: 50_000 }),
    effect: fc.constantFrom(
      "APPLY_TO_ORDER",
      "APPLY_TO_ITEMS",
      "APPLY_TO_ITEMS_PROPORTIONALLY",
      "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY",
      "APPLY_TO_ITEMS_BY_QUANTITY",
    ),
  }),
  fc.record({
    type: fc.constant("PERCENT" as const),
    percent_off: fc.double({ min: 0, max: 100, noNaN: true }),
    effect: fc.constantFrom("APPLY_TO_ORDER" as const, "APPLY_TO_ITEMS" as const),
  }),
  fc.record({
    type: fc.constant("FIXED" as const),
    fixed_amount: fc.integer({ min: 0, max: 50_000 }),
    effect: fc.constantFrom("APPLY_TO_ORDER" as const, "APPLY_TO_ITEMS" as const),
  }),
) as fc.Arbitrary<Discount>;
const benefit = fc.oneof(
  { weight: 4, arbitrary: discount.map((one) => redeemable(one)) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 90_000 }).map((balance) => redeemable(gift(balance))) },
);
const onM = rule({ applicable_to: { included: [{ object: "products_collection", id: "m" }] } });
const stack = fc.array(
  fc.tuple(benefit, fc.boolean()).map(([one, limited]) => ({ ...one, rules: limited ? [onM] : [] })),
  { maxLength: 6 },
);
const settings = fc.record({
  redeemables_application_mode: fc.constant("PARTIAL" as const),
  discount_calculation_mode: fc.constantFrom("INITIAL_AMOUNT" as const, "DISCOUNTED_AMOUNT" as const),
  redeemables_products_application_mode: fc.constantFrom("STACK" as const, "ONCE" as const),
});

test("for any cart and stack: no total below zero, parts sum to the whole, no step raises the price, the same again", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), stack, settings, (lines, list, given) => {
      const order = cart(lines);
      const decision = run(list, order, { settings: given });
      let left = order.amount!;
      for (const step of steps(decision)) {
        const totals = totalsOf(step);
        assert.ok(totals.total_amount >= 0 && totals.total_amount <= left);
        assert.equal(totals.total_amount, step.amount! - totals.total_discount_amount);
        for (const item of step.items)
          assert.ok(Number.isSafeInteger(item.discount_amount) && subtotalOf(item) >= 0 && item.discount_amount >= 0);
        left = totals.total_amount;
      }
      if (decision.order) {
        const sum = steps(decision).reduce((all, step) => all + totalsOf(step).total_applied_discount_amount, 0);
        assert.equal(totalsOf(decision.order).total_applied_discount_amount, sum);
        assert.equal(totalsOf(decision.order).total_amount, left);
      }
      assert.equal(JSON.stringify(run(list, order, { settings: given })), JSON.stringify(decision));
      assert.equal(run([], order, { settings: given }).order, null);
    }),
    { numRuns: 400 },
  );
});

const unit = (effect: string, unit_type: string) =>
  fc
    .integer({ min: 1, max: 3 })
    .map((unit_off) => redeemable({ type: "UNIT", effect, unit_type, unit_off } as Discount));
const withUnits = fc.array(
  fc
    .tuple(
      fc.oneof(
        { weight: 2, arbitrary: benefit },
        unit("ADD_NEW_ITEMS", "T"),
        unit("ADD_MISSING_ITEMS", "T"),
        unit("ADD_SAME_ITEMS", "m"),
        unit("REPLACE_ITEMS", "T"),
        unit("REPLACE_ITEMS", "D"),
      ),
      fc.boolean(),
    )
    .map(([one, limited]) => ({ ...one, rules: limited ? [onM] : [] })),
  { minLength: 1, maxLength: 5 },
);
const goods = (id: string, price: number) => ({
  product: { id, source_id: null, name: null, price, metadata: {} },
  sku: null,
  collections: [],
});

test("units that are added, copied or replaced: nothing is negative, nothing is off twice, no step raises what is to pay", () => {
  const units = new Map([
    ["T", goods("T", 300)],
    ["D", goods("D", 70_000)],
  ]);
  const odd = fc.record({
    price: fc.integer({ min: 0, max: 100_000 }),
    quantity: fc.integer({ min: 1, max: 9 }),
    amount: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
    collections: fc.constantFrom<string[]>([], ["m"]),
  });
  fc.assert(
    fc.property(fc.array(odd, { minLength: 1, maxLength: 5 }), withUnits, settings, (lines, list, given) => {
      const order = cart(lines.map(({ amount, ...rest }) => ({ ...rest, ...(amount !== undefined && { amount }) })));
      let left = order.amount!;
      for (const step of steps(run(list, order, { settings: given, situation: { units } }))) {
        const totals = totalsOf(step);
        assert.equal(totals.total_amount, step.amount! - totals.total_discount_amount, "parts sum to the whole");
        assert.ok(totals.total_amount >= 0 && totals.total_amount <= left, "no step raises what is to pay");
        assert.ok(step.discount_amount >= 0);
        for (const { amount, discount_amount, quantity } of step.items)
          assert.ok(quantity >= 0 && (amount ?? 0) >= 0 && discount_amount >= 0 && discount_amount <= (amount ?? 0));
        left = totals.total_amount;
      }
    }),
    { numRuns: 600 },
  );
});
