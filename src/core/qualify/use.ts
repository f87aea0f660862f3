import { BUDGET_LIMITS } from "../discounts/targets.ts";
import { anyLoads } from "../rules/loads.ts";
import type { Redeemable } from "../validate/redeemable.ts";

/** Whether a qualification has to know how often it was redeemed so far, or how many units it discounted. */
export const dependsOnUse = ({ rules }: Redeemable): boolean =>
  anyLoads(rules, "own_counts", "customer_counts", "campaign_counts") ||
  rules.some(({ definition: { applicable_to } }) =>
    applicable_to.included.some((entry) =>
      BUDGET_LIMITS.some((limit) => entry[limit] != null || Object.hasOwn(entry, `${limit}_formula`)),
    ),
  );
