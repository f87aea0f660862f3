import { Type } from "typebox";

export const ByLoyaltyCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });
export const LoyaltyCampaignDelete = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Delete for good, instead of moving it to the bin." })),
});
export const Deleting = Type.Object({ async_action_id: Type.String() });
