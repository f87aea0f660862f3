import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../ctx.ts";
import type { CampaignQuery, CampaignView } from "../../resources/promotions/campaigns/schema.ts";
import { getCampaign, listCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { showCampaign, showCampaigns } from "../../steps/promotions/campaigns.ts";

type Query = Pick<CampaignQuery, "limit" | "page" | "order">;

/** Campaigns that are loyalty programs. */
export async function listLoyaltyCampaigns(
  c: Ctx,
  { limit, page, order }: Query,
): Promise<{ rows: CampaignView[]; total: number }> {
  const query = { ...(limit && { limit }), ...(page && { page }), ...(order && { order }) };
  const wanted = { ...query, campaign_type: "LOYALTY_PROGRAM" as const, now: c.now };
  const { rows, total } = await listCampaigns(c.db, c.project.id, wanted);
  return { rows: await showCampaigns(c.db, c.project.id, rows), total };
}

/** One by its id or name; 404 for a campaign of another type. */
export async function readLoyaltyCampaign(c: Ctx, reference: string): Promise<CampaignView> {
  const row = await getCampaign(c.db, c.project.id, reference);
  if (row.campaign_type !== "LOYALTY_PROGRAM") throw notFound("campaign", reference);
  return showCampaign(c.db, c.project.id, row);
}
