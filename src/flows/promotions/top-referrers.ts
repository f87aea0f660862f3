import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../ctx.ts";
import { getCampaign } from "../../resources/promotions/campaigns/store.ts";
import type { TopReferrers } from "../../resources/promotions/referrals/schema.ts";
import { topReferrers } from "../../resources/promotions/referrals/store.ts";

const LISTED = 10;

/** Who brought the most friends to a referral campaign, whatever code they came with. */
export async function listTopReferrers(c: Ctx, reference: string, limit = LISTED): Promise<TopReferrers> {
  const { id, campaign_type } = await getCampaign(c.db, c.project.id, reference);
  if (campaign_type !== "REFERRAL_PROGRAM") throw notFound("campaign", reference);
  return { object: "list", data_ref: "data", data: [...(await topReferrers(c.db, c.project.id, id, limit))] };
}
