import type { OrderItem } from "../order/order.ts";
import { unitPrice } from "../order/order.ts";
import { type ExampleFacts, product, sku } from "./examples.ts";
import {
  type Ask,
  defineLinesRule,
  type Fits,
  type Line,
  type RuleExample,
  type Scope,
  type Selection,
} from "./rule.ts";

const cart = (...items: Partial<OrderItem>[]): ExampleFacts => ({ order: { items } });
const A = { product: product("prod_a"), price: 100 };
const B = { product: product("prod_b", { source_id: "B-1" }), price: 200, collections: ["pc_1"] };
const skuOfB = { ...B, sku: sku("sku_b") };
const isA = { $is: [{ id: "prod_a", object: "product" }] };
const isB = { $is: [{ id: "prod_b", object: "product" }] };

const fitting = ({ lines }: Scope, fits: Fits): Line[] => lines.filter(({ item }) => fits(item));

export const orderItemsAny = defineLinesRule({
  name: "order.items.any",
  summary: "At least one line is one of the products.",
  takes: "products",
  select: (scope, _, fits): Selection => {
    const lines = fitting(scope, fits);
    return { holds: lines.length > 0, lines, each: "some" };
  },
  examples: [
    { conditions: isA, facts: cart(A, B), holds: true },
    { conditions: isA, facts: cart(B), holds: false },
    { note: "A product stands for its SKUs.", conditions: isB, facts: cart(skuOfB), holds: true },
    { conditions: { $is: [{ id: "sku_b", object: "sku" }] }, facts: cart(B), holds: false },
    { conditions: { $is: [{ id: "x", object: "product", source_id: "B-1" }] }, facts: cart(B), holds: true },
    { conditions: { $is: [{ id: "pc_1", object: "products_collection" }] }, facts: cart(A, B), holds: true },
    { conditions: { ...isA, $from: [{ id: "pc_1", object: "products_collection" }] }, facts: cart(A, B), holds: false },
    { conditions: { $is_not: [{ id: "prod_a", object: "product" }] }, facts: cart(A, B), holds: true },
    ...[3, 4].map(
      (quantity): RuleExample => ({
        conditions: isB,
        rules: { "1": { name: "order.items.aggregated_quantity", conditions: { $more_than_or_equal: [4] } } },
        facts: cart({ ...B, quantity }),
        holds: quantity === 4,
      }),
    ),
    { note: "No items.", conditions: isA, facts: { order: { amount: 500 } }, holds: false },
  ],
});

export const orderItemsEvery = defineLinesRule({
  name: "order.items.every",
  summary: "Every line is one of the products.",
  takes: "products",
  select: (scope, _, fits): Selection => {
    const lines = fitting(scope, fits);
    return { holds: lines.length > 0 && lines.length === scope.lines.length, lines, each: "every" };
  },
  examples: [
    { conditions: isA, facts: cart(A, A), holds: true },
    { conditions: isA, facts: cart(A, B), holds: false },
    { conditions: { $in: [...isA.$is, ...isB.$is] }, facts: cart(A, B), holds: true },
    {
      note: "The rules below are asked of every line.",
      conditions: isA,
      rules: { "1": { name: "order.items.quantity", conditions: { $more_than: [1] } } },
      facts: cart({ ...A, quantity: 2 }, A),
      holds: false,
    },
  ],
});

export const orderItemsNone = defineLinesRule({
  name: "order.items.none",
  summary: "No line is one of the products.",
  takes: "products",
  allows_below: false,
  select: (scope, _, fits): Selection => {
    const lines = fitting(scope, fits);
    return { holds: lines.length === 0, lines, each: "some" };
  },
  examples: [
    { conditions: isA, facts: cart(B), holds: true },
    { conditions: isA, facts: cart(A, B), holds: false },
  ],
});

// Contract is silent on ties.
/**
 * The lines of the lowest or highest unit price, among those of the `$from` collections where there are some. Several
 * may share that price: one of them that fits is enough, and the rules below are asked of all that fit.
 */
function selectExtreme(extreme: (...prices: number[]) => number, scope: Scope, ask: Ask, fits: Fits): Selection {
  const from = ask.conditions.filter(({ operator }) => operator.name === "$from");
  const others = ask.conditions.filter(({ operator }) => operator.name !== "$from");
  const pool = scope.lines.filter(({ item }) => fits(item, from));
  const priced = pool.filter(({ item }) => unitPrice(item) !== null);
  if (pool.length > 0 && priced.length === 0) return { lacks: "amount" };
  const price = extreme(...priced.map(({ item }) => unitPrice(item)!));
  const lines = priced.filter(({ item }) => unitPrice(item) === price && fits(item, others));
  return { holds: lines.length > 0, lines, each: "every" };
}

const EXTREMES = [
  { name: "order.items.cheapest", says: "cheapest", extreme: Math.min, isCheapest: true },
  { name: "order.items.most_expensive", says: "most expensive", extreme: Math.max, isCheapest: false },
];

export const orderItemsExtremes = EXTREMES.map(({ name, says, extreme, isCheapest }) =>
  defineLinesRule({
    name,
    summary: `The ${says} line is one of the products.`,
    takes: "products",
    select: (scope, ask, fits) => selectExtreme(extreme, scope, ask, fits),
    examples: [
      { conditions: isA, facts: cart(A, B), holds: isCheapest },
      { conditions: isB, facts: cart(A, B), holds: !isCheapest },
      { note: "Two share the price.", conditions: isB, facts: cart({ ...A, price: 200 }, B), holds: true },
      {
        note: "Only lines of the collection are compared.",
        conditions: { ...isB, $from: [{ id: "pc_1", object: "products_collection" }] },
        facts: cart(A, B, { ...A, price: 999 }),
        holds: true,
      },
    ],
  }),
);
