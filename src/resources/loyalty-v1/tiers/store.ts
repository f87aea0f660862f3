import type { CampaignTierRow } from "../../../core/rows/campaign.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { CampaignTier } from "./schema.ts";

export const campaignTiers = crudStore<CampaignTierRow>({
  table: "campaign_tiers",
  object: "loyalty_tier",
  columns: [
    ...["project_id", "id", "campaign_id", "name", "points_from", "points_to", "earning_rules", "rewards", "metadata"],
    ...["created_at", "updated_at"],
  ],
  sortable: [],
});

export function view(row: CampaignTierRow): CampaignTier {
  const { id, name, campaign_id, points_from, points_to, earning_rules, rewards, metadata } = row;
  const points = { from: points_from, ...(points_to !== null && { to: points_to }) };
  return {
    ...{ id, name, campaign_id, points, config: { points }, earning_rules, rewards, metadata },
    ...{ created_at: row.created_at, updated_at: row.updated_at, object: "loyalty_tier" },
  };
}

/** Takes a rule or an assignment that is deleted from the tiers of its campaign. Returns the ids of those that change. */
export async function dropMappings(
  tx: Tx,
  { project_id, id }: { project_id: string; id: string },
  field: "earning_rules" | "rewards",
  key: string,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update campaign_tiers set ${tx(field)} = ${tx(field)} - ${key}::text
    where project_id = ${project_id} and campaign_id = ${id} and ${tx(field)} ? ${key} returning id`;
  return rows.map((row) => row.id);
}

/** The tiers of several campaigns, the lowest first. */
export const loyaltyTiersOfCampaigns = (db: Db, projectId: string, campaignIds: readonly string[]) =>
  db<CampaignTierRow[]>`
    select * from campaign_tiers where project_id = ${projectId} and campaign_id = any(${campaignIds})
    order by points_from, id`;
