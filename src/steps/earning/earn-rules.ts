import type { Catalog } from "../../catalog/catalog.ts";
import type { CardProgram } from "../../catalog/earn-programs.ts";
import { formulaOf } from "../../catalog/formulas.ts";
import { rulesOf } from "../../catalog/rules.ts";
import { formulaNumber } from "../../core/formula/evaluate.ts";
import type { FormulaFacts } from "../../core/formula/facts.ts";
import { rulePoints, rulesStarted } from "../../core/loyalty/campaign/earning.ts";
import type { Mapping } from "../../core/loyalty/campaign/shapes.ts";
import type { Occurrence } from "../../core/loyalty/earning/triggers.ts";
import type { CampaignEarningRuleRow } from "../../core/rows/campaign.ts";
import { rulesHold } from "../../core/rules/evaluate.ts";
import type { RuleFacts } from "../../core/rules/facts.ts";
import { spend } from "../../core/steps.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Project } from "../../request.ts";
import { type CauseSituation, earningFacts } from "./earn-causes.ts";

/** What rules of loyalty cards are asked about. */
export type Asking = {
  catalog: Catalog;
  project: Pick<Project, "timezone">;
  cause: CauseSituation;
  /** The tiers that the customer is in. */
  tiers: ReadonlySet<string>;
};
/** For each rule that is open, beside the validation rule that it asks. */
const RULE_STEPS = 50;
const NO_TIERS: ReadonlySet<string> = new Set();

function factsOf({ project, cause, tiers }: Asking): RuleFacts {
  const facts = earningFacts(cause, project, {});
  return { ...facts, member: null, customer: facts.customer && { ...facts.customer, loyalty_tiers: tiers } };
}

/** The rules of a program that give something now. */
export function rulesGiving(
  asking: Asking,
  { rules, window }: Pick<CardProgram, "rules" | "window">,
  occurrence: Occurrence,
): CampaignEarningRuleRow[] {
  const { catalog, cause, project } = asking;
  let facts: RuleFacts | undefined;
  const holds = ({ validation_rule_id: id }: CampaignEarningRuleRow): boolean => {
    spend(cause.of.steps, RULE_STEPS);
    if (id === null) return true;
    facts ??= factsOf(asking);
    const [rule] = rulesOf(catalog, [{ rule_id: id }]);
    // A rule that is gone cannot be asked any more: a point too few is better than one too many.
    return rule !== undefined && rulesHold(rule.definition, facts, { phase: "after" });
  };
  const when = { now: cause.of.now, zone: zoneOf(project) };
  return rulesStarted(rules, { program: window, occurrence, holds }, when);
}

/** The points that a rule gives, to somebody in a tier that may change them. */
export function pointsGiven(
  { cause, project }: Pick<Asking, "cause" | "project">,
  { loyalty }: Pick<CampaignEarningRuleRow, "loyalty">,
  mapping: Mapping | undefined,
): number {
  const { order, customer, custom_event } = cause;
  const { steps } = cause.of;
  const facts = (): FormulaFacts => ({
    steps,
    now: cause.of.now,
    zone: zoneOf(project),
    order,
    item: null,
    customer: customer && { metadata: customer.metadata, birthdate: customer.birthdate },
    redeemable: null,
    redemption_metadata: null,
    publication_metadata: null,
    bundle_quantity: null,
  });
  return rulePoints(loyalty, {
    bases: { steps, order, customer: customer?.metadata ?? {}, custom_event },
    mapping,
    formula: (text) => {
      const formula = formulaOf(text);
      return formula && formulaNumber(formula, facts());
    },
  });
}

// Contract is silent: who would get no points by a rule is not made a member by it.
/** Whether somebody without a card becomes a member of a program that takes everybody in who fulfils a rule. */
export const joinsBy = (asking: Omit<Asking, "tiers">, program: CardProgram, occurrence: Occurrence): boolean =>
  program.campaign.auto_join &&
  rulesGiving({ ...asking, tiers: NO_TIERS }, program, occurrence).some(
    (rule) => pointsGiven(asking, rule, undefined) > 0,
  );
