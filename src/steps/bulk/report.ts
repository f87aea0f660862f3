import { stringify } from "csv-stringify/sync";
import type { ErrorBody } from "../../core/errors.ts";
import type { AsyncActionRow } from "../../resources/platform/async-actions/store.ts";
import {
  appendBytes,
  completeFile,
  createFile,
  fileUrl,
  findFile,
  getFile,
} from "../../resources/platform/files/store.ts";
import type { BulkCtx } from "./turn.ts";

/** The field that tells the objects of a report apart. */
export type ReportKey = "source_id" | "code";
type ReportLine = { key: string | null; found: boolean; refused: ErrorBody | null };

/** A report is as long as what was sent, and that was taken: it is written also where the files of the project are too many. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** A line of CSV for each. A cell that a spreadsheet would take for a formula is written as text. */
const csvOf = (rows: readonly (readonly unknown[])[]): Uint8Array =>
  Buffer.from(stringify(rows as unknown[][], { escape_formulas: true, cast: { boolean: String } }));

/**
 * The report of an action, which begins with its header. One that was ended meanwhile, because somebody in it was erased, is
 * begun anew. Returns the id of the file.
 */
export async function openReport(
  { db, now, newId }: BulkCtx,
  { project_id, id: actionId }: AsyncActionRow,
  { key, isPersonal, id: before }: { key: ReportKey; isPersonal: boolean; id: string | undefined },
): Promise<string> {
  const file = before === undefined ? undefined : await findFile(db, project_id, before);
  if (file && Date.parse(file.expires_at) > Date.parse(now)) return file.id;
  const id = newId("file");
  const kinds = { kind: "report", content_type: "text/csv; charset=utf-8" } as const;
  await createFile(db, { project_id, id, ...kinds, name: `${actionId}.csv`, is_personal: isPersonal, now });
  await appendBytes(db, { project_id, id }, csvOf([[key, "found", "updated", "error_key", "error_details"]]), NO_LIMIT);
  return id;
}

export const addToReport = ({ db, project }: BulkCtx, id: string, lines: readonly ReportLine[]): Promise<void> =>
  appendBytes(
    db,
    { project_id: project.id, id },
    csvOf(lines.map(({ key, found, refused }) => [key, found, refused === null, refused?.key, refused?.details])),
    NO_LIMIT,
  );

/** From now on the report can be downloaded: where, and how long. */
export async function endReport({ db, project }: BulkCtx, id: string) {
  await completeFile(db, { project_id: project.id, id });
  const file = await getFile(db, project.id, id);
  return { reports: [fileUrl(project, file)], reports_available_till: file.expires_at };
}
