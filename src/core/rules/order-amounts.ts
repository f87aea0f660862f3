import { payable } from "../order/order.ts";
import { defineRule, single } from "./rule.ts";

/** What is left to pay when this redeemable's turn comes. 1,050 less a gift of 100 applied before is 950. */
export const orderAmount = defineRule({
  name: "order.amount",
  summary: "The amount to pay before this redeemable applies, in minor units.",
  family: "order",
  takes: "number",
  unit: "money",
  needs: ["amount"],
  read: ({ order }) => single(payable(order)),
  examples: [
    { conditions: { $more_than: [10000] }, facts: { order: { amount: 10000 } }, holds: false },
    { conditions: { $more_than: [10000] }, facts: { order: { amount: 10001 } }, holds: true },
    { conditions: { $more_than: [10000] }, facts: { order: { amount: 3000 } }, holds: false },
    { conditions: { $more_than: [1000] }, facts: { order: { amount: 1050, discount_amount: 100 } }, holds: false },
    { conditions: { $more_than: [100], $less_than: [150] }, facts: { order: { amount: 120 } }, holds: true },
    { note: "An order without an amount.", conditions: { $less_than: [1] }, facts: { order: {} }, holds: false },
  ],
});

/** What the cart cost before anything was applied; the same through a whole stack. */
export const orderInitialAmount = defineRule({
  name: "order.initial_amount",
  summary: "The amount of the order before all discounts, in minor units.",
  family: "order",
  takes: "number",
  unit: "money",
  needs: ["order"],
  read: ({ order }) => (order.initial_amount === null ? { lacks: "amount" } : single(order.initial_amount)),
  examples: [
    { conditions: { $less_than: [1100] }, facts: { order: { amount: 1050, discount_amount: 100 } }, holds: true },
    { conditions: { $is: ["1050"] }, facts: { order: { amount: 1050 } }, holds: true },
    { conditions: { $in: [1, 2] }, facts: { order: { amount: 3 } }, holds: false },
  ],
});

/** What is left to pay after this redeemable. Before it was calculated nothing is known, so nothing can fail. */
export const orderTotalAmount = defineRule({
  name: "order.total_amount",
  summary: "The amount to pay after this redeemable applies, in minor units.",
  family: "order",
  takes: "number",
  unit: "money",
  after: true,
  needs: ["amount"],
  read: ({ order, discounted }) => single(payable(discounted ?? order)),
  examples: [
    {
      conditions: { $more_than_or_equal: [900] },
      facts: { order: { amount: 1000 }, discounted: { amount: 1000, discount_amount: 100 } },
      holds: true,
    },
    {
      conditions: { $more_than_or_equal: [901] },
      facts: { order: { amount: 1000 }, discounted: { amount: 1000, discount_amount: 100 } },
      holds: false,
    },
  ],
});
