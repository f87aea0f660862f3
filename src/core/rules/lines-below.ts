import { sum } from "../money/amounts.ts";
import { type OrderItem, subtotalOf, unitPrice } from "../order/order.ts";
import type { ExampleFacts } from "./examples.ts";
import { readProperty } from "./property.ts";
import { type Ask, defineRule, type Reading, type RuleExample, type Scope, single } from "./rule.ts";

const cart = (...items: Partial<OrderItem>[]): ExampleFacts => ({ order: { items } });
/** Below `order.items.any` without conditions, that is of all lines of the cart. */
const example = (given: Omit<RuleExample, "above">): RuleExample => ({
  above: { name: "order.items.any", conditions: {} },
  ...given,
});

// Contract is silent: two rules below one that asks for some line may be fulfilled by two different lines.
/** A value of one line: the rule above says whether some line or every line has to fulfil it. */
const ofLine =
  (value: (item: OrderItem, ask: Ask) => unknown) =>
  (_: unknown, ask: Ask, { lines, each }: Scope): Reading => ({
    each,
    values: lines.map(({ item }) => value(item, ask)),
  });

const aggregatedQuantity = (_: unknown, __: Ask, { lines }: Scope): Reading =>
  single(sum(lines.map(({ item }) => item.quantity)));
/** What is left of the lines after the discounts on them: 500 with 100 off, and 300, are 700. */
const aggregatedAmount = (_: unknown, __: Ask, { lines }: Scope): Reading =>
  lines.some(({ item }) => item.amount === null)
    ? { lacks: "amount" }
    : single(sum(lines.map(({ item }) => subtotalOf(item))));

const base = { family: "order", takes: "number", place: "below", needs: [] } as const;

const QUANTITY = ["order.items.quantity", "product.quantity", "sku.quantity"].map((name) =>
  defineRule({
    ...base,
    name,
    summary: "The number of units of a line.",
    unit: "count",
    read: ofLine(({ quantity }) => quantity),
    examples: [
      example({ conditions: { $more_than: [2] }, facts: cart({ quantity: 1 }, { quantity: 3 }), holds: true }),
      example({ conditions: { $more_than: [2] }, facts: cart({ quantity: 2 }, { quantity: 2 }), holds: false }),
    ],
  }),
);

const PRICE = ["order.items.price", "product.price", "sku.price"].map((name) =>
  defineRule({
    ...base,
    name,
    summary: "The price of one unit of a line, in minor units.",
    unit: "money",
    read: ofLine(unitPrice),
    examples: [
      example({ conditions: { $less_than: [100] }, facts: cart({ price: 99, quantity: 3 }), holds: true }),
      example({ conditions: { $less_than: [100] }, facts: cart({ amount: 300, quantity: 3 }), holds: false }),
      example({ note: "No price.", conditions: { $less_than: [100] }, facts: cart({}), holds: false }),
    ],
  }),
);

const AGGREGATED_QUANTITY = ["order.items.aggregated_quantity", "product.metadata.aggregated_quantity"].map((name) =>
  defineRule({
    ...base,
    name,
    summary: "The number of units of all selected lines together.",
    unit: "count",
    read: aggregatedQuantity,
    examples: [
      example({ conditions: { $is: [4] }, facts: cart({ quantity: 2 }, { quantity: 2 }), holds: true }),
      example({ conditions: { $more_than: [4] }, facts: cart({ quantity: 2 }, { quantity: 2 }), holds: false }),
    ],
  }),
);

const AGGREGATED_AMOUNT = ["order.items.aggregated_amount", "product.metadata.aggregated_amount"].map((name) =>
  defineRule({
    ...base,
    name,
    summary: "The amount still to pay for all selected lines together, in minor units.",
    unit: "money",
    read: aggregatedAmount,
    examples: [
      example({
        conditions: { $is: [700] },
        facts: cart({ price: 500, discount_amount: 100 }, { price: 300 }),
        holds: true,
      }),
      example({ conditions: { $less_than: [1000] }, facts: cart({ price: 500 }, { quantity: 2 }), holds: false }),
    ],
  }),
);

const METADATA = defineRule({
  ...base,
  name: "order.items.metadata",
  summary: "A metadata property of a line.",
  takes: "metadata",
  property: true,
  read: ofLine(({ metadata }, { property }) => readProperty(metadata, property)),
  examples: [
    example({
      property: "size",
      conditions: { $more_than_or_equal: [40] },
      facts: cart({ metadata: { size: "42" } }),
      holds: true,
    }),
    example({ property: "size", conditions: { $is: [40] }, facts: cart({}), holds: false }),
  ],
});

/**
 * Switches of older definitions. They change what the rule above does (`match_all`) or which lines are discounted, and
 * are no question of their own: whatever they say holds.
 */
const SWITCHES = [
  "product.discount_applicable",
  "sku.discount_applicable",
  "product.metadata.discount_applicable",
  "product.metadata.match_all",
].map((name) =>
  defineRule({
    ...base,
    name,
    summary: name.endsWith("match_all")
      ? "All lines must match, not only one."
      : "The discount is for the selected lines only.",
    takes: "flag",
    read: (_, { conditions }) => single(conditions[0]?.values[0]),
    examples: [example({ conditions: { $is: [true] }, facts: cart({}), holds: true })],
  }),
);

export const linesBelow = [...QUANTITY, ...PRICE, ...AGGREGATED_QUANTITY, ...AGGREGATED_AMOUNT, METADATA, ...SWITCHES];
