import type { CategoryRow } from "../resources/catalogue/categories/store.ts";
import type { StackingRulesRow } from "../resources/checkout/stacking-rules/store.ts";
import type { Campaign } from "../resources/promotions/campaigns/store.ts";
import type { PromotionTierRow } from "../resources/promotions/promotion-tiers/store.ts";
import type { ValidationRuleAssignmentRow } from "../resources/promotions/validation-rule-assignments/store.ts";
import type { ValidationRuleRow } from "../resources/promotions/validation-rules/store.ts";
import type { Catalog } from "./catalog.ts";

/** What nobody has saved, as the rows that it would be. */
export type DraftRows = {
  campaigns: readonly Campaign[];
  categories: readonly CategoryRow[];
  promotion_tiers: readonly PromotionTierRow[];
  validation_rules: readonly ValidationRuleRow[];
  /** By the object that says which rules it has: it has no others. */
  rules_of: ReadonlyMap<string, readonly ValidationRuleAssignmentRow[]>;
  /** Beside those that there are. */
  assignments: readonly ValidationRuleAssignmentRow[];
  stacking_rules: StackingRulesRow | null;
};

/** The catalog as it would be with drafts: one with the id of something saved stands in its place. */
export const withDrafts = (catalog: Catalog, drafts: DraftRows): Catalog =>
  Object.freeze({
    ...catalog,
    // What is made of a catalog with drafts is of no use to the next one.
    carried: {},
    campaigns: overlaid(catalog.campaigns, drafts.campaigns),
    categories: overlaid(catalog.categories, drafts.categories),
    promotion_tiers: overlaid(catalog.promotion_tiers, drafts.promotion_tiers),
    validation_rules: overlaid(catalog.validation_rules, drafts.validation_rules),
    rules_of: assigned(catalog.rules_of, drafts),
    stacking_rules: drafts.stacking_rules ?? catalog.stacking_rules,
  });

const overlaid = <R extends { id: string }>(saved: ReadonlyMap<string, R>, drafts: readonly R[]) =>
  drafts.length === 0 ? saved : new Map([...saved, ...drafts.map((row) => [row.id, Object.freeze(row)] as const)]);

function assigned(
  saved: Catalog["rules_of"],
  { rules_of, assignments }: Pick<DraftRows, "rules_of" | "assignments">,
): Catalog["rules_of"] {
  if (rules_of.size === 0 && assignments.length === 0) return saved;
  const all = new Map([...saved, ...rules_of]);
  for (const row of assignments) {
    const { related_object_id: id, rule_id } = row;
    // A rule is assigned to an object once.
    const others = (all.get(id) ?? []).filter((one) => one.rule_id !== rule_id);
    all.set(
      id,
      [...others, row].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
  return all;
}
