import type { Tx } from "../../../db/db.ts";
import type { CatalogKind } from "../../../request.ts";

/**
 * How many codes a campaign has, also when it is in the bin; undefined when it is deleted for good. Nobody adds any
 * until the transaction ends: whoever inserts codes counts them in this row.
 */
export async function lockVouchersCount(tx: Tx, projectId: string, campaignId: string): Promise<number | undefined> {
  const [row] = await tx<{ vouchers_count: number }[]>`
    select vouchers_count from campaign_codes where project_id = ${projectId} and campaign_id = ${campaignId}
    order by campaign_id for no key update`;
  return row?.vouchers_count;
}

/** Locks and returns the campaigns that are not in the bin: transactions that take codes of one campaign wait in line. */
export async function lockPools(tx: Tx, projectId: string, campaignIds: readonly string[]): Promise<Set<string>> {
  if (campaignIds.length === 0) return new Set();
  const rows = await tx<{ id: string }[]>`
    select id from campaigns where project_id = ${projectId} and id = any(${campaignIds}) and deleted_at is null
    order by id for no key update`.execute();
  return new Set(rows.map(({ id }) => id));
}

export const setGenerationStatus = (tx: Tx, projectId: string, campaignId: string, status: "DONE" | "FAILED") => tx`
  update campaign_codes set creation_status = ${status}, vouchers_generation_status = ${status}
  where project_id = ${projectId} and campaign_id = ${campaignId}`;

/** More codes are being made for a campaign that was finished. */
export const markGenerating = (tx: Tx, projectId: string, campaignId: string) => tx`
  update campaign_codes set vouchers_generation_status = 'IN_PROGRESS'
  where project_id = ${projectId} and campaign_id = ${campaignId}`;

/** What belongs to a campaign and is in the catalog: each kind with its table, those that name others first. */
const BELONGINGS = {
  promotion_stack: "promotion_stacks",
  promotion_tier: "promotion_tiers",
  campaign_tier: "campaign_tiers",
  campaign_earning_rule: "campaign_earning_rules",
  reward_assignment: "reward_assignments",
} as const satisfies Partial<Record<CatalogKind, string>>;
type Erased = { kind: CatalogKind; id: string };

/** Deletes a campaign without codes for good, with all that belongs to it. Returns what the catalog had of it. */
export async function eraseCampaign(tx: Tx, projectId: string, campaignId: string): Promise<Erased[]> {
  const erased: Erased[] = [{ kind: "campaign", id: campaignId }];
  for (const [kind, table] of Object.entries(BELONGINGS) as [CatalogKind, string][]) {
    const gone = await tx<{ id: string }[]>`
      delete from ${tx(table)} where project_id = ${projectId} and campaign_id = ${campaignId} returning id`;
    erased.push(...gone.map(({ id }) => ({ kind, id })));
  }
  const subjects = erased.map(({ id }) => id);
  const assignments = await tx<{ id: string }[]>`
    delete from validation_rule_assignments
    where project_id = ${projectId} and related_object_id = any(${subjects}) returning id`;
  await tx`delete from session_locks where project_id = ${projectId} and redeemable_id = any(${subjects})`;
  await tx`delete from session_sums where project_id = ${projectId} and redeemable_id = any(${subjects})`;
  await tx`
    delete from counters where project_id = ${projectId} and subject_kind in ('campaign', 'promotion_tier')
      and subject_id = any(${subjects})`;
  await tx`
    delete from trash_bin_entries where project_id = ${projectId}
      and (resource_id = ${campaignId} or resource_parent_id = ${campaignId})`;
  await tx`delete from voucher_templates where project_id = ${projectId} and campaign_id = ${campaignId}`;
  await tx`delete from campaign_codes where project_id = ${projectId} and campaign_id = ${campaignId}`;
  await tx`delete from campaigns where project_id = ${projectId} and id = ${campaignId}`;
  return [...erased, ...assignments.map(({ id }) => ({ kind: "validation_rule_assignment", id }) as const)];
}
