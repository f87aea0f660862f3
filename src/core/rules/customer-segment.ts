import { defineRule, single } from "./rule.ts";

/** The segments that the customer is in at this moment. */
export const customerSegment = defineRule({
  name: "customer.segment",
  summary: "The segments of the customer.",
  family: "customer",
  takes: "ids",
  needs: ["customer"],
  loads: ["segments"],
  read: ({ customer }) => single([...customer.segments]),
  examples: [
    { conditions: { $is: ["seg_vip"] }, facts: { customer: { segments: ["seg_vip"] } }, holds: true },
    { conditions: { $is: ["seg_vip"] }, facts: { customer: { segments: ["seg_new"] } }, holds: false },
    { conditions: { $in: ["seg_vip", "seg_new"] }, facts: { customer: { segments: ["seg_new"] } }, holds: true },
    { conditions: { $is_not: ["seg_vip"] }, facts: { customer: { segments: [] } }, holds: true },
    { conditions: { $not_in: ["seg_vip"] }, facts: { customer: { segments: ["seg_vip", "seg_new"] } }, holds: false },
    { note: "Nobody is asked.", conditions: { $is_not: ["seg_vip"] }, facts: {}, holds: false },
  ],
});
