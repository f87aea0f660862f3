import {
  getCampaignReward,
  listRewardsOfCampaign,
  type Reward,
  type RewardAssignment,
} from "../../../api/operations.gen.ts";
import { type Reading, useOp } from "../../../api/use-op.ts";
import { useOps } from "../../../api/use-ops.ts";
import { ALL } from "./part.tsx";

/** An assignment, and the reward that it is about. */
export type AssignedReward = { assigned: RewardAssignment; reward: Reward };

/** The rewards of a campaign, in the order in which it got them. */
export function useRewards(campaignId: string, enabled = true): Reading<AssignedReward[]> {
  const assigned = useOp(listRewardsOfCampaign, { campaignId, limit: ALL, order: "created_at" }, { enabled });
  const assignments = assigned.data?.data ?? [];
  const rewards = useOps(
    getCampaignReward,
    assignments.map(({ reward_id }) => ({ campaignRewardId: reward_id })),
  );
  const data = assigned.data && rewards.data?.map((reward, place) => ({ reward, assigned: assignments[place]! }));
  return { ...assigned, error: assigned.error ?? rewards.error, data };
}
