import type { CampaignRewardRow, CatalogReward } from "../../../core/rows/campaign.ts";
import { crudStore, pageSql } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { updateEach } from "../../../db/each-row.ts";
import type { CampaignReward, CampaignRewardQuery } from "./schema.ts";

const CONFIGURED = [
  "project_id",
  "id",
  "name",
  "type",
  "parameters",
  "attributes",
  "metadata",
  "created_at",
  "updated_at",
];

const SORTABLE = ["created_at", "updated_at", "name"];
const PAGE_LIMIT = 10;

export const campaignRewards = crudStore<CampaignRewardRow>({
  table: "rewards",
  object: "reward",
  columns: [...CONFIGURED, "stock"],
  sortable: SORTABLE,
});

export const view = ({ project_id: _, ...row }: CampaignRewardRow): CampaignReward => ({ ...row, object: "reward" });

/** All, or that of an assignment. */
export async function listRewards(db: Db, projectId: string, { assignment_id, ...query }: CampaignRewardQuery) {
  const where =
    assignment_id === undefined
      ? db`true`
      : db`id in (select reward_id from reward_assignments where project_id = ${projectId} and id = ${assignment_id})`;
  const page = pageSql(db, { limit: PAGE_LIMIT, ...query }, SORTABLE);
  const [rows, counts] = await Promise.all([
    db<CampaignRewardRow[]>`select * from rewards where project_id = ${projectId} and ${where} ${page}`,
    db<{ total: number }[]>`select count(*) as total from rewards where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** What the catalog snapshot reads: without what changes with every redemption. */
export const loadRewards = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<CatalogReward[]>`
    select ${db(CONFIGURED)} from rewards
    where project_id = ${projectId} and ${ids === null ? db`true` : db`id = any(${ids})`}`;

/** Locks rewards, with what is left of them. Stock is the last kind that is locked. */
export const lockRewards = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx<CampaignRewardRow[]>`
    select * from rewards where project_id = ${projectId} and id = any(${ids}) order by id for no key update`.execute();

/**
 * Counts so many of each as redeemed, and takes them from what is left. With a negative number they come back. Each
 * reward once, sorted by id or locked before. Where there is not enough, or one is gone, the transaction fails.
 */
export async function takeRewardStock(
  tx: Tx,
  projectId: string,
  taken: readonly { id: string; by: number }[],
): Promise<void> {
  if (taken.length === 0) return;
  const update = tx`
    update rewards r set stock = (r.stock - x.by) / (case when r.stock is null or r.stock >= x.by then 1 else 0 end),
      redeemed = greatest(r.redeemed + x.by, 0)
    from unnest(${taken.map(({ id }) => id)}::text[], ${taken.map(({ by }) => by)}::bigint[]) as x (id, by)
    where r.project_id = ${projectId} and r.id = x.id`;
  await updateEach(tx, projectId, taken.length, update);
}
