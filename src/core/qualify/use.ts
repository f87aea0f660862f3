import { BUDGET_LIMITS } from "../discounts/targets.ts";
import { leavesOf, treeOf } from "../rules/tree.ts";
import type { Redeemable } from "../validate/redeemable.ts";

const COUNTS = /^(?:redemption\.count|redemption\.gift|campaign\.redemptions|campaign\.orders)\b/;

/** Whether a qualification has to know how often it was redeemed so far, or how many units it discounted. */
export const dependsOnUse = ({ rules }: Redeemable): boolean =>
  rules.some(
    ({ definition: { rules: map, applicable_to } }) =>
      leavesOf(treeOf(map)).some(({ rule }) => COUNTS.test(rule.name)) ||
      applicable_to.included.some((entry) =>
        BUDGET_LIMITS.some((limit) => entry[limit] != null || Object.hasOwn(entry, `${limit}_formula`)),
      ),
  );
