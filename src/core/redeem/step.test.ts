import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cart } from "../../../test/support/carts.ts";
import { gift, redeemable, SITUATION } from "../../../test/support/redeemables.ts";
import type { Discount } from "../discounts/discount.ts";
import { nextStep, type Order } from "../order/order.ts";
import { DEFAULT_STACKING } from "../stacking/settings.ts";
import { decide } from "../validate/decide.ts";
import type { RedeemableBenefit } from "../validate/redeemable.ts";
import { stepBetween, type TakenStep, takeBackSteps } from "./step.ts";

const product = (id: string, price: number | null) => ({ id, source_id: null, name: id, price, metadata: {} });
const units = new Map(
  ["prod_gift", "prod_b"].map((id) => [id, { product: product(id, 700), sku: null, collections: [] }]),
);

/** Redeems a stack on an order whose lines have ids, and tells what each redeemable did to it. */
function redeem(order: Order, benefits: readonly (RedeemableBenefit | Discount)[], name: string) {
  const candidates = benefits.map((benefit, n) => redeemable(benefit, { ref: `v_${n}`, id: `C${n}` }));
  const settings = {
    ...DEFAULT_STACKING,
    redeemables_application_mode: "PARTIAL" as const,
    applicable_redeemables_limit: 30,
  };
  const { decided, order: after } = decide(candidates, nextStep(order), {
    settings,
    situation: { ...SITUATION, units },
  });
  const idOf = (index: number) => order.items[index]?.id ?? `${name} ${index}`;
  const steps = decided.flatMap(({ outcome, before }): TakenStep[] => {
    if (outcome.status !== "APPLICABLE") return [];
    const { lines, ...step } = stepBetween(before.order, outcome.result.order);
    return [{ ...step, lines: lines.map((line) => ({ ...line, id: idOf(line.index) })) }];
  });
  const items = (after ?? order).items.map((item, index) => ({ ...item, id: idOf(index) }));
  return { steps, order: { ...(after ?? order), items } };
}

const effect = fc.constantFrom("APPLY_TO_ORDER" as const, "APPLY_TO_ITEMS" as const);
const benefit: fc.Arbitrary<RedeemableBenefit | Discount> = fc.oneof(
  fc.record({ type: fc.constant("PERCENT" as const), percent_off: fc.integer({ min: 1, max: 100 }), effect }),
  fc.record({ type: fc.constant("AMOUNT" as const), amount_off: fc.integer({ min: 1, max: 5000 }), effect }),
  fc.record({
    type: fc.constant("UNIT" as const),
    unit_off: fc.integer({ min: 1, max: 3 }),
    unit_type: fc.constantFrom("prod_a", "prod_b", "prod_gift"),
    effect: fc.constantFrom("ADD_NEW_ITEMS" as const, "ADD_MISSING_ITEMS" as const),
  }),
  fc.integer({ min: 1, max: 3000 }).map((balance) => gift(balance)),
);
const line = fc.record({
  product: fc.constantFrom("prod_a", "prod_b", "prod_c"),
  price: fc.option(fc.integer({ min: 1, max: 3000 })),
  quantity: fc.integer({ min: 1, max: 4 }),
});
const order = fc.oneof(
  fc.uniqueArray(line, { minLength: 1, maxLength: 4, selector: ({ product }) => product }).map((lines) => {
    const made = cart(lines);
    const isPriced = made.items.some(({ amount }) => amount !== null);
    return isPriced ? made : { ...made, amount: null, initial_amount: null };
  }),
  fc.integer({ min: 0, max: 20_000 }).map((amount) => cart([], { amount })),
);
const withIds = (given: Order): Order => ({
  ...given,
  items: given.items.map((item, n) => ({ ...item, id: `line ${n}` })),
});

test("an order is what it was when all redemptions on it are taken back, in whichever order", () => {
  const benefits = fc.array(benefit, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      order,
      fc.tuple(benefits, benefits, benefits),
      fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
      (given, stacks, turns) => {
        const before = withIds(given);
        let running = before;
        const taken = stacks.map((stack, n) => {
          const done = redeem(running, stack, `stack ${n}`);
          running = done.order;
          return done.steps;
        });
        for (const n of turns) running = takeBackSteps(running, taken[n]!.toReversed());
        assert.deepEqual(running, before);
      },
    ),
    { numRuns: 500 },
  );
});

test("what is taken back from an order that was changed since leaves nothing below zero, and other lines alone", () => {
  const before = withIds(cart([{ product: "prod_a", price: 1000 }]));
  const { steps } = redeem(before, [{ type: "AMOUNT", amount_off: 600, effect: "APPLY_TO_ITEMS" }], "one");
  const changed = cart([{ id: null, product: "prod_c", price: 500, discount_amount: 400 }]);
  assert.deepEqual(takeBackSteps(changed, steps), changed);
  assert.equal(
    takeBackSteps({ ...changed, discount_amount: 5 }, [{ order_discount: 10, lines: [] }]).discount_amount,
    0,
  );
});
