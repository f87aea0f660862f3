import { ApiError } from "../../core/errors.ts";
import { formulaFault } from "../../core/formula/parse.ts";
import { type DefinitionBody, parseDefinition, type RuleDefinition } from "../../core/rules/definition.ts";
import { RuleFault } from "../../core/rules/fault.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { ValidationRule, ValidationRuleCreate } from "../../resources/promotions/validation-rules/schema.ts";
import { validationRules, view } from "../../resources/promotions/validation-rules/store.ts";

/** Creates a rule. Events are the caller's. */
export async function insertValidationRule(c: WriteCtx, sent: ValidationRuleCreate): Promise<ValidationRule> {
  const { name, type = "expression", context_type = "global" } = sent;
  const definition = requireDefinition(sent);
  const id = c.newId("val");
  const made = { id, project_id: c.project.id, created_at: c.now, updated_at: null };
  const rule = view(await validationRules.insert(c.db, { ...definition, name, type, context_type, ...made }));
  c.changed("validation_rule", id);
  return rule;
}

/** The definition as it is stored; 400 `invalid_validation_rules` says what is wrong with it. */
export function requireDefinition(given: DefinitionBody): RuleDefinition {
  try {
    return parseDefinition(given, formulaFault);
  } catch (error) {
    if (error instanceof RuleFault) throw new ApiError("invalid_validation_rules", { details: error.message });
    throw error;
  }
}
