import type { Campaign } from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import type { Place } from "../goods/values.ts";
import type { StepProps } from "./steps.tsx";

/** What a campaign may get in this form, for whoever is signed in. */
export function useAsks(campaign: Campaign | null, place: Place): StepProps["asks"] {
  const can = useCan();
  const isNew = campaign === null;
  const mayAsk = isNew || (can("createValidationRule") && can("assignValidationRule"));
  const mayChange = isNew || (mayAsk && can("updateValidationRule") && can("deleteValidationRuleAssignment"));
  return {
    conditions: mayAsk && (isNew || campaign.validation_rules_assignments.total === 0),
    budget: mayAsk && (isNew || campaign.counters?.budget === null),
    goods: mayChange ? place : null,
  };
}
