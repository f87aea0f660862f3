import { notFound } from "../../../core/errors.ts";
import {
  createCampaignReward,
  removeCampaignReward,
  updateCampaignReward,
} from "../../../flows/loyalty-v1/save-campaign-reward.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { loyaltyNamed } from "../../../steps/points/loyalty-campaigns.ts";
import {
  ByReward,
  CampaignReward,
  CampaignRewardCreate,
  CampaignRewardList,
  CampaignRewardQuery,
  CampaignRewardUpdate,
  OfAssignment,
} from "./schema.ts";
import { listRewards, campaignRewards as store, view } from "./store.ts";

export const rewardRoutes = [
  read(
    "GET /v1/rewards",
    {
      id: "listCampaignRewards",
      summary: "List the rewards of loyalty cards",
      query: CampaignRewardQuery,
      ok: CampaignRewardList,
    },
    async (c) => list(await listRewards(c.db, c.project.id, c.query), view),
  ),
  write(
    "POST /v1/rewards",
    {
      id: "createCampaignReward",
      summary: "Create a reward of loyalty cards",
      description:
        "Its parameters say what it is: a code or a balance of another campaign, money for points, a product.",
      body: CampaignRewardCreate,
      ok: CampaignReward,
    },
    async (c) => createCampaignReward(c, c.body),
  ),
  read(
    "GET /v1/rewards/{campaignRewardId}",
    { id: "getCampaignReward", summary: "Read a reward of loyalty cards", params: ByReward, ok: CampaignReward },
    async (c) => view(await store.get(c.db, c.project.id, c.params.campaignRewardId)),
  ),
  write(
    "PUT /v1/rewards/{campaignRewardId}",
    {
      id: "updateCampaignReward",
      summary: "Update a reward of loyalty cards",
      description: "Its type stays as it is.",
      params: ByReward,
      body: CampaignRewardUpdate,
      ok: CampaignReward,
    },
    async (c) => updateCampaignReward(c, c.params.campaignRewardId, c.body),
  ),
  write(
    "DELETE /v1/rewards/{campaignRewardId}",
    {
      id: "deleteCampaignReward",
      summary: "Delete a reward of loyalty cards",
      description: "Refused while a campaign has it.",
      params: ByReward,
      ok: Empty,
    },
    async (c) => removeCampaignReward(c, c.params.campaignRewardId),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/reward-assignments/{rewardAssignmentId}/reward",
    { id: "getAssignedReward", summary: "Read the reward of an assignment", params: OfAssignment, ok: CampaignReward },
    async (c) => {
      const catalog = await c.catalog();
      const campaign = loyaltyNamed(catalog, c.params.campaignId);
      const found = catalog.reward_assignments.get(c.params.rewardAssignmentId);
      if (found?.campaign_id !== campaign.id) throw notFound("reward_assignment", c.params.rewardAssignmentId);
      return view(await store.get(c.db, c.project.id, found.reward_id));
    },
  ),
];
