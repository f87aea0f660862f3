import { RuleFault } from "./fault.ts";

const LOGIC_LENGTH_MAX = 2000;
const LOGIC_NODES_MAX = 200;
const LOGIC_DEPTH_MAX = 20;

/** How rules are combined. An `and` of nothing always holds: that is the logic of no rules. */
export type Logic = { kind: "key"; key: string } | { kind: "and" | "or"; terms: readonly Logic[] };

type Token = { text: string; at: number };

/** A key is any word without spaces and parentheses that is neither `and` nor `or`. */
export const isLogicKey = (text: string): boolean => /^[^\s()]{1,64}$/.test(text) && !/^(?:and|or)$/i.test(text);

/**
 * Reads `1 and (2 or 3)`. `and` binds tighter than `or`, the words are read in any case, and parentheses may be
 * redundant. Without a text all keys are joined with `and`. A `RuleFault` says where the text is wrong, counted from 1.
 */
export function parseLogic(text: string | null | undefined, keys: Iterable<string>): Logic {
  const known = new Set(keys);
  if (!text || text.trim() === "") return group("and", [...known].map(keyTerm));
  if (text.length > LOGIC_LENGTH_MAX)
    throw new RuleFault(`logic has ${text.length} characters, more than ${LOGIC_LENGTH_MAX}`);
  return new Parser(text, known).parse();
}

const keyTerm = (key: string): Logic => ({ kind: "key", key });

/** One term needs no group, and a group inside one of the same kind is no group of its own: 1 and (2 and 3). */
function group(kind: "and" | "or", terms: readonly Logic[]): Logic {
  const flat = terms.flatMap((term) => (term.kind === kind ? term.terms : [term]));
  return flat.length === 1 ? flat[0]! : { kind, terms: flat };
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #known: ReadonlySet<string>;
  #next = 0;
  #depth = 0;
  #nodes = 0;

  constructor(text: string, known: ReadonlySet<string>) {
    this.#tokens = [...text.matchAll(/[()]|[^\s()]+/g)].map((match) => ({ text: match[0], at: match.index + 1 }));
    this.#known = known;
  }

  parse(): Logic {
    const logic = this.#group("or");
    const rest = this.#tokens[this.#next];
    if (rest) this.#refuse(rest, rest.text === ")" ? "has no matching (" : "must come after and, or or");
    return logic;
  }

  /** Terms joined by one word: those of `or` are groups of `and`, and those of `and` are single factors. */
  #group(kind: "and" | "or"): Logic {
    const terms: Logic[] = [];
    do terms.push(kind === "or" ? this.#group("and") : this.#factor());
    while (this.#takes(kind));
    if (terms.length > 1) this.#count();
    return group(kind, terms);
  }

  #factor(): Logic {
    const token = this.#tokens[this.#next];
    if (!token) throw new RuleFault("logic ends where the key of a rule or ( must follow");
    this.#next += 1;
    if (token.text === "(") return this.#parentheses(token);
    if (!isLogicKey(token.text)) this.#refuse(token, "stands where the key of a rule or ( must stand");
    if (!this.#known.has(token.text)) this.#refuse(token, "is not the key of a rule");
    this.#count();
    return keyTerm(token.text);
  }

  #parentheses(open: Token): Logic {
    this.#depth += 1;
    if (this.#depth > LOGIC_DEPTH_MAX) this.#refuse(open, `is nested more than ${LOGIC_DEPTH_MAX} deep`);
    const inner = this.#group("or");
    if (this.#tokens[this.#next]?.text !== ")") this.#refuse(open, "has no matching )");
    this.#next += 1;
    this.#depth -= 1;
    return inner;
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#next]?.text.toLowerCase() !== word) return false;
    this.#next += 1;
    return true;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > LOGIC_NODES_MAX) throw new RuleFault(`logic has more than ${LOGIC_NODES_MAX} parts`);
  }

  #refuse({ text, at }: Token, says: string): never {
    throw new RuleFault(`logic: '${text.slice(0, 64)}' at position ${at} ${says}`);
  }
}

/** The text of a logic with no more parentheses than it needs, the inverse of `parseLogic`. */
export function renderLogic(logic: Logic): string {
  if (logic.kind === "key") return logic.key;
  const inner = logic.terms.map((term) =>
    logic.kind === "and" && term.kind === "or" ? `(${renderLogic(term)})` : renderLogic(term),
  );
  return inner.join(` ${logic.kind} `);
}
