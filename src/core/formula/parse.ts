import { FUNCTIONS } from "./functions.ts";
import {
  BINDING,
  bindingOf,
  FORMULA_DEPTH_MAX,
  FORMULA_NODES_MAX,
  FormulaFault,
  type FormulaNode,
  type OperatorName,
  operatorNamed,
  type SwitchCase,
} from "./syntax.ts";
import { type FormulaToken, tokensOf } from "./tokens.ts";
import { VARIABLES } from "./variables.ts";

const SPECIAL = ["SWITCH", "SWITCH_CASE"];
/** Every name that may stand in a formula, for forms that offer them. */
export const FORMULA_NAMES: readonly string[] = Object.freeze([...FUNCTIONS.keys(), ...SPECIAL, ...VARIABLES.keys()]);

/**
 * Reads the text of a formula. Throws a `FormulaFault` that says where and what was expected; nothing else is thrown,
 * and the time is in proportion to the length.
 */
export function parseFormula(text: string): FormulaNode {
  const parser: Parser = { tokens: tokensOf(text), next: 0, nodes: 0, depth: 0 };
  if (peek(parser).kind === "end") throw new FormulaFault("a formula is not empty");
  const ast = readExpression(parser, 0);
  if (peek(parser).kind !== "end") throw expected(parser, "an operator or the end");
  return ast;
}

type Parser = { tokens: readonly FormulaToken[]; next: number; nodes: number; depth: number };

/** The last token is the end, and the end is never taken. */
const peek = (parser: Parser): FormulaToken => parser.tokens[parser.next]!;
const take = (parser: Parser): FormulaToken => parser.tokens[parser.next++]!;
const isSymbol = ({ kind, text }: FormulaToken, symbol: string) => kind === "symbol" && text === symbol;
const isName = ({ kind, text }: FormulaToken, name: string) => kind === "name" && text.toUpperCase() === name;

function expected(parser: Parser, what: string): FormulaFault {
  const { kind, text, at } = peek(parser);
  const found = kind === "end" ? "the formula ends" : `found ${kind === "string" ? JSON.stringify(text) : text}`;
  return new FormulaFault(`at character ${at}: expected ${what}, but ${found}`);
}

function takeSymbol(parser: Parser, symbol: string): void {
  if (!isSymbol(peek(parser), symbol)) throw expected(parser, symbol);
  take(parser);
}

function addNode(parser: Parser, node: FormulaNode): FormulaNode {
  parser.nodes += 1;
  if (parser.nodes > FORMULA_NODES_MAX) throw new FormulaFault(`a formula has at most ${FORMULA_NODES_MAX} parts`);
  return Object.freeze(node);
}

function inside<T>(parser: Parser, read: () => T): T {
  parser.depth += 1;
  if (parser.depth > FORMULA_DEPTH_MAX)
    throw new FormulaFault(`at character ${peek(parser).at}: a formula is at most ${FORMULA_DEPTH_MAX} levels deep`);
  const result = read();
  parser.depth -= 1;
  return result;
}

const operatorAt = ({ kind, text }: FormulaToken): OperatorName | undefined =>
  kind === "symbol" || kind === "name" ? operatorNamed(text) : undefined;

/**
 * Takes operators as long as they bind tighter than `floor`: in 1 + 2 * 3 the 2 is read with the floor of a sum, and
 * the product binds tighter, so it is read into the right side.
 */
function readExpression(parser: Parser, floor: number): FormulaNode {
  let left = readOperand(parser);
  for (;;) {
    const operator = operatorAt(peek(parser));
    if (operator === undefined || bindingOf(operator) <= floor) return left;
    take(parser);
    const right = readExpression(parser, bindingOf(operator));
    left = addNode(parser, { kind: "binary", operator, left, right });
    const next = operatorAt(peek(parser));
    // 1 < x < 5 would compare true or false with 5, which nobody means.
    if (bindingOf(operator) === BINDING.comparison && next !== undefined && bindingOf(next) === BINDING.comparison)
      throw expected(parser, "AND or OR between two comparisons");
  }
}

function readOperand(parser: Parser): FormulaNode {
  const token = peek(parser);
  if (token.kind === "number" || token.kind === "string") {
    take(parser);
    return addNode(parser, { kind: token.kind, value: token.text });
  }
  if (isSymbol(token, "-")) {
    take(parser);
    const operand = inside(parser, () => readOperand(parser));
    return addNode(parser, { kind: "negate", operand });
  }
  if (isSymbol(token, "(")) {
    take(parser);
    const node = inside(parser, () => readExpression(parser, 0));
    takeSymbol(parser, ")");
    return node;
  }
  if (token.kind === "name" && !operatorNamed(token.text)) return readNamed(parser);
  throw expected(parser, "a value");
}

const ALIKE_MAX = 5;

/** What somebody may have meant: names that begin with it, else names that hold it, else all names. */
function alike(name: string): string {
  const near = [(one: string) => one.startsWith(name), (one: string) => one.includes(name)]
    .map((is) => FORMULA_NAMES.filter(is).slice(0, ALIKE_MAX))
    .find((names) => names.length > 0);
  return near ? `did you mean ${near.join(", ")}?` : `there are ${FORMULA_NAMES.join(", ")}`;
}

function readNamed(parser: Parser): FormulaNode {
  const { text, at } = take(parser);
  const name = text.toUpperCase();
  if (VARIABLES.has(name)) {
    if (isSymbol(peek(parser), "(")) throw new FormulaFault(`at character ${at}: ${name} is a value without ( )`);
    return addNode(parser, { kind: "variable", name });
  }
  if (name === "SWITCH") return readSwitch(parser);
  if (name === "SWITCH_CASE")
    throw new FormulaFault(`at character ${at}: SWITCH_CASE stands only inside SWITCH(value;SWITCH_CASE(a;b);default)`);
  const entry = FUNCTIONS.get(name);
  if (!entry) throw new FormulaFault(`at character ${at}: ${text} is unknown; ${alike(name)}`);
  const args = readArguments(parser);
  const { least, most } = entry;
  if (args.length < least || args.length > most) {
    const count =
      least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
    throw new FormulaFault(`at character ${at}: ${name} takes ${count} arguments, not ${args.length}`);
  }
  const fault = entry.check?.(args) ?? null;
  if (fault !== null) throw new FormulaFault(`at character ${at}: ${name} takes ${fault}`);
  return addNode(parser, { kind: "call", name, args });
}

function readArguments(parser: Parser): readonly FormulaNode[] {
  takeSymbol(parser, "(");
  const args: FormulaNode[] = [];
  if (!isSymbol(peek(parser), ")")) {
    args.push(inside(parser, () => readExpression(parser, 0)));
    while (isSymbol(peek(parser), ";")) {
      take(parser);
      args.push(inside(parser, () => readExpression(parser, 0)));
    }
  }
  if (!isSymbol(peek(parser), ")")) throw expected(parser, "; or )");
  take(parser);
  return Object.freeze(args);
}

/** Cases follow each other with a space between them; a `;` there is taken too. */
function readSwitch(parser: Parser): FormulaNode {
  takeSymbol(parser, "(");
  const subject = inside(parser, () => readExpression(parser, 0));
  takeSymbol(parser, ";");
  if (!isName(peek(parser), "SWITCH_CASE")) throw expected(parser, "SWITCH_CASE");
  const cases: SwitchCase[] = [];
  while (isName(peek(parser), "SWITCH_CASE")) {
    cases.push(inside(parser, () => readCase(parser)));
    if (isSymbol(peek(parser), ";") && isName(parser.tokens[parser.next + 1]!, "SWITCH_CASE")) take(parser);
  }
  if (!isSymbol(peek(parser), ";")) throw expected(parser, "SWITCH_CASE or ; and a default");
  take(parser);
  const fallback = inside(parser, () => readExpression(parser, 0));
  takeSymbol(parser, ")");
  return addNode(parser, { kind: "switch", subject, cases: Object.freeze(cases), fallback });
}

function readCase(parser: Parser): SwitchCase {
  take(parser);
  takeSymbol(parser, "(");
  const value = inside(parser, () => readExpression(parser, 0));
  takeSymbol(parser, ";");
  const result = inside(parser, () => readExpression(parser, 0));
  takeSymbol(parser, ")");
  return Object.freeze({ value, result });
}

/** What is wrong with the text of a formula, in words, or null. */
export function formulaFault(text: string): string | null {
  try {
    parseFormula(text);
    return null;
  } catch (error) {
    if (error instanceof FormulaFault) return error.message;
    throw error;
  }
}

/** The same for an editor: the place, counted from 0, and what is wrong there. Null: it is about the whole formula. */
export function formulaFaultAt(text: string): { at: number | null; says: string } | null {
  const fault = formulaFault(text);
  const [, at, says] = /^at character (\d+): (.*)$/s.exec(fault ?? "") ?? [];
  if (fault === null) return null;
  return at === undefined ? { at: null, says: fault } : { at: Number(at) - 1, says: says! };
}
