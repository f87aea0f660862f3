import type { CampaignRewardType, RewardParameters } from "../loyalty/campaign/reward.ts";
import type {
  CampaignPendingPoints,
  ExpirationRules,
  Loyalty,
  Mapping,
  RewardMapping,
} from "../loyalty/campaign/shapes.ts";
import type { ValidityFields } from "../time/validity.ts";

/** How members of a loyalty program of v1 earn points. */
export type CampaignEarningRuleRow = ValidityFields & {
  project_id: string;
  id: string;
  campaign_id: string;
  active: boolean;
  /** `order.paid`, `customer.segment.entered`, `customer.loyalty.tier.…`, or the name of a custom event. */
  event: string;
  loyalty: Loyalty;
  segment_id: string | null;
  custom_event_schema_id: string | null;
  /** Or `__ANY__`. */
  loyalty_tier_id: string | null;
  validation_rule_id: string | null;
  banner: string | null;
  pending_points: CampaignPendingPoints | null;
  /** Null: those of the campaign. */
  expiration_rules: ExpirationRules | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

/** A tier of a loyalty program of v1. Both ends of its range belong to it. */
export type CampaignTierRow = {
  project_id: string;
  id: string;
  campaign_id: string;
  name: string;
  points_from: number;
  /** Null: without end. */
  points_to: number | null;
  /** By the id of the rule. */
  earning_rules: Record<string, Mapping>;
  /** By the id of the assignment. */
  rewards: Record<string, RewardMapping>;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

/** A reward of loyalty campaigns, as the catalog holds it. */
export type CatalogReward = {
  project_id: string;
  id: string;
  name: string;
  type: CampaignRewardType;
  parameters: RewardParameters;
  attributes: { image_url?: string; description?: string };
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};
export type CampaignRewardRow = CatalogReward & {
  /** What is left; null: unlimited. */
  stock: number | null;
  redeemed: number;
};
