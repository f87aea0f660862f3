import type { Db, Tx } from "../../../db/db.ts";
import { tenantOf } from "../../../db/records.ts";

/** Keeps who is to be enrolled by an async action, in parts, so that a turn of it reads and deletes its own part only. */
export async function insertEnrolments(
  tx: Tx,
  projectId: string,
  { actionId, parts }: { actionId: string; parts: readonly (readonly unknown[])[] },
): Promise<void> {
  await tx`
    insert into loyalty_enrolments (project_id, async_action_id, part, entries)
    select p.project_id, ${actionId}, x.part - 1, x.entries
    from ${tenantOf(tx, projectId)} cross join unnest(${parts.map((part) => JSON.stringify(part))}::text[]::jsonb[]) with ordinality as x (entries, part)`;
}

/** The entries of a part, which goes with it. */
export async function takeEnrolments(
  tx: Tx,
  projectId: string,
  { actionId, part }: { actionId: string; part: number },
): Promise<unknown[]> {
  const [row] = await tx<{ entries: unknown[] }[]>`
    delete from loyalty_enrolments
    where project_id = ${projectId} and async_action_id = ${actionId} and part = ${part} returning entries`;
  return row?.entries ?? [];
}

/** What is left of an action that is given up. */
export const dropEnrolments = (db: Db, projectId: string, actionId: string) =>
  db`delete from loyalty_enrolments where project_id = ${projectId} and async_action_id = ${actionId}`;
