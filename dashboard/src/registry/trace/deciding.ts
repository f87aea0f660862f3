import type { RedeemableTrace, RuleTrace } from "../../api/operations.gen.ts";

/** The single rules of a trace that did not hold and because of which the whole does not, from top to bottom. */
export function failedLeaves(trace: RuleTrace): RuleTrace[] {
  if (trace.passed) return [];
  if (trace.kind !== "rule") return (trace.terms ?? []).flatMap(failedLeaves);
  const below = trace.below ? failedLeaves(trace.below) : [];
  return below.length > 0 ? below : [trace];
}

/** What decided about a redeemable: the first check that failed, or the first rule that does not hold. */
export type Deciding =
  | { kind: "check"; check: RedeemableTrace["checks"][number] }
  | { kind: "rule"; ruleId: string; leaf: RuleTrace };

export function decidingOf({ checks, rules }: RedeemableTrace): Deciding | null {
  const check = checks.find(({ passed }) => !passed);
  if (check) return { kind: "check", check };
  const rule = rules.find(({ passed }) => !passed);
  const leaf = rule && failedLeaves(rule.trace)[0];
  return rule && leaf ? { kind: "rule", ruleId: rule.id, leaf } : null;
}

/** How much was missing, and what the rule says then. */
export const missingOf = (leaf: RuleTrace) => (leaf.conditions ?? []).find(({ missing }) => missing)?.missing ?? null;
export const messageOf = (leaf: RuleTrace): string | null => leaf.message ?? null;
