import { Decimal } from "decimal.js";
import { type FormulaStep, formulaNumber } from "./evaluate.ts";
import type { FormulaFacts } from "./facts.ts";
import type { FormulaNode } from "./syntax.ts";

/**
 * An amount in minor units: the major units of the formula times 100, rounded half up, never below zero. 1.055 is 106.
 * Null when the formula cannot be evaluated or passes what an amount may be.
 */
export function moneyFormula(ast: FormulaNode, facts: FormulaFacts, trace?: FormulaStep[]): number | null {
  const value = formulaNumber(ast, facts, trace);
  if (value === null) return null;
  if (!value.isPositive() || value.isZero()) return 0;
  const minor = value.times(100).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  return minor.greaterThan(Number.MAX_SAFE_INTEGER) ? null : minor.toNumber();
}

const ZERO = new Decimal(0);
const ALL = new Decimal(100);

/**
 * A percentage from 0 to 100; what lies outside becomes the nearer end. Null when it cannot be evaluated. It keeps all
 * its digits: 10 / 3 percent of 1,515 are 50.5, and 3.3333333333 percent are less.
 */
export function percentFormula(ast: FormulaNode, facts: FormulaFacts, trace?: FormulaStep[]): Decimal | null {
  const value = formulaNumber(ast, facts, trace);
  if (value === null) return null;
  return value.isNegative() ? ZERO : value.greaterThan(ALL) ? ALL : value;
}

const COUNT_MAX = 1_000_000;

/** Units: whole, rounded down, from 0 to a million. Null when it cannot be evaluated. */
export function countFormula(ast: FormulaNode, facts: FormulaFacts, trace?: FormulaStep[]): number | null {
  const value = formulaNumber(ast, facts, trace);
  return value === null ? null : clamp(value.floor(), COUNT_MAX);
}

function clamp(value: Decimal, most: number): number {
  if (!value.isPositive() || value.isZero()) return 0;
  return value.greaterThan(most) ? most : value.toNumber();
}
