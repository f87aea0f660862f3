import { raiseRevision } from "../../catalog/changes.ts";
import type { Tx } from "../../db/db.ts";
import type { ActionStep, AsyncActionRow } from "../../resources/platform/async-actions/store.ts";
import { eraseCampaign, lockVouchersCount } from "../../resources/promotions/campaigns/codes-store.ts";
import { eraseVouchersOf } from "../../resources/promotions/vouchers/erase-store.ts";

const CHUNK = 5_000;

/** What is to be done, and where it stands. */
export type DeleteProgress = { campaign_id: string; force: boolean; done?: number; total?: number };

/**
 * Deletes the next codes of a deleted campaign; after the last one, the campaign. In the bin its codes go along as they
 * are: without their campaign nobody finds them.
 */
export async function deleteCodesOfCampaign({ db }: { db: Tx }, action: AsyncActionRow): Promise<ActionStep> {
  const { project_id, work: given } = action;
  const work = given as DeleteProgress;
  const { campaign_id, force, done = 0 } = work;
  const count = await lockVouchersCount(db, project_id, campaign_id);
  if (count === undefined || !force) return deleted(work, count ?? done);
  const total = work.total ?? count;
  const erased = await eraseVouchersOf(db, project_id, campaign_id, CHUNK);
  const next = { ...work, total, done: done + erased };
  if (erased > 0) return { work: next, progress: Math.min(99, Math.floor((next.done / Math.max(total, 1)) * 100)) };
  await raiseRevision(db, project_id, await eraseCampaign(db, project_id, campaign_id));
  return deleted(next, done);
}

const deleted = (work: DeleteProgress, count: number): ActionStep => ({
  work,
  progress: 100,
  end: { operation_status: "SUCCESS", message: `Deleted ${count} vouchers.`, done_count: count },
});

/** Ends a deletion that cannot go on. */
export function stopDeletion({ work, progress }: AsyncActionRow, reason: string): ActionStep {
  const { done = 0 } = work as DeleteProgress;
  const message = `Deleted ${done} vouchers. ${reason}`;
  return { work, progress, end: { operation_status: "FAILED", message, done_count: done } };
}
