export const CODE_MAX = 200;
const VOUCHER_ID = /^v_[0-9a-f]{24}$/;
// Nobody can see or type them: controls, ends of lines and paragraphs, characters without width, and those that turn the
// direction of what follows. The two selectors that choose how a symbol such as a sun looks may stand behind a symbol, where
// people paste them unknowingly. Behind a letter or a digit they would make a second code that looks the same.
const UNSEEN =
  /[\p{Cc}\p{Zl}\p{Zp}[\p{Default_Ignorable_Code_Point}--[\uFE0E\uFE0F]]]|(?<!(?![#*\d])\p{Emoji})[\uFE0E\uFE0F]/v;

/** What is wrong with the characters of a code, or of what codes are made of; null: nothing. */
export const charactersFault = (text: string): string | null =>
  text.isWellFormed() && !UNSEEN.test(text) ? null : CHARACTERS_FAULT;
export const CHARACTERS_FAULT = "must not hold control, zero-width or bidirectional characters, or broken Unicode";

/** Codes are compared in this form: composed Unicode, in lower case where the project does not tell cases apart. */
export const foldCode = (code: string, caseSensitive: boolean): string =>
  caseSensitive ? code.normalize("NFC") : code.normalize("NFC").toLowerCase();

/** What is wrong with a code that somebody chose, or null. What looks like an id would be found as that id. */
export function codeFault(code: string): string | null {
  const length = [...code].length;
  if (length < 1 || length > CODE_MAX) return `A code must have 1 to ${CODE_MAX} characters`;
  const fault = charactersFault(code);
  if (fault !== null) return `A code ${fault}`;
  if (VOUCHER_ID.test(code)) return "A code must not look like the id of a voucher";
  return null;
}

/** Words of the interface that stand where a path has a code. */
const PATH_WORDS: readonly string[] = ["import", "importCSV", "bulk", "metadata", "qualification", "export"];

/** Whoever meant an operation must not make a code instead. */
export const isPathWord = (code: string): boolean => PATH_WORDS.includes(trimCode(code));
export const PATH_WORD_FAULT = `must not be a word that paths use for an operation: ${PATH_WORDS.join(", ")}`;

/** Codes arrive with what was around them when they were copied. */
export const trimCode = (code: string): string => code.replace(/[\r\n\t\f\v]/g, "").trim();
