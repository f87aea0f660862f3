import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cart } from "../../../test/support/carts.ts";
import { gift, NO_USE, redeemable, rule, SITUATION } from "../../../test/support/redeemables.ts";
import type { Discount } from "../discounts/discount.ts";
import { parseFormula } from "../formula/parse.ts";
import type { CustomerFacts } from "../rules/facts.ts";
import { DEFAULT_STACKING, type StackingSettings } from "../stacking/settings.ts";
import { decide } from "../validate/decide.ts";
import { promiseOf } from "../validate/promise.ts";
import type { AssignedRule, Candidate, Redeemable } from "../validate/redeemable.ts";
import { hashesIn, type Inputs, inputsOf, type Receipt, receiptOf, replay } from "./receipt.ts";

/** What becomes of a decision: its receipt as text, and the configuration beside it. */
function kept(inputs: Inputs) {
  const fragments = new Map<string, string>();
  const keep = (body: object): string => {
    const text = JSON.stringify(body);
    const hash = `hash of ${text}`;
    fragments.set(hash, text);
    return hash;
  };
  const { candidates, order, settings, situation } = inputs;
  const decision = decide(candidates, order, { settings, situation });
  const redeemables = candidates.map(({ object, id }) => ({ object, id }));
  return { text: JSON.stringify(receiptOf(inputs, decision, { redeemables, keep })), fragments, decision };
}
const restored = ({ text, fragments }: Pick<ReturnType<typeof kept>, "text" | "fragments">) => {
  const receipt = JSON.parse(text) as Receipt;
  const find = (hash: string): unknown => JSON.parse(fragments.get(hash)!);
  return { receipt, inputs: inputsOf(receipt, { find, formula: parseFormula }) };
};
const again = (one: Pick<ReturnType<typeof kept>, "text" | "fragments">) => {
  const { receipt, inputs } = restored(one);
  return replay(receipt, inputs);
};

const given = (candidates: readonly Candidate[], more: Partial<Inputs> = {}): Inputs => ({
  candidates,
  order: cart([{ product: "p", price: 1000, quantity: 2 }]),
  settings: DEFAULT_STACKING,
  situation: SITUATION,
  promised: null,
  ...more,
});
const ten: Discount = { type: "PERCENT", percent_off: 10 };
const anna: CustomerFacts = {
  id: "cust_1",
  source_id: "anna@shop.example",
  metadata: { shoe: 42 },
  birthdate: "2000-02-29",
  segments: new Set(["seg_vip"]),
  loyalty_tiers: new Set(),
};
const vip = rule({ rules: { 1: { name: "customer.segment", conditions: { $is: ["seg_vip"] } } } });

test("a receipt replays to the same result; what was altered in it is found", () => {
  const one = kept(given([redeemable(ten)]));
  const { result } = again(one);
  assert.deepEqual(again(one), { same: true, result });
  assert.deepEqual(result.order, {
    amount: 2000,
    discount_amount: 200,
    total_discount_amount: 200,
    total_amount: 1800,
    items: [{ quantity: 2, amount: 2000, discount_amount: 0, discount_quantity: 0 }],
  });
  const dearer = again({ ...one, text: one.text.replace('"total_amount":1800', '"total_amount":1799') });
  assert.deepEqual([dearer.same, dearer.recomputed?.order?.total_amount], [false, 1800]);
  const fragments = new Map([...one.fragments].map(([hash, text]) => [hash, text.replace(":10", ":20")]));
  assert.equal(again({ ...one, fragments }).same, false);
  const used = again({ ...one, text: one.text.replace('"quantity":null', '"quantity":0') });
  assert.deepEqual([used.same, used.recomputed?.valid], [false, false]);
});

test("configuration stands in a receipt by its hash only, each piece once", () => {
  const same = given([redeemable(ten, { rules: [vip] }), redeemable(ten, { ref: "v_2", rules: [vip] })], {
    situation: { ...SITUATION, customer: anna },
  });
  const { text, fragments } = kept(same);
  const receipt = JSON.parse(text) as Receipt;
  assert.deepEqual(hashesIn(receipt).sort(), [...fragments.keys()].sort());
  assert.equal(fragments.size, 3, "the discount, the rule and the stacking rules");
});

test("a customer stands in it by id; what rules may look at is added only where there are rules", () => {
  const situation = { ...SITUATION, customer: anna };
  const factsOf = (candidate: Redeemable) =>
    (JSON.parse(kept(given([candidate], { situation })).text) as Receipt).facts;
  assert.deepEqual(factsOf(redeemable(ten)).customer, { id: "cust_1" });
  assert.deepEqual(factsOf(redeemable(ten, { rules: [vip] })).customer, {
    id: "cust_1",
    source_id: "anna@shop.example",
    metadata: { shoe: 42 },
    birthdate: "2000-02-29",
    segments: ["seg_vip"],
    loyalty_tiers: [],
  });
  const [facts] = factsOf(redeemable(ten, { holder_ids: ["cust_9", "cust_1"], referrer_id: "cust_9" })).redeemables;
  assert.equal(JSON.stringify(facts).includes("cust_9"), false, "nobody else is named");
});

test("a promise is a part of what was decided on", () => {
  const first = given([redeemable(ten)]);
  const { settings, situation } = first;
  const promise = promiseOf([decide(first.candidates, first.order, { settings, situation })]);
  assert.equal(again(kept({ ...first, promised: { valid: true, promise } })).result.promise_kept, true);
  const broken = kept(given([redeemable({ ...ten, percent_off: 5 })], { promised: { valid: true, promise } }));
  const { same, result } = again(broken);
  assert.deepEqual([same, result.promise_kept], [true, false]);
});

// Everything that decisions look at, in random stacks.
const amount = fc.integer({ min: 0, max: 5000 });
const discounts: fc.Arbitrary<Discount> = fc.oneof(
  fc.record({
    type: fc.constant("PERCENT" as const),
    percent_off: fc.integer({ min: 0, max: 100 }),
    amount_limit: fc.option(amount),
    effect: fc.constantFrom("APPLY_TO_ORDER" as const, "APPLY_TO_ITEMS" as const),
  }),
  fc.record({
    type: fc.constant("AMOUNT" as const),
    amount_off: amount,
    effect: fc.constantFrom(
      "APPLY_TO_ORDER" as const,
      "APPLY_TO_ITEMS" as const,
      "APPLY_TO_ITEMS_PROPORTIONALLY" as const,
      "APPLY_TO_ITEMS_BY_QUANTITY" as const,
    ),
  }),
  fc.record({
    type: fc.constant("AMOUNT" as const),
    amount_off: amount,
    amount_off_formula: fc.constantFrom(
      "CUSTOMER_METADATA(shoe) * 2",
      "REDEMPTION_METADATA(n) + 1",
      "ORDER_AMOUNT / 7",
      "broken(",
    ),
  }),
  fc.record({
    type: fc.constant("UNIT" as const),
    unit_off: fc.integer({ min: 0, max: 3 }),
    unit_type: fc.constantFrom("p", "free", "nowhere"),
    effect: fc.constantFrom("ADD_MISSING_ITEMS" as const, "ADD_NEW_ITEMS" as const, "REPLACE_ITEMS" as const),
  }),
);
const RULES: readonly AssignedRule[] = [
  vip,
  rule({ rules: { 1: { name: "order.amount", conditions: { $more_than: [1500] }, error: { message: "more" } } } }),
  rule({ rules: { 1: { name: "redemption.count.per_customer", conditions: { $less_than: [2] } } } }),
  rule({
    rules: {
      late: { name: "order.total_amount", conditions: { $more_than: [100] } },
      a: { name: "customer.metadata", property: "shoe", conditions: { $is: [42] } },
    },
  }),
  rule({
    applicable_to: { included: [{ object: "product", id: "p", product_campaign_quantity_limit: 3 }] },
  }),
  rule({ rules: { 1: { name: "publication.redeemable_by_linked_customer", conditions: { $is: [true] } } } }),
];
const redeemables: fc.Arbitrary<Candidate> = fc
  .record({
    benefit: fc.oneof(
      discounts,
      fc.record({ balance: amount, requested: fc.option(amount) }).map((of) => gift(of.balance, of)),
      fc.record({ balance: amount, requested: fc.option(amount) }).map(({ balance, requested }) => ({
        kind: "points" as const,
        balance,
        locked: 0,
        reward: { id: "rew_1", price: { exchange: { points_ratio: 3, exchange_ratio: 1 } } },
        requested,
      })),
    ),
    rules: fc.subarray([...RULES], { maxLength: 2 }),
    campaign_id: fc.constantFrom(null, "camp_1"),
    category_id: fc.constantFrom(null, "cat_1", "cat_2"),
    hierarchy: fc.constantFrom(null, 1, 2),
    is_active: fc.constantFrom(true, true, true, false),
    quantity: fc.constantFrom(null, 1, 2),
    redeemed: fc.constantFrom(0, 0, 1),
    expiration_date: fc.constantFrom(null, "2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
    holder_ids: fc.constantFrom(null, [], ["cust_1"], ["cust_2"]),
    referrer_id: fc.constantFrom(null, null, "cust_1", "cust_2"),
    shared: fc.constantFrom({}, {}, { is_unshared: true as const }),
    used: fc.integer({ min: 0, max: 4 }),
    times: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ benefit, expiration_date, used, times, shared, ...own }) =>
    redeemable(benefit, {
      ...own,
      ...shared,
      validity: {
        start_date: null,
        expiration_date,
        validity_timeframe: null,
        validity_day_of_week: null,
        validity_hours: null,
      },
      used_units: new Map([["product_campaign_quantity_limit product p ", used]]),
      counts: { ...NO_USE, incentive_customer: { total: times, day: 0, week: 0, month: 0 } },
    }),
  );
const unknown: Candidate = { object: "voucher", id: "?", unknown: true, category_id: null, hierarchy: null };
const settings: fc.Arbitrary<StackingSettings> = fc
  .record({
    redeemables_application_mode: fc.constantFrom("ALL" as const, "PARTIAL" as const),
    applicable_redeemables_limit: fc.integer({ min: 1, max: 5 }),
    exclusive_categories: fc.subarray(["cat_1"]),
    discount_calculation_mode: fc.constantFrom("INITIAL_AMOUNT" as const, "DISCOUNTED_AMOUNT" as const),
    redeemables_products_application_mode: fc.constantFrom("STACK" as const, "ONCE" as const),
    redeemables_no_effect_rule: fc.constantFrom("REDEEM_ANYWAY" as const, "SKIP" as const),
  })
  .map((some) => ({ ...DEFAULT_STACKING, ...some }));
const orders = fc.option(
  fc
    .array(fc.record({ product: fc.constantFrom("p", "q"), price: amount, quantity: fc.integer({ min: 0, max: 5 }) }), {
      maxLength: 4,
    })
    .map((lines) => cart(lines, lines.length === 0 ? { amount: 3000 } : {})),
);
const anything: fc.Arbitrary<Inputs> = fc.record({
  candidates: fc
    .array(fc.oneof({ weight: 9, arbitrary: redeemables }, { weight: 1, arbitrary: fc.constant(unknown) }), {
      maxLength: 6,
    })
    .map((all) => all.map((one, n) => ("unknown" in one ? one : { ...one, ref: `v_${n}`, id: `C${n}` }))),
  order: orders,
  settings,
  situation: fc.record({ customer: fc.constantFrom(null, anna), n: amount }).map(({ customer, n }) => ({
    ...SITUATION,
    customer,
    redemption: { metadata: { n }, api_key_id: "key", user_login: null },
    units: new Map([
      [
        "free",
        {
          product: { id: "free", source_id: null, name: "Free", price: 300, metadata: {} },
          sku: null,
          collections: [],
        },
      ],
    ]),
    formula: (text: string) => {
      try {
        return parseFormula(text);
      } catch {
        return null;
      }
    },
  })),
  promised: fc.constant(null),
});

test("of random stacks on random carts the replay is always the same, and everything that was decided is", () => {
  fc.assert(
    fc.property(anything, (inputs) => {
      const one = kept(inputs);
      const { receipt, inputs: rebuilt } = restored(one);
      rebuilt.situation.formula = inputs.situation.formula;
      assert.equal(replay(receipt, rebuilt).same, true);
      // What a request said of the customer and of other people is left out where nothing looks at it.
      const { settings, situation } = rebuilt;
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      const shown = ({ valid, decided, order }: typeof one.decision) =>
        plain({ valid, order, outcomes: decided.map(({ outcome }) => outcome) });
      assert.deepEqual(shown(decide(rebuilt.candidates, rebuilt.order, { settings, situation })), shown(one.decision));
    }),
    { numRuns: 500 },
  );
});

test("a result that was altered is found in every random stack", () => {
  fc.assert(
    fc.property(anything, fc.nat(), (inputs, n) => {
      const one = kept(inputs);
      const { receipt, inputs: rebuilt } = restored(one);
      rebuilt.situation.formula = inputs.situation.formula;
      const text = JSON.stringify(receipt.result);
      const numbers = [...text.matchAll(/(?<=[:[,])\d+|true|false/g)];
      const { 0: value, index } = numbers[n % numbers.length]!;
      const changed = value === "true" ? "false" : value === "false" ? "true" : String(Number(value) + 1);
      const result = JSON.parse(text.slice(0, index) + changed + text.slice(index + value.length));
      assert.equal(replay({ ...receipt, result }, rebuilt).same, false);
    }),
    { numRuns: 200 },
  );
});
