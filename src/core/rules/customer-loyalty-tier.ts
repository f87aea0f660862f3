import { defineRule, single } from "./rule.ts";

/** The loyalty tiers that the customer holds now, of all programs. */
export const customerLoyaltyTier = defineRule({
  name: "customer.loyalty.tier",
  summary: "The loyalty tiers that the customer has now, with loyalty cards and in loyalty programs.",
  family: "customer",
  takes: "ids",
  needs: ["customer"],
  loads: ["tiers"],
  read: ({ customer }) => single([...customer.loyalty_tiers]),
  examples: [
    { conditions: { $is: ["ltr_gold"] }, facts: { customer: { loyalty_tiers: ["ltr_gold"] } }, holds: true },
    { conditions: { $in: ["ltr_gold"] }, facts: { customer: { loyalty_tiers: [] } }, holds: false },
  ],
});
