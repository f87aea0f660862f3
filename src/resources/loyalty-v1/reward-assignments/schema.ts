import { type Static, Type } from "typebox";
import { AssignmentParametersSent } from "../../../core/loyalty/campaign/reward.ts";
import { Choice, DateTime, Id, listOf, Nullable, open, optional, PageQuery } from "../../../http/schemas.ts";

export const RewardAssignment = Type.Object(
  {
    id: Type.String(),
    reward_id: Type.String(),
    related_object_id: Type.String({ description: "The campaign." }),
    related_object_type: Choice(["campaign"]),
    parameters: Type.Optional(
      Type.Object({
        loyalty: Type.Object({
          points: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
          auto_redeem: Type.Optional(Type.Boolean()),
        }),
      }),
    ),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("reward_assignment"),
  },
  { title: "RewardAssignment" },
);
export type RewardAssignment = Static<typeof RewardAssignment>;

const sent = optional({
  parameters: Nullable(AssignmentParametersSent),
  validation_rules: Nullable(
    Type.Array(Id, { maxItems: 100, description: "Ids of validation rules that are assigned to it." }),
  ),
});
/** To a campaign, and of a reward: each path names the other. */
export const AssignToCampaign = open({ campaign: Id, ...sent });
export type AssignToCampaign = Static<typeof AssignToCampaign>;
export const AssignRewards = Type.Array(open({ reward: Id, ...sent }), { minItems: 1, maxItems: 100 });
export type AssignRewards = Static<typeof AssignRewards>;
export const RewardAssignmentUpdate = open(optional({ parameters: Nullable(AssignmentParametersSent) }));
export type RewardAssignmentUpdate = Static<typeof RewardAssignmentUpdate>;

export const RewardAssignmentList = listOf(RewardAssignment);
export const RewardAssignments = Type.Array(RewardAssignment);
export const RewardAssignmentPage = PageQuery(["created_at", "updated_at"]);
const assignment = Type.Optional(Type.String({ maxLength: 200, description: "Only this assignment." }));
export const RewardAssignmentQuery = PageQuery(["created_at", "updated_at"], { assignment_id: assignment });
/** The same under the name that this list has for it. */
export const RewardAssignmentNamed = PageQuery(["created_at", "updated_at"], { assignmentId: assignment });

const campaignId = Type.String({ description: "Its id or its name." });
export const OfReward = Type.Object({ campaignRewardId: Type.String() });
export const ByRewardAssignment = Type.Object({ campaignRewardId: Type.String(), rewardAssignmentId: Type.String() });
export const OfCampaign = Type.Object({ campaignId });
export const ByCampaignAssignment = Type.Object({ campaignId, rewardAssignmentId: Type.String() });
