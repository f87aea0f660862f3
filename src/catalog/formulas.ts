import { LRUCache } from "lru-cache";
import { parseFormula } from "../core/formula/parse.ts";
import { FormulaFault, type FormulaNode } from "../core/formula/syntax.ts";

const KEPT_MAX = 10_000;
const parsed = new LRUCache<string, { formula: FormulaNode | null }>({
  max: KEPT_MAX,
  memoMethod: (text) => ({ formula: read(text) }),
});

/** The formula that a text is, read once; null when it is none, though that was checked when it was stored. */
export const formulaOf = (text: string): FormulaNode | null => parsed.memo(text).formula;

function read(text: string): FormulaNode | null {
  try {
    return parseFormula(text);
  } catch (error) {
    if (error instanceof FormulaFault) return null;
    throw error;
  }
}
