import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import { forgetValidationRule } from "../../resources/loyalty-v1/earning-rules/store.ts";
import { removeAssignmentsOf } from "../../resources/promotions/validation-rule-assignments/store.ts";
import type {
  ValidationRule,
  ValidationRuleCreate,
  ValidationRuleUpdate,
} from "../../resources/promotions/validation-rules/schema.ts";
import {
  countAssignments,
  lockValidationRule,
  validationRules,
  view,
} from "../../resources/promotions/validation-rules/store.ts";
import { insertValidationRule, requireDefinition } from "../../steps/promotions/validation-rules.ts";

export async function createValidationRule(c: WriteCtx, sent: ValidationRuleCreate): Promise<ValidationRule> {
  const rule = await insertValidationRule(c, sent);
  await record(c, [{ kind: "business_validation_rule.created", payload: { rule } }]);
  return rule;
}

/** What is not sent keeps its value. The whole is checked again: rules and products must fit what they are now. */
export async function updateValidationRule(
  c: WriteCtx,
  id: string,
  sent: ValidationRuleUpdate,
): Promise<ValidationRule> {
  const { rules, bundle_rules, applicable_to, error } = await lockValidationRule(c.db, c.project.id, id);
  const definition = requireDefinition({ rules, bundle_rules, applicable_to, error, ...sent });
  const { name, type, context_type } = sent;
  const patch = { ...definition, name, type, context_type, updated_at: c.now };
  const row = await validationRules.update(c.db, c.project.id, id, patch);
  const rule = view(row, (await countAssignments(c.db, c.project.id, [id])).get(id));
  c.changed("validation_rule", id);
  await record(c, [{ kind: "business_validation_rule.updated", payload: { rule } }]);
  return rule;
}

/** Deletes a rule with its assignments. The lock keeps out who would assign it meanwhile. */
export async function removeValidationRule(c: WriteCtx, id: string): Promise<null> {
  const row = await lockValidationRule(c.db, c.project.id, id);
  const { count, in_catalog } = await removeAssignmentsOf(c.db, c.project.id, id);
  await validationRules.remove(c.db, c.project.id, id);
  c.changed("validation_rule", id);
  for (const assignment of in_catalog) c.changed("validation_rule_assignment", assignment);
  for (const rule of await forgetValidationRule(c.db, c.project.id, id)) c.changed("campaign_earning_rule", rule);
  // One event, whatever was assigned: a rule may be on a million vouchers.
  await record(c, [{ kind: "business_validation_rule.deleted", payload: { rule: view(row, count) } }]);
  return null;
}
