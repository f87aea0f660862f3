import { Type } from "typebox";
import { Choice, Nullable } from "../shapes.ts";
import type { StackingSettings } from "./settings.ts";

const Categories = Type.Array(Type.String(), { maxItems: 100, uniqueItems: true });
const Limit = (maximum: number) => Type.Integer({ minimum: 1, maximum });

/** How the redeemables of one request combine, as it is sent and shown. */
export const stackingFields = {
  redeemables_limit: Limit(30),
  applicable_redeemables_limit: Limit(30),
  applicable_redeemables_per_category_limit: Nullable(Limit(30)),
  applicable_redeemables_category_limits: Type.Unsafe<Record<string, number>>({
    type: "object",
    additionalProperties: Limit(10),
    maxProperties: 100,
  }),
  applicable_exclusive_redeemables_limit: Limit(5),
  applicable_exclusive_redeemables_per_category_limit: Nullable(Limit(30)),
  exclusive_categories: Categories,
  joint_categories: Categories,
  discount_calculation_mode: Choice(["INITIAL_AMOUNT", "DISCOUNTED_AMOUNT"]),
  initial_amount_mode_categories: Categories,
  discounted_amount_mode_categories: Categories,
  redeemables_application_mode: Choice(["ALL", "PARTIAL"]),
  redeemables_sorting_rule: Choice(["REQUESTED_ORDER", "CATEGORY_HIERARCHY"]),
  grouped_redeemables_sorting_rule: Choice(["JOINT_ALWAYS_LAST", "SORTING_RULE_ALWAYS"]),
  redeemables_products_application_mode: Choice(["STACK", "ONCE"]),
  redeemables_no_effect_rule: Choice(["REDEEM_ANYWAY", "SKIP"]),
  no_effect_skip_categories: Categories,
  no_effect_redeem_anyway_categories: Categories,
  redeemables_rollback_order_mode: Choice(["WITH_ORDER", "WITHOUT_ORDER"]),
} satisfies Record<keyof StackingSettings, unknown>;

export const StackingSettingsShown = Type.Object(stackingFields, { title: "StackingSettings" });
