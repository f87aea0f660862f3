export type CsvHead = {
  columns: string[];
  rows: string[][];
  /** Where the first line ends in the text, behind its line break. */
  bodyAt: number;
  separator: string;
};
const FIRST_ROWS = 5;
/** Enough of a file for its columns and first rows. */
const HEAD_BYTES = 64 * 1024;

const SEPARATORS = [",", ";", "\t"];

/** The separator that the first line has most often. */
const separatorOf = (line: string): string =>
  SEPARATORS.toSorted((a, b) => line.split(b).length - line.split(a).length)[0]!;

/** One line, from a place in the text: its cells, and the place behind it. Quoted cells may hold anything. */
function readLine(text: string, from: number, separator: string): { cells: string[]; end: number } {
  const cells: string[] = [];
  let [cell, isQuoted, at] = ["", false, from];
  for (; at < text.length; at += 1) {
    const letter = text[at]!;
    if (isQuoted && letter === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && letter === separator) {
      cells.push(cell);
      cell = "";
    } else if (!isQuoted && letter === "\n") break;
    else cell += letter;
  }
  cells.push(cell);
  return { cells: cells.map((one) => one.replace(/\r$/, "")), end: at + 1 };
}

/** The columns and the first rows of a file, to be looked at. The server reads all of it by itself. */
export function readHead(text: string): CsvHead {
  const plain = text.replace(/^\ufeff/, "");
  const skipped = text.length - plain.length;
  const separator = separatorOf(plain.slice(0, plain.indexOf("\n") === -1 ? undefined : plain.indexOf("\n")));
  const { cells, end } = readLine(plain, 0, separator);
  const rows: string[][] = [];
  for (let at = end; at < plain.length && rows.length < FIRST_ROWS; ) {
    const line = readLine(plain, at, separator);
    if (line.cells.some((one) => one !== "")) rows.push(line.cells);
    at = line.end;
  }
  return { columns: cells.map((one) => one.trim()), rows, bodyAt: end + skipped, separator };
}

const quoted = (name: string) => (/[",;\t\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

/** A file with its first part as text. Files in what Windows calls ANSI are made UTF-8 first. */
export async function openFile(file: File): Promise<{ content: Blob; text: string }> {
  const head = await file.slice(0, HEAD_BYTES).arrayBuffer();
  try {
    // A letter that the end cuts in two is no fault.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(head, { stream: true });
    return { content: file, text };
  } catch {
    const text = new TextDecoder("windows-1252").decode(await file.arrayBuffer());
    return { content: new Blob([text]), text: text.slice(0, HEAD_BYTES) };
  }
}

/** The same file with other names for its columns. Its rows are passed on as they are. */
export function withColumns(
  content: Blob,
  text: string,
  { bodyAt, separator }: CsvHead,
  names: readonly string[],
): Blob {
  const before = new TextEncoder().encode(text.slice(0, bodyAt)).length;
  return new Blob([names.map(quoted).join(separator), "\n", content.slice(before)], { type: "text/csv" });
}

/** The same file with columns in front that have one value in all rows. */
export async function withFixed(content: Blob, separator: string, fixed: Record<string, string>): Promise<Blob> {
  const values = Object.entries(fixed);
  if (values.length === 0) return content;
  const text = (await content.text()).replace(/^\ufeff/, "");
  const parts: string[] = [];
  for (let at = 0, line = 0; at < text.length; line += 1) {
    const { cells, end } = readLine(text, at, separator);
    const isEmpty = cells.length === 1 && cells[0] === "";
    const before = values.map(([name, value]) => (line === 0 ? name : value)).join(separator);
    parts.push(isEmpty ? text.slice(at, end) : `${before}${separator}${text.slice(at, end)}`);
    at = end;
  }
  return new Blob(parts, { type: "text/csv" });
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");
/** For each field the column of the file that has its name. */
export const guess = (fields: readonly string[], columns: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const column = columns.find((one) => plain(one) === plain(field));
      return column === undefined ? [] : [[field, column]];
    }),
  );
