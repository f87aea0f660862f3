import { notFound } from "../../../core/errors.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { ExportOwner, ExportPlan, LastRow } from "../../../db/exported-rows.ts";
import type { Export, ExportedObject } from "./schema.ts";

export type ExportRow = {
  project_id: string;
  /** The id of its file, too. */
  id: string;
  exported_object: ExportedObject;
  status: Export["status"];
  channel: string;
  parameters: Record<string, unknown>;
  plan: ExportPlan;
  last_row: LastRow | null;
  rows: number;
  snapshots: number;
  failures: number;
  /** How often it was begun anew, since somebody was erased meanwhile. */
  restarts: number;
  error: string | null;
  created_at: string;
  updated_at: string | null;
};

export const { list: listExports, get: getExport } = crudStore<ExportRow>({
  table: "exports",
  object: "export",
  columns: [],
  sortable: ["created_at", "status"],
});

type NewExport = Pick<
  ExportRow,
  "project_id" | "id" | "exported_object" | "channel" | "parameters" | "plan" | "created_at"
>;

/** In the transaction that asks for it; `jobs/run-exports.ts` finds it there. */
export async function insertExport(db: Db, row: NewExport): Promise<ExportRow> {
  const [saved] = await db<ExportRow[]>`
    insert into exports ${db({ ...row, status: "SCHEDULED" } as never)} returning *`;
  return saved!;
}

export async function deleteExport(tx: Tx, projectId: string, id: string): Promise<void> {
  const gone = await tx`delete from exports where project_id = ${projectId} and id = ${id}`;
  if (gone.count === 0) throw notFound("export", id);
}

export type ExportToDo = Pick<ExportRow, "project_id" | "id"> & { clock_offset_ms: number };

/** What is to be exported in all projects, as `listActionsToDo` has it: at most `share` of each, one of each project first. */
export const listExportsToDo = (db: Db, share: number) =>
  db<ExportToDo[]>`
    select project_id, id, clock_offset_ms from (
      select *, row_number() over (partition by project_id order by waits_since, id) as turn from (
        select e.project_id, e.id, p.clock_offset_ms,
          coalesce(e.updated_at, e.created_at) - p.clock_offset_ms * interval '1 millisecond' as waits_since
        from exports e join projects p on p.id = e.project_id
        where e.status in ('SCHEDULED', 'IN_PROGRESS') and p.deleted_at is null) as waiting) as turns
    where turn <= ${share} order by turn, waits_since, id`;

/**
 * Takes an export for as long as the transaction lasts: undefined when it is done, or another worker has it. The row itself is
 * not locked, because the blocks are saved in transactions of their own; what they save holds without this lock, too.
 */
export async function takeExport(tx: Tx, projectId: string, id: string): Promise<ExportRow | undefined> {
  const [lock] = await tx<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`export ${projectId} ${id}`}, 0)) as taken
    from tenants where project_id = ${projectId}`;
  return lock?.taken ? findExportToDo(tx, projectId, id) : undefined;
}

/** Undefined: it is done, or gone. */
export async function findExportToDo(db: Db, projectId: string, id: string): Promise<ExportRow | undefined> {
  const [row] = await db<ExportRow[]>`
    select * from exports where project_id = ${projectId} and id = ${id} and status in ('SCHEDULED', 'IN_PROGRESS')`;
  return row;
}

/** What the rows of a project are read with. */
export async function loadOwner(db: Db, projectId: string): Promise<ExportOwner> {
  const [row] = await db<ExportOwner[]>`select id, secret, case_sensitive_codes from projects where id = ${projectId}`;
  return row!;
}

/** Where an export stands when somebody goes on with it. */
export type ExportProgress = Pick<ExportRow, "project_id" | "id" | "rows" | "snapshots" | "restarts">;
type Saved = Partial<Pick<ExportRow, "status" | "last_row" | "rows" | "snapshots" | "failures" | "restarts" | "error">>;

/** Saves how far it came. False: somebody else went on with it meanwhile, or it was deleted; then nothing may be saved. */
export async function saveProgress(
  tx: Tx,
  { project_id, id, rows, snapshots, restarts }: ExportProgress,
  saved: Saved & { updated_at: string },
): Promise<boolean> {
  const { count } = await tx`
    update exports set ${tx(saved as never)}
    where project_id = ${project_id} and id = ${id} and rows = ${rows} and snapshots = ${snapshots}
      and restarts = ${restarts} and status in ('SCHEDULED', 'IN_PROGRESS')`;
  return count === 1;
}

/** Exports that nobody can download any more, since their files are gone. */
export const removeOldExports = (db: Db, projectId: string, before: string, limit: number) => db`
  delete from exports where project_id = ${projectId} and id in (
    select id from exports where project_id = ${projectId} and created_at < ${before}
      and status in ('DONE', 'ERROR') limit ${limit})`;

export const view = (row: ExportRow, url: string): Export => ({
  id: row.id,
  object: "export",
  created_at: row.created_at,
  status: row.status,
  channel: row.channel,
  exported_object: row.exported_object,
  parameters: row.parameters,
  result: row.status === "DONE" ? { url, rows: row.rows, is_snapshot: row.snapshots <= 1 } : null,
  ...(row.error !== null && { error: { message: row.error } }),
  user_id: null,
});
