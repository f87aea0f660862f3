import type { CampaignTotals } from "../../../core/campaigns/limits.ts";
import type { Db } from "../../../db/db.ts";
import type { CampaignStatus } from "./schema.ts";

export type CampaignFigures = CampaignTotals & {
  campaign_id: string;
  vouchers_count: number;
  creation_status: CampaignStatus;
};

/** What the campaigns were redeemed for in all, and how many codes they have. */
export const loadFigures = (db: Db, projectId: string, ids: readonly string[]) =>
  db<CampaignFigures[]>`
    select k.campaign_id, k.vouchers_count, k.creation_status, coalesce(c.redemptions, 0) as redemptions,
      coalesce(c.order_amount, 0) as order_amount, coalesce(c.discount_amount, 0) as discount_amount,
      coalesce(c.gift_amount, 0) as gift_amount
    from campaign_codes k
    left join counters c on c.project_id = ${projectId} and c.subject_kind = 'campaign' and c.subject_id = k.campaign_id
      and c.period_kind = 'total'
    where k.project_id = ${projectId} and k.campaign_id = any(${ids})`;

/** Those of the campaigns that have a code that can be redeemed once more. The first one that is found is enough. */
export async function campaignsWithCodesLeft(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db<{ id: string }[]>`
    select c.id from campaigns c
    cross join lateral (
      select 1 from vouchers v
      left join voucher_states u on u.project_id = ${projectId} and u.voucher_id = v.id
      left join voucher_templates t on t.project_id = ${projectId} and t.campaign_id = v.campaign_id
        and t.version = coalesce(v.template_version, u.template_version, c.voucher_version)
      where v.project_id = ${projectId} and v.campaign_id = c.id and v.deleted_at is null
        and coalesce(coalesce(u.redeemed_quantity, 0) < (coalesce(v.settings, t.settings) ->> 'quantity')::numeric, true)
      limit 1) one
    where c.project_id = ${projectId} and c.id = any(${ids})`;
  return new Set(rows.map(({ id }) => id));
}

/** How many codes of each campaign were redeemed and not rolled back. Those of which none was are not in the map. */
export async function loadCodesUsed(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db<{ campaign_id: string; used: number }[]>`
    select v.campaign_id, count(*) as used from vouchers v
    join voucher_states u on u.project_id = ${projectId} and u.voucher_id = v.id and u.redeemed_quantity > 0
    where v.project_id = ${projectId} and v.campaign_id = any(${ids}) and v.deleted_at is null
    group by v.campaign_id`;
  return new Map(rows.map(({ campaign_id, used }) => [campaign_id, used]));
}

/** Redemptions of campaigns by day of the project's calendar. The only place that says where they come from. */
export async function loadRedemptionsByDay(
  db: Db,
  projectId: string,
  { ids, days }: { ids: readonly string[]; days: readonly string[] },
): Promise<ReadonlyMap<string, number[]>> {
  const rows = await db<{ subject_id: string; day: string; redemptions: number }[]>`
    select subject_id, period_start::text as day, redemptions from counters
    where project_id = ${projectId} and subject_kind = 'campaign' and subject_id = any(${ids})
      and period_kind = 'day' and period_start = any(${days}::text[]::date[])`;
  const found = new Map(rows.map(({ subject_id, day, redemptions }) => [`${subject_id} ${day}`, redemptions]));
  return new Map(ids.map((id) => [id, days.map((day) => found.get(`${id} ${day}`) ?? 0)]));
}

type DayOfUse = Pick<CampaignTotals, "redemptions" | "discount_amount" | "gift_amount">;
/** What a campaign was redeemed for on each of some days. */
export async function loadUseByDay(
  db: Db,
  projectId: string,
  { id, days }: { id: string; days: readonly string[] },
): Promise<DayOfUse[]> {
  const rows = await db<(DayOfUse & { day: string })[]>`
    select period_start::text as day, redemptions, discount_amount, gift_amount from counters
    where project_id = ${projectId} and subject_kind = 'campaign' and subject_id = ${id}
      and period_kind = 'day' and period_start = any(${days}::text[]::date[])`;
  const found = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => found.get(day) ?? { redemptions: 0, discount_amount: 0, gift_amount: 0 });
}
