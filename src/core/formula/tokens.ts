import { FormulaFault, TEXT_MAX } from "./syntax.ts";

export type FormulaToken = {
  kind: "number" | "string" | "name" | "symbol" | "end";
  /** A string without its quotes; a number without needless zeros; otherwise as written. */
  text: string;
  /** Where it starts, counted from 1. */
  at: number;
};

const DIGITS_MAX = 40;
/** Longer first, so that `>=` is not read as `>` and `=`. */
const SYMBOLS = [">=", "<=", "+", "-", "*", "/", "%", ">", "<", "=", "(", ")", ";"];
/** What the calculator keys of a form show. */
const ALIASES: Readonly<Record<string, string>> = { "×": "*", "÷": "/" };

const isSpace = (char: string) => char === " " || char === "\t" || char === "\n" || char === "\r" || char === "\u00a0";
const isDigit = (char: string | undefined) => char !== undefined && char >= "0" && char <= "9";
const isLetter = (char: string | undefined) =>
  char !== undefined && ((char >= "a" && char <= "z") || (char >= "A" && char <= "Z") || char === "_");

/** One pass from left to right: the time is in proportion to the length, whatever the text is. */
export function tokensOf(text: string): FormulaToken[] {
  if (text.length > TEXT_MAX) throw new FormulaFault(`a formula has at most ${TEXT_MAX} characters`);
  const tokens: FormulaToken[] = [];
  let index = 0;
  while (index < text.length) {
    const char = text[index]!;
    if (isSpace(char)) {
      index += 1;
      continue;
    }
    const read = isDigit(char) ? readNumber : isLetter(char) ? readName : char === '"' ? readString : readSymbol;
    const { end, ...token } = read(text, index);
    tokens.push({ ...token, at: index + 1 });
    index = end;
  }
  tokens.push({ kind: "end", text: "", at: text.length + 1 });
  return tokens;
}

type Read = { kind: FormulaToken["kind"]; text: string; end: number };

function readNumber(text: string, start: number): Read {
  let end = start;
  while (isDigit(text[end])) end += 1;
  if (text[end] === ".") {
    end += 1;
    if (!isDigit(text[end])) throw new FormulaFault(`at character ${end + 1}: expected a digit after the point`);
    while (isDigit(text[end])) end += 1;
  }
  if (isLetter(text[end]))
    throw new FormulaFault(`at character ${end + 1}: expected an operator or a space after the number`);
  const digits = text.slice(start, end);
  if (digits.length > DIGITS_MAX)
    throw new FormulaFault(`at character ${start + 1}: expected a number of at most ${DIGITS_MAX} digits`);
  const whole = digits.replace(/^0+(?=\d)/, "");
  return { kind: "number", text: whole.includes(".") ? whole.replace(/\.?0+$/, "") : whole, end };
}

function readName(text: string, start: number): Read {
  let end = start;
  while (isLetter(text[end]) || isDigit(text[end])) end += 1;
  return { kind: "name", text: text.slice(start, end), end };
}

/** A backslash before a quote or a backslash means that character; before anything else it is an ordinary one. */
function readString(text: string, start: number): Read {
  const parts: string[] = [];
  for (let index = start + 1; index < text.length; index++) {
    const char = text[index]!;
    if (char === '"') return { kind: "string", text: parts.join(""), end: index + 1 };
    const next = text[index + 1];
    if (char === "\\" && (next === '"' || next === "\\")) index += 1;
    parts.push(text[index]!);
  }
  throw new FormulaFault(`at character ${start + 1}: expected a closing " for this text`);
}

function readSymbol(text: string, start: number): Read {
  const alias = ALIASES[text[start]!];
  if (alias !== undefined) return { kind: "symbol", text: alias, end: start + 1 };
  const symbol = SYMBOLS.find((one) => text.startsWith(one, start));
  if (symbol === undefined) {
    const char = String.fromCodePoint(text.codePointAt(start)!);
    const hint = char === "," ? "; arguments are separated by ;" : char === "." ? "; a number starts with a digit" : "";
    throw new FormulaFault(`at character ${start + 1}: ${JSON.stringify(char)} is not part of a formula${hint}`);
  }
  return { kind: "symbol", text: symbol, end: start + symbol.length };
}
