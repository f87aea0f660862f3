import { sum } from "../money/amounts.ts";
import { defineRule, single } from "./rule.ts";

/** How many units the cart holds: two lines of 2 and 3 are 5. */
export const orderItemsCount = defineRule({
  name: "order.items.count",
  summary: "The number of units in the cart, all lines together.",
  family: "order",
  takes: "number",
  unit: "count",
  needs: ["items"],
  read: ({ order }) => single(sum(order.items.map(({ quantity }) => quantity))),
  examples: [
    { conditions: { $is: [5] }, facts: { order: { items: [{ quantity: 2 }, { quantity: 3 }] } }, holds: true },
    { conditions: { $more_than: [5] }, facts: { order: { items: [{ quantity: 2 }, { quantity: 3 }] } }, holds: false },
  ],
});
