import type { RewardRow } from "../../../core/rows/loyalty.ts";
import { statusStore } from "../../../db/status-store.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { ORDERS, type RewardShown, Reward as Shown } from "./schema.ts";

export const rewards = statusStore<RewardRow>({
  table: "loyalty_rewards",
  object: "reward",
  columns: columnsOf(Shown),
  cursor: "lcrsrew",
  sortable: ORDERS,
  fields: { id: "id", name: "string", type: "enum", created_at: "date" },
});

export const view = ({ project_id: _, material, digital, ...row }: RewardRow): RewardShown => ({
  ...row,
  ...(material && { material }),
  ...(digital && { digital }),
  object: "reward",
});
