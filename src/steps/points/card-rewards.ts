import type { Catalog } from "../../catalog/catalog.ts";
import { type Exchange, type RewardPrice, rewardPrice, worthOf } from "../../core/redeem/reward.ts";
import type { CampaignRewardRow, CatalogReward } from "../../core/rows/campaign.ts";
import {
  view as assignmentView,
  type RewardAssignmentRow,
} from "../../resources/loyalty-v1/reward-assignments/store.ts";
import { view as rewardView } from "../../resources/loyalty-v1/rewards/store.ts";

/** What can be decided about a loyalty card only when its points are known: what time has brought is in it. */
export type CardSeen = { available: number; tier_id: string | null };

/** A reward that a loyalty card can be redeemed for. */
export type CardReward = {
  reward: CatalogReward;
  assignment: RewardAssignmentRow;
  price: RewardPrice;
  tier_id: string | null;
};

type RewardsOf = Pick<Catalog, "campaign_rewards" | "campaign_tiers" | "reward_assignments_of_campaign">;
type Member = { campaign_id: string; tier_id: string | null };

/** The rewards of a card, in the order of their assignment, at the prices of its tier. What the tier leaves out is not there. */
export function rewardsOfCard(catalog: RewardsOf, { campaign_id, tier_id }: Member): CardReward[] {
  const tier = tier_id === null ? undefined : catalog.campaign_tiers.get(tier_id);
  return (catalog.reward_assignments_of_campaign.get(campaign_id) ?? []).flatMap((assignment) => {
    const reward = catalog.campaign_rewards.get(assignment.reward_id);
    const price = reward && rewardPrice(reward.parameters, assignment.parameters, tier?.rewards[assignment.id]);
    return reward && price ? [{ reward, assignment, price, tier_id }] : [];
  });
}

/** One of them; null: the card cannot be redeemed for it. */
export const rewardOfCard = (catalog: RewardsOf, member: Member, rewardId: string): CardReward | null =>
  rewardsOfCard(catalog, member).find(({ reward }) => reward.id === rewardId) ?? null;

/** What points of a card are worth in money: the first reward that is paid with them says it. */
export const exchangeOfCard = (catalog: RewardsOf, member: Member): Exchange | null =>
  rewardsOfCard(catalog, member).flatMap(({ price }) => ("exchange" in price ? price.exchange : []))[0] ?? null;

/** Whether what a reward brings comes from a campaign that was deleted. */
export function isGone({ campaigns }: Pick<Catalog, "campaigns">, { reward }: Pick<CardReward, "reward">): boolean {
  const { campaign } = reward.parameters as { campaign?: { id: string } };
  return campaign !== undefined && !campaigns.has(campaign.id);
}

/** A reward as it is kept with its redemption. Whose it is stands with the redemption. */
export const rewardShown = ({
  reward,
  assignment,
  tier_id = null,
}: Pick<CardReward, "reward" | "assignment"> & { tier_id?: string | null }) => {
  const { id, name, type, parameters, created_at, updated_at } = reward;
  return {
    id,
    assignment_id: assignment.id,
    name,
    type,
    parameters,
    ...rewardGoods(parameters),
    loyalty_tier_id: tier_id,
    created_at,
    updated_at,
    object: "reward" as const,
  };
};

/** The product that a reward is, by its id: it may change, or be deleted, after it was redeemed. */
function rewardGoods(parameters: CatalogReward["parameters"]) {
  const { product } = parameters as { product?: { id: string; sku_id: string | null } };
  return {
    product: product ? { id: product.id, object: "product" as const } : null,
    sku: product?.sku_id ? { id: product.sku_id, product_id: product.id, object: "sku" as const } : null,
  };
}

/** A reward and its assignment as clients see them, at the price of a tier. */
export function rewardAtPrice(row: CampaignRewardRow, { assignment, price }: CardReward) {
  const shown = rewardView(row);
  const { loyalty } = assignment.parameters ?? {};
  const parameters = "points" in price && loyalty ? { loyalty: { ...loyalty, points: price.points } } : null;
  return {
    reward: "exchange" in price ? { ...shown, parameters: { coin: price.exchange } } : shown,
    assignment: assignmentView({ ...assignment, parameters }),
  };
}

// Contract is silent: paying with points needs as many as are worth anything.
/** Whether so many points are enough. */
export const isAffordable = (price: RewardPrice, points: number): boolean =>
  "points" in price ? price.points <= points : worthOf(Math.max(0, points), price.exchange) > 0;
