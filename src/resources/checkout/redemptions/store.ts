import { effectKept } from "../../../core/redeem/effect-kept.ts";
import type { RedemptionRow } from "../../../core/rows/redemption.ts";
import type { Tx } from "../../../db/db.ts";
import { insertOf, tenantOf } from "../../../db/records.ts";

/** Inserts the rows of a batch. */
export async function insertRedemptions(tx: Tx, projectId: string, rows: readonly RedemptionRow[]): Promise<void> {
  if (rows.length === 0) return;
  const kept = rows.map((row) => ({ ...row, effect: effectKept(row) }));
  await tx`insert into redemptions ${insertOf(tx, "redemptions", projectId, kept)}`;
}

/** Adds to the totals of the list; each batch in rows of its own, so that no two wait for each other. */
export async function tally(
  tx: Tx,
  projectId: string,
  rows: readonly Pick<RedemptionRow, "id" | "object" | "result" | "campaign_id">[],
): Promise<void> {
  const groups = Map.groupBy(rows, ({ object, result, campaign_id }) => `${object} ${result} ${campaign_id ?? ""}`);
  const all = [...groups.values()].map((group) => ({ ...group[0]!, count: group.length }));
  if (all.length === 0) return;
  await tx`
    insert into redemption_tallies (project_id, id, object, result, campaign_id, count)
    select p.project_id, x.* from ${tenantOf(tx, projectId)} cross join unnest(
      ${all.map((one) => one.id)}::text[], ${all.map((one) => one.object as string)}::text[],
      ${all.map((one) => one.result as string)}::text[], ${all.map((one) => one.campaign_id ?? "")}::text[],
      ${all.map((one) => one.count)}::bigint[]) as x`;
}
