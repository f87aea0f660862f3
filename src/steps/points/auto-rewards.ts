import type { Catalog } from "../../catalog/catalog.ts";
import type { AutoReward } from "../../core/loyalty/card/moves.ts";
import { oncePer } from "../../core/once-per.ts";
import { rewardPrice } from "../../core/redeem/reward.ts";
import type { CampaignTierRow, CatalogReward } from "../../core/rows/campaign.ts";
import type { RewardAssignmentRow } from "../../resources/loyalty-v1/reward-assignments/store.ts";

/** The reward of a campaign that is redeemed whenever a card can pay for it. */
export type CampaignAuto = AutoReward & { reward: CatalogReward; assignment: RewardAssignmentRow };

export type AutoSource = Pick<
  Catalog,
  "reward_assignments_of_campaign" | "campaign_rewards" | "tiers_of_campaign" | "rules_of"
>;

const isAuto = ({ parameters }: RewardAssignmentRow): boolean => parameters?.loyalty.auto_redeem === true;

// Contract is silent: rules decide about what somebody asks for. Where there are some, the reward has to be asked for.
/** Null: the campaign has none. */
export function autoRewardOf(catalog: Partial<AutoSource>, campaignId: string): CampaignAuto | null {
  const assignment = catalog.reward_assignments_of_campaign?.get(campaignId)?.find(isAuto);
  const reward = assignment && catalog.campaign_rewards?.get(assignment.reward_id);
  if (!reward || catalog.rules_of?.has(assignment.id)) return null;
  const tiers: readonly CampaignTierRow[] = catalog.tiers_of_campaign?.get(campaignId) ?? [];
  return {
    reward,
    assignment,
    details: { reward: { id: reward.id, name: reward.name } },
    priceIn: (tierId) => {
      const mapping = tiers.find(({ id }) => id === tierId)?.rewards[assignment.id];
      const price = rewardPrice(reward.parameters, assignment.parameters, mapping);
      return price && "points" in price ? price.points : null;
    },
  };
}

const hasAny = oncePer((all: AutoSource["reward_assignments_of_campaign"]) =>
  all.values().some((some) => some.some(isAuto)),
);
/** Whether any campaign has one. */
export const hasAutoRewards = (catalog: AutoSource): boolean => hasAny(catalog.reward_assignments_of_campaign);
