import { type Static, Type } from "typebox";
import { LIVE_STATUSES } from "../../../core/campaigns/status.ts";
import { only, see } from "../../../core/client/fields.ts";
import { TIER } from "../../../core/client/parts.ts";
import { DiscountSchema } from "../../../core/discounts/schema.ts";
import { campaignValidityFields, validityFields } from "../../../core/time/schema.ts";
import { Choice, DateTime, Id, listOf, Metadata, Nullable, open, optional, PageQuery } from "../../../http/schemas.ts";

/** The highest that is taken; room above it is left for those that are counted on from it. */
const HIERARCHY_MAX = 1_000_000_000;
const TIER_RULES_MAX = 100;

const name = Type.String({ minLength: 1, maxLength: 200 });
const action = open({ discount: DiscountSchema });
const writable = {
  banner: Nullable(Type.String({ maxLength: 2000, description: "A text for customers." })),
  hierarchy: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: HIERARCHY_MAX,
      description: "Lower applies first. Left out: after the last one of the campaign.",
    }),
  ),
  ...validityFields,
  category: Nullable(Type.String({ maxLength: 200, description: "By its name; made when there is none." })),
  category_id: Nullable(Id),
  metadata: Metadata,
};

export const PromotionTierCreate = open({
  name,
  action,
  ...optional({
    ...writable,
    active: Type.Boolean({ description: "True unless it is sent." }),
    validation_rules: Nullable(Type.Array(Id, { maxItems: TIER_RULES_MAX, description: "Ids of rules to assign." })),
    validation_rule_assignments: Nullable(
      open({
        data: Type.Optional(
          Type.Array(open({ rule_id: Id }), {
            maxItems: TIER_RULES_MAX,
            description: "Another way to name the rules.",
          }),
        ),
      }),
    ),
  }),
});
export type PromotionTierCreate = Static<typeof PromotionTierCreate>;
export const PromotionTierUpdate = open(optional({ name, action, ...writable }));
export type PromotionTierUpdate = Static<typeof PromotionTierUpdate>;

const Category = Type.Object({
  id: Type.String(),
  name: Type.String(),
  hierarchy: Type.Integer(),
  created_at: DateTime,
  updated_at: Nullable(DateTime),
  object: Type.Literal("category"),
});
const Assignment = Type.Object({
  id: Type.String(),
  rule_id: Type.String(),
  related_object_id: Type.String(),
  related_object_type: Choice(["promotion_tier"]),
  created_at: DateTime,
  object: Type.Literal("validation_rules_assignment"),
});

export const PromotionTier = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    banner: Nullable(Type.String()),
    action: Type.Object({ discount: DiscountSchema }),
    hierarchy: Type.Integer(),
    active: Type.Boolean(),
    ...validityFields,
    metadata: Metadata,
    promotion_id: Type.String({ description: "The campaign, by its older name." }),
    campaign_id: Type.String(),
    campaign: Type.Object({
      id: Type.String(),
      active: Type.Boolean(),
      ...campaignValidityFields,
      category_id: Nullable(Type.String()),
      object: Type.Literal("campaign"),
    }),
    category_id: Nullable(Type.String()),
    categories: Type.Array(Category),
    validation_rule_assignments: listOf(Assignment),
    summary: Type.Object({
      redemptions: Type.Object({ total_redeemed: Type.Integer() }),
      orders: Type.Object({ total_amount: Type.Integer(), total_discount_amount: Type.Integer() }),
    }),
    status: Type.Optional(
      Choice(LIVE_STATUSES, { description: "What it is at the time of the project; shown where tiers are read." }),
    ),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("promotion_tier"),
  },
  { title: "PromotionTier" },
);
export type PromotionTier = Static<typeof PromotionTier>;

export const PromotionTierList = Type.Object({
  ...listOf(PromotionTier, "tiers").properties,
  has_more: Type.Boolean(),
});
export const ClientPromotionTierList = only(PromotionTierList, see("object data_ref total has_more", { tiers: TIER }));
export const PromotionTierQuery = PageQuery(["created_at", "updated_at"], {
  is_available: Type.Optional(
    Type.Boolean({
      description: "True: only those that are enabled, with their campaign, and active now. False: only the others.",
    }),
  ),
});
export type PromotionTierQuery = Static<typeof PromotionTierQuery>;
export const ByPromotionTier = Type.Object({ promotionTierId: Type.String() });
export const TiersOfCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });
