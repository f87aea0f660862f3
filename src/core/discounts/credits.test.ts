import assert from "node:assert/strict";
import { test } from "node:test";
import { type CartLine, cart } from "../../../test/support/carts.ts";
import { totalsOf } from "../order/order.ts";
import { findBundles } from "./bundle.ts";
import { payItemsWithCredits, payStepWithPoints, payWithCredits } from "./credits.ts";
import type { UsedUnits } from "./items.ts";
import type { ApplicableEntry } from "./targets.ts";

/** Credits that pay for the lines of the collection "m", and what each line is paid with. */
function paidFor(
  lines: readonly CartLine[],
  credits: number,
  limits: Partial<ApplicableEntry> = {},
  usedUnits: UsedUnits = new Map(),
) {
  const included = [{ object: "products_collection" as const, id: "m", ...limits }];
  const applicableTo = { included, excluded: [], included_all: false };
  const paid = payItemsWithCredits(cart(lines), credits, { applicableTo, usedUnits });
  return [paid.credits, paid.order.items.map((item) => item.discount_amount)];
}

const total = (order: Parameters<typeof totalsOf>[0]) => totalsOf(order).total_amount;

test("gift credits: what is asked for, up to what is left to pay", () => {
  const two = payWithCredits(cart([], { amount: 1000 }), 2);
  assert.deepEqual([two.credits, total(two.order)], [2, 998]);
  const more = payWithCredits(cart([], { amount: 1000 }), 5000);
  assert.deepEqual([more.credits, total(more.order)], [1000, 0]);
});

test("gift credits on items go to the lines the card is for, in their order", () => {
  const lines = [{ price: 500, collections: ["m"] }, { price: 900 }, { price: 800, collections: ["m"] }];
  assert.deepEqual(paidFor(lines, 700), [700, [500, 0, 200]]);
});

test("every limit of the rules holds for gift credits on items", () => {
  const lines = [
    { price: 1000, quantity: 3, collections: ["m"] },
    { price: 500, quantity: 4, collections: ["m"] },
  ];
  const cases: [limits: Partial<ApplicableEntry>, off: [number, number]][] = [
    [{}, [3000, 2000]],
    [{ amount_limit: 700 }, [700, 700]],
    [{ aggregated_amount_limit: 300 }, [300, 0]],
    [{ aggregated_amount_limit: 3300 }, [3000, 300]],
    [{ quantity_limit: 1 }, [1000, 500]],
    [{ aggregated_quantity_limit: 4 }, [3000, 500]],
    [{ target: "UNIT", skip_initially: 1, repeat: 3 }, [1000, 500]],
    [{ effect: "APPLY_TO_CHEAPEST", target: "UNIT" }, [0, 500]],
    [{ product_campaign_quantity_limit: 5 }, [3000, 0]],
    [{ quantity_limit: 2, amount_limit: 1500, aggregated_amount_limit: 2000 }, [1500, 500]],
  ];
  const used = new Map([["product_campaign_quantity_limit products_collection m ", 2]]);
  for (const [limits, off] of cases)
    assert.deepEqual(paidFor(lines, 9000, limits, used), [off[0] + off[1], off], JSON.stringify(limits));
});

test("points are worth their ratio, and no more are used than it takes", () => {
  const exchange = { points_ratio: 100, exchange_ratio: 20 };
  const paid = payStepWithPoints(cart([], { amount: 4500 }), 200, exchange);
  assert.deepEqual([paid.points, paid.order.applied_discount_amount, total(paid.order)], [200, 4000, 500]);
  assert.equal(payStepWithPoints(cart([], { amount: 9000 }), 300, exchange).order.applied_discount_amount, 6000);
  const less = payStepWithPoints(cart([], { amount: 3950 }), 200, exchange);
  assert.deepEqual([less.points, total(less.order)], [198, 0]);
});

test("bundles: whole sets up to the limit; a unit serves one part, the most specific first", () => {
  const parts = [
    { entry: { object: "product", id: "laptop" }, quantity: 1 },
    { entry: { object: "product", id: "bag" }, quantity: 1 },
  ] as const;
  const order = cart([
    { product: "laptop", price: 1, quantity: 2 },
    { product: "bag", price: 1, quantity: 2 },
    { product: "mouse", price: 1, quantity: 3 },
  ]);
  assert.deepEqual(findBundles(order, { parts, limit: 100 }), {
    quantity: 2,
    limit: 100,
    identified: [
      { id: "laptop", object: "product", item_index: 0, item_quantity: 2 },
      { id: "bag", object: "product", item_index: 1, item_quantity: 2 },
    ],
  });
  assert.equal(findBundles(order, { parts, limit: 1 }).quantity, 1);
  const missing = findBundles(cart([{ product: "laptop", price: 1 }]), { parts, limit: 5 });
  assert.deepEqual([missing.quantity, missing.missing], [0, [{ id: "bag", object: "product", item_quantity: 1 }]]);
  const overlapping = [
    { entry: { object: "products_collection", id: "all" }, quantity: 1 },
    { entry: { object: "sku", id: "red" }, quantity: 1 },
  ] as const;
  const colours = cart([
    { product: "shirt", sku: "red", price: 1, collections: ["all"] },
    { product: "shirt", sku: "blue", price: 1, collections: ["all"] },
  ]);
  assert.equal(findBundles(colours, { parts: overlapping, limit: 1 }).quantity, 1);
});
