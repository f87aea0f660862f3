import type { Catalog } from "../../catalog/catalog.ts";
import { notFound } from "../../core/errors.ts";
import type { Tx } from "../../db/db.ts";
import { type Campaign, type CampaignRow, lockCampaign } from "../../resources/promotions/campaigns/store.ts";

const LOYALTY_PROGRAM = "LOYALTY_PROGRAM";

/** The campaign with that id or name when it is a loyalty program; one of another type is not found here. */
export function loyaltyNamed({ campaigns }: Pick<Catalog, "campaigns">, reference: string): Campaign {
  const found = campaigns.get(reference) ?? campaigns.values().find(({ name }) => name === reference);
  if (found?.campaign_type !== LOYALTY_PROGRAM) throw notFound("campaign", reference);
  return found;
}

/** The same from the database; nobody else changes it, its rules or its tiers until the transaction ends. */
export async function lockLoyaltyCampaign(tx: Tx, projectId: string, reference: string): Promise<CampaignRow> {
  const row = await lockCampaign(tx, projectId, reference);
  if (row.campaign_type !== LOYALTY_PROGRAM) throw notFound("campaign", reference);
  return row;
}
