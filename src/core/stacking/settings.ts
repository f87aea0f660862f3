/** How the redeemables of one request combine. */
export type StackingSettings = {
  redeemables_limit: number;
  applicable_redeemables_limit: number;
  applicable_redeemables_per_category_limit: number | null;
  applicable_redeemables_category_limits: Record<string, number>;
  applicable_exclusive_redeemables_limit: number;
  applicable_exclusive_redeemables_per_category_limit: number | null;
  exclusive_categories: string[];
  joint_categories: string[];
  discount_calculation_mode: "INITIAL_AMOUNT" | "DISCOUNTED_AMOUNT";
  initial_amount_mode_categories: string[];
  discounted_amount_mode_categories: string[];
  redeemables_application_mode: "ALL" | "PARTIAL";
  redeemables_sorting_rule: "REQUESTED_ORDER" | "CATEGORY_HIERARCHY";
  grouped_redeemables_sorting_rule: "JOINT_ALWAYS_LAST" | "SORTING_RULE_ALWAYS";
  redeemables_products_application_mode: "STACK" | "ONCE";
  redeemables_no_effect_rule: "REDEEM_ANYWAY" | "SKIP";
  no_effect_skip_categories: string[];
  no_effect_redeem_anyway_categories: string[];
  redeemables_rollback_order_mode: "WITH_ORDER" | "WITHOUT_ORDER";
};

/** What holds while a project has no stacking rules of its own. */
export const DEFAULT_STACKING: Readonly<StackingSettings> = Object.freeze({
  redeemables_limit: 30,
  applicable_redeemables_limit: 5,
  applicable_redeemables_per_category_limit: null,
  applicable_redeemables_category_limits: {},
  applicable_exclusive_redeemables_limit: 1,
  applicable_exclusive_redeemables_per_category_limit: 1,
  exclusive_categories: [],
  joint_categories: [],
  discount_calculation_mode: "DISCOUNTED_AMOUNT",
  initial_amount_mode_categories: [],
  discounted_amount_mode_categories: [],
  redeemables_application_mode: "ALL",
  redeemables_sorting_rule: "REQUESTED_ORDER",
  grouped_redeemables_sorting_rule: "JOINT_ALWAYS_LAST",
  redeemables_products_application_mode: "STACK",
  redeemables_no_effect_rule: "REDEEM_ANYWAY",
  no_effect_skip_categories: [],
  no_effect_redeem_anyway_categories: [],
  redeemables_rollback_order_mode: "WITH_ORDER",
});

export const CATEGORY_LISTS = [
  "exclusive_categories",
  "joint_categories",
  "initial_amount_mode_categories",
  "discounted_amount_mode_categories",
  "no_effect_skip_categories",
  "no_effect_redeem_anyway_categories",
] as const satisfies readonly (keyof StackingSettings)[];

// The first may not be larger than the second.
const NOT_LARGER = [
  ["applicable_redeemables_limit", "redeemables_limit"],
  ["applicable_redeemables_per_category_limit", "applicable_redeemables_limit"],
  ["applicable_exclusive_redeemables_per_category_limit", "applicable_exclusive_redeemables_limit"],
] as const;
// A category cannot be in both.
const APART = [
  ["no_effect_skip_categories", "no_effect_redeem_anyway_categories"],
  ["initial_amount_mode_categories", "discounted_amount_mode_categories"],
  ["exclusive_categories", "joint_categories"],
] as const;

/** What is wrong between the fields of the settings, or null. */
export function stackingFault(settings: StackingSettings, isCategory: (id: string) => boolean): string | null {
  for (const [small, large] of NOT_LARGER)
    if ((settings[small] ?? 0) > settings[large]) return `Property .${small} must be <= .${large} (${settings[large]})`;
  for (const [one, other] of APART) {
    const both = settings[one].find((id) => settings[other].includes(id));
    if (both !== undefined) return `Property .${one} and .${other} must not both hold ${both}`;
  }
  for (const list of CATEGORY_LISTS) {
    const unknown = settings[list].find((id) => !isCategory(id));
    if (unknown !== undefined) return `Property .${list} holds ${unknown}, which is not a category of the project`;
  }
  const unknown = Object.keys(settings.applicable_redeemables_category_limits).find((id) => !isCategory(id));
  if (unknown === undefined) return null;
  return `Property .applicable_redeemables_category_limits holds ${unknown}, which is not a category of the project`;
}

/** The categories that the settings name. */
export const categoriesIn = (settings: StackingSettings): Set<string> =>
  new Set([
    ...CATEGORY_LISTS.flatMap((list) => settings[list]),
    ...Object.keys(settings.applicable_redeemables_category_limits),
  ]);

/**
 * The settings between the tiers of one promotion stack. A stack counts as one redeemable: its tiers keep their order under
 * every sorting rule, and an exclusive tier does not drop the others.
 */
export const withinStack = (settings: StackingSettings): StackingSettings => ({
  ...settings,
  redeemables_sorting_rule: "REQUESTED_ORDER",
  exclusive_categories: [],
});

/** The settings without a category that is about to be deleted. */
export function withoutCategory(settings: StackingSettings, categoryId: string): StackingSettings {
  const { [categoryId]: _, ...limits } = settings.applicable_redeemables_category_limits;
  const lists = CATEGORY_LISTS.map((list) => [list, settings[list].filter((id) => id !== categoryId)]);
  return { ...settings, ...Object.fromEntries(lists), applicable_redeemables_category_limits: limits };
}
