import type { WriteCtx } from "../../ctx.ts";
import type { RelatedObjectType } from "../../resources/promotions/validation-rule-assignments/schema.ts";
import {
  isInCatalog,
  type ValidationRuleAssignmentRow,
  validationRuleAssignments,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { lockValidationRule } from "../../resources/promotions/validation-rules/store.ts";

/**
 * Assigns rules to an object that the same request has made, so that it has none yet; 404 when there is no such rule.
 * Events are the caller's.
 */
export async function assignRules(
  c: WriteCtx,
  ruleIds: readonly string[],
  object: { related_object_type: RelatedObjectType; related_object_id: string },
): Promise<ValidationRuleAssignmentRow[]> {
  const rows: ValidationRuleAssignmentRow[] = [];
  // In order of id, as locks are taken everywhere.
  for (const ruleId of [...new Set(ruleIds)].sort()) {
    await lockValidationRule(c.db, c.project.id, ruleId);
    const made = { id: c.newId("asgm"), project_id: c.project.id, created_at: c.now };
    const row = await validationRuleAssignments.insert(c.db, { ...made, ...object, rule_id: ruleId });
    if (isInCatalog(row)) c.changed("validation_rule_assignment", row.id);
    rows.push(row);
  }
  return rows;
}
