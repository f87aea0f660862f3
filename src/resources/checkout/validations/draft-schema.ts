import { type Static, Type } from "typebox";
import { Choice, DateTime, Id, Nullable, open, optional } from "../../../http/schemas.ts";
import { campaignCreate } from "../../promotions/campaigns/schema.ts";
import { PromotionTierCreate } from "../../promotions/promotion-tiers/schema.ts";
import { ValidationRuleCreate } from "../../promotions/validation-rules/schema.ts";
import { StackingRulesDraft } from "../stacking-rules/schema.ts";

const DRAFTS_MAX = 100;

const id = Type.Optional({
  ...Id,
  description: "Of what it replaces, or any text that other parts of the request name it by.",
} as typeof Id);
const listOfDrafts = <S extends Parameters<typeof Type.Array>[0]>(draft: S) =>
  Type.Array(draft, { maxItems: DRAFTS_MAX });

const TierWithin = open({ ...PromotionTierCreate.properties, id });
export type TierWithin = Static<typeof TierWithin>;

const CampaignDraft = open({
  ...campaignCreate,
  id,
  active: Type.Optional(Type.Boolean({ description: "Left out: as the saved one is, else true." })),
  promotion: Type.Optional(Nullable(open({ tiers: Type.Optional(listOfDrafts(TierWithin)) }))),
});
export type CampaignDraft = Static<typeof CampaignDraft>;

const TierDraft = open({
  ...PromotionTierCreate.properties,
  id,
  campaign_id: Type.Optional({
    ...Id,
    description: "A saved campaign or a draft. Left out: that of the saved tier.",
  } as typeof Id),
});
export type TierDraft = Static<typeof TierDraft>;

const RuleDraft = open({ ...ValidationRuleCreate.properties, id });
export type RuleDraft = Static<typeof RuleDraft>;

const AssignmentDraft = open({
  rule_id: Id,
  related_object_type: Choice(["campaign", "promotion_tier"]),
  related_object_id: Id,
});
export type AssignmentDraft = Static<typeof AssignmentDraft>;

/** What nobody has saved: objects as the operations that create them take them. */
export const Drafts = open(
  optional({
    campaigns: listOfDrafts(CampaignDraft),
    promotion_tiers: listOfDrafts(TierDraft),
    validation_rules: listOfDrafts(RuleDraft),
    validation_rules_assignments: listOfDrafts(AssignmentDraft),
    stacking_rules: StackingRulesDraft,
  }),
  {
    title: "Drafts",
    description:
      "Decide with these as if they were saved. Nothing is stored, counted or locked. One with the id of a saved object replaces it. For server keys, tokens with the scopes of what is drafted, and users who may save it.",
  },
);
export type Drafts = Static<typeof Drafts>;

/** What a decision is tried with. */
export const trialOptions = {
  draft: Type.Optional(Nullable(Drafts)),
  at: Type.Optional(
    Nullable({
      ...DateTime,
      description:
        "Decide as at this time, between 2000 and 2100; use and segments are those of now. Nothing is stored.",
    } as typeof DateTime),
  ),
};
