import { notFound } from "../../../core/errors.ts";
import { crudStore, type Page, pageSql } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { type FilterQuery, whereOf } from "../../../db/filters.ts";

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

const SORTABLE = ["created_at", "updated_at", "name"];

export const promotionStacks = crudStore<PromotionStackRow>({
  table: "promotion_stacks",
  object: "promotion_stack",
  columns: ["project_id", "id", "campaign_id", "name", "tiers", "category_id", "created_at", "updated_at"],
  sortable: SORTABLE,
});

type ListQuery = Page & FilterQuery & { now: string; campaign_id?: string };
const FIELDS = { id: "id", name: "string", campaign_id: "id", created_at: "date", updated_at: "date" } as const;

/** Stacks of campaigns that are not in the bin: of all, or of one. */
export async function listStacks(db: Db, projectId: string, query: ListQuery) {
  const { campaign_id, now } = query;
  const where = db`
    ${whereOf(db, query, { fields: FIELDS, now })}
    and ${campaign_id === undefined ? db`true` : db`campaign_id = ${campaign_id}`}
    and campaign_id in (select id from campaigns where project_id = ${projectId} and deleted_at is null)`;
  const [rows, counts] = await Promise.all([
    db<PromotionStackRow[]>`
      select * from promotion_stacks where project_id = ${projectId} and ${where} ${pageSql(db, query, SORTABLE)}`,
    db<{ total: number }[]>`
      select count(*) as total from promotion_stacks where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** A stack of a campaign, which the caller has found or locked. */
export async function getStack(db: Db, projectId: string, campaignId: string, id: string): Promise<PromotionStackRow> {
  const row = await promotionStacks.get(db, projectId, id);
  if (row.campaign_id !== campaignId) throw notFound("promotion_stack", id);
  return row;
}

/** The stacks that name a tier. Whoever calls it has locked the campaign, so none appears meanwhile. */
export async function stacksNaming(tx: Tx, projectId: string, tier: { id: string; campaign_id: string }) {
  const rows = await tx<{ id: string }[]>`
    select id from promotion_stacks
    where project_id = ${projectId} and campaign_id = ${tier.campaign_id} and tiers->'ids' ? ${tier.id} order by id`;
  return rows.map(({ id }) => id);
}
