import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CartLine, cart } from "../../../test/support/carts.ts";
import { gift, redeemable, rule, SITUATION } from "../../../test/support/redeemables.ts";
import type { Discount } from "../discounts/discount.ts";
import { type Order, totalsOf } from "../order/order.ts";
import { DEFAULT_STACKING, type StackingSettings } from "../stacking/settings.ts";
import { decide } from "./decide.ts";
import type { Candidate, Redeemable, RedeemableBenefit } from "./redeemable.ts";
import type { Situation } from "./situation.ts";
import { traceDecision } from "./trace.ts";

type CartOptions = { settings?: Partial<StackingSettings>; situation?: Partial<Situation> };
function traced(candidates: readonly Candidate[], order: Order | null, given: CartOptions = {}) {
  const within = {
    settings: { ...DEFAULT_STACKING, ...given.settings },
    situation: { ...SITUATION, ...given.situation },
  };
  const decision = decide(candidates, order, within);
  const traces = traceDecision(decision, within);
  return { decision, traces, one: traces[0]! as any };
}
const says = (candidate: Candidate, order: Order | null, given: CartOptions = {}): string[] =>
  traced([candidate], order, given).one.calculation.steps.map((step: any) => step.says);
const where = (...rules: object[]) => rule({ rules: Object.fromEntries(rules.map((one, n) => [String(n + 1), one])) });
const of = (amount: number) => cart([], { amount });
const percent = (percent_off: number, more: object = {}): Discount => ({ type: "PERCENT", percent_off, ...more });

test("a rule that does not hold: what was seen, what was expected, how much is missing", () => {
  const atLeast = where({ name: "order.initial_amount", conditions: { $more_than_or_equal: [5000] } });
  const { one } = traced([redeemable(percent(10), { rules: [atLeast] })], of(3760));
  assert.deepEqual(one, {
    id: "CODE",
    object: "voucher",
    status: "INAPPLICABLE",
    decided_by: "order_rules_violated",
    checks: [{ check: "active", passed: true, seen: true, expected: true }],
    rules: [
      {
        id: "val_1",
        passed: false,
        trace: {
          kind: "rule",
          key: "1",
          name: "order.initial_amount",
          property: null,
          passed: false,
          seen: 3760,
          conditions: [
            {
              operator: "$more_than_or_equal",
              expected: [5000],
              passed: false,
              missing: { amount: 1240, text: "12.40 more" },
            },
          ],
        },
      },
    ],
  });
});

test("what needs no cart: the first check that does not hold is the last that is told", () => {
  const { validity } = redeemable(percent(1));
  const last = (given: Partial<Redeemable>) => traced([redeemable(percent(1), given)], of(1)).one.checks.at(-1);
  assert.deepEqual(last({ is_active: false }), { check: "active", passed: false, seen: false, expected: true });
  const now = SITUATION.now;
  assert.deepEqual(last({ validity: { ...validity, expiration_date: "2025-12-31" } }), {
    check: "expiration_date",
    passed: false,
    seen: now,
    expected: "2025-12-31",
  });
  assert.deepEqual(last({ validity: { ...validity, start_date: "2027-01-01" } }).check, "start_date");
  assert.deepEqual(last({ validity: { ...validity, validity_day_of_week: [0] } }).expected, {
    validity_timeframe: null,
    validity_day_of_week: [0],
    validity_hours: null,
  });
  assert.deepEqual(last({ quantity: 2, redeemed: 1, locked: 1 }), {
    check: "quantity",
    passed: false,
    seen: { redeemed: 1, locked: 1 },
    expected: 2,
  });
  assert.equal(last({ quantity: 2, redeemed: 1 }).passed, true);
});

test("what is not there, and what was never tried, tell only that", () => {
  const unknown: Candidate = { object: "voucher", id: "X", unknown: true, category_id: null, hierarchy: null };
  const { traces } = traced([unknown, redeemable(percent(1))], of(100));
  assert.deepEqual(traces, [
    {
      id: "X",
      object: "voucher",
      status: "INAPPLICABLE",
      decided_by: "not_found",
      checks: [{ check: "exists", passed: false, seen: false, expected: true }],
      rules: [],
    },
    {
      id: "CODE",
      object: "voucher",
      status: "SKIPPED",
      decided_by: "preceding_validation_failed",
      checks: [],
      rules: [],
    },
  ]);
});

test("each step starts from what those before it left", () => {
  const { traces } = traced([redeemable(percent(10)), redeemable({ type: "AMOUNT", amount_off: 500 })], of(10000));
  assert.deepEqual(
    traces.map((one) => one.calculation),
    [
      {
        before: { amount: 10000, total_discount_amount: 0, total_amount: 10000 },
        steps: [
          {
            kind: "order",
            says: "10% of 100.00 is 10.00",
            type: "PERCENT",
            value: 10,
            base: 10000,
            amount: 1000,
            taken: 1000,
          },
        ],
        after: { amount: 10000, total_discount_amount: 1000, total_amount: 9000 },
      },
      {
        before: { amount: 10000, total_discount_amount: 1000, total_amount: 9000 },
        steps: [
          { kind: "order", says: "5.00 off 90.00", type: "AMOUNT", value: 500, base: 9000, amount: 500, taken: 500 },
        ],
        after: { amount: 10000, total_discount_amount: 1500, total_amount: 8500 },
      },
    ],
  );
});

test("rounding and limits are told", () => {
  assert.deepEqual(says(redeemable(percent(3)), of(103350)), ["3% of 1033.50 is 31.005, rounded 31.01"]);
  assert.deepEqual(says(redeemable(percent(50, { amount_limit: 200 })), of(1000)), [
    "50% of 10.00 is 5.00; amount_limit of the discount leaves 2.00",
  ]);
  assert.deepEqual(says(redeemable({ type: "AMOUNT", amount_off: 1500 }), of(1000)), [
    "15.00 off 10.00; what is left to pay leaves 10.00",
  ]);
  assert.deepEqual(says(redeemable({ type: "FIXED", fixed_amount: 300, effect: "APPLY_TO_ORDER" }), of(1000)), [
    "10.00 becomes 3.00: 7.00 off",
  ]);
  const initial = { settings: { discount_calculation_mode: "INITIAL_AMOUNT" } } as const;
  const both = traced([redeemable(percent(10)), redeemable(percent(20))], of(10000), initial).traces;
  assert.equal(both[1]!.calculation!.steps[0]!.says, "20% of 100.00 is 20.00");
});

test("lines: units, limits and the split of an amount", () => {
  const lines: CartLine[] = [
    { product: "a", price: 1000, quantity: 3 },
    { product: "b", price: 500 },
  ];
  const limited = rule({
    applicable_to: { included: [{ object: "product", id: "a", quantity_limit: 2, amount_limit: 150 }] },
  });
  assert.deepEqual(says(redeemable(percent(10), { rules: [limited] }), cart(lines)), [
    "items[0], 2 of 3 units: 10% of 20.00 is 2.00; amount_limit of the product leaves 1.50",
  ]);
  const off = (effect: string): Discount => ({ type: "AMOUNT", amount_off: 100, effect }) as Discount;
  assert.deepEqual(says(redeemable(off("APPLY_TO_ITEMS")), cart(lines)), ["items[0]: 1.00 off", "items[1]: 1.00 off"]);
  assert.deepEqual(says(redeemable(off("APPLY_TO_ITEMS_BY_QUANTITY")), cart(lines)), [
    "items[0]: 3 × 1.00 off 30.00",
    "items[1]: 1 × 1.00 off 5.00",
  ]);
  assert.deepEqual(says(redeemable(off("APPLY_TO_ITEMS_PROPORTIONALLY")), cart(lines)), [
    "1.00 off; by amount: 0.86, 0.14",
  ]);
  assert.deepEqual(
    says(redeemable({ type: "FIXED", fixed_amount: 400, effect: "APPLY_TO_ITEMS" }), cart([lines[1]!])),
    ["items[0]: 1 for 4.00 each instead of 5.00: 1.00 off"],
  );
});

test("credits and points: what is there, held, wanted and used", () => {
  assert.deepEqual(says(redeemable(gift(2500, { locked: 500 })), of(1200)), [
    "25.00 there, 5.00 held by others, as much as it takes wanted, 12.00 to pay: 12.00 used",
  ]);
  const { one } = traced([redeemable(gift(500, { requested: 600 }))], of(1000));
  assert.deepEqual([one.decided_by, one.calculation.after], ["gift_amount_exceeded", null]);
  assert.deepEqual(one.calculation.steps[0], {
    kind: "credits",
    says: "5.00 there, 0.00 held by others, 6.00 wanted, 10.00 to pay: 0.00 used",
    balance: 500,
    locked: 0,
    requested: 600,
    payable: 1000,
    used: 0,
  });
  const reward = { id: "rew_1", price: { exchange: { points_ratio: 100, exchange_ratio: 20 } } };
  const card: RedeemableBenefit = { kind: "points", balance: 300, locked: 0, reward, requested: 200 };
  assert.deepEqual(says(redeemable(card), of(4500)), [
    "300 points there, 0 points held by others, 200 points wanted, 45.00 to pay: 200 points used",
  ]);
});

test("free units, bundles and formulas", () => {
  const one = { type: "UNIT", unit_off: 1, unit_type: "a", effect: "ADD_NEW_ITEMS" } as const;
  assert.deepEqual(says(redeemable(one), cart([{ product: "a", price: 700 }])), ["items[0]: 1 units added, 7.00 off"]);
  const bundle = rule({
    bundle_rules: {
      "1": {
        name: "order.items.any",
        conditions: { $is: [{ id: "a", type: "product_or_sku", object: "product" }] },
        rules: { "1": { name: "order.items.aggregated_quantity", conditions: { $is: [2] } } },
      },
      limit: 3,
    },
  });
  const bundled = (quantity: number) =>
    traced(
      [redeemable({ type: "AMOUNT", amount_off: 100 }, { rules: [bundle] })],
      cart([{ product: "a", price: 700, quantity }]),
    ).one;
  assert.deepEqual(bundled(4).bundle, { quantity: 2, limit: 3, passed: true });
  assert.deepEqual(bundled(4).calculation.steps[0].says, "2.00 off 28.00");
  assert.deepEqual([bundled(1).bundle.passed, bundled(1).calculation], [false, undefined]);

  const formula: Discount = { type: "AMOUNT", amount_off_formula: "ORDER_AMOUNT * 0.1", amount_off: 5 };
  const [worked, used] = traced([redeemable(formula)], of(2000)).one.calculation.steps;
  assert.deepEqual(worked, {
    kind: "formula",
    says: "the formula gives 200",
    formula: "ORDER_AMOUNT * 0.1",
    value: 200,
    steps: [
      { text: "ORDER_AMOUNT", value: "20" },
      { text: "ORDER_AMOUNT * 0.1", value: "2" },
    ],
  });
  assert.equal(used.says, "2.00 off 20.00");
  const missing: Discount = { type: "AMOUNT", amount_off_formula: 'CUSTOMER_METADATA("x")', amount_off: 5 };
  assert.deepEqual(says(redeemable(missing), of(2000)), [
    "the formula has no value: the fixed one holds",
    "0.05 off 20.00",
  ]);
});

test("a rule about what is left to pay is told with what was calculated", () => {
  const left = where({ name: "order.total_amount", conditions: { $more_than_or_equal: [950] } });
  const { one } = traced([redeemable(percent(10), { rules: [left] })], of(1000));
  assert.deepEqual(
    [one.decided_by, one.rules[0].trace.seen, one.rules[0].passed],
    ["order_rules_violated", 900, false],
  );
  assert.equal(one.calculation.after.total_amount, 900);
});

test("who works in the project, and who the referrer is, is not told", () => {
  const login = where({ name: "redemption.user.login", conditions: { $is: ["ann@example.com"] } });
  const candidate = redeemable(percent(1), { rules: [login], referrer_id: "cust_secret" });
  const nobody = { source_id: null, metadata: {}, birthdate: null, segments: new Set<string>() };
  const { traces } = traced([candidate], of(100), {
    situation: {
      customer: { ...nobody, id: "cust_friend", loyalty_tiers: new Set<string>() },
      redemption: { metadata: {}, api_key_id: null, user_login: "ann@example.com" },
    },
  });
  assert.equal(traces[0]!.status, "APPLICABLE");
  assert.doesNotMatch(JSON.stringify(traces), /ann@|cust_secret/);
});

test("a long cart is told in part", () => {
  const lines = Array.from({ length: 60 }, () => ({ price: 100 }));
  const { calculation } = traced([redeemable(percent(10, { effect: "APPLY_TO_ITEMS" }))], cart(lines)).one;
  assert.deepEqual([calculation.steps.length, calculation.more], [50, 10]);
});

const discounts: fc.Arbitrary<Discount> = fc.oneof(
  fc.record({
    type: fc.constant("PERCENT" as const),
    percent_off: fc.constantFrom(0.5, 10, 33.3, 100),
    amount_limit: fc.option(fc.constantFrom(1, 300)),
    aggregated_amount_limit: fc.option(fc.constantFrom(5, 400)),
    effect: fc.constantFrom("APPLY_TO_ORDER" as const, "APPLY_TO_ITEMS" as const),
  }),
  fc.record({
    type: fc.constant("AMOUNT" as const),
    amount_off: fc.constantFrom(1, 700, 100000),
    aggregated_amount_limit: fc.option(fc.constantFrom(5, 400)),
    effect: fc.constantFrom(
      "APPLY_TO_ORDER" as const,
      "APPLY_TO_ITEMS" as const,
      "APPLY_TO_ITEMS_BY_QUANTITY" as const,
      "APPLY_TO_ITEMS_PROPORTIONALLY" as const,
      "APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY" as const,
    ),
  }),
  fc.record({
    type: fc.constant("FIXED" as const),
    fixed_amount: fc.constantFrom(0, 90, 5000),
    effect: fc.constantFrom("APPLY_TO_ORDER" as const, "APPLY_TO_ITEMS" as const),
  }),
);
const included = fc.option(
  fc.array(
    fc.record(
      {
        object: fc.constant("product"),
        id: fc.constantFrom("a", "b"),
        quantity_limit: fc.constantFrom(1, 2),
        amount_limit: fc.constantFrom(1, 50),
        aggregated_amount_limit: fc.constantFrom(60, 500),
      },
      { requiredKeys: ["object", "id"] },
    ),
    { minLength: 1, maxLength: 2 },
  ),
);
const redeemables: fc.Arbitrary<Redeemable> = fc
  .record({
    benefit: fc.oneof(
      { weight: 5, arbitrary: discounts as fc.Arbitrary<Discount | RedeemableBenefit> },
      {
        weight: 1,
        arbitrary: fc.constantFrom<RedeemableBenefit>(
          gift(700),
          gift(300, { requested: 400 }),
          gift(300, { locked: 100 }),
        ),
      },
    ),
    included,
    least: fc.constantFrom(0, 0, 900, 3000),
    left: fc.constantFrom(0, 0, 500),
    is_active: fc.constantFrom(true, true, true, false),
    quantity: fc.constantFrom(null, 1, 2),
    redeemed: fc.constantFrom(0, 1),
    expiration_date: fc.constantFrom(null, null, "2025-01-01", "2027-01-01"),
  })
  .map(({ benefit, included: products, least, left, expiration_date, ...given }) =>
    redeemable(benefit, {
      ...given,
      validity: { ...redeemable(benefit).validity, expiration_date },
      rules: [
        rule({
          rules: {
            "1": { name: "order.amount", conditions: { $more_than_or_equal: [least] } },
            "2": { name: "order.total_amount", conditions: { $more_than_or_equal: [left] } },
          },
          ...(products && { applicable_to: { included: products } }),
        }),
      ],
    }),
  );
const carts = fc
  .array(
    fc.record({
      product: fc.constantFrom("a", "b", "c"),
      price: fc.constantFrom(99, 500, 1333),
      quantity: fc.constantFrom(1, 2, 5),
    }),
    { maxLength: 4 },
  )
  .map((lines) => cart(lines));
const settings = fc.record({
  redeemables_application_mode: fc.constantFrom("ALL" as const, "PARTIAL" as const),
  redeemables_no_effect_rule: fc.constantFrom("REDEEM_ANYWAY" as const, "SKIP" as const),
  redeemables_products_application_mode: fc.constantFrom("STACK" as const, "ONCE" as const),
  discount_calculation_mode: fc.constantFrom("INITIAL_AMOUNT" as const, "DISCOUNTED_AMOUNT" as const),
});

test("a trace tells what the decision did: the same outcome, and steps that add up to what came off", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(redeemables, { minLength: 1, maxLength: 4 }), carts, settings, (list, order, chosen) => {
      const { decision, traces } = traced(list, order, { settings: chosen });
      for (const [n, { outcome }] of decision.decided.entries()) {
        const trace = traces[n]! as any;
        seen.set(trace.decided_by ?? "applies", (seen.get(trace.decided_by ?? "applies") ?? 0) + 1);
        const passes = [...trace.checks, ...trace.rules].every(({ passed }: any) => passed);
        if (outcome.status === "APPLICABLE") {
          assert.ok(passes);
          const { total_amount, total_applied_discount_amount } = totalsOf(outcome.result.order!);
          assert.equal(trace.calculation.after.total_amount, total_amount);
          const taken = trace.calculation.steps.flatMap((step: any) =>
            step.kind === "split" ? step.shares.map(({ share }: any) => share) : [step.taken ?? step.used ?? 0],
          );
          assert.equal(
            taken.reduce((sum: number, one: number) => sum + one, 0),
            total_applied_discount_amount,
          );
        }
        if (outcome.status === "INAPPLICABLE") assert.ok(!passes || trace.calculation.after === null);
        assert.ok(JSON.stringify(trace).length < 20_000);
      }
    }),
    { numRuns: 1000 },
  );
  for (const kind of [
    "applies",
    "order_rules_violated",
    "voucher_disabled",
    "voucher_expired",
    "quantity_exceeded",
    "no_effect",
  ])
    assert.ok((seen.get(kind) ?? 0) > 10, `${kind}: ${seen.get(kind)}`);
});
