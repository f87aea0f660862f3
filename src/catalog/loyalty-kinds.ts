import type { CampaignEarningRuleRow, CampaignTierRow, CatalogReward } from "../core/rows/campaign.ts";
import type { RewardRow } from "../core/rows/loyalty.ts";
import type { Db } from "../db/db.ts";
import { campaignEarningRules } from "../resources/loyalty-v1/earning-rules/store.ts";
import { loadRewardAssignments, type RewardAssignmentRow } from "../resources/loyalty-v1/reward-assignments/store.ts";
import { loadRewards } from "../resources/loyalty-v1/rewards/store.ts";
import { campaignTiers } from "../resources/loyalty-v1/tiers/store.ts";
import { type CatalogBenefit, loadBenefits } from "../resources/loyalty-v2/benefits/store.ts";
import { type CardDefinitionRow, cardDefinitions } from "../resources/loyalty-v2/card-definitions/store.ts";
import { type EarningRuleRow, earningRules } from "../resources/loyalty-v2/earning-rules/store.ts";
import { type Assignment, loadProgramAssignments } from "../resources/loyalty-v2/programs/assignments-store.ts";
import { type ProgramRow, programs } from "../resources/loyalty-v2/programs/store.ts";
import { rewards } from "../resources/loyalty-v2/rewards/store.ts";
import { type TierStructureRow, tierStructures } from "../resources/loyalty-v2/tier-structures/store.ts";
import { loadTiers, type TierRow } from "../resources/loyalty-v2/tiers/store.ts";

/** How the rows of each kind are read: those with these ids, or all. */
export type Loaders<R> = {
  [K in keyof R]: (db: Db, projectId: string, ids: readonly string[] | null) => PromiseLike<R[K][]>;
};

/** What loyalty campaigns and loyalty programs are configured with. */
export type LoyaltyRows = {
  benefit: CatalogBenefit;
  campaign_earning_rule: CampaignEarningRuleRow;
  campaign_reward: CatalogReward;
  campaign_tier: CampaignTierRow;
  card_definition: CardDefinitionRow;
  earning_rule: EarningRuleRow;
  program: ProgramRow;
  program_assignment: Assignment;
  reward: RewardRow;
  reward_assignment: RewardAssignmentRow;
  tier: TierRow;
  tier_structure: TierStructureRow;
};

export const LOYALTY_LOADERS: Loaders<LoyaltyRows> = {
  benefit: loadBenefits,
  campaign_earning_rule: campaignEarningRules.load,
  campaign_reward: loadRewards,
  campaign_tier: campaignTiers.load,
  card_definition: cardDefinitions.load,
  earning_rule: earningRules.load,
  program: programs.load,
  program_assignment: loadProgramAssignments,
  reward: rewards.load,
  reward_assignment: loadRewardAssignments,
  tier: loadTiers,
  tier_structure: tierStructures.load,
};
