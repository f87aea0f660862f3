import { type Static, Type } from "typebox";
import { CampaignPendingPoints, ExpirationRulesSchema, LoyaltySchema } from "../../../core/loyalty/campaign/shapes.ts";
import { CAMPAIGN_TRIGGERS } from "../../../core/loyalty/earning/triggers.ts";
import { validityFields } from "../../../core/time/schema.ts";
import { DateTime, Id, listOf, Metadata, Nullable, open, optional, PageQuery } from "../../../http/schemas.ts";

export const CampaignEarningRule = Type.Object(
  {
    id: Type.String(),
    loyalty: LoyaltySchema,
    event: Type.String(),
    segment: Type.Optional(Type.Object({ id: Type.String() })),
    custom_event: Type.Optional(Type.Object({ schema_id: Type.String() })),
    loyalty_tier: Type.Optional(Type.Object({ id: Type.String() })),
    source: Type.Object({
      banner: Nullable(Type.String()),
      object_id: Type.String({ description: "The campaign." }),
      object_type: Type.Literal("campaign"),
    }),
    active: Type.Boolean(),
    ...validityFields,
    pending_points: Nullable(CampaignPendingPoints),
    expiration_rules: Nullable(ExpirationRulesSchema),
    validation_rule_id: Nullable(Type.String()),
    metadata: Metadata,
    automation_id: Type.String(),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("earning_rule"),
  },
  { title: "CampaignEarningRule" },
);
export type CampaignEarningRule = Static<typeof CampaignEarningRule>;

const sent = optional({
  validation_rule_id: Nullable(Id),
  source: Nullable(open({ banner: Type.Optional(Nullable(Type.String({ maxLength: 5000 }))) })),
  active: Nullable(Type.Boolean()),
  ...validityFields,
  pending_points: Nullable(CampaignPendingPoints),
  expiration_rules: Nullable(ExpirationRulesSchema),
  metadata: Nullable(Metadata),
});
export const CampaignEarningRuleCreate = open({
  event: Type.String({
    minLength: 1,
    maxLength: 300,
    description: `${[...CAMPAIGN_TRIGGERS.keys()].map((event) => `\`${event}\``).join(", ")}, or the name of a custom event.`,
  }),
  loyalty: LoyaltySchema,
  segment: Type.Optional(Nullable(open({ id: Id }))),
  custom_event: Type.Optional(Nullable(open({ schema_id: Id }))),
  loyalty_tier: Type.Optional(Nullable(open({ id: Id }))),
  ...sent,
});
export type CampaignEarningRuleCreate = Static<typeof CampaignEarningRuleCreate>;
export const EARNING_RULES_MAX = 100;
export const CampaignEarningRulesCreate = Type.Array(CampaignEarningRuleCreate, {
  minItems: 1,
  maxItems: EARNING_RULES_MAX,
});
export const CampaignEarningRuleUpdate = open({ loyalty: Type.Optional(LoyaltySchema), ...sent });
export type CampaignEarningRuleUpdate = Static<typeof CampaignEarningRuleUpdate>;

export const CampaignEarningRules = Type.Array(CampaignEarningRule);
export const CampaignEarningRuleList = listOf(CampaignEarningRule);
export const CampaignEarningRuleQuery = PageQuery(["created_at", "updated_at"]);
const campaignId = Type.String({ description: "Its id or its name." });
export const OfCampaign = Type.Object({ campaignId });
export const ByCampaignEarningRule = Type.Object({ campaignId, campaignEarningRuleId: Type.String() });
