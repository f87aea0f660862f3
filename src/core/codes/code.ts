export const CODE_MAX = 200;
const VOUCHER_ID = /^v_[0-9a-f]{24}$/;
// Control characters cannot be typed, seen or sent in a path.
const CONTROLS = /\p{Cc}/u;

/** Codes are compared in this form: composed Unicode, in lower case where the project does not tell cases apart. */
export const foldCode = (code: string, caseSensitive: boolean): string =>
  caseSensitive ? code.normalize("NFC") : code.normalize("NFC").toLowerCase();

/** What is wrong with a code that somebody chose, or null. What looks like an id would be found as that id. */
export function codeFault(code: string): string | null {
  const length = [...code].length;
  if (length < 1 || length > CODE_MAX) return `A code must have 1 to ${CODE_MAX} characters`;
  if (!code.isWellFormed() || CONTROLS.test(code)) return "A code must not hold control characters or broken Unicode";
  if (VOUCHER_ID.test(code)) return "A code must not look like the id of a voucher";
  return null;
}

/** Codes arrive with what was around them when they were copied. */
export const trimCode = (code: string): string => code.replace(/[\r\n\t\f\v]/g, "").trim();
