import type { StackingRules } from "../../api/operations.gen.ts";

export type Group = "exclusive" | "joint" | "common";
/** `null` stands for offers without a category. */
type CategoryId = string | null;
export type Verdict = "together" | "excluded" | "exclusiveLimit" | "categoryLimit" | "limit";

export const groupOf = (id: CategoryId, rules: StackingRules): Group =>
  id !== null && rules.exclusive_categories.includes(id)
    ? "exclusive"
    : id !== null && rules.joint_categories.includes(id)
      ? "joint"
      : "common";

/** How many of one category may apply, or null for as many as there are. */
function limitOf(id: string, rules: StackingRules): number | null {
  const own = rules.applicable_redeemables_category_limits[id] ?? rules.applicable_redeemables_per_category_limit;
  const ofExclusive =
    groupOf(id, rules) === "exclusive" ? rules.applicable_exclusive_redeemables_per_category_limit : null;
  const limits = [own, ofExclusive].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** What the rules say of two offers, one of each category. Whether they fit a cart is for the server to say. */
export function combine(a: CategoryId, b: CategoryId, rules: StackingRules): Verdict {
  const groups = [groupOf(a, rules), groupOf(b, rules)];
  if (rules.applicable_redeemables_limit < 2) return "limit";
  if (groups.includes("exclusive") && groups.includes("common")) return "excluded";
  if (groups.every((group) => group === "exclusive") && rules.applicable_exclusive_redeemables_limit < 2)
    return "exclusiveLimit";
  const limit = a !== null && a === b ? limitOf(a, rules) : null;
  return limit !== null && limit < 2 ? "categoryLimit" : "together";
}
