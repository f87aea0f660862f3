import { type Static, Type } from "typebox";
import { REWARD_CAMPAIGN_TYPES, REWARD_TYPES, RewardParametersSent } from "../../../core/loyalty/campaign/reward.ts";
import { WholeSent } from "../../../core/loyalty/campaign/shapes.ts";
import {
  Amount,
  Choice,
  DateTime,
  listOf,
  Metadata,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const whole = (minimum: number) => Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER });

export const CampaignReward = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Choice(REWARD_TYPES),
    parameters: Type.Object(
      optional({
        campaign: Type.Object({
          id: Type.String(),
          balance: Type.Optional(whole(1)),
          type: Choice(REWARD_CAMPAIGN_TYPES),
        }),
        coin: Type.Object({ exchange_ratio: Type.Number({ exclusiveMinimum: 0 }), points_ratio: whole(1) }),
        product: Type.Object({ id: Type.String(), sku_id: Nullable(Type.String()) }),
      }),
    ),
    stock: Nullable(Type.Integer({ ...Amount, description: "How many are left. Null: there is no limit." })),
    redeemed: Type.Integer({ ...Amount, description: "How many were redeemed." }),
    attributes: Type.Object(optional({ image_url: Type.String(), description: Type.String() })),
    metadata: Metadata,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("reward"),
  },
  { title: "Reward" },
);
export type CampaignReward = Static<typeof CampaignReward>;

const sent = optional({
  name: Nullable(Type.String({ minLength: 1, maxLength: 500 })),
  stock: Nullable(WholeSent(0)),
  attributes: Nullable(
    open(
      optional({
        image_url: Nullable(Type.String({ maxLength: 5000 })),
        description: Nullable(Type.String({ maxLength: 5000 })),
      }),
    ),
  ),
  metadata: Nullable(Metadata),
});
export const CampaignRewardCreate = open({
  parameters: RewardParametersSent,
  type: Type.Optional(Nullable(Type.String({ description: "It follows from the parameters, and has to fit them." }))),
  ...sent,
});
export type CampaignRewardCreate = Static<typeof CampaignRewardCreate>;
export const CampaignRewardUpdate = open({ parameters: Type.Optional(Nullable(RewardParametersSent)), ...sent });
export type CampaignRewardUpdate = Static<typeof CampaignRewardUpdate>;

export const CampaignRewardList = listOf(CampaignReward);
export const CampaignRewardQuery = PageQuery(["created_at", "updated_at", "name"], {
  assignment_id: Type.Optional(Type.String({ maxLength: 200, description: "The reward of this assignment." })),
});
export type CampaignRewardQuery = Static<typeof CampaignRewardQuery>;
export const ByReward = Type.Object({ campaignRewardId: Type.String() });
export const OfAssignment = Type.Object({
  campaignId: Type.String({ description: "Its id or its name." }),
  rewardAssignmentId: Type.String(),
});
