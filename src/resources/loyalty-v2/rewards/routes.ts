import { createReward, moveReward, removeReward, updateReward } from "../../../flows/loyalty-v2/save-reward.ts";
import { statusRoutes } from "../../../http/status-routes.ts";
import { ByReward, Reward, RewardCreate, RewardList, RewardQuery, RewardUpdate } from "./schema.ts";
import { rewards as store, view } from "./store.ts";

export const loyaltyRewardRoutes = statusRoutes({
  resource: "reward",
  words: "a reward",
  store,
  view,
  params: ByReward,
  query: RewardQuery,
  ok: { one: Reward, list: RewardList },
  body: { create: RewardCreate, update: RewardUpdate },
  flow: { create: createReward, update: updateReward, remove: removeReward, move: moveReward },
  activities: { id: "larew", cursor: "lcrsarew" },
  specs: {
    update: { description: "One that is not a draft keeps its type and what it gives." },
    delete: { summary: "Delete a reward that no program has" },
  },
});
