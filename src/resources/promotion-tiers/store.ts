import type { Discount } from "../../core/discounts/discount.ts";
import type { ValidityFields } from "../../core/time/validity.ts";
import type { Db } from "../../db/db.ts";

export type PromotionTierRow = ValidityFields & {
  project_id: string;
  id: string;
  campaign_id: string;
  name: string;
  banner: string | null;
  action: { discount: Discount };
  hierarchy: number;
  active: boolean;
  category_id: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

/** All, or those with these ids: what the catalog snapshot reads. Those of a binned campaign have no campaign there. */
export const loadPromotionTiers = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<PromotionTierRow[]>`
    select * from promotion_tiers where project_id = ${projectId} and ${ids === null ? db`true` : db`id = any(${ids})`}`;
