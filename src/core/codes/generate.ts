import { CODE_MAX, charactersFault } from "./code.ts";

export type CodeConfig = {
  length?: number | null;
  charset?: string | null;
  pattern?: string | null;
  prefix?: string | null;
  postfix?: string | null;
};

/** How codes are made: `#` in the pattern stands for a random character. */
export type CodeTemplate = { pattern: string; characters: readonly string[]; length: number };

const LENGTH = 8;
const PLACE = "#";
const CHARSET_MAX = 1000;

/** The template of a configuration, or what is wrong with it. A pattern says everything; else prefix, length, postfix. */
export function codeTemplate(config: CodeConfig, defaultCharset: string): CodeTemplate | { fault: string } {
  const characters = [...new Set(config.charset || defaultCharset)];
  const pattern =
    config.pattern || `${config.prefix ?? ""}${PLACE.repeat(config.length ?? LENGTH)}${config.postfix ?? ""}`;
  const length = [...pattern].filter((one) => one === PLACE).length;
  if (characters.length > CHARSET_MAX)
    return { fault: `The charset must not have more than ${CHARSET_MAX} characters` };
  if ([...pattern].length > CODE_MAX) return { fault: `A code must not have more than ${CODE_MAX} characters` };
  const fault = [pattern, ...characters].map(charactersFault).find((one) => one !== null);
  if (fault) return { fault: `The pattern and the charset ${fault}` };
  return { pattern, characters, length };
}

/** How many different codes a template can make; where case does not count, folded characters are the same one. */
export function codeSpace({ characters, length }: CodeTemplate, caseSensitive: boolean): number {
  const different = caseSensitive ? characters.length : new Set(characters.map((one) => one.toLowerCase())).size;
  return different ** length;
}

/**
 * Fills the places of the pattern from random bytes. Two bytes choose a character; those that would favour some of them
 * are passed over: with 62 characters 65,536 − 65,536 mod 62 = 65,534 is the first number that is not used.
 */
export function createCodeMaker(
  { pattern, characters }: CodeTemplate,
  random: (bytes: number) => Uint8Array,
): () => string {
  const limit = 65_536 - (65_536 % characters.length);
  const parts = pattern.split(PLACE);
  let pool: Uint8Array = new Uint8Array(0);
  let next = 0;
  const pick = (): string => {
    for (;;) {
      if (next + 2 > pool.length) [pool, next] = [random(4096), 0];
      const value = pool[next]! * 256 + pool[next + 1]!;
      next += 2;
      if (value < limit) return characters[value % characters.length]!;
    }
  };
  return () => parts.reduce((code, part) => code + pick() + part);
}
