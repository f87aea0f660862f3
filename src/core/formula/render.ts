import { BINDING, bindingOf, type FormulaNode, TEXT_MAX } from "./syntax.ts";

/** A place where a space may stand. */
const GAP = null;
type Piece = string | typeof GAP;

/**
 * The formula as text; reading it gives the same formula again. Where the readable form with its spaces would be too
 * long to be read, only the spaces that are needed are written: that is never longer than the text it was read from.
 */
export function formulaText(ast: FormulaNode): string {
  const pieces = piecesOf(ast);
  const readable = pieces.map((piece) => (piece === GAP ? " " : piece)).join("");
  return readable.length <= TEXT_MAX ? readable : joinTight(pieces);
}

function joinTight(pieces: readonly Piece[]): string {
  const isWord = (char: string | undefined) => char !== undefined && /\w/.test(char);
  const parts: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece !== GAP) parts.push(piece);
    else if (isWord(parts.at(-1)?.at(-1)) && isWord((pieces[index + 1] as string)[0])) parts.push(" ");
  }
  return parts.join("");
}

function piecesOf(node: FormulaNode): Piece[] {
  switch (node.kind) {
    case "number":
      return [node.value];
    case "string":
      return [quoted(node.value)];
    case "variable":
      return [node.name];
    case "negate":
      return ["-", ...grouped(node.operand, BINDING.sign)];
    case "binary": {
      const binding = bindingOf(node.operator);
      // Operators of one binding go from left to right, so only the right side needs its parentheses: 1 - (2 - 3).
      // Comparisons do not follow each other at all.
      const left = grouped(node.left, binding === BINDING.comparison ? binding + 1 : binding);
      return [...left, GAP, node.operator, GAP, ...grouped(node.right, binding + 1)];
    }
    case "call":
      return [node.name, "(", ...node.args.flatMap((arg, i) => [...(i ? [";", GAP] : []), ...piecesOf(arg)]), ")"];
    case "switch": {
      const cases = node.cases.flatMap(({ value, result }, i) => {
        const pair = ["SWITCH_CASE", "(", ...piecesOf(value), ";", GAP, ...piecesOf(result), ")"];
        return i ? [GAP, ...pair] : pair;
      });
      return ["SWITCH", "(", ...piecesOf(node.subject), ";", GAP, ...cases, ";", GAP, ...piecesOf(node.fallback), ")"];
    }
  }
}

const grouped = (node: FormulaNode, least: number): Piece[] =>
  node.kind === "binary" && bindingOf(node.operator) < least ? ["(", ...piecesOf(node), ")"] : piecesOf(node);

/** A backslash is doubled only where it would be read with what follows it. */
const quoted = (text: string): string => `"${text.replace(/\\(?=["\\]|$)|"/g, (char) => `\\${char}`)}"`;
