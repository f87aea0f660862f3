import { ACTOR_TYPES, type Actor } from "../../catalog/audit.ts";
import {
  type Columns,
  FAULT_COLUMNS,
  fileHeaderFault,
  headerName,
  isFaultColumn,
  plainCell,
  type RowFault,
  type RowValue,
  rowReader,
} from "../../core/bulk/columns.ts";
import { type BulkEntry, type BulkOutcome, inParts, isRefused } from "../../core/bulk/entry.ts";
import type { ImportOptions, Upload } from "../../core/bulk/upload.ts";
import { invalid } from "../../core/errors.ts";
import type { MetadataSchema } from "../../core/metadata/definition.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import { dropParts, insertParts, takePart } from "../../resources/platform/async-actions/parts-store.ts";
import {
  type ActionStep,
  type AsyncActionRow,
  type AsyncActionType,
  enqueueAsyncAction,
} from "../../resources/platform/async-actions/store.ts";
import {
  completeFile,
  type FileRow,
  findFile,
  lockFile,
  releaseFile,
  requireUpload,
} from "../../resources/platform/files/store.ts";
import { saveOrBisect } from "./bisect.ts";
import { type CsvPlace, readHead, readRows } from "./csv.ts";
import { addToReport, endReport, openReport } from "./report.ts";
import { addTold, type BulkCtx, inTurn, type TurnCtx, toldOf } from "./turn.ts";

/** Rows of a turn: few enough that a request which waits for one of them does not wait long. */
const TURN = 2_500;

export type ImportCtx = BulkCtx & { options: ImportOptions; isCsv: boolean };

/** A kind of objects that are imported. */
export type ImportKind<V> = {
  /** For the message: `2 voucher(s) imported successfully, 1 failed.` */
  noun: string;
  /** The field that tells them apart. */
  key: "code" | "source_id";
  isPersonal: boolean;
  /** The columns of a CSV file. Any other is metadata. */
  columns: Columns;
  /** What the metadata of a row is checked by. */
  schemaOf(c: BulkCtx, options: ImportOptions): MetadataSchema | undefined;
  /** The object that a row of a CSV file describes, as it would be sent. */
  bodyOf(row: RowValue): { value: V } | { fault: RowFault };
  /** Saves the objects of a turn, in a number of statements that does not depend on how many they are. */
  save(c: ImportCtx, values: readonly V[]): Promise<BulkOutcome[]>;
};

type ImportProgress = {
  options: ImportOptions;
  /** Who asked for it, for the audit log. */
  actor?: Actor;
  /** Of a CSV file: where it is, how it is written, and how far it was read. */
  csv?: CsvPlace & { file_id: string; delimiter: string; header: string[] };
  /** Of a list: how many parts there are, and how many are done. */
  list?: { parts: number; done: number };
  /** Rows that were looked at. */
  rows?: number;
  done_count?: number;
  failed_count?: number;
  report_id?: string;
};

/** Who asks for an import, and where it is written down. */
type EnqueueCtx = Pick<WriteCtx, "db" | "newId" | "now" | "request_id" | "caller"> & { project: { id: string } };

/** Has the rows of an uploaded file imported after the answer; 400 when it is empty, or its header is not what is asked for. */
export async function enqueueFile(
  c: EnqueueCtx,
  type: AsyncActionType,
  { upload, columns, options }: { upload: Upload; columns: Columns; options: ImportOptions },
): Promise<{ async_action_id: string }> {
  const file = await requireUpload(c.db, { project_id: c.project.id, id: upload.file_id }, c.now);
  const head = await readHead(c.db, file);
  const fault = "fault" in head ? head.fault : fileHeaderFault(head.header, columns);
  if (fault !== null) throw invalid(fault);
  await completeFile(c.db, file);
  const { delimiter, header, offset, line } = head as Exclude<typeof head, { fault: string }>;
  return enqueue(c, type, { options, csv: { file_id: file.id, delimiter, header, offset, line } });
}

/** Has the objects of a list imported after the answer. */
export async function enqueueList(
  c: EnqueueCtx,
  type: AsyncActionType,
  { entries, options }: { entries: readonly BulkEntry[]; options: ImportOptions },
): Promise<{ async_action_id: string }> {
  const parts = inParts(entries, TURN);
  const id = c.newId("aa");
  await insertParts(c.db, c.project.id, { actionId: id, parts });
  return enqueue(c, type, { options, list: { parts: parts.length, done: 0 } }, id);
}

async function enqueue(c: EnqueueCtx, type: AsyncActionType, progress: ImportProgress, id = c.newId("aa")) {
  const { id: project_id } = c.project;
  const work = { ...progress, actor: { type: ACTOR_TYPES[c.caller.kind], id: c.caller.key_id } };
  await enqueueAsyncAction(c.db, { project_id, id, type, request_id: c.request_id, work, created_at: c.now });
  return { async_action_id: id };
}

/** A row that was read: its object, or why there is none. */
type ReadRow<V> = { row: number; line?: number; cells?: readonly string[]; key: string | null } & (
  | { value: V }
  | { fault: RowFault }
);
type ReadRows<V> = { rows: ReadRow<V>[]; next: Pick<ImportProgress, "csv" | "list">; isEnd: boolean; progress: number };

/** Imports the next rows. They, what is reported of them and where it goes on are one transaction. */
export function importNext<V>(turn: TurnCtx, action: AsyncActionRow, kind: ImportKind<V>): Promise<ActionStep> {
  return inTurn(turn, action, async (given) => {
    const work = action.work as ImportProgress;
    const c: ImportCtx = { ...given, options: work.options, isCsv: work.csv !== undefined };
    const read = work.csv ? await rowsOfFile(c, work, kind) : await rowsOfList(c, action, work, kind);
    if (read === null) {
      const failed = toldOf(action, "failed");
      return ended(c, work, { kind, progress: action.progress, reason: goneOf(work), failed });
    }
    const good = read.rows.flatMap((row) => ("value" in row ? [row.value] : []));
    const saved = await saveRows(c, kind, good);
    // It was read before the customers were locked: who was erased while the turn waited for them would be made again.
    if (work.csv && kind.isPersonal && isGone(c, await lockFile(c.db, c.project.id, work.csv.file_id)))
      throw new StartOver("the uploaded file was ended meanwhile");
    const failed = failedOf(read.rows, saved);
    const { isPersonal } = kind;
    const report_id =
      work.csv && failed.length > 0 ? await addFailedRows(c, action, { ...work, failed, isPersonal }) : work.report_id;
    const next: ImportProgress = {
      ...work,
      ...read.next,
      ...(report_id !== undefined && { report_id }),
      rows: (work.rows ?? 0) + read.rows.length,
      done_count: (work.done_count ?? 0) + read.rows.length - failed.length,
      failed_count: (work.failed_count ?? 0) + failed.length,
    };
    const shown = failed.map((one) => shownFailed(one, kind.key));
    const { all, ...told } = addTold(action, "failed", shown);
    if (!read.isEnd) return { work: next, progress: read.progress, ...told };
    return ended(c, next, { kind, progress: 100, failed: all });
  });
}

const goneOf = ({ csv }: ImportProgress): string =>
  `The uploaded file is gone: it expired, or a customer was erased meanwhile. Upload it once more from line ${csv!.line} on, with its header.`;

const isGone = ({ now }: BulkCtx, file: FileRow | undefined): boolean =>
  file === undefined || Date.parse(file.expires_at) <= Date.parse(now);

async function rowsOfFile<V>(c: BulkCtx, work: ImportProgress, kind: ImportKind<V>): Promise<ReadRows<V> | null> {
  const csv = work.csv!;
  const file = await findFile(c.db, c.project.id, csv.file_id);
  if (!file || isGone(c, file)) return null;
  const { rows, next, isEnd } = await readRows(c.db, file, { ...csv, rowsMax: TURN });
  const read = rowReader(csv.header, kind.columns, kind.schemaOf(c, work.options));
  const before = work.rows ?? 0;
  return {
    rows: rows.map(({ line, cells, fault }, n): ReadRow<V> => {
      const at = { row: before + n + 1, line, cells };
      const found = fault === undefined ? read(cells) : { fault: { column: null, reason: fault } };
      if ("fault" in found) return { ...at, key: keyIn(csv.header, cells, kind), fault: found.fault };
      const key = found.value.fields[kind.key];
      return { ...at, key: key === undefined ? null : String(key), ...kind.bodyOf(found.value) };
    }),
    next: { csv: { ...csv, ...next } },
    isEnd,
    progress: Math.min(99, Math.floor((next.offset / Math.max(1, file.bytes)) * 100)),
  };
}

/** What a row that cannot be read calls its object, if it says so. */
function keyIn<V>(header: readonly string[], cells: readonly string[], { columns, key }: ImportKind<V>): string | null {
  const n = header.findIndex((text) => columns[headerName(plainCell(text))]?.field === key);
  return cells.length === header.length ? plainCell(cells[n] ?? "") || null : null;
}

async function rowsOfList<V>(
  c: BulkCtx,
  action: AsyncActionRow,
  work: ImportProgress,
  { key }: ImportKind<V>,
): Promise<ReadRows<V>> {
  const { parts, done } = work.list!;
  const entries = await takePart(c.db, action.project_id, { actionId: action.id, part: done });
  const before = work.rows ?? 0;
  return {
    rows: entries.map((entry, n): ReadRow<V> => {
      const row = before + n + 1;
      if (!("value" in entry)) return { row, key: entry.key, fault: { column: null, reason: entry.fault } };
      const named = (entry.value as Record<string, unknown>)[key];
      return { row, key: typeof named === "string" ? named : null, value: entry.value as V };
    }),
    next: { list: { parts, done: done + 1 } },
    isEnd: done + 1 >= parts,
    progress: Math.floor(((done + 1) / parts) * 100),
  };
}

class DryRun extends Error {}

/** What becomes of the objects. In a dry run all of it is taken back. */
async function saveRows<V>(c: ImportCtx, kind: ImportKind<V>, values: readonly V[]): Promise<BulkOutcome[]> {
  if (!c.options.dry_run) return saveOrBisect(c, values, kind.save);
  let outcomes: BulkOutcome[] = [];
  await c.db
    .savepoint(async (db) => {
      outcomes = await saveOrBisect({ ...c, db, changed: () => {} }, values, kind.save);
      throw new DryRun();
    })
    .catch((error) => {
      if (!(error instanceof DryRun)) throw error;
    });
  return outcomes;
}

type FailedRow = { row: number; line?: number; cells?: readonly string[]; key: string | null } & RowFault;

function failedOf<V>(rows: readonly ReadRow<V>[], saved: readonly BulkOutcome[]): FailedRow[] {
  let n = 0;
  return rows.flatMap((row): FailedRow[] => {
    if ("fault" in row) return [{ ...row, ...row.fault }];
    const outcome = saved[n]!;
    n += 1;
    if (!isRefused(outcome)) return [];
    const { message, details = message } = outcome.refused;
    return [{ ...row, column: null, reason: details }];
  });
}

/** A cell may have a megabyte, and a thousand of them are kept with the action. Whole source ids: erasure finds them. */
const SHOWN_MAX = 600;
const cut = (text: string): string => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…`.toWellFormed() : text);

const shownFailed = ({ row, line, key, column, reason }: FailedRow, name: string) => ({
  row,
  ...(line !== undefined && { line }),
  ...(column !== null && { column }),
  ...(key !== null && { [name]: cut(key) }),
  reason: cut(reason),
});

/** Adds rows to the file of failed rows, as they were uploaded: corrected, it can be uploaded again. */
async function addFailedRows(
  c: BulkCtx,
  action: AsyncActionRow,
  {
    csv,
    report_id,
    failed,
    isPersonal,
  }: Pick<ImportProgress, "csv" | "report_id"> & { failed: readonly FailedRow[]; isPersonal: boolean },
): Promise<string> {
  const { header, delimiter } = csv!;
  const known = header.map((text, n) => ({ text, n })).filter(({ text }) => !isFaultColumn(text));
  const { stringify } = await import("csv-stringify/sync");
  const lineOf = (cells: readonly unknown[]) => stringify([cells as unknown[]], { delimiter });
  const head = lineOf([...known.map(({ text }) => text), ...FAULT_COLUMNS]);
  const id = await openReport(c, action, { id: report_id, isPersonal, head: Buffer.from(head) });
  // Cells that are too many come last: who corrects the row sees what it had.
  const lines = failed.map(({ cells = [], line, column, reason }) =>
    lineOf([...known.map(({ n }) => cells[n] ?? ""), line, column, reason, ...cells.slice(header.length)]),
  );
  await addToReport(c, id, Buffer.from(lines.join("")));
  return id;
}

/** Ends an import that cannot go on. What was imported stays. */
export function stopImport<V>(
  turn: TurnCtx,
  action: AsyncActionRow,
  { kind, reason }: { kind: ImportKind<V>; reason: string },
): Promise<ActionStep> {
  return inTurn(turn, action, async (c) =>
    ended(
      c,
      action.work as ImportProgress,
      { kind, progress: action.progress, reason, failed: toldOf(action, "failed") },
      action.id,
    ),
  );
}

async function ended<V>(
  c: BulkCtx,
  work: ImportProgress,
  {
    kind,
    progress,
    reason,
    failed,
  }: { kind: ImportKind<V>; progress: number; reason?: string; failed: readonly Record<string, unknown>[] },
  actionId?: string,
): Promise<ActionStep> {
  const { csv, options, report_id, done_count = 0, failed_count = 0 } = work;
  if (actionId !== undefined) await dropParts(c.db, c.project.id, actionId);
  if (csv) await releaseFile(c.db, { project_id: c.project.id, id: csv.file_id });
  const isFailed = reason !== undefined || (done_count === 0 && failed_count > 0);
  const verb = options.dry_run ? "would be imported" : "imported successfully";
  const message = `${done_count} ${kind.noun}(s) ${verb}, ${failed_count} failed.`;
  return {
    work: {},
    progress,
    end: {
      operation_status: isFailed ? "FAILED" : "SUCCESS",
      message: reason === undefined ? message : `${message} ${reason}`,
      done_count,
      failed_count,
      failed,
      ...(report_id !== undefined && (await endReport(c, report_id))),
    },
  };
}
