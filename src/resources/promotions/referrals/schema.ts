import { type Static, Type } from "typebox";
import { CustomerInBody, DateTime, Metadata, Nullable, open } from "../../../http/schemas.ts";

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

export const ByReferralCampaign = Type.Object({ campaignId });
export const TopReferrerQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: "How many are listed; ten unless told." }),
  ),
});
const TopReferrer = Type.Object(
  {
    customer_id: Type.String(),
    code: Nullable(Type.String({ description: "The code, or one of the codes, that their friends came with." })),
    friends: Type.Integer({ minimum: 1, description: "Friends who did what the campaign waits for, each once." }),
    last_at: { ...DateTime, description: "When the last of them did." } as typeof DateTime,
  },
  { title: "TopReferrer" },
);
export const TopReferrers = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(TopReferrer),
});
export type TopReferrers = Static<typeof TopReferrers>;
