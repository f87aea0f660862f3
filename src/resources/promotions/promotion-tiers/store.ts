import type { Discount } from "../../../core/discounts/discount.ts";
import { notFound } from "../../../core/errors.ts";
import type { ValidityFields } from "../../../core/time/validity.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";

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

export const promotionTiers = crudStore<PromotionTierRow>({
  table: "promotion_tiers",
  object: "promotion_tier",
  columns: [
    "project_id",
    "id",
    "campaign_id",
    "name",
    "banner",
    "action",
    "hierarchy",
    "active",
    "category_id",
    "start_date",
    "expiration_date",
    "validity_timeframe",
    "validity_day_of_week",
    "validity_hours",
    "metadata",
    "created_at",
    "updated_at",
  ],
  sortable: [],
});

/** One whose campaign is not in the bin. */
export async function getPromotionTier(db: Db, projectId: string, id: string): Promise<PromotionTierRow> {
  const [row] = await db<PromotionTierRow[]>`
    select * from promotion_tiers t where project_id = ${projectId} and id = ${id} and exists (
      select from campaigns where project_id = ${projectId} and id = t.campaign_id and deleted_at is null)`;
  if (!row) throw notFound("promotion_tier", id);
  return row;
}

/** Nobody else changes or deletes it until the transaction ends. */
export async function lockPromotionTier(tx: Tx, projectId: string, id: string): Promise<PromotionTierRow> {
  const [row] = await tx<PromotionTierRow[]>`
    select * from promotion_tiers where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound("promotion_tier", id);
  return row;
}

/** One more than the highest of the campaign, which the caller has locked. */
export async function nextHierarchy(tx: Tx, projectId: string, campaignId: string): Promise<number> {
  const [row] = await tx<{ next: number }[]>`
    select coalesce(max(hierarchy), 0) + 1 as next from promotion_tiers
    where project_id = ${projectId} and campaign_id = ${campaignId}`;
  return row!.next;
}

/** The ids that are tiers of the campaign. */
export async function promotionTiersIn(tx: Tx, projectId: string, campaignId: string, ids: readonly string[]) {
  const rows = await tx<{ id: string }[]>`
    select id from promotion_tiers
    where project_id = ${projectId} and campaign_id = ${campaignId} and id = any(${ids})`;
  return new Set(rows.map(({ id }) => id));
}

export type TierTotals = { redemptions: number; order_amount: number; discount_amount: number };

/** What each of the tiers was redeemed for in all. Those that never were are not in the map. */
export async function redeemedTotals(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, TierTotals>> {
  if (ids.length === 0) return new Map();
  const rows = await db<(TierTotals & { subject_id: string })[]>`
    select subject_id, redemptions, order_amount, discount_amount from counters
    where project_id = ${projectId} and subject_kind = 'promotion_tier' and subject_id = any(${ids})
      and period_kind = 'total'`;
  return new Map(rows.map((row) => [row.subject_id, row]));
}

/** All of the campaigns, in the order in which they apply. */
export const promotionTiersOfCampaigns = (db: Db, projectId: string, campaignIds: readonly string[]) =>
  db<PromotionTierRow[]>`
    select * from promotion_tiers where project_id = ${projectId} and campaign_id = any(${campaignIds})
    order by hierarchy, created_at`;
