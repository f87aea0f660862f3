import { defineRule, single } from "./rule.ts";

/** Only customers to whom the code was published may redeem it. A code that was published to nobody has no such customer. */
export const publicationHolder = defineRule({
  name: "publication.redeemable_by_linked_customer",
  summary: "Only customers who received the code in a publication may redeem it.",
  family: "redemption",
  takes: "flag",
  needs: ["customer"],
  // Contract is silent on false. The rule is a switch: set to false it asks nothing, rather than asking for a customer without the code.
  read: ({ customer, holder_ids }, { conditions }) =>
    single(String(conditions[0]?.values[0]) === "true" && customer.id !== null && !!holder_ids?.includes(customer.id)),
  examples: [
    { conditions: { $is: [true] }, facts: { customer: { id: "cust_1" }, holder_ids: ["cust_1"] }, holds: true },
    { conditions: { $is: [true] }, facts: { customer: { id: "cust_2" }, holder_ids: ["cust_1"] }, holds: false },
    { conditions: { $is: [true] }, facts: { customer: { id: "cust_1" } }, holds: false },
    { conditions: { $is: [false] }, facts: { customer: { id: "cust_1" }, holder_ids: ["cust_1"] }, holds: true },
  ],
});
