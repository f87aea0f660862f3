// How exports write CSV: RFC 4180 with a line feed. What a spreadsheet would run as a formula is text. The same rules in SQL,
// for rows, are in `db/exported-rows.ts`.

/** What begins a formula in a spreadsheet program, or can be made to; a negative number is none. For PostgreSQL, too. */
export const FORMULA = "^(?!-[0-9]+(?:[.][0-9]+)?$)[=+\\-@\\t\\r\\n＝＋－＠]";
export const FORMULA_STARTS = "=+-@\t\r\n＝＋－＠";
export const SPECIAL = '[",\\r\\n]';
const STARTS_FORMULA = new RegExp(FORMULA);
const NEEDS_QUOTES = new RegExp(SPECIAL);

export function csvCell(text: string): string {
  const isFormula = STARTS_FORMULA.test(text);
  if (!isFormula && !NEEDS_QUOTES.test(text)) return text;
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`;
}

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(",")}\n`;

const UPPER = new Set(["id", "qr", "url"]);

/** What stands above a column: `voucher_type` is `Voucher Type`. A field of metadata keeps its name. */
export function labelOf(field: string): string {
  if (field.startsWith(METADATA)) return field.slice(METADATA.length);
  const words = field.split("_");
  return words
    .map((word) => (UPPER.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(" ");
}

/** A field of metadata is named so, in fields and in filters. */
export const METADATA = "metadata.";
