import type { OrderItem } from "../order/order.ts";
import { unitPrice } from "../order/order.ts";
import { readProperty } from "./property.ts";
import { defineRule } from "./rule.ts";

const items = (...prices: number[]): Partial<OrderItem>[] => prices.map((price) => ({ price }));
const coloured = (...colours: string[]): Partial<OrderItem>[] => colours.map((colour) => ({ metadata: { colour } }));

/** `_any` asks for one line that fulfils all conditions, `_each` for every line. */
const QUANTIFIERS = [
  { suffix: "any", each: "some", means: "at least one" },
  { suffix: "each", each: "every", means: "every" },
] as const;

export const orderItemsEach = QUANTIFIERS.flatMap(({ suffix, each, means }) => [
  defineRule({
    name: `order.items.price_${suffix}`,
    summary: `The price of one unit of ${means} line of the cart.`,
    family: "order",
    takes: "number",
    unit: "money",
    needs: ["items"],
    read: ({ order }) => ({ each, values: order.items.map(unitPrice) }),
    examples: [
      { conditions: { $more_than: [100] }, facts: { order: { items: items(150, 101) } }, holds: true },
      { conditions: { $more_than: [100] }, facts: { order: { items: items(150, 100) } }, holds: each === "some" },
      {
        note: "Both conditions have to hold for the same line.",
        conditions: { $more_than: [100], $less_than: [200] },
        facts: { order: { items: items(50, 250) } },
        holds: false,
      },
    ],
  }),
  defineRule({
    name: `order.items.metadata_${suffix}`,
    summary: `A metadata property of ${means} line of the cart.`,
    family: "order",
    takes: "metadata",
    property: true,
    needs: ["items"],
    read: ({ order }, { property }) => ({
      each,
      values: order.items.map(({ metadata }) => readProperty(metadata, property)),
    }),
    examples: [
      { property: "colour", conditions: { $is: ["red"] }, facts: { order: { items: coloured("red") } }, holds: true },
      { property: "colour", conditions: { $is: ["red"] }, facts: { order: { items: coloured("tan") } }, holds: false },
      {
        property: "colour",
        conditions: { $is: ["red"] },
        facts: { order: { items: coloured("red", "blue") } },
        holds: each === "some",
      },
    ],
  }),
]);
