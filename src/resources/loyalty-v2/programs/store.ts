import { notFound } from "../../../core/errors.ts";
import type { Tx } from "../../../db/db.ts";
import { statusStore } from "../../../db/status-store.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { Program } from "./schema.ts";

export type ProgramRow = Omit<Program, "object"> & { project_id: string };

export const programs = statusStore<ProgramRow>({
  table: "loyalty_programs",
  object: "program",
  columns: columnsOf(Program),
  cursor: "lcrsprg",
  sortable: ["created_at", "name"],
  fields: { id: "id", name: "string", status: "enum", created_at: "date" },
});

export const view = ({ project_id: _, ...row }: ProgramRow): Program => ({ ...row, object: "program" });

/** Locks those that are not deleted. What is assigned to a program is locked before it. */
const lockPrograms = (tx: Tx, projectId: string, ids: readonly string[]): PromiseLike<ProgramRow[]> =>
  tx<ProgramRow[]>`
    select * from loyalty_programs where project_id = ${projectId} and id = any(${ids}) and status <> 'DELETED'
    order by id for no key update`;

export async function lockProgram(tx: Tx, projectId: string, id: string): Promise<ProgramRow> {
  const [row] = await lockPrograms(tx, projectId, [id]);
  if (!row) throw notFound("program", id);
  return row;
}
