import { CardRewards, listCardRewards } from "../../../flows/loyalty-v1/list-card-rewards.ts";
import { read } from "../../../http/route.ts";
import { ByMember, MemberRewardsQuery } from "./schema.ts";

export const memberRewardRoutes = [
  read(
    "GET /v1/loyalties/members/{memberId}/rewards",
    {
      id: "listMemberRewards",
      summary: "List the rewards that a loyalty card can be redeemed for",
      description: "At the prices of its tier. What the tier leaves out is not listed.",
      params: ByMember,
      query: MemberRewardsQuery,
      ok: CardRewards,
    },
    (c) => listCardRewards(c, c.params.memberId, c.query),
  ),
];
