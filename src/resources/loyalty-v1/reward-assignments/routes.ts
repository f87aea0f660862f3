import type { Static } from "typebox";
import type { Ctx } from "../../../ctx.ts";
import {
  assignReward,
  assignRewards,
  changeAssignment,
  removeAssignment,
} from "../../../flows/loyalty-v1/assign-campaign-reward.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { loyaltyNamed } from "../../../steps/points/loyalty-campaigns.ts";
import { requireKnown } from "../../../steps/programs/loyalty-uses.ts";
import {
  AssignRewards,
  AssignToCampaign,
  ByCampaignAssignment,
  ByRewardAssignment,
  OfCampaign,
  OfReward,
  RewardAssignment,
  RewardAssignmentList,
  RewardAssignmentNamed,
  RewardAssignmentPage,
  RewardAssignmentQuery,
  RewardAssignments,
  RewardAssignmentUpdate,
} from "./schema.ts";
import { getRewardAssignment, listRewardAssignments, view } from "./store.ts";

const ofReward = async (c: Pick<Ctx, "catalog">, id: string) => ({
  reward_id: requireKnown((await c.catalog()).campaign_rewards, "reward", id).id,
});
const ofCampaign = async (c: Pick<Ctx, "catalog">, reference: string) => ({
  campaign_id: loyaltyNamed(await c.catalog(), reference).id,
});

const assignmentOfCampaign = async (
  c: Pick<Ctx, "db" | "project" | "catalog">,
  params: Static<typeof ByCampaignAssignment>,
) =>
  view(
    await getRewardAssignment(c.db, c.project.id, await ofCampaign(c, params.campaignId), params.rewardAssignmentId),
  );

/** The assignments of a reward, and the same by their campaign. */
export const rewardAssignmentRoutes = [
  read(
    "GET /v1/rewards/{campaignRewardId}/assignments",
    {
      id: "listRewardAssignments",
      summary: "List the campaigns that have a reward",
      params: OfReward,
      query: RewardAssignmentPage,
      ok: RewardAssignmentList,
    },
    async (c) => {
      const of = await ofReward(c, c.params.campaignRewardId);
      return list(await listRewardAssignments(c.db, c.project.id, of, c.query), view);
    },
  ),
  write(
    "POST /v1/rewards/{campaignRewardId}/assignments",
    {
      id: "createRewardAssignment",
      summary: "Give a loyalty campaign a reward",
      description: "It costs `parameters.loyalty.points`, unless it is paid with as many points as the customer says.",
      params: OfReward,
      body: AssignToCampaign,
      ok: RewardAssignment,
    },
    async (c) => assignReward(c, c.params.campaignRewardId, c.body),
  ),
  read(
    "GET /v1/rewards/{campaignRewardId}/assignments/{rewardAssignmentId}",
    {
      id: "getRewardAssignment",
      summary: "Read an assignment of a reward",
      params: ByRewardAssignment,
      ok: RewardAssignment,
    },
    async (c) => {
      const of = await ofReward(c, c.params.campaignRewardId);
      return view(await getRewardAssignment(c.db, c.project.id, of, c.params.rewardAssignmentId));
    },
  ),
  write(
    "PUT /v1/rewards/{campaignRewardId}/assignments/{rewardAssignmentId}",
    {
      id: "updateRewardAssignment",
      summary: "Update an assignment of a reward",
      params: ByRewardAssignment,
      body: RewardAssignmentUpdate,
      ok: RewardAssignment,
    },
    async (c) => changeAssignment(c, { reward: c.params.campaignRewardId }, [c.params.rewardAssignmentId, c.body]),
  ),
  write(
    "DELETE /v1/rewards/{campaignRewardId}/assignments/{rewardAssignmentId}",
    {
      id: "deleteRewardAssignment",
      summary: "Take a reward away from a campaign",
      params: ByRewardAssignment,
      ok: Empty,
    },
    async (c) => removeAssignment(c, { reward: c.params.campaignRewardId }, c.params.rewardAssignmentId),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/reward-assignments",
    {
      id: "listRewardAssignmentsOfCampaign",
      summary: "List the reward assignments of a loyalty campaign",
      params: OfCampaign,
      query: RewardAssignmentNamed,
      ok: RewardAssignmentList,
    },
    async (c) => {
      const { assignmentId, ...page } = c.query;
      const of = await ofCampaign(c, c.params.campaignId);
      return list(await listRewardAssignments(c.db, c.project.id, of, { ...page, id: assignmentId }), view);
    },
  ),
  read(
    "GET /v1/loyalties/{campaignId}/reward-assignments/{rewardAssignmentId}",
    {
      id: "getRewardAssignmentOfCampaign",
      summary: "Read a reward assignment of a loyalty campaign",
      params: ByCampaignAssignment,
      ok: RewardAssignment,
    },
    async (c) => assignmentOfCampaign(c, c.params),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/rewards",
    {
      id: "listRewardsOfCampaign",
      summary: "List the rewards of a loyalty campaign",
      description: "Each as its assignment, which says what it costs there.",
      params: OfCampaign,
      query: RewardAssignmentQuery,
      ok: RewardAssignmentList,
    },
    async (c) => {
      const { assignment_id, ...page } = c.query;
      const of = await ofCampaign(c, c.params.campaignId);
      return list(await listRewardAssignments(c.db, c.project.id, of, { ...page, id: assignment_id }), view);
    },
  ),
  write(
    "POST /v1/loyalties/{campaignId}/rewards",
    {
      id: "assignRewards",
      summary: "Give a loyalty campaign several rewards",
      description: "All of them, or none.",
      params: OfCampaign,
      body: AssignRewards,
      ok: RewardAssignments,
    },
    async (c) => assignRewards(c, c.params.campaignId, c.body),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/rewards/{rewardAssignmentId}",
    {
      id: "getRewardOfCampaign",
      summary: "Read what a reward costs in a loyalty campaign",
      params: ByCampaignAssignment,
      ok: RewardAssignment,
    },
    async (c) => assignmentOfCampaign(c, c.params),
  ),
  write(
    "PUT /v1/loyalties/{campaignId}/rewards/{rewardAssignmentId}",
    {
      id: "updateRewardOfCampaign",
      summary: "Update what a reward costs in a loyalty campaign",
      params: ByCampaignAssignment,
      body: RewardAssignmentUpdate,
      ok: RewardAssignment,
    },
    async (c) => changeAssignment(c, { campaign: c.params.campaignId }, [c.params.rewardAssignmentId, c.body]),
  ),
  write(
    "DELETE /v1/loyalties/{campaignId}/rewards/{rewardAssignmentId}",
    {
      id: "deleteRewardOfCampaign",
      summary: "Take a reward away from a loyalty campaign",
      params: ByCampaignAssignment,
      ok: Empty,
    },
    async (c) => removeAssignment(c, { campaign: c.params.campaignId }, c.params.rewardAssignmentId),
  ),
];
