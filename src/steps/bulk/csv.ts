import { isUtf8 } from "node:buffer";
import type { Options } from "csv-parse";
import type { Db } from "../../db/db.ts";
import { CHUNK_BYTES, type FileRow, readChunk } from "../../resources/platform/files/store.ts";

/** A row of a file, as it stands there. `fault`: it cannot be read, and its cells are one: the whole line. */
export type CsvRow = { line: number; cells: string[]; fault?: string };
/** Where a reader stands: the place of the next byte, and the number of the line that begins there. */
export type CsvPlace = { offset: number; line: number };
export type CsvHead = CsvPlace & { delimiter: string; header: string[] };
type CsvFile = Pick<FileRow, "project_id" | "id" | "bytes">;

const DELIMITERS = [",", ";", "\t", "|"];
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const FIRST_BYTES = CHUNK_BYTES;
/** A row that is longer is none: somewhere a quotation mark is not closed. */
const ROW_BYTES_MAX = 4 * CHUNK_BYTES;

const windows1252 = new TextDecoder("windows-1252");

/** The header of a file, or why it has none. */
export async function readHead(db: Db, file: CsvFile): Promise<CsvHead | { fault: string }> {
  const bytes = await readBytes(db, file, 0, FIRST_BYTES);
  if (bytes.length === 0) return { fault: "The file is empty" };
  const [first, second] = bytes;
  if (bytes.includes(0) || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { fault: "The file is not CSV in UTF-8 or Windows-1252. A spreadsheet calls it CSV UTF-8" };
  const offset = bytes.subarray(0, 3).equals(UTF8_MARK) ? 3 : 0;
  const text = bytes.subarray(offset);
  if (text.toString("latin1").trim() === "") return { fault: "The file is empty" };
  const delimiter = delimiterOf(text);
  const [head] = await parseRows(closed(text, bytes.length >= file.bytes), { delimiter, rowsMax: 1 });
  if (!head) return { fault: "The file has no header" };
  if (isMisquoted(head, text.subarray(0, head.end), delimiter)) return { fault: `The header is wrong: ${MISQUOTED}` };
  return { delimiter, header: head.cells, offset: offset + head.end, line: 1 + breaksIn(text, 0, head.end) };
}

/** What parts the cells of the first line, outside of quotation marks. */
function delimiterOf(bytes: Buffer): string {
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(bytes.toString("latin1").trimStart())?.[0] ?? "";
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, "");
  const counts = DELIMITERS.map((one) => ({ one, count: bare.split(one).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).one;
}

/** The next rows of a file, at most so many, and where it goes on; `isEnd`: there are no more. Keeps little in memory. */
export async function readRows(
  db: Db,
  file: CsvFile,
  { offset, line, delimiter, rowsMax }: CsvPlace & { delimiter: string; rowsMax: number },
): Promise<{ rows: CsvRow[]; next: CsvPlace; isEnd: boolean }> {
  for (let size = FIRST_BYTES; ; size *= 2) {
    const bytes = await readBytes(db, file, offset, size);
    const isRest = offset + bytes.length >= file.bytes;
    const found = await rowsIn(bytes, { delimiter, rowsMax, isRest });
    if (found.length > 0) {
      const { rows, next } = numbered(bytes, found, { offset, line });
      return { rows, next, isEnd: next.offset >= file.bytes };
    }
    if (isRest && bytes.toString("latin1").trim() === "")
      return { rows: [], next: { offset: file.bytes, line }, isEnd: true };
    if (isRest || bytes.length >= ROW_BYTES_MAX) return unreadLine(db, bytes, { file, offset, line });
  }
}

/** A line whose quotation mark is not closed, or that is too long, is a row that failed, and the next line is the next row. */
async function unreadLine(db: Db, bytes: Buffer, { file, offset, line }: CsvPlace & { file: CsvFile }) {
  const found = lineAt(bytes, 0, "A quotation mark is not closed");
  const isCut = offset + found.end < file.bytes && !isBreak(bytes[found.end - 1]);
  const row = isCut ? { ...found, fault: `The line has more than ${ROW_BYTES_MAX} bytes` } : found;
  const { rows, next } = numbered(bytes, [row], { offset, line });
  if (isCut) next.offset = await nextBreak(db, file, next.offset);
  return { rows, next, isEnd: next.offset >= file.bytes };
}

/** Where a line ends that goes on at a place; the end of the file if nowhere. */
async function nextBreak(db: Db, file: CsvFile, from: number): Promise<number> {
  for (let offset = from; offset < file.bytes; offset += CHUNK_BYTES) {
    const at = (await readBytes(db, file, offset, CHUNK_BYTES)).findIndex(isBreak);
    if (at !== -1) return offset + at;
  }
  return file.bytes;
}

/** The line that begins at a place, as a row that cannot be read. */
function lineAt(bytes: Buffer, from: number, fault: string): ParsedRow {
  let first = from;
  while (isBreak(bytes[first])) first += 1;
  const end = bytes.subarray(first).findIndex(isBreak);
  const to = end === -1 ? bytes.length : first + end + 1;
  return { cells: [decodedLine(bytes.subarray(first, to))], end: to, fault };
}

const MISQUOTED = "a quotation mark inside of a quoted cell must be written twice";
const AFTER_FAULT_BYTES = 8_192;

/**
 * The next rows of what was read. A cell whose quotation marks are wrong takes the lines behind it with it: so only the line that its
 * row begins in fails, and the next line is the next row.
 */
async function rowsIn(
  bytes: Buffer,
  { delimiter, rowsMax, isRest }: { delimiter: string; rowsMax: number; isRest: boolean },
): Promise<ParsedRow[]> {
  const rows: ParsedRow[] = [];
  for (let [from, size] = [0, bytes.length]; rows.length < rowsMax && from < bytes.length; size *= 2) {
    const piece = bytes.subarray(from, from + size);
    const isLast = from + size >= bytes.length;
    const found = await parseRows(closed(piece, isRest && isLast), { delimiter, rowsMax: rowsMax - rows.length });
    const begins = (n: number) => (n === 0 ? 0 : found[n - 1]!.end);
    const wrong = found.findIndex((row, n) => isMisquoted(row, piece.subarray(begins(n), row.end), delimiter));
    const good = wrong === -1 ? found : found.slice(0, wrong);
    for (const row of good) rows.push({ ...row, end: from + row.end });
    from += begins(good.length);
    if (wrong === -1 && isLast) break;
    if (wrong === -1) continue;
    const line = lineAt(bytes, from, `The row is wrong: ${MISQUOTED}`);
    rows.push(line);
    // There may be as many of them as rows: what follows is looked at a little at a time.
    [from, size] = [line.end, AFTER_FAULT_BYTES / 2];
  }
  return rows;
}

/** Only a cell that begins with a quotation mark can be one that the parser closed at a wrong place. */
const isMisquoted = ({ cells }: ParsedRow, bytes: Buffer, delimiter: string): boolean =>
  cells.some((cell) => cell.startsWith('"')) && !WELL_QUOTED[delimiter]!.test(bytes.toString("latin1").trim());

const WELL_QUOTED: Readonly<Record<string, RegExp>> = Object.fromEntries(
  DELIMITERS.map((one) => {
    const cell = `(?:"[^"]*(?:""[^"]*)*"|(?!")[^${one}\\r\\n]*)`;
    return [one, new RegExp(`^${cell}(?:[${one}]${cell})*$`)];
  }),
);

const decodedLine = (bytes: Buffer): string => decoded([bytes.toString("latin1").trimEnd()])[0]!;

/** The last row of a file may have no end, and the parser looks a few characters ahead before it gives a row. */
const closed = (bytes: Buffer, isRest: boolean): Buffer => (isRest ? Buffer.concat([bytes, END]) : bytes);
const END = Buffer.from("\n".repeat(16));

const [CR, LF] = [13, 10];
const isBreak = (byte: number | undefined): boolean => byte === LF || byte === CR;

/** How many lines end between two places. */
function breaksIn(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let n = from; n < to; n += 1) if (bytes[n] === LF || (bytes[n] === CR && bytes[n + 1] !== LF)) count += 1;
  return count;
}

/** Rows with the lines that they begin in. */
function numbered(bytes: Buffer, found: readonly ParsedRow[], { offset, line }: CsvPlace) {
  let [from, at] = [0, line];
  const rows = found.map(({ cells, end, fault }): CsvRow => {
    const to = Math.min(end, bytes.length);
    let first = from;
    while (first < to && isBreak(bytes[first])) first += 1;
    const begins = at + breaksIn(bytes, from, first);
    at = begins + breaksIn(bytes, first, to);
    from = to;
    return { line: begins, cells, ...(fault !== undefined && { fault }) };
  });
  // Spreadsheets end with rows that have only separators.
  const said = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  return { rows: said, next: { offset: offset + from, line: at } };
}

type ParsedRow = { cells: string[]; end: number; fault?: string };

/** The whole rows in these bytes. Each says where it ends. */
async function parseRows(
  bytes: Buffer,
  { delimiter, rowsMax }: { delimiter: string; rowsMax: number },
): Promise<ParsedRow[]> {
  // Loaded here: a start needs no file.
  const { parse } = await import("csv-parse");
  const options: Options<ParsedRow, string[]> = {
    // A byte is a character, so that a row tells where it ends. What it means is said by `decoded`.
    encoding: "latin1",
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    to: rowsMax,
    on_record: (cells: string[], { bytes: end }): ParsedRow => ({ cells: decoded(cells), end }),
  };
  const parser = parse(options as unknown as Options);
  // Rows before a place that cannot be read are given; who finds none there says so.
  parser.on("error", () => {});
  parser.write(bytes);
  const rows: ParsedRow[] = [];
  for (let row = parser.read(); row !== null; row = parser.read()) rows.push(row);
  return rows;
}

/** UTF-8 where all of a row is, else what Windows calls ANSI: hardly any text of the one is by chance the other. */
function decoded(cells: string[]): string[] {
  if (!cells.some((cell) => /[\x80-\xff]/.test(cell))) return cells;
  const bytes = cells.map((cell) => Buffer.from(cell, "latin1"));
  return bytes.every((one) => isUtf8(one))
    ? bytes.map((one) => one.toString("utf8"))
    : bytes.map((one) => windows1252.decode(one));
}

/** So many bytes of a file from a place on. All chunks of an upload but the last have the same size. */
async function readBytes(db: Db, file: CsvFile, offset: number, size: number): Promise<Buffer> {
  const end = Math.min(file.bytes, offset + size);
  const [first, last] = [Math.floor(offset / CHUNK_BYTES), Math.floor((end - 1) / CHUNK_BYTES)];
  const chunks: Uint8Array[] = [];
  for (let number = first; number <= last; number += 1) {
    const chunk = await readChunk(db, file, number);
    if (!chunk) throw new Error(`the file ${file.id} has lost its chunk ${number}`);
    chunks.push(chunk);
  }
  const from = offset - first * CHUNK_BYTES;
  return Buffer.concat(chunks).subarray(from, from + (end - offset));
}
