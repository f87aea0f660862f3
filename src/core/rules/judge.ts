import { spend } from "../steps.ts";
import { isAmongNumbers, isAmongProducts, isAmongTexts } from "./among.ts";
import type { RuleFacts } from "./facts.ts";
import { type Context, conditionSteps } from "./operators.ts";
import { linesOf } from "./products.ts";
import { type Ask, type Fits, findLack, type Line, type LinesRule, type Need, type Rule, type Scope } from "./rule.ts";
import type { Leaf, Tree } from "./tree.ts";

export type EvaluateOptions = {
  /** `after`: the redeemable was calculated. Before that, what only the calculation tells counts as true. */
  phase: "before" | "after";
  /** Only rules about the customer are asked; the others count as true. */
  only?: "customer";
  /** Names of rules that are not asked and count as true. */
  ignore?: ReadonlySet<string>;
};

/** `unknown`: it depends on something that was not sent, and might hold if it were. */
export type Verdict = "yes" | "no" | "unknown";
export type Skip = "omitted" | "ignored" | "later";
export type JudgedLeaf = {
  kind: "leaf";
  leaf: Leaf;
  outcome: Verdict;
  /** Why the rule was not asked, though it counts as true. */
  skip: Skip | null;
  lacks: Need | null;
  /** The values that were compared; of a rule that picks lines none. */
  seen: { each: "some" | "every"; values: readonly unknown[] } | null;
  /** The lines that were picked, by their position in the order. */
  picked: readonly number[] | null;
  below: Judged | null;
};
export type JudgedGroup = { kind: "and" | "or"; outcome: Verdict; terms: readonly Judged[] };
export type Judged = JudgedLeaf | JudgedGroup;

/** Evaluates every leaf that the logic names; what refuses, and why, is then read off the result. */
export function judgeRules(tree: Tree, facts: RuleFacts, options: EvaluateOptions): Judged {
  return judgeIn(wholeOrder(facts), tree, facts, options);
}

/** All lines of the order. Few rules look at them, so they are listed when one does. */
function wholeOrder(facts: RuleFacts): Scope {
  let lines: Line[] | undefined;
  return {
    each: "some",
    get lines() {
      lines ??= linesOf(facts.order?.items ?? []);
      return lines;
    },
  };
}

function judgeIn(scope: Scope, tree: Tree, facts: RuleFacts, options: EvaluateOptions): Judged {
  if (tree.kind === "leaf") return judgeLeaf(scope, tree, facts, options);
  const terms = tree.terms.map((term) => judgeIn(scope, term, facts, options));
  return { kind: tree.kind, outcome: combine(tree.kind, terms), terms };
}

/** Only the outcome, for many who are asked and few who are told why: what decides ends the question. */
export function outcomeOfRules(tree: Tree, facts: RuleFacts, options: EvaluateOptions): Verdict {
  return outcomeIn(wholeOrder(facts), tree, facts, options);
}

function outcomeIn(scope: Scope, tree: Tree, facts: RuleFacts, options: EvaluateOptions): Verdict {
  if (tree.kind === "leaf") return outcomeOfLeaf(scope, tree, facts, options);
  const decides = tree.kind === "and" ? "no" : "yes";
  let isUnknown = false;
  for (const term of tree.terms) {
    const outcome = outcomeIn(scope, term, facts, options);
    if (outcome === decides) return outcome;
    isUnknown ||= outcome === "unknown";
  }
  if (isUnknown) return "unknown";
  return tree.kind === "and" ? "yes" : "no";
}

/** What `judgeLeaf` says, without the reasons for it. */
function outcomeOfLeaf(scope: Scope, leaf: Leaf, facts: RuleFacts, options: EvaluateOptions): Verdict {
  const { rule, ask } = leaf;
  if (rule.kind === "lines") return judgeLeaf(scope, leaf, facts, options).outcome;
  spend(facts.steps, LEAF_STEPS);
  if (skipOf(rule, options)) return "yes";
  const lacks = findLack(rule.needs, facts);
  if (lacks) return outcomeOf(lacks);
  spend(facts.steps, LINE_STEPS * linesRead(rule, scope, facts));
  const reading = rule.read(facts, ask, scope);
  if ("lacks" in reading) return outcomeOf(reading.lacks);
  const fits = fitsOf(leaf, facts);
  return holdsFor(reading, (value) => fits(value)) ? "yes" : "no";
}

// Contract is silent: "decisive" is read as "it might hold if it were sent".
/**
 * What was not sent counts as false, but only where it decides is it reported: `unknown and no` is no whatever is
 * sent, `unknown or yes` is yes, and only what is left of the two is unknown.
 */
function combine(kind: "and" | "or", terms: readonly Judged[]): Verdict {
  const decides = kind === "and" ? "no" : "yes";
  if (terms.some(({ outcome }) => outcome === decides)) return decides;
  if (terms.some(({ outcome }) => outcome === "unknown")) return "unknown";
  return kind === "and" ? "yes" : "no";
}

const EMPTY = { skip: null, lacks: null, seen: null, picked: null, below: null } as const;

function judgeLeaf(scope: Scope, leaf: Leaf, facts: RuleFacts, options: EvaluateOptions): JudgedLeaf {
  const { rule, ask } = leaf;
  const judged = { kind: "leaf", leaf, ...EMPTY } as const;
  spend(facts.steps, LEAF_STEPS);
  const skip = skipOf(rule, options);
  if (skip) return { ...judged, outcome: "yes", skip };
  const lacks = findLack(rule.needs, facts);
  if (lacks) return { ...judged, outcome: outcomeOf(lacks), lacks };
  spend(facts.steps, LINE_STEPS * linesRead(rule, scope, facts));
  if (rule.kind === "lines") return judgeLines(scope, leaf, rule, { facts, options });
  const reading = rule.read(facts, ask, scope);
  if ("lacks" in reading) return { ...judged, outcome: outcomeOf(reading.lacks), lacks: reading.lacks };
  const fits = fitsOf(leaf, facts);
  const holds = holdsFor(reading, (value) => fits(value));
  return { ...judged, outcome: holds ? "yes" : "no", seen: reading };
}

/** Nobody can send the event or the membership along with an order, so their absence is an answer. */
const outcomeOf = (lacks: Need): Verdict => (lacks === "custom_event" || lacks === "member" ? "no" : "unknown");

function skipOf(rule: Rule, { phase, only, ignore }: EvaluateOptions): Skip | null {
  if (only && rule.family !== only) return "omitted";
  if (ignore?.has(rule.name)) return "ignored";
  return phase === "before" && rule.kind === "value" && rule.after ? "later" : null;
}

export const holdsFor = (
  { each, values }: { each: "some" | "every"; values: readonly unknown[] },
  fits: (value: unknown) => boolean,
): boolean => (each === "some" ? values.some(fits) : values.length > 0 && values.every(fits));

type JudgeInput = { facts: RuleFacts; options: EvaluateOptions };

function judgeLines(scope: Scope, leaf: Leaf, rule: LinesRule, { facts, options }: JudgeInput): JudgedLeaf {
  const judged = { kind: "leaf", leaf, ...EMPTY } as const;
  const selection = rule.select(scope, leaf.ask, fitsOf(leaf, facts));
  if ("lacks" in selection) return { ...judged, outcome: outcomeOf(selection.lacks), lacks: selection.lacks };
  const picked = selection.lines.map(({ index }: Line) => index);
  if (!selection.holds) return { ...judged, outcome: "no", picked };
  const below = leaf.below && judgeIn(selection, leaf.below, facts, options);
  return { ...judged, outcome: below?.outcome ?? "yes", picked, below };
}

/** What equal means for the left side of a rule. */
export function contextOf({ rule }: Leaf, { now, zone }: RuleFacts): Context {
  if (rule.takes === "number") return { now, zone, isAmong: isAmongNumbers };
  if (rule.kind === "lines" && rule.takes === "products") return { now, zone, isAmong: isAmongProducts(rule.object) };
  return { now, zone, isAmong: isAmongTexts };
}

function fitsOf(leaf: Leaf, facts: RuleFacts): Fits {
  const context = contextOf(leaf, facts);
  return (seen, conditions: Ask["conditions"] = leaf.ask.conditions) =>
    conditions.every((condition) => fulfils(condition, seen, { leaf, facts, context }));
}

/** Whether a value fulfils one condition. It is paid for before it is asked. */
export function fulfils(
  { operator, values }: Ask["conditions"][number],
  seen: unknown,
  { leaf, facts, context }: { leaf: Leaf; facts: RuleFacts; context: Context },
): boolean {
  if (facts.steps) spend(facts.steps, conditionSteps(operator, values, { seen, takes: leaf.rule.takes }));
  return operator.holds(seen, values, context);
}

const LEAF_STEPS = 5;
const LINE_STEPS = 3;

/** How many lines of the cart a rule goes through, whatever its conditions are. */
function linesRead(rule: Rule, scope: Scope, { order }: RuleFacts): number {
  if (rule.kind === "lines" || rule.place === "below") return scope.lines.length;
  return rule.needs.some((need) => need !== "customer") || rule.after ? (order?.items.length ?? 0) : 0;
}
