import { type Steps, spend } from "../steps.ts";
import type { Evaluable } from "./evaluate.ts";
import type { RuleFacts } from "./facts.ts";
import {
  contextOf,
  type EvaluateOptions,
  fulfils,
  holdsFor,
  type Judged,
  type JudgedLeaf,
  judgeRules,
  type Skip,
} from "./judge.ts";
import type { Ask, Need } from "./rule.ts";
import { treeOf } from "./tree.ts";

/** How much a number fell short: 876.00 of at least 1,000.00 is { amount: 12400, text: "124.00 more" }. */
export type Shortfall = { amount: number; text: string };
export type TracedCondition = {
  operator: string;
  expected: readonly unknown[];
  passed: boolean;
  missing?: Shortfall;
};
export type TracedRule = {
  kind: "rule";
  key: string;
  name: string;
  property: string | null;
  passed: boolean;
  /** What was compared. Of a rule about several lines, one value for each. */
  seen: unknown;
  conditions: readonly TracedCondition[];
  /** Positions of the lines that the rule picked. */
  lines?: readonly number[];
  /** Not asked, and counted as true: left out by the scenario, never asked there, or asked after the calculation. */
  skipped?: Skip;
  /** What was not sent, so that the rule could not be asked. */
  lacks?: Need;
  message?: string;
  below?: Trace;
};
export type TracedGroup = { kind: "and" | "or"; passed: boolean; terms: readonly Trace[] };
export type Trace = TracedRule | TracedGroup;

/** A rule that is told, with its conditions, is some hundred characters of the answer. */
const TRACED_STEPS = 50;
const CHARACTERS_PER_STEP = 20;
const ELEMENTS_MAX = 20;
const TEXT_LENGTH_MAX = 200;

/**
 * The same evaluation as `evaluateRules`, told rule by rule: `passed` of the root is what `holds` is. Definitions are
 * bounded, and lists and texts are cut, so that a trace is at most some hundred small objects.
 */
export const traceRules = (definition: Evaluable, facts: RuleFacts, options: EvaluateOptions): Trace =>
  traceOf(judgeRules(treeOf(definition.rules), facts, options), facts);

function traceOf(judged: Judged, facts: RuleFacts): Trace {
  spend(facts.steps, TRACED_STEPS);
  const passed = judged.outcome === "yes";
  if (judged.kind !== "leaf")
    return { kind: judged.kind, passed, terms: judged.terms.map((term) => traceOf(term, facts)) };
  const { leaf, skip, lacks, seen, picked, below } = judged;
  return {
    kind: "rule",
    key: leaf.key,
    name: leaf.rule.name,
    property: leaf.ask.property,
    passed,
    seen: seen ? cut(seen.values.length === 1 ? seen.values[0] : seen.values, facts.steps) : null,
    conditions: leaf.ask.conditions.map((condition) => traceCondition(condition, judged, facts)),
    ...(picked && { lines: picked.slice(0, ELEMENTS_MAX) }),
    ...(skip && { skipped: skip }),
    ...(lacks && { lacks }),
    ...(leaf.message !== null && { message: leaf.message }),
    ...(below && { below: traceOf(below, facts) }),
  };
}

function traceCondition(
  { operator, values }: Ask["conditions"][number],
  judged: JudgedLeaf,
  facts: RuleFacts,
): TracedCondition {
  const { seen, outcome, below } = judged;
  const context = contextOf(judged.leaf, facts);
  // Conditions of a rule that picks lines are fulfilled together or not; those of a rule not asked share its fate.
  const passed = seen
    ? holdsFor(seen, (value) => fulfils({ operator, values }, value, { leaf: judged.leaf, facts, context }))
    : outcome === "yes" || below !== null;
  const missing = passed ? null : shortfallOf(operator.name, values[0], judged);
  return {
    operator: operator.name,
    expected: cut(values, facts.steps) as unknown[],
    passed,
    ...(missing && { missing }),
  };
}

/**
 * What would have to be added to a single number of whole units. At least 1,000 with 876 seen: 124. More than 1,000:
 * 125, the next whole number. More than 10.5: 11 is the next one.
 */
function shortfallOf(operator: string, expected: unknown, { leaf, seen }: JudgedLeaf): Shortfall | null {
  const { rule } = leaf;
  const value = seen?.values.length === 1 ? seen.values[0] : null;
  if (rule.kind !== "value" || rule.unit === null || typeof value !== "number") return null;
  const bound = Number(expected);
  const needed = NEEDED[operator]?.(bound);
  if (needed === undefined || !Number.isSafeInteger(needed) || !Number.isSafeInteger(value) || needed <= value)
    return null;
  const amount = needed - value;
  return { amount, text: `${rule.unit === "money" ? major(amount) : amount} more` };
}
const NEEDED: Readonly<Record<string, (bound: number) => number>> = {
  $more_than: (bound) => Math.floor(bound) + 1,
  $more_than_or_equal: Math.ceil,
  $is: (bound) => bound,
};
/** 1,240 minor units are 12.40, whatever the currency. */
const major = (minor: number): string => `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, "0")}`;

/** Metadata may hold anything of any size; a trace shows the beginning of it. */
function cut(value: unknown, steps: Steps | undefined): unknown {
  if (!Array.isArray(value)) return cutOne(value, steps);
  const shown = value.slice(0, ELEMENTS_MAX).map((one) => cutOne(one, steps));
  return value.length > ELEMENTS_MAX ? [...shown, `… and ${value.length - ELEMENTS_MAX} more`] : shown;
}
function cutOne(value: unknown, steps: Steps | undefined): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return cutText(value);
  if (typeof value !== "object") return value;
  const isSmall = !Array.isArray(value) && Object.keys(value).length <= 6 && Object.values(value).every(isShort);
  if (isSmall) return value;
  const text = JSON.stringify(value);
  spend(steps, Math.ceil(text.length / CHARACTERS_PER_STEP));
  return cutText(text);
}
const cutText = (text: string): string => (text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text);
const isShort = (value: unknown): boolean =>
  value === null || (typeof value === "string" ? value.length <= TEXT_LENGTH_MAX : typeof value !== "object");
