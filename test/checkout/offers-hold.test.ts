import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newId, testDatabase } from "../support/engine.ts";
import { okOf, testShop } from "../support/shop.ts";

// The law between three questions: what a qualification offers, a validation of the same cart confirms to the cent, and
// a redemption takes.

const { db } = await testDatabase();
const RUNS = Number(process.env.OFFER_RUNS ?? 6);
const SCENARIOS = ["ALL", "CUSTOMER_WALLET", "PROMOTION_STACKS"] as const;
const PRODUCTS = ["tee", "mug", "pen"] as const;
const PRICES = { tee: 2000, mug: 899, pen: 150 };

type Call = (request: string, body?: unknown) => Promise<{ status: number; body: any; text: string }>;

const product = fc.constantFrom(...PRODUCTS);
const discount = fc.oneof(
  fc.record({ type: fc.constant("AMOUNT"), amount_off: fc.constantFrom(1, 500, 100_000) }),
  fc.record({ type: fc.constant("PERCENT"), percent_off: fc.constantFrom(7, 33.33, 100) }),
  fc.record({
    type: fc.constant("PERCENT"),
    percent_off: fc.constantFrom(12.5),
    effect: fc.constant("APPLY_TO_ITEMS"),
  }),
  fc.record({ type: fc.constant("FIXED"), fixed_amount: fc.constantFrom(0, 1000) }),
  fc.record({
    type: fc.constant("UNIT"),
    unit_off: fc.constantFrom(1, 2),
    effect: fc.constantFrom("ADD_NEW_ITEMS", "ADD_MISSING_ITEMS"),
    unit_type: product,
  }),
);
const condition = fc.oneof(
  fc.record({
    name: fc.constant("order.amount"),
    conditions: fc.record({ $more_than: fc.tuple(fc.constantFrom(1000, 5000)) }),
  }),
  fc.record({
    name: fc.constant("order.total_amount"),
    conditions: fc.record({ $more_than: fc.tuple(fc.constantFrom(500, 3000)) }),
  }),
  fc.record({
    name: fc.constant("redemption.count.per_customer"),
    conditions: fc.record({ $less_than: fc.tuple(fc.constantFrom(1, 2)) }),
  }),
  fc.record({
    name: fc.constant("redemption.count.daily"),
    conditions: fc.record({ $less_than: fc.tuple(fc.constantFrom(1, 2)) }),
  }),
  fc.record({
    name: fc.constant("campaign.redemptions.count"),
    conditions: fc.record({ $less_than: fc.tuple(fc.constantFrom(1, 3)) }),
  }),
  fc.record({
    name: fc.constant("campaign.orders.amount_discounted"),
    conditions: fc.record({ $less_than: fc.tuple(fc.constantFrom(400, 3000)) }),
  }),
);
const benefit = {
  discount,
  condition: fc.option(condition),
  category: fc.option(fc.constantFrom(0, 1)),
  onlyFor: fc.option(product),
};
const line = fc.record({
  source_id: product,
  quantity: fc.integer({ min: 1, max: 4 }),
  related_object: fc.constant("product"),
});
const withLines = fc.record({ items: fc.array(line, { minLength: 1, maxLength: 3 }) });
const withAmount = fc.record({ amount: fc.constantFrom(0, 250, 8000) });
/** No order, an empty one, and lines that nobody knows the price of. */
const withoutAmount = fc.constantFrom(null, {}, { items: [] }, { items: [{ quantity: 2 }] });
const cartOf = (order: fc.Arbitrary<object | null>) => fc.record({ order, known: fc.boolean(), redeem: fc.nat(20) });
const world = fc.record({
  stacking: fc.record({
    redeemables_no_effect_rule: fc.constantFrom("SKIP", "REDEEM_ANYWAY"),
    redeemables_application_mode: fc.constantFrom("ALL", "PARTIAL"),
    redeemables_sorting_rule: fc.constantFrom("CATEGORY_HIERARCHY", "REQUESTED_ORDER"),
    discount_calculation_mode: fc.constantFrom("INITIAL_AMOUNT", "DISCOUNTED_AMOUNT"),
  }),
  groups: fc.record({ exclusive: fc.boolean(), joint: fc.boolean() }),
  codes: fc.array(fc.record({ ...benefit, held: fc.boolean() }), { minLength: 3, maxLength: 5 }),
  gifts: fc.array(
    fc.record({
      amount: fc.constantFrom(0, 300, 50_000),
      effect: fc.constantFrom("APPLY_TO_ORDER", "APPLY_TO_ITEMS"),
      held: fc.boolean(),
      locked: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  tiers: fc.array(fc.record(benefit), { minLength: 3, maxLength: 6 }),
  stacks: fc.array(fc.uniqueArray(fc.nat(5), { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  carts: fc
    .tuple(...[withLines, withLines, withAmount, withoutAmount].map(cartOf))
    .chain((carts) => fc.shuffledSubarray(carts, { minLength: carts.length })),
});
type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

async function build(call: Call, projectId: string, { stacking, groups, codes, gifts, tiers, stacks }: World) {
  const ok = okOf(call);
  for (const source_id of PRODUCTS)
    await ok("POST /v1/products", { source_id, name: source_id, price: PRICES[source_id] });
  const ids: Record<string, string> = {};
  for (const source_id of PRODUCTS) ids[source_id] = (await ok(`GET /v1/products/${source_id}`)).id;
  const customer = await ok("POST /v1/customers", { source_id: "anna" });
  const categories = [
    await ok("POST /v1/categories", { name: "A", hierarchy: 2 }),
    await ok("POST /v1/categories", { name: "B", hierarchy: 1 }),
  ];
  const ruleOf = async ({ condition, onlyFor }: { condition: object | null; onlyFor: string | null }) =>
    condition === null && onlyFor === null
      ? []
      : [
          (
            await ok("POST /v1/validation-rules", {
              name: newId("rule"),
              ...(condition && { rules: { 1: condition, logic: "1" } }),
              ...(onlyFor && {
                applicable_to: {
                  included: [{ object: "product", id: ids[onlyFor] }],
                  excluded: [],
                  included_all: false,
                },
              }),
            })
          ).id,
        ];
  const withUnit = (one: Record<string, unknown>) =>
    one.unit_type ? { ...one, unit_type: ids[one.unit_type as string] } : one;
  const publish = (voucher: string) => ok("POST /v1/publications", { customer: { id: customer.id }, voucher });
  for (const code of codes) {
    const made = await ok("POST /v1/vouchers", {
      type: "DISCOUNT_VOUCHER",
      discount: withUnit(code.discount as never),
      validation_rules: await ruleOf(code as never),
      ...(code.category !== null && { category_id: categories[code.category].id }),
    });
    if (code.held) await publish(made.code);
  }
  for (const { amount, effect, held, locked } of gifts) {
    const made = await ok("POST /v1/vouchers", { type: "GIFT_VOUCHER", gift: { amount, effect } });
    if (held) await publish(made.code);
    if (locked)
      await ok("POST /v1/validations", {
        redeemables: [{ object: "voucher", id: made.code, gift: { credits: amount } }],
        session: { type: "LOCK" },
      });
  }
  const campaign = await ok("POST /v1/campaigns", { name: "Promotion", campaign_type: "PROMOTION" });
  const made: string[] = [];
  for (const [n, tier] of tiers.entries())
    made.push(
      (
        await ok(`POST /v1/promotions/${campaign.id}/tiers`, {
          name: `tier ${n}`,
          action: { discount: withUnit(tier.discount as never) },
          validation_rules: await ruleOf(tier as never),
          ...(tier.category !== null && { category_id: categories[tier.category].id }),
        })
      ).id,
    );
  for (const [n, places] of stacks.entries()) {
    const chosen = [...new Set(places.map((place) => made[place % made.length]))];
    await ok(`POST /v1/promotions/${campaign.id}/stacks`, { name: `stack ${n}`, tiers: { ids: chosen } });
  }
  await ok(`POST /management/v1/projects/${projectId}/stacking-rules`, {
    ...stacking,
    ...(groups.exclusive && { exclusive_categories: [categories[0].id] }),
    ...(groups.joint && { joint_categories: [categories[1].id] }),
  });
  return { ok };
}

const totals = ({ order }: any) => [order?.total_applied_discount_amount ?? 0, order?.total_amount ?? null];

test("what a qualification offers, a validation confirms to the cent and a redemption takes", async () => {
  const counted = { offers: 0, redeemed: 0 };
  const law = fc.asyncProperty(world, async (made) => {
    const { call, project } = await testShop(db);
    const { ok } = await build(call as Call, project.id, made);
    for (const { order, known, redeem } of made.carts) {
      const cart = { ...(known && { customer: { source_id: "anna" } }), ...(order && { order }) };
      const offers: any[] = [];
      for (const scenario of SCENARIOS) {
        const { redeemables } = await ok("POST /v1/qualifications", { ...cart, scenario, options: { limit: 50 } });
        offers.push(...redeemables.data);
      }
      for (const offer of offers) {
        const redeemables = [{ object: offer.object, id: offer.id }];
        const validation = await ok("POST /v1/validations", { ...cart, redeemables });
        assert.equal(validation.valid, true, `${offer.object} ${offer.id}: ${JSON.stringify(validation.redeemables)}`);
        assert.deepEqual(totals(validation), totals(offer), `${offer.object} ${offer.id}`);
        if (offer.object === "promotion_stack")
          assert.deepEqual(
            validation.redeemables.map(({ id }: any) => id),
            offer.redeemables.map(({ id }: any) => id),
            "the tiers keep the order of the stack",
          );
        counted.offers += 1;
      }
      const taken = offers[redeem % Math.max(1, offers.length)];
      if (!taken) continue;
      const redemption = await ok("POST /v1/redemptions", {
        ...cart,
        redeemables: [{ object: taken.object, id: taken.id }],
      });
      assert.deepEqual(totals(redemption), totals(taken));
      counted.redeemed += 1;
    }
  });
  await fc.assert(law, { numRuns: RUNS, ...(process.env.OFFER_SEED && { seed: Number(process.env.OFFER_SEED) }) });
  assert.ok(counted.offers > RUNS * 5 && counted.redeemed > RUNS, JSON.stringify(counted));
});
