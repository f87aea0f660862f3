import { Type } from "typebox";
import { CampaignQuery, CampaignUpdate, campaignCreate } from "../../promotions/campaigns/schema.ts";

export const ByLoyaltyCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });
export const LoyaltyCampaignDelete = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Delete for good, instead of moving it to the bin." })),
});
export const Deleting = Type.Object({ async_action_id: Type.String() });

const campaign_type = Type.Optional(Type.Literal("LOYALTY_PROGRAM"));
/** What is sent of a loyalty program: that of a campaign, which has no promotion. */
export const LoyaltyCampaignCreate = Type.Object({ ...campaignCreate, campaign_type }, { additionalProperties: true });
export const LoyaltyCampaignUpdate = CampaignUpdate;
const { limit, page, order, expand } = CampaignQuery.properties;
export const LoyaltyCampaignQuery = Type.Object({ limit, page, order, expand });
