import { totalsOf } from "../order/order.ts";
import { defineRule, single } from "./rule.ts";

const base = { family: "redemption", takes: "number", unit: "money", needs: [], loads: ["campaign_counts"] } as const;

// Contract is silent on redemptions without an order.
/** A redemption without an order adds nothing to the sum. 9,000 so far and an order of 1,000 are 10,000. */
export const campaignOrdersAmount = defineRule({
  ...base,
  name: "campaign.orders.amount",
  summary: "The total amount of the orders redeemed in the campaign, including this one, in minor units.",
  read: ({ counts, order }) => single(counts.campaign_orders_amount + (order?.amount ?? 0)),
  examples: [
    {
      conditions: { $less_than_or_equal: [10000] },
      facts: { order: { amount: 1000 }, counts: { campaign_orders_amount: 9000 } },
      holds: true,
    },
    {
      conditions: { $less_than_or_equal: [10000] },
      facts: { order: { amount: 1001 }, counts: { campaign_orders_amount: 9000 } },
      holds: false,
    },
    { conditions: { $less_than: [1] }, facts: {}, holds: true },
  ],
});

/** What this redeemable takes off is known only after the calculation. */
export const campaignAmountDiscounted = defineRule({
  ...base,
  name: "campaign.orders.amount_discounted",
  summary: "The total discount of the campaign, including this one, in minor units.",
  after: true,
  read: ({ counts, discounted }) =>
    single(counts.campaign_discount_amount + (discounted ? totalsOf(discounted).total_applied_discount_amount : 0)),
  examples: [500, 501].map((existing) => ({
    conditions: { $less_than_or_equal: [1000] },
    facts: {
      order: { amount: 9000 },
      discounted: {
        amount: 9000,
        discount_amount: 400,
        applied_discount_amount: 400,
        items: [{ price: 9000, discount_amount: 100, applied_discount_amount: 100 }],
      },
      counts: { campaign_discount_amount: existing },
    },
    holds: existing === 500,
  })),
});

/** The credits that this redemption takes may be fewer than asked for, so they too are known only afterwards. */
export const redemptionGiftAmount = defineRule({
  ...base,
  name: "redemption.gift.amount",
  summary: "The gift credits redeemed in the campaign, including these, in minor units.",
  after: true,
  read: ({ counts, redemption }) => single(counts.campaign_gift_amount + redemption.gift_credits),
  examples: [700, 701].map((existing) => ({
    conditions: { $less_than_or_equal: [1000] },
    facts: { redemption: { gift_credits: 300 }, counts: { campaign_gift_amount: existing } },
    holds: existing === 700,
  })),
});
