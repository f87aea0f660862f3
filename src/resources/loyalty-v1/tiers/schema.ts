import { type Static, Type } from "typebox";
import { MappingSchema, RewardMappingSchema } from "../../../core/loyalty/campaign/shapes.ts";
import { Amount, DateTime, listOf, Metadata, Nullable, open, optional, PageQuery } from "../../../http/schemas.ts";

export const CAMPAIGN_TIERS_MAX = 100;
const MAPPINGS_MAX = 1000;
const points = open({
  from: Type.Integer({ ...Amount, description: "From so many points on." }),
  to: Type.Optional(Nullable(Type.Integer({ ...Amount, description: "Up to so many. Without it there is no end." }))),
});
const map = <S extends typeof MappingSchema | typeof RewardMappingSchema>(item: S, description: string) =>
  Type.Unsafe<Record<string, Static<S>>>({
    type: "object",
    additionalProperties: item,
    maxProperties: MAPPINGS_MAX,
    description,
  });
const mappings = {
  earning_rules: map(MappingSchema, "What members of the tier get instead, by the id of the earning rule."),
  rewards: map(RewardMappingSchema, "What members of the tier pay instead, by the id of the assignment."),
};
const Range = Type.Object({ from: Type.Integer(), to: Type.Optional(Type.Integer()) });

export const CampaignTier = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    campaign_id: Type.String(),
    points: Range,
    config: Type.Object({ points: Range }),
    ...mappings,
    metadata: Metadata,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("loyalty_tier"),
  },
  { title: "CampaignTier" },
);
export type CampaignTier = Static<typeof CampaignTier>;

const name = Type.String({ minLength: 1, maxLength: 200 });
const sent = optional({
  earning_rules: Nullable(mappings.earning_rules),
  rewards: Nullable(mappings.rewards),
  metadata: Nullable(Metadata),
});
export const CampaignTierCreate = open({ name, points, ...sent });
export type CampaignTierCreate = Static<typeof CampaignTierCreate>;
export const CampaignTiersCreate = Type.Array(CampaignTierCreate, { minItems: 1, maxItems: CAMPAIGN_TIERS_MAX });
export const CampaignTierUpdate = open({ ...optional({ name, points }), ...sent });
export type CampaignTierUpdate = Static<typeof CampaignTierUpdate>;

export const CampaignTiers = Type.Array(CampaignTier);
export const CampaignTierList = listOf(CampaignTier);
export const CampaignTierQuery = PageQuery(["created_at", "updated_at"]);
const { limit, page } = CampaignTierQuery.properties;
export const TierPage = Type.Object({ limit, page });
const campaignId = Type.String({ description: "Its id or its name." });
export const OfCampaign = Type.Object({ campaignId });
export const ByCampaignTier = Type.Object({ campaignId, loyaltyTierId: Type.String() });
