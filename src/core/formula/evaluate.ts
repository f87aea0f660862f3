import type { Decimal } from "decimal.js";
import type { OrderItem } from "../order/order.ts";
import { type Steps, spend } from "../steps.ts";
import type { FormulaFacts, FormulaValue, Run } from "./facts.ts";
import { FUNCTIONS } from "./functions.ts";
import { FORMULA_OPERATORS } from "./operators.ts";
import { formulaText } from "./render.ts";
import type { FormulaNode } from "./syntax.ts";
import { areEqual, FormulaNumber, isList, isNumber, roundDecimal, textOf } from "./values.ts";
import { extremeLine, VARIABLES } from "./variables.ts";

/** Steps of one evaluation: a formula that takes more has no value, however little else the request costs. */
const STEPS_MAX = 10_000;
/** Steps of the request in a microsecond. */
const STEPS_PER_MICROSECOND = 10;
const LINES_PER_MICROSECOND = 50;
const TRACE_MAX = 200;
const TRACED_STEPS = 50;

/** A part of a formula and what it came to, as text; null: it cannot be evaluated. */
export type FormulaStep = { text: string; value: string | null };

/**
 * The value of a formula; null when it cannot be evaluated. It takes a bounded number of steps, and throws only when the
 * request has none left. With a `trace` the parts are added to it in the order in which they were evaluated, without the
 * plain numbers and texts.
 */
export const evaluateFormula = (ast: FormulaNode, facts: FormulaFacts, trace?: FormulaStep[]): FormulaValue =>
  runOf(facts, trace).value(ast);

/** The value as a number; null means that the caller uses the fixed value that stands beside the formula. */
export function formulaNumber(ast: FormulaNode, facts: FormulaFacts, trace?: FormulaStep[]): Decimal | null {
  const value = evaluateFormula(ast, facts, trace);
  return isNumber(value) ? roundDecimal(value) : null;
}

function runOf(facts: FormulaFacts, trace: FormulaStep[] | undefined): Run {
  let steps = 0;
  const lines = new Map<1 | -1, OrderItem | null>();
  // Looked for once: 500 mentions of the cheapest of 500 lines would be 250,000 comparisons.
  const line = (sign: 1 | -1): OrderItem | null => {
    if (!lines.has(sign)) {
      run.spendOnLines();
      lines.set(sign, extremeLine(facts.order?.items ?? [], sign));
    }
    return lines.get(sign) ?? null;
  };
  const variables = new Map<string, FormulaValue>();
  const run: Run = {
    facts,
    spend: (more, microseconds = more) => {
      spend(facts.steps, microseconds * STEPS_PER_MICROSECOND);
      steps += more;
      return steps <= STEPS_MAX;
    },
    spendOnLines: () => run.spend(0, Math.ceil((facts.order?.items.length ?? 0) / LINES_PER_MICROSECOND)),
    value: (node) => {
      if (!run.spend(1)) return null;
      const value = compute(node, run, variables);
      if (trace && trace.length < TRACE_MAX && node.kind !== "number" && node.kind !== "string")
        trace.push(tracedStep(node, value, facts.steps));
      return value;
    },
    cheapest: () => line(1),
    mostExpensive: () => line(-1),
  };
  return run;
}

function compute(node: FormulaNode, run: Run, variables: Map<string, FormulaValue>): FormulaValue {
  switch (node.kind) {
    case "number":
      return new FormulaNumber(node.value);
    case "string":
      return node.value;
    case "variable": {
      if (!variables.has(node.name)) variables.set(node.name, VARIABLES.get(node.name)?.(run) ?? null);
      return variables.get(node.name) ?? null;
    }
    case "negate": {
      const value = run.value(node.operand);
      return isNumber(value) ? value.negated() : null;
    }
    case "binary":
      return FORMULA_OPERATORS[node.operator](node.left, node.right, run);
    case "call":
      return FUNCTIONS.get(node.name)?.run(node.args, run) ?? null;
    case "switch":
      return chooseCase(node, run);
  }
}

/** The first case that is equal to the subject. Cases after it and results that are not taken are not looked at. */
function chooseCase(node: Extract<FormulaNode, { kind: "switch" }>, run: Run): FormulaValue {
  const subject = run.value(node.subject);
  for (const { value, result } of node.cases) {
    const holds = areEqual(subject, run.value(value), run.facts.zone);
    if (holds === null) return null;
    if (holds) return run.value(result);
  }
  return run.value(node.fallback);
}

/** Printing a part prints all parts inside it. */
function tracedStep(node: FormulaNode, value: FormulaValue, steps: Steps | undefined): FormulaStep {
  spend(steps, TRACED_STEPS);
  const step = { text: shortened(formulaText(node)), value: printed(value) };
  spend(steps, step.text.length);
  return step;
}

const PRINTED_MAX = 500;
const shortened = (text: string): string => (text.length > PRINTED_MAX ? `${text.slice(0, PRINTED_MAX)}…` : text);
const LISTED_MAX = 50;
const printed = (value: FormulaValue): string | null =>
  value === null ? null : shortened(isList(value) ? value.slice(0, LISTED_MAX).map(textOf).join(", ") : textOf(value));
