import type { RuleFacts } from "./facts.ts";
import { type EvaluateOptions, type Judged, type JudgedLeaf, judgeRules, outcomeOfRules } from "./judge.ts";
import type { Family, Need, RuleMap } from "./rule.ts";
import { leavesOf, type Tree, treeOf } from "./tree.ts";

export type { EvaluateOptions } from "./judge.ts";

/** What is evaluated of a definition: its rules, and the text for when none of them has one of its own. */
export type Evaluable = { readonly rules: RuleMap; readonly error?: { readonly message: string } | null };

export type RulesKey =
  | "customer_rules_violated"
  | "order_rules_violated"
  | "redemption_rules_violated"
  | "missing_customer"
  | "missing_order"
  | "missing_order_items"
  | "missing_amount";
export type Evaluation =
  | { holds: true /** Keys of the rules that `only` left out, in the order of the logic. */; omitted: string[] }
  | { holds: false; key: RulesKey; message: string | null };

/**
 * Whether the rules hold. What depends on something that was not sent does not; only when that alone decides is it
 * reported as missing. In phase `after` everything is asked, and what refuses there is one of the rules that had to
 * wait for the calculation, provided that the same facts held before: so `after` alone is the whole answer as well.
 */
export function evaluateRules(definition: Evaluable, facts: RuleFacts, options: EvaluateOptions): Evaluation {
  const judged = judgeRules(treeOf(definition.rules), facts, options);
  if (judged.outcome === "yes") return { holds: true, omitted: omittedIn(judged) };
  const key = judged.outcome === "unknown" ? missingKey(judged) : violatedKey(judged, options);
  return { holds: false, key, message: messageIn(judged) ?? definition.error?.message ?? null };
}

/** Whether they hold, without a reason when they do not. */
export const rulesHold = (definition: Evaluable, facts: RuleFacts, options: EvaluateOptions): boolean =>
  outcomeOfRules(treeOf(definition.rules), facts, options) === "yes";

const late = new WeakMap<RuleMap, boolean>();
const waits = (tree: Tree): boolean =>
  leavesOf(tree).some(({ rule, below }) => (rule.kind === "value" && rule.after) || (below !== null && waits(below)));

/** Whether some rule has to wait for the calculation. Where none does, there is nothing new to ask after it. */
export function hasLateRules({ rules }: Evaluable): boolean {
  const known = late.get(rules);
  if (known !== undefined) return known;
  const found = waits(treeOf(rules));
  late.set(rules, found);
  return found;
}

const leavesIn = (judged: Judged): JudgedLeaf[] => (judged.kind === "leaf" ? [judged] : judged.terms.flatMap(leavesIn));

const omittedIn = (judged: Judged): string[] => [
  ...new Set(leavesIn(judged).flatMap(({ skip, leaf }) => (skip === "omitted" ? [leaf.key] : []))),
];

/** The leaves because of which the outcome is what it is. A leaf that refuses beside one that holds decides no `or`. */
function decidersOf(judged: Judged): JudgedLeaf[] {
  if (judged.kind === "leaf") return judged.below ? decidersOf(judged.below) : [judged];
  return judged.terms.filter(({ outcome }) => outcome === judged.outcome).flatMap(decidersOf);
}

// In the order in which a request is checked: who, then what, then how much.
const MISSING: readonly [Need, RulesKey][] = [
  ["customer", "missing_customer"],
  ["order", "missing_order"],
  ["items", "missing_order_items"],
  ["amount", "missing_amount"],
];

function missingKey(judged: Judged): RulesKey {
  const lacks = new Set(decidersOf(judged).map((leaf) => leaf.lacks));
  return MISSING.find(([need]) => lacks.has(need))![1];
}

// Contract is silent on mixtures, and on what else refuses when the calculation is known.
/** All of one family give its key; a mixture is a refusal of the redemption as a whole. */
function violatedKey(judged: Judged, { phase }: EvaluateOptions): RulesKey {
  const deciders = decidersOf(judged);
  const waited = deciders.filter(({ leaf }) => leaf.rule.kind === "value" && leaf.rule.after);
  const counted = phase === "after" && waited.length > 0 ? waited : deciders;
  const families = new Set<Family>(counted.map(({ leaf }) => leaf.rule.family));
  return `${families.size === 1 ? [...families][0]! : "redemption"}_rules_violated`;
}

/** The text of the first rule that does not hold and has one; of a rule below another before that of the other. */
function messageIn(judged: Judged): string | null {
  if (judged.outcome === "yes") return null;
  if (judged.kind === "leaf") return (judged.below && messageIn(judged.below)) ?? judged.leaf.message;
  for (const term of judged.terms) {
    const message = messageIn(term);
    if (message !== null) return message;
  }
  return null;
}
