import { type Static, Type } from "typebox";
import { ValidityHours, ValidityHoursSent } from "../../../core/loyalty/card/window.ts";
import { UseLimits, UseLimitsSent } from "../../../core/loyalty/earning/use-limits.ts";
import { Material } from "../../../core/loyalty/program/material.ts";
import {
  CostsSent,
  Digitals,
  RewardCost,
  RewardRefunds,
  RewardType,
  rewardConfigsSent,
} from "../../../core/loyalty/program/reward.ts";
import { Name } from "../../../core/loyalty/program/shape.ts";
import {
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Metadata,
  Nullable,
  optional,
  strict,
} from "../../../http/schemas.ts";

export const ORDERS = ["created_at", "name"];

export const Reward = Type.Object(
  {
    id: Type.String(),
    name: Name,
    type: RewardType,
    status: Choice(["DRAFT", "ACTIVE", "INACTIVE", "DELETED"]),
    start_date: Nullable(DateTime),
    end_date: Nullable(DateTime),
    validity_hours: ValidityHours,
    material: Type.Optional(Material),
    digital: Type.Optional(Digitals),
    refunds: RewardRefunds,
    costs: Type.Array(RewardCost),
    purchase_limits: UseLimits,
    metadata: Metadata,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("reward"),
  },
  { title: "LoyaltyReward" },
);
export type RewardShown = Static<typeof Reward>;

const sections = {
  ...rewardConfigsSent,
  ...optional({
    validity_hours: Nullable(ValidityHoursSent),
    start_date: Nullable(DateTime),
    end_date: Nullable(DateTime),
    purchase_limits: Nullable(UseLimitsSent),
    refunds: Nullable(RewardRefunds),
    metadata: Nullable(Metadata),
  }),
};
export const RewardCreate = strict({
  name: Name,
  type: RewardType,
  status: Type.Optional(Nullable(Choice(["DRAFT", "ACTIVE"]))),
  costs: CostsSent,
  ...sections,
});
export type RewardCreate = Static<typeof RewardCreate>;
/** What is left out stays as it is; null is what a new reward has. The list of costs is replaced whole. */
export const RewardUpdate = strict({ ...optional({ name: Name, type: RewardType, costs: CostsSent }), ...sections });
export type RewardUpdate = Static<typeof RewardUpdate>;

export const RewardList = cursorListOf(Reward);
export const RewardQuery = CursorQuery(ORDERS, { filters: Type.Optional(Filters) });
export const ByReward = Type.Object({ rewardId: Type.String() });
