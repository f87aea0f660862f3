import type { Ctx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import { record } from "../../events/events.ts";
import { lockMembersOfProgram } from "../../resources/loyalty-v2/members/store.ts";
import type { ActionStep, AsyncActionRow } from "../../resources/platform/async-actions/store.ts";
import { getProject } from "../../resources/platform/projects/store.ts";
import { removeProgramMembers } from "../../steps/programs/remove-members.ts";

const TURN = 500;
/** What is to be done, and where it stands. */
type RemoveProgress = { program_id: string; done?: number };

/** Deletes the next members of a program that is deleted. */
export async function removeNextMembers(
  c: Pick<Ctx<Tx>, "db" | "now" | "newId">,
  action: AsyncActionRow,
): Promise<ActionStep> {
  const { program_id, done = 0 } = action.work as RemoveProgress;
  const project = await getProject(c.db, action.project_id);
  const members = await lockMembersOfProgram(c.db, project.id, { programId: program_id, limit: TURN });
  const happened = await removeProgramMembers({ ...c, project }, new Map(), members);
  await record({ ...c, project, request_id: action.request_id }, happened);
  const work: RemoveProgress = { program_id, done: done + members.length };
  if (members.length === TURN) return { work, progress: 50 };
  const message = `Deleted ${work.done} members.`;
  return { work, progress: 100, end: { operation_status: "SUCCESS", message, done_count: work.done! } };
}

/** Ends a deletion that cannot go on. */
export function stopRemoval({ work, progress }: AsyncActionRow, reason: string): ActionStep {
  const { done = 0 } = work as RemoveProgress;
  const message = `Deleted ${done} members. ${reason}`;
  return { work, progress, end: { operation_status: "FAILED", message, done_count: done } };
}
