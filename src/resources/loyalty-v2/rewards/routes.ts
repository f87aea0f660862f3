import { listActivities } from "../../../events/activities.ts";
import { createReward, moveReward, removeReward, updateReward } from "../../../flows/loyalty-v2/save-reward.ts";
import { cursorList, read, write } from "../../../http/route.ts";
import { ActivityQuery, activityListOf } from "../../../http/schemas.ts";
import { ByReward, Reward, RewardCreate, RewardList, RewardQuery, RewardUpdate } from "./schema.ts";
import { rewards as store, view } from "./store.ts";

const ACTIVITIES = { id: "larew", cursor: "lcrsarew", field: "reward_id" } as const;

export const loyaltyRewardRoutes = [
  read(
    "GET /v2/loyalties/rewards",
    { id: "listRewards", summary: "List rewards", query: RewardQuery, ok: RewardList },
    async (c) => cursorList(await store.list(c.db, c, c.query), view),
  ),
  write(
    "POST /v2/loyalties/rewards",
    { id: "createReward", summary: "Create a reward", body: RewardCreate, ok: Reward },
    async (c) => createReward(c, c.body),
  ),
  read(
    "GET /v2/loyalties/rewards/{rewardId}",
    { id: "getReward", summary: "Read a reward", params: ByReward, ok: Reward },
    async (c) => view(await store.get(c.db, c.project.id, c.params.rewardId)),
  ),
  write(
    "PUT /v2/loyalties/rewards/{rewardId}",
    {
      id: "updateReward",
      summary: "Update a reward",
      description: "One that is not a draft keeps its type and what it gives.",
      params: ByReward,
      body: RewardUpdate,
      ok: Reward,
    },
    async (c) => updateReward(c, c.params.rewardId, c.body),
  ),
  write(
    "DELETE /v2/loyalties/rewards/{rewardId}",
    { id: "deleteReward", summary: "Delete a reward that no program has", params: ByReward, ok: Reward },
    async (c) => removeReward(c, c.params.rewardId),
  ),
  write(
    "POST /v2/loyalties/rewards/{rewardId}/activate",
    { id: "activateReward", summary: "Activate a reward", params: ByReward, ok: Reward },
    async (c) => moveReward(c, c.params.rewardId, "activate"),
  ),
  write(
    "POST /v2/loyalties/rewards/{rewardId}/deactivate",
    { id: "deactivateReward", summary: "Deactivate a reward", params: ByReward, ok: Reward },
    async (c) => moveReward(c, c.params.rewardId, "deactivate"),
  ),
  write(
    "POST /v2/loyalties/rewards/{rewardId}/draft",
    { id: "draftReward", summary: "Make a reward a draft again", params: ByReward, ok: Reward },
    async (c) => moveReward(c, c.params.rewardId, "draft"),
  ),
  read(
    "GET /v2/loyalties/rewards/{rewardId}/activities",
    {
      id: "listRewardActivities",
      summary: "List what happened to a reward",
      params: ByReward,
      query: ActivityQuery,
      ok: activityListOf("reward_id"),
    },
    async (c) => {
      const { id } = await store.get(c.db, c.project.id, c.params.rewardId);
      return cursorList(await listActivities(c, { list: ACTIVITIES, of: id }, c.query), (activity) => activity);
    },
  ),
];
