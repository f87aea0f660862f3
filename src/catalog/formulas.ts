import { parseFormula } from "../core/formula/parse.ts";
import { FormulaFault, type FormulaNode } from "../core/formula/syntax.ts";

const KEPT_MAX = 10_000;
const parsed = new Map<string, FormulaNode | null>();

/** The formula that a text is, read once; null when it is none, though that was checked when it was stored. */
export function formulaOf(text: string): FormulaNode | null {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (parsed.size >= KEPT_MAX) parsed.clear();
  const formula = read(text);
  parsed.set(text, formula);
  return formula;
}

function read(text: string): FormulaNode | null {
  try {
    return parseFormula(text);
  } catch (error) {
    if (error instanceof FormulaFault) return null;
    throw error;
  }
}
