import type { Bundle } from "../core/discounts/bundle.ts";
import { oncePer } from "../core/once-per.ts";
import { describedBundle, type RuleDefinition } from "../core/rules/definition.ts";
import { treeOf } from "../core/rules/tree.ts";
import type { ValidationRuleAssignmentRow } from "../resources/promotions/validation-rule-assignments/store.ts";
import type { ValidationRuleRow } from "../resources/promotions/validation-rules/store.ts";
import type { Catalog } from "./catalog.ts";

/** A rule as the engine asks it. */
export type CompiledRule = {
  readonly id: string;
  readonly definition: RuleDefinition;
  readonly bundle: Bundle | null;
};

type Assigned = Pick<ValidationRuleAssignmentRow, "rule_id">;

const compile = oncePer((row: ValidationRuleRow): CompiledRule => {
  const { id, rules, bundle_rules, applicable_to, error } = row;
  treeOf(rules); // Read now, so that no request pays for it.
  return { id, definition: { rules, bundle_rules, applicable_to, error }, bundle: describedBundle(bundle_rules) };
});

/** The rules of a campaign, a tier or another configured object, in the order of their assignment. */
export const rulesFor = (
  catalog: Pick<Catalog, "validation_rules" | "rules_of">,
  relatedObjectId: string,
): readonly CompiledRule[] => rulesOf(catalog, catalog.rules_of.get(relatedObjectId) ?? []);

/**
 * The same for assignments that were read from the database, those of vouchers. A rule that is not in the catalog was
 * made after it: then the assignment is newer than the request, which is decided as if it came first.
 */
export const rulesOf = (
  { validation_rules }: Pick<Catalog, "validation_rules">,
  assignments: readonly Assigned[],
): readonly CompiledRule[] => {
  const rules: CompiledRule[] = [];
  for (const { rule_id } of assignments) {
    const row = validation_rules.get(rule_id);
    if (row) rules.push(compile(row));
  }
  return rules;
};
