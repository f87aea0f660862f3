import { FORMULA } from "../exports/csv.ts";
import type { Definition, MetadataSchema } from "../metadata/definition.ts";
import {
  booleanCell,
  type Cell,
  listCell,
  momentCell,
  numberCell,
  objectCell,
  type ParseCell,
  textCell,
} from "./cells.ts";

/** A column that an import knows: the field that it fills, and what its cells say. `null`: it is known and not needed. */
export type Column = {
  field: string;
  parse: ParseCell;
  /** The file must have the column, or only its rows must say something there. */
  isRequired?: "file" | "row";
} | null;
/** The columns of an import by their names: small letters, with `_` for spaces. */
export type Columns = Readonly<Record<string, Column>>;

/** What a file of failed rows has beside the columns of the upload. Uploaded again they mean nothing. */
export const FAULT_COLUMNS = ["import.line", "import.column", "import.reason"] as const;

export const isFaultColumn = (header: string): boolean =>
  (FAULT_COLUMNS as readonly string[]).includes(headerName(header));

/** What a row says: fields by their names, and metadata by the columns that are nobody's. */
export type RowValue = { fields: Record<string, unknown>; metadata: Record<string, unknown> };
export type RowFault = { column: string | null; reason: string };
/** Makes a row of cells into what it says. */
export type ReadRow = (cells: readonly string[]) => { value: RowValue } | { fault: RowFault };

const METADATA_PREFIX = "metadata.";
const METADATA_TEXT_MAX = 10_000;

export const headerName = (header: string): string =>
  header
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, "_");

const STARTS_FORMULA = new RegExp(FORMULA);

/** What a cell says. An export writes an apostrophe before what a spreadsheet would run as a formula: it is not part of the text. */
export function plainCell(cell: string): string {
  const text = cell.trim();
  return text.startsWith("'") && STARTS_FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}

const metadataKey = (header: string): string =>
  header.startsWith(METADATA_PREFIX) ? header.slice(METADATA_PREFIX.length) : header;

/** What a column fills, so that two columns for the same are found. */
function filledBy(header: string, columns: Columns): string {
  const name = headerName(header);
  if (Object.hasOwn(columns, name)) return `fields:${columns[name]?.field ?? name}`;
  return `metadata:${metadataKey(header)}`;
}

/** What is wrong with a header, or null. */
export function fileHeaderFault(header: readonly string[], columns: Columns): string | null {
  const plain = header.map(plainCell);
  const names = plain.map(headerName);
  if (names.every((name) => name === "")) return "The file has no header";
  const fills = plain.map((text) => filledBy(text, columns));
  const twice = fills.findIndex((fill, n) => names[n] !== "" && fills.indexOf(fill) !== n);
  if (twice !== -1) return `The file has the column ${plain[twice]} twice`;
  if (plain.some((text) => metadataKey(text) === "__proto__")) return "The column __proto__ is not allowed";
  const missing = Object.entries(columns).find(
    ([name, column]) => column?.isRequired === "file" && !names.includes(name),
  );
  return missing ? `The file has no column ${missing[0]}` : null;
}

/** How the rows of a file are read: its header says what its cells are, and a schema what metadata is. */
export function rowReader(header: readonly string[], columns: Columns, schema: MetadataSchema | undefined): ReadRow {
  const readers = header.map((text) => cellReader(plainCell(text), columns, schema));
  const required = Object.entries(columns).flatMap(([name, column]) =>
    column?.isRequired ? [{ name, ...column }] : [],
  );
  return (cells) => {
    const isLonger = cells.slice(header.length).some((cell) => cell.trim() !== "");
    // One that is shorter was cut off, or lost something in the middle: then its cells are in the wrong columns.
    if (isLonger || cells.length < header.length)
      return faultOf(null, `The row has ${cells.length} cells, and the header ${header.length}`);
    const value: RowValue = { fields: {}, metadata: {} };
    for (const [n, read] of readers.entries()) {
      const text = plainCell(cells[n] ?? "");
      if (read === null || text === "") continue;
      const unread = textFault(text);
      const cell: Cell = unread === null ? read.parse(text) : { fault: unread };
      if ("fault" in cell) return faultOf(header[n]!.trim(), cell.fault);
      value[read.into][read.name] = cell.value;
    }
    const missing = required.find(({ field }) => value.fields[field] === undefined);
    return missing ? faultOf(missing.name, "must not be empty") : { value };
  };
}

const faultOf = (column: string | null, reason: string) => ({ fault: { column, reason } });

/** What no column of a database can hold. */
const textFault = (text: string): string | null => (text.includes("\0") ? "must not hold U+0000" : null);

type CellReader = { into: "fields" | "metadata"; name: string; parse: ParseCell };

function cellReader(header: string, columns: Columns, schema: MetadataSchema | undefined): CellReader | null {
  const name = headerName(header);
  if (name === "" || isFaultColumn(name)) return null;
  if (Object.hasOwn(columns, name)) {
    const column = columns[name]!;
    return column && { into: "fields", name: column.field, parse: column.parse };
  }
  const key = metadataKey(header);
  const definition = schema && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  return { into: "metadata", name: key, parse: metadataCell(definition?.deleted ? undefined : definition) };
}

const TEXT = textCell(METADATA_TEXT_MAX);
const METADATA_CELLS: Readonly<Record<Definition["type"], ParseCell>> = {
  string: TEXT,
  number: numberCell,
  boolean: booleanCell,
  object: objectCell,
  datetime: momentCell,
  // Whether it is one is said by the check of metadata, in its own words.
  date: TEXT,
  image_url: TEXT,
  geopoint: TEXT,
};

/** A cell of metadata, as its schema types it; without one it is text. `null` is null where the key may be. */
function metadataCell(definition: Definition | undefined): ParseCell {
  if (!definition) return TEXT;
  const one = METADATA_CELLS[definition.type];
  const parse = definition.array ? listCell(one) : one;
  return (text) => (text === "null" && definition.type !== "string" ? { value: null } : parse(text));
}
