import { type Static, Type } from "typebox";
import { CustomerInBody, Metadata, Nullable, open } from "../../../http/schemas.ts";

const memberId = Type.String({ description: "A referral code or its id." });
const campaignId = Type.String({ description: "The id of the campaign or its name." });
export const ByReferralCode = Type.Object({ memberId });
export const ByCampaignCode = Type.Object({ campaignId, memberId });
export const ByHolder = Type.Object({ memberId, holderId: Type.String() });
export const ByCampaignHolder = Type.Object({ campaignId, memberId, holderId: Type.String() });

export const HoldersCreate = open({
  holders: Type.Array(CustomerInBody, {
    minItems: 1,
    maxItems: 100,
    description: "Each with its `id` or its `source_id`; with both the id decides.",
  }),
  metadata: Type.Optional(Nullable(Metadata)),
});
export type HoldersCreate = Static<typeof HoldersCreate>;
