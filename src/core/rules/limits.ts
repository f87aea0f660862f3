import { budgetsOf } from "../discounts/items.ts";
import type { ApplicableEntry, ApplicableTo } from "../discounts/targets.ts";
import { oncePer } from "../once-per.ts";
import type { RuleDefinition } from "./definition.ts";
import { loadsOf } from "./loads.ts";

/** The products of a rule whose number is limited over time. */
export const limitedEntries = oncePer(({ included }: ApplicableTo): readonly ApplicableEntry[] =>
  included.filter((entry) => budgetsOf(entry).length > 0),
);

const COUNTED = ["campaign_counts", "customer_counts", "own_counts"] as const;

/** Whether a rule looks at what was redeemed so far. */
export const limitsUse = (definition: RuleDefinition): boolean => {
  const { facts } = loadsOf(definition);
  return COUNTED.some((fact) => facts.has(fact)) || limitedEntries(definition.applicable_to).length > 0;
};
