import type { Db } from "../../db/db.ts";

export type PromotionStackRow = {
  project_id: string;
  id: string;
  campaign_id: string;
  name: string;
  tiers: { ids: string[]; hierarchy_mode: "MANUAL" };
  category_id: string | null;
  created_at: string;
  updated_at: string | null;
};

/** All, or those with these ids: what the catalog snapshot reads. Those of a binned campaign have no campaign there. */
export const loadPromotionStacks = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<PromotionStackRow[]>`
    select * from promotion_stacks where project_id = ${projectId} and ${ids === null ? db`true` : db`id = any(${ids})`}`;
