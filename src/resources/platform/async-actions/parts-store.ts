import type { BulkEntry } from "../../../core/bulk/entry.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { tenantOf, textsOf } from "../../../db/records.ts";

/** Keeps what an async action is to do, in parts, so that a turn of it reads and deletes its own part only. */
export async function insertParts(
  tx: Tx,
  projectId: string,
  { actionId, parts }: { actionId: string; parts: readonly (readonly BulkEntry[])[] },
): Promise<void> {
  const texts = parts.map((part) => JSON.stringify(part));
  await tx`
    insert into async_action_parts (project_id, async_action_id, part, entries)
    select p.project_id, ${actionId}, x.part - 1, x.entries::json
    from ${tenantOf(tx, projectId)} cross join rows from (${textsOf(tx, texts)}) with ordinality as x (entries, part)`;
}

/** The entries of a part, which goes with it. */
export async function takePart(
  tx: Tx,
  projectId: string,
  { actionId, part }: { actionId: string; part: number },
): Promise<BulkEntry[]> {
  const [row] = await tx<{ entries: BulkEntry[] }[]>`
    delete from async_action_parts
    where project_id = ${projectId} and async_action_id = ${actionId} and part = ${part} returning entries`;
  return row?.entries ?? [];
}

/** What is left of an action that is given up. */
export const dropParts = (db: Db, projectId: string, actionId: string) =>
  db`delete from async_action_parts where project_id = ${projectId} and async_action_id = ${actionId}`;

/** What is left of actions that ended long ago. None should be. */
export const dropOldParts = (db: Db, projectId: string, before: string) => db`
  delete from async_action_parts where project_id = ${projectId} and async_action_id in (
    select id from async_actions
    where project_id = ${projectId} and status in ('DONE', 'FAILED') and updated_at < ${before})`;
