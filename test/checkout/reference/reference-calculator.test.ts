import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { countedAs } from "../../../src/core/discounts/items.ts";
import { BUDGET_LIMITS } from "../../../src/core/discounts/targets.ts";
import type { CatalogueUnit } from "../../../src/core/discounts/units.ts";
import { parseFormula } from "../../../src/core/formula/parse.ts";
import { type Order, totalsOf } from "../../../src/core/order/order.ts";
import { type Catalogue, resolveOrder } from "../../../src/core/order/resolve.ts";
import { DEFAULT_STACKING } from "../../../src/core/stacking/settings.ts";
import { decide } from "../../../src/core/validate/decide.ts";
import type { Redeemable, RedeemableBenefit } from "../../../src/core/validate/redeemable.ts";
import { redeemable, rule, SITUATION } from "../../support/redeemables.ts";
import { bundleRules, SHOP, scenario, written } from "./random-carts.ts";
import {
  type CartRequest,
  type CartShown,
  calculate,
  type Result,
  type Scenario,
  type StepShown,
} from "./reference-calculator.ts";

// MONEY_CARTS says how many carts are compared, MONEY_SEED which; a failure prints the seed.
const CARTS = Number(process.env.MONEY_CARTS ?? 3000);
const SEED = process.env.MONEY_SEED === undefined ? {} : { seed: Number(process.env.MONEY_SEED) };

test("the calculator shares no code with the engine: it imports nothing but its own parts", () => {
  const files = fs.readdirSync(new URL(".", import.meta.url)).filter((name) => !name.includes(".test."));
  for (const file of files.filter((name) => name !== "random-carts.ts")) {
    const text = fs.readFileSync(new URL(file, import.meta.url), "utf8");
    const imported = [...text.matchAll(/\bfrom "(.*)"|\b(?:import|require)\(/g)].map(
      ([, name]) => name ?? "a function",
    );
    assert.deepEqual(
      imported.filter((name) => !/^\.\/[a-z]+\.ts$/.test(name)),
      [],
      file,
    );
  }
});

// --- The engine, asked the same --------------------------------------------------------------------------------------

const productOf = (id: string) => ({ id, source_id: null, name: null, price: SHOP.products[id]!.price, metadata: {} });
const skuOf = (id: string) => ({ id, source_id: null, sku: null, price: SHOP.skus[id]!.price, metadata: {} });
const collectionsOf: Catalogue["collectionsOf"] = (product, sku) =>
  Object.keys(SHOP.collections).filter((id) =>
    SHOP.collections[id]!.some((one) => one === product?.id || one === sku?.id),
  );
const catalogue: Catalogue = {
  product: (id) => (id in SHOP.products ? productOf(id) : undefined),
  sku: (id) => (id in SHOP.skus ? { ...skuOf(id), product: productOf(SHOP.skus[id]!.product) } : undefined),
  collectionsOf,
};
const UNITS = new Map<string, CatalogueUnit>([
  ...Object.keys(SHOP.products).map((id) => {
    const product = productOf(id);
    return [id, { product, sku: null, collections: collectionsOf(product, null) }] as const;
  }),
  ...Object.keys(SHOP.skus).map((id) => {
    const [product, sku] = [productOf(SHOP.skus[id]!.product), skuOf(id)];
    return [id, { product, sku, collections: collectionsOf(product, sku) }] as const;
  }),
]);

function benefitOf(asked: CartRequest): RedeemableBenefit {
  if ("discount" in asked) return { kind: "discount", discount: written(asked.discount) as never };
  if ("gift" in asked) {
    const { balance, credits, effect } = asked.gift;
    return { kind: "gift", balance, locked: 0, effect, requested: credits };
  }
  const { balance, points, exchange_ratio, points_ratio } = asked.points;
  const reward = { id: "rew", price: { exchange: { exchange_ratio, points_ratio } } };
  return { kind: "points", balance, locked: 0, reward, requested: points };
}

function usedUnits({ targets, used }: CartRequest): Map<string, number> {
  const things = [...UNITS.values()].map(({ product, sku }) => countedAs({ product, sku }));
  const keys = targets.included.flatMap(({ object, id }) =>
    BUDGET_LIMITS.flatMap((limit) => ["", ...things].map((thing) => `${limit} ${object} ${id} ${thing}`)),
  );
  return new Map(keys.map((key) => [key, used]));
}

function redeemableOf(asked: CartRequest, n: number): Redeemable {
  const { targets, bundle, campaign, mode } = asked;
  const own = rule({ applicable_to: written(targets), ...(bundle && { bundle_rules: bundleRules(bundle) }) });
  return redeemable(benefitOf(asked), {
    id: `CODE${n}`,
    campaign_id: campaign,
    category_id: mode,
    rules: [own],
    used_units: usedUnits(asked),
  });
}

const cartShown = (order: Order): CartShown => ({
  amount: order.amount,
  initial_amount: order.initial_amount,
  discount_amount: order.discount_amount,
  applied_discount_amount: order.applied_discount_amount,
  zero_discounts: order.zero_discounts ?? 0,
  applied_zero_discounts: order.applied_zero_discounts ?? 0,
  total_amount: totalsOf(order).total_amount,
  lines: order.items.map(({ id: _, metadata: __, product, sku, collections, ...item }) => ({
    product: product?.id ?? null,
    sku: sku?.id ?? null,
    collections: [...collections],
    zero_discounts: 0,
    applied_zero_discounts: 0,
    ...item,
  })),
});

function byEngine({ lines, amount, redeemables, settings }: Scenario): Result {
  const items = lines.map(({ product, sku, ...line }) => ({ product_id: product, sku_id: sku, ...line }));
  const { valid, decided, order } = decide(redeemables.map(redeemableOf), resolveOrder({ items, amount }, catalogue), {
    settings: {
      ...DEFAULT_STACKING,
      discount_calculation_mode: settings.mode,
      initial_amount_mode_categories: ["INITIAL_AMOUNT"],
      discounted_amount_mode_categories: ["DISCOUNTED_AMOUNT"],
      redeemables_products_application_mode: settings.once ? "ONCE" : "STACK",
      redeemables_application_mode: settings.partial ? "PARTIAL" : "ALL",
      redeemables_no_effect_rule: settings.skipNoEffect ? "SKIP" : "REDEEM_ANYWAY",
    },
    situation: { ...SITUATION, units: UNITS, formula: parseFormula },
  });
  const steps = decided.map(({ outcome }): StepShown => {
    if (outcome.status === "SKIPPED") return { status: "SKIPPED", key: outcome.reason };
    if (outcome.status === "INAPPLICABLE") return { status: "INAPPLICABLE", key: outcome.failure.error.key };
    const { order: after, targets, gift, loyalty_card, bundle } = outcome.result;
    return {
      status: "APPLICABLE",
      order: cartShown(after!),
      units: targets.map(({ target: { index, start, step, count } }) => [
        index,
        Array.from({ length: count }, (_, n) => start + n * step),
      ]),
      ...(gift && { credits: gift.credits }),
      ...(loyalty_card && { points: loyalty_card.points }),
      ...(bundle && { bundles: bundle.quantity }),
    };
  });
  return { steps, valid, order: order && cartShown(order) };
}

test("the engine and the calculator agree about random carts", () => {
  fc.assert(
    fc.property(scenario, (one) => {
      assert.deepEqual(byEngine(one), calculate(one, SHOP), JSON.stringify(one));
    }),
    { numRuns: CARTS, ...SEED },
  );
});
