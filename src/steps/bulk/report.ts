import type { ErrorBody } from "../../core/errors.ts";
import type { AsyncActionRow } from "../../resources/platform/async-actions/store.ts";
import { appendBytes, completeFile, createFile, fileUrl, findFile } from "../../resources/platform/files/store.ts";
import type { BulkCtx } from "./turn.ts";

/** The field that tells the objects of a report apart. */
export type ReportKey = "source_id" | "code";
type ReportLine = { key: string | null; found: boolean; refused: ErrorBody | null };

/** A report is as long as what was sent, and that was taken: it is written also where the files of the project are too many. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** A line of CSV for each. A cell that a spreadsheet would take for a formula is written as text. */
async function csvOf(rows: readonly (readonly unknown[])[]): Promise<Uint8Array> {
  // Loaded here: a start needs no report.
  const { stringify } = await import("csv-stringify/sync");
  return Buffer.from(stringify(rows as unknown[][], { escape_formulas: true, cast: { boolean: String } }));
}

/**
 * The report of an action, which begins with its header. One that was ended meanwhile, because somebody in it was erased, is
 * begun anew. Returns the id of the file.
 */
export async function openReport(
  { db, now, newId }: BulkCtx,
  { project_id, id: actionId }: AsyncActionRow,
  { head, isPersonal, id: before }: { head: Uint8Array; isPersonal: boolean; id: string | undefined },
): Promise<string> {
  const file = before === undefined ? undefined : await findFile(db, project_id, before);
  if (file && Date.parse(file.expires_at) > Date.parse(now)) return file.id;
  const id = newId("file");
  const kinds = { kind: "report", content_type: "text/csv; charset=utf-8" } as const;
  await createFile(db, { project_id, id, ...kinds, name: `${actionId}.csv`, is_personal: isPersonal, now });
  await appendBytes(db, { project_id, id }, head, NO_LIMIT);
  return id;
}

/** The header of a report of updates. */
export const updatesHead = (key: ReportKey): Promise<Uint8Array> =>
  csvOf([[key, "found", "updated", "error_key", "error_details"]]);

export const updateLines = (lines: readonly ReportLine[]): Promise<Uint8Array> =>
  csvOf(lines.map(({ key, found, refused }) => [key, found, refused === null, refused?.key, refused?.details]));

export const addToReport = ({ db, project }: BulkCtx, id: string, lines: Uint8Array): Promise<void> =>
  appendBytes(db, { project_id: project.id, id }, lines, NO_LIMIT);

/** From now on the report can be downloaded: where, and how long. */
export async function endReport({ db, project }: BulkCtx, id: string) {
  const file = await findFile(db, project.id, id);
  if (!file) return { reports: [] };
  await completeFile(db, file);
  return { reports: [fileUrl(project, file)], reports_available_till: file.expires_at };
}
