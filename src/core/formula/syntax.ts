/** What is wrong with the text of a formula, where, and what was expected. */
export class FormulaFault extends Error {}

export const TEXT_MAX = 4096;
export const FORMULA_NODES_MAX = 500;
/** How deep parentheses, arguments and signs may stand inside each other. A long sum is not deep. */
export const FORMULA_DEPTH_MAX = 32;

/**
 * A formula as data: frozen, and the same for texts that differ in spaces, in the case of names or in parentheses that
 * change nothing.
 */
export type FormulaNode =
  /** Plain decimal digits, without needless zeros. */
  | { readonly kind: "number"; readonly value: string }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "negate"; readonly operand: FormulaNode }
  | {
      readonly kind: "binary";
      readonly operator: OperatorName;
      readonly left: FormulaNode;
      readonly right: FormulaNode;
    }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly FormulaNode[] }
  | {
      readonly kind: "switch";
      readonly subject: FormulaNode;
      readonly cases: readonly SwitchCase[];
      readonly fallback: FormulaNode;
    };
export type SwitchCase = { readonly value: FormulaNode; readonly result: FormulaNode };

/** How tight an operator binds. What stands higher is calculated first. */
export const BINDING = { or: 1, and: 2, comparison: 3, sum: 4, product: 5, sign: 6 } as const;

const OPERATORS = {
  OR: BINDING.or,
  AND: BINDING.and,
  ">": BINDING.comparison,
  "<": BINDING.comparison,
  ">=": BINDING.comparison,
  "<=": BINDING.comparison,
  "=": BINDING.comparison,
  is: BINDING.comparison,
  isNot: BINDING.comparison,
  contains: BINDING.comparison,
  startsWith: BINDING.comparison,
  endsWith: BINDING.comparison,
  IN_ARRAY: BINDING.comparison,
  NOT_IN_ARRAY: BINDING.comparison,
  DATE_IS: BINDING.comparison,
  DATE_IS_NOT: BINDING.comparison,
  IS_AFTER: BINDING.comparison,
  IS_BEFORE: BINDING.comparison,
  "+": BINDING.sum,
  "-": BINDING.sum,
  "*": BINDING.product,
  "/": BINDING.product,
  "%": BINDING.product,
} as const;
export type OperatorName = keyof typeof OPERATORS;

const BY_FOLDED = new Map((Object.keys(OPERATORS) as OperatorName[]).map((name) => [name.toUpperCase(), name]));
/** The operator of that spelling, in any case of letters. */
export const operatorNamed = (text: string): OperatorName | undefined => BY_FOLDED.get(text.toUpperCase());
export const bindingOf = (operator: OperatorName): number => OPERATORS[operator];
