import { type Static, Type } from "typebox";
import type { Catalog } from "../../catalog/catalog.ts";
import { LoyaltyOfTierSchema, mappedLoyalty } from "../../core/loyalty/campaign/shapes.ts";
import type { CampaignEarningRuleRow, CampaignTierRow } from "../../core/rows/campaign.ts";
import type { Ctx } from "../../ctx.ts";
import { CampaignEarningRule } from "../../resources/loyalty-v1/earning-rules/schema.ts";
import { view as ruleView } from "../../resources/loyalty-v1/earning-rules/store.ts";
import { RewardAssignment } from "../../resources/loyalty-v1/reward-assignments/schema.ts";
import { CampaignReward } from "../../resources/loyalty-v1/rewards/schema.ts";
import { campaignRewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { rewardAtPrice, rewardsOfCard } from "../../steps/points/card-rewards.ts";

export const RuleOfTier = Type.Object(
  { ...CampaignEarningRule.properties, loyalty: LoyaltyOfTierSchema },
  { title: "EarningRuleOfTier" },
);
export type RuleOfTier = Static<typeof RuleOfTier>;

/** An earning rule as it is for members of a tier. */
export const ruleOfTier = (rule: CampaignEarningRuleRow, { earning_rules }: CampaignTierRow): RuleOfTier => ({
  ...ruleView(rule),
  loyalty: mappedLoyalty(rule.loyalty, earning_rules[rule.id]),
});

const { parameters } = CampaignReward.properties;
// What a tier makes of a ratio need not be a whole number.
const coin = Type.Optional(Type.Object({ exchange_ratio: Type.Number(), points_ratio: Type.Number() }));
export const RewardOfTier = Type.Object(
  {
    reward: Type.Object({ ...CampaignReward.properties, parameters: Type.Object({ ...parameters.properties, coin }) }),
    assignment: RewardAssignment,
    object: Type.Literal("loyalty_tier_reward"),
  },
  { title: "RewardOfTier" },
);
export type RewardOfTier = Static<typeof RewardOfTier>;

/** What members of a tier can get, at its prices. What is left of a reward is read now. */
export async function listRewardsOfTier(
  c: Ctx,
  catalog: Catalog,
  { id, campaign_id }: CampaignTierRow,
): Promise<{ rows: RewardOfTier[]; total: number }> {
  const all = rewardsOfCard(catalog, { campaign_id, tier_id: id });
  const found = await campaignRewards.load(c.db, c.project.id, [...new Set(all.map(({ reward }) => reward.id))]);
  const byId = new Map(found.map((row) => [row.id, row]));
  const rows = all.flatMap((one) => {
    const row = byId.get(one.reward.id);
    return row ? [{ ...rewardAtPrice(row, one), object: "loyalty_tier_reward" as const }] : [];
  });
  return { rows, total: rows.length };
}
