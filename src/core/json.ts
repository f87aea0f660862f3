import { invalid } from "./errors.ts";

export const JSON_DEPTH_MAX = 32;

/**
 * Parses JSON that somebody sent and refuses what JSON.parse lets pass without a word: keys that stand twice, numbers that would be
 * rounded, nesting without a limit, `__proto__`, and text that PostgreSQL cannot store. Linear in the length. `what` is what the text is: a body, or a cell of a file.
 */
export function parseJson(text: string, what = "body"): unknown {
  const colons = scan(text, what);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(`The ${what} is not valid JSON`);
  }
  // Every key has one colon. A key that stood twice has two in the text and is once in the value.
  if (inspect(value, []) !== colons) throw invalid(`The ${what} has an object with the same key twice`);
  return value;
}

/** Counts the colons outside of strings. Done before parsing, so that deep nesting costs nothing. */
function scan(text: string, what: string): number {
  let [colons, depth] = [0, 0];
  for (let i = 0; i < text.length; i += 1) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        for (i += 1; i < text.length && text.charCodeAt(i) !== 0x22; i += 1) if (text.charCodeAt(i) === 0x5c) i += 1;
        break;
      case 0x3a: // :
        colons += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > JSON_DEPTH_MAX)
          throw invalid(`The ${what} must not be nested deeper than ${JSON_DEPTH_MAX} levels`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return colons;
}

/** Keys and places in lists, from the outside in. It becomes a text only where something is refused. */
type Path = (string | number)[];

/** Checks every value, and returns how many keys there are. `path` is where it stands, and the same again afterwards. */
function inspect(value: unknown, path: Path): number {
  if (typeof value === "string") requireText(value, path);
  if (typeof value === "number") requireNumber(value, path);
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      path.push(i);
      keys += inspect(value[i], path);
      path.pop();
    }
    return keys;
  }
  for (const key in value) {
    requireText(key, path);
    if (key === "__proto__") throw invalid("The key __proto__ is not allowed");
    path.push(key);
    keys += 1 + inspect((value as Record<string, unknown>)[key], path);
    path.pop();
  }
  return keys;
}

const subjectOf = (path: Path) =>
  path.length === 0
    ? "Payload"
    : `Property ${path.map((one) => (typeof one === "number" ? `[${one}]` : `.${one}`)).join("")}`;

function requireText(text: string, path: Path): void {
  if (text.includes("\0")) throw invalid(`${subjectOf(path)} must not hold U+0000`);
  if (!text.isWellFormed()) throw invalid(`${subjectOf(path)} must be well-formed Unicode`);
}

function requireNumber(value: number, path: Path): void {
  if (!isExact(value)) throw invalid(`${subjectOf(path)} must be between -9007199254740991 and 9007199254740991`);
}

/** Whether a number is one that its text says, and not a neighbour of it. */
export const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
