import assert from "node:assert/strict";
import { test } from "node:test";
import { cart } from "../../test/support/carts.ts";
import { redeemable, rule, SITUATION } from "../../test/support/redeemables.ts";
import { applyDiscount } from "./discounts/apply.ts";
import type { Discount } from "./discounts/discount.ts";
import { entryFor } from "./discounts/targets.ts";
import { parseFormula } from "./formula/parse.ts";
import { prorateCapped } from "./money/prorate.ts";
import type { Order } from "./order/order.ts";
import { rulesHold } from "./rules/evaluate.ts";
import { completeFacts } from "./rules/examples.ts";
import { DEFAULT_STACKING } from "./stacking/settings.ts";
import { newSteps, restarted, STEPS_MAX, type Steps, spend, TooExpensive, tooExpensive } from "./steps.ts";
import { decide } from "./validate/decide.ts";
import type { Redeemable } from "./validate/redeemable.ts";
import { traceDecision } from "./validate/trace.ts";

const LINES = 500;
const lines = Array.from({ length: LINES }, (_, n) => ({ product: `p${n}`, price: 1000 + n, quantity: 2 }));
const metadata = { d: "2026-01-01" };
const order: Order = { ...cart(lines), items: cart(lines).items.map((item) => ({ ...item, metadata })) };
const settings = { ...DEFAULT_STACKING, applicable_redeemables_limit: 30 };
const within = (steps: Steps) => ({ settings, situation: { ...SITUATION, steps } });

const onItems: Discount = { type: "PERCENT", percent_off: 1, effect: "APPLY_TO_ITEMS" };
const named = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => ({ id: `${prefix}_${n}`, object: "product" as const }));
const nodes = (count: number, node: (n: number) => object) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [String(n + 1), node(n)]));

/** What a decision costs, when nothing stops it. */
function costOf(redeemables: readonly Redeemable[], on: Order = order, { trace = false } = {}): number {
  const steps = newSteps(Number.POSITIVE_INFINITY);
  const decision = decide(redeemables, on, within(steps));
  if (trace) traceDecision(decision, within(steps));
  return steps.used;
}

test("steps are paid before the work, and what is not there is not taken", () => {
  const steps = newSteps(10);
  spend(steps, 10);
  assert.throws(() => spend(steps, 1), TooExpensive);
  assert.equal(steps.used, 10);
  spend(undefined, 1);
  assert.equal(restarted(steps).used, 0);
  assert.equal(restarted().max, STEPS_MAX);
});

test("the refusal is a 400 that says what to do; another error is thrown on", () => {
  const { code, key, details } = tooExpensive(new TooExpensive(newSteps()));
  assert.deepEqual({ code, key }, { code: 400, key: "request_too_expensive" });
  assert.match(details!, /fewer lines or fewer redeemables/);
  assert.throws(() => tooExpensive(new RangeError("a bug")), RangeError);
});

/** A list that counts how often one of its elements is read. */
function watched<T>(list: readonly T[]): { list: readonly T[]; reads(): number } {
  let count = 0;
  const proxy = new Proxy(list, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) count += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list: proxy, reads: () => count };
}

for (const [operator, holds] of [
  ["$is", false],
  ["$in", false],
  ["$is_not", true],
  ["$from", false],
] as const)
  test(`a thousand products of ${operator} are read once for a rule, and not for each of 500 lines`, () => {
    const { list, reads } = watched(named(1000, "x"));
    const { definition } = rule({ rules: { "1": { name: "order.items.any", conditions: { [operator]: ["x"] } } } });
    const [key, node] = Object.entries(definition.rules)[0]! as [string, object];
    const rules = { [key]: { ...node, conditions: { [operator]: list } } } as never;
    const facts = { ...completeFacts({}), order };
    for (let n = 0; n < 3; n += 1) assert.equal(rulesHold({ rules }, facts, { phase: "before" }), holds);
    assert.ok(reads() <= 2000, `read ${reads()} times`);
  });

test("numbers and texts of a rule are read once, too", () => {
  const { list: prices, reads: priceReads } = watched(Array.from({ length: 1000 }, (_, n) => `${n}.50`));
  const { list: texts, reads: textReads } = watched(Array.from({ length: 1000 }, (_, n) => `t${n}`));
  const rules = {
    "1": { name: "order.items.price_each", property: null, conditions: { $is_not: prices }, rules: {} },
    "2": { name: "order.items.metadata_each", property: "d", conditions: { $not_in: texts }, rules: {} },
  } as never;
  const facts = { ...completeFacts({}), order };
  for (let n = 0; n < 3; n += 1) assert.equal(rulesHold({ rules }, facts, { phase: "before" }), true);
  assert.deepEqual([priceReads(), textReads()], [1000, 1000]);
});

test("the products that a discount is for are read once, and not for each line", () => {
  const { list: included, reads } = watched([...named(999, "x"), { id: "p3", object: "product" as const }]);
  const { list: excluded, reads: readsExcluded } = watched(named(1000, "y"));
  const applicableTo = { included, excluded, included_all: false };
  const found = order.items.filter((item) => entryFor(applicableTo, item));
  assert.deepEqual(
    found.map(({ product }) => product?.id),
    ["p3"],
  );
  // Once for the index, and the one that was found.
  assert.deepEqual([reads(), readsExcluded()], [1001, 1000]);
});

test("an exclusion wins, then the most specific entry, then the first; a strict product has no SKUs", () => {
  const item = cart([{ sku: "s", product: "p", price: 1 }]).items[0]!;
  const entry = (object: "product" | "sku" | "products_collection", id: string, more = {}) => ({ object, id, ...more });
  const of = (included: object[], excluded: object[] = []) =>
    entryFor({ included, excluded, included_all: false } as never, { ...item, collections: ["c"] });
  const [collection, product, sku] = [
    entry("products_collection", "c"),
    entry("product", item.product!.id!),
    entry("sku", item.sku!.id!),
  ];
  assert.equal(of([collection, product, sku]), sku);
  assert.equal(of([collection, product]), product);
  assert.equal(of([product, { ...product, price: 1 }]), product);
  assert.equal(of([collection]), collection);
  assert.equal(of([{ ...product, strict: true }, collection]), collection);
  assert.equal(of([sku], [collection]), null);
  assert.equal(of([entry("product", "other")]), null);
});

const powers = (count: number) => Array(count).fill("POW(ORDER_ITEM_PRICE;0.37)").join("+");
const withFormula = (formula: string): Redeemable =>
  redeemable({ type: "AMOUNT", amount_off: 1, amount_off_formula: formula, effect: "APPLY_TO_ITEMS" });
const tenRules = Array.from({ length: 10 }, (_, r) =>
  rule({ rules: nodes(12, (n) => ({ name: "order.items.any", conditions: { $is_not: named(1000, `${r}_${n}`) } })) }),
);

/** What a client can make large, each with a cart of 500 lines. */
const DEAR: Readonly<Record<string, () => readonly Redeemable[]>> = {
  "5 codes with 10 rules of 12 nodes of 1,000 products": () =>
    Array.from({ length: 5 }, () => redeemable(onItems, { rules: tenRules })),
  "a code with 35 powers on each line": () => [withFormula(powers(35))],
  "a code with 500 entries whose limits are formulas": () => [
    redeemable(onItems, {
      rules: [
        rule({
          applicable_to: {
            included: lines.map(({ product }) => ({
              object: "product",
              id: product,
              quantity_limit_formula: "POW(2;0.5)",
            })),
          },
        }),
      ],
    }),
  ],
  "30 codes that add units to each line": () =>
    Array.from({ length: 30 }, () => redeemable({ type: "UNIT", unit_off: 1, effect: "ADD_SAME_ITEMS" })),
  "a code with 10 bundles of 100 parts": () => [
    redeemable(onItems, {
      rules: Array.from({ length: 10 }, () => ({
        ...rule({}),
        bundle: {
          limit: 100,
          parts: lines.slice(0, 100).map(({ product }) => ({
            entry: { object: "product" as const, id: product },
            quantity: 1,
          })),
        },
      })),
    }),
  ],
  "a code with 100 rules about dates of lines": () => [
    redeemable(onItems, {
      rules: [
        rule({
          rules: nodes(100, () => ({
            name: "order.items.metadata_each",
            property: "d",
            conditions: { $is_not: ["x"], $before: ["2026-01-02"] },
          })),
        }),
      ],
    }),
  ],
};

for (const [what, make] of Object.entries(DEAR))
  test(`no step is taken beyond the budget: ${what}`, () => {
    const redeemables = make();
    const used = [1, 2].map(() => {
      const steps = newSteps();
      assert.throws(() => decide(redeemables, order, within(steps)), TooExpensive);
      return steps.used;
    });
    assert.ok(used[0]! <= STEPS_MAX);
    assert.equal(used[1], used[0], "the same request costs the same again");
  });

test("formulas that the budget does not pay for are not worked out", () => {
  let worked = 0;
  const formula = (text: string) => {
    worked += 1;
    return parseFormula(text);
  };
  const steps = newSteps();
  const situation = { ...SITUATION, formula, steps };
  assert.throws(() => decide([withFormula(powers(35))], order, { settings, situation }), TooExpensive);
  // 35 powers are 5,500 steps each: a million pays for five of the 500 lines, and the sixth is begun.
  assert.equal(worked, 6);
});

test("a decision is paid to the last step: with one step less it is refused", () => {
  for (const redeemables of [
    [
      redeemable(onItems, {
        rules: [rule({ rules: { "1": { name: "order.amount", conditions: { $more_than: [1] } } } })],
      }),
    ],
    [withFormula("ORDER_ITEM_PRICE / 3"), redeemable({ type: "AMOUNT", amount_off: 100, effect: "APPLY_TO_ORDER" })],
  ]) {
    const cost = costOf(redeemables);
    assert.equal(decide(redeemables, order, within(newSteps(cost))).valid, true);
    assert.throws(() => decide(redeemables, order, within(newSteps(cost - 1))), TooExpensive);
  }
});

test("a trace costs more than the decision that it tells of, and has the same budget", () => {
  const redeemables = [withFormula(Array(60).fill("ORDER_ITEM_PRICE").join("+"))];
  const [decided, traced] = [costOf(redeemables), costOf(redeemables, order, { trace: true })];
  assert.ok(traced > 2 * decided);
  const steps = newSteps(decided);
  const decision = decide(redeemables, order, within(steps));
  assert.throws(() => traceDecision(decision, within(steps)), TooExpensive);
});

test("every round of a split is told before it begins", () => {
  const weights = [4, 2, 1];
  let rounds = 0;
  assert.deepEqual(
    prorateCapped(700, weights, [10, 20, 1000], () => {
      rounds += 1;
    }),
    [10, 20, 670],
  );
  assert.equal(rounds, 2);
  const split = { type: "AMOUNT", amount_off: 700, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" } as const;
  const steps = newSteps(1);
  const applicableTo = { included: [], excluded: [], included_all: true };
  const input = {
    ...{ order, applicableTo, bundles: 1, calculation: "INITIAL_AMOUNT" as const, blocked: new Set<number>() },
    ...{ units: new Map(), usedUnits: new Map(), formulas: {} as never, steps },
  };
  assert.throws(() => applyDiscount(split, input), TooExpensive);
});

test("30 plain codes on 500 lines are far from the budget", (t) => {
  const cost = costOf(Array.from({ length: 30 }, () => redeemable(onItems)));
  t.diagnostic(`${cost} of ${STEPS_MAX} steps`);
  assert.ok(cost < STEPS_MAX / 2);
});
