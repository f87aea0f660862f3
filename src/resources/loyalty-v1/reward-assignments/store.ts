import { notFound } from "../../../core/errors.ts";
import type { AssignmentParameters } from "../../../core/loyalty/campaign/reward.ts";
import { crudStore, type Page, pageSql } from "../../../db/crud-store.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import type { RewardAssignment } from "./schema.ts";

export type RewardAssignmentRow = {
  project_id: string;
  id: string;
  reward_id: string;
  campaign_id: string;
  /** What it costs. Null: the customer says how many points to pay with. */
  parameters: AssignmentParameters | null;
  created_at: string;
  updated_at: string | null;
};

/** All, or those with these ids: what the catalog snapshot reads. Those of a binned campaign have no campaign there. */
export const loadRewardAssignments = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<RewardAssignmentRow[]>`
    select * from reward_assignments where project_id = ${projectId} and ${ids === null ? db`true` : db`id = any(${ids})`}`;

/** Whether a campaign, or one of these, has a reward that is redeemed without being asked for. */
export async function hasAutoAssignments(db: Db, projectId: string, campaignIds?: readonly string[]): Promise<boolean> {
  const [row] = await db<[{ has: boolean }]>`
    select exists (
      select 1 from reward_assignments where project_id = ${projectId}
        and ${campaignIds ? db`campaign_id = any(${campaignIds})` : db`true`}
        and parameters->'loyalty'->'auto_redeem' = 'true') as has`;
  return row.has;
}

const SORTABLE = ["created_at", "updated_at"];
const PAGE_LIMIT = 10;

export const rewardAssignments = crudStore<RewardAssignmentRow>({
  table: "reward_assignments",
  object: "reward_assignment",
  columns: ["project_id", "id", "reward_id", "campaign_id", "parameters", "created_at", "updated_at"],
  sortable: SORTABLE,
});

export const view = ({ id, reward_id, campaign_id, parameters, created_at, updated_at }: RewardAssignmentRow) =>
  ({
    id,
    reward_id,
    related_object_id: campaign_id,
    related_object_type: "campaign",
    ...(parameters && { parameters }),
    created_at,
    updated_at,
    object: "reward_assignment",
  }) satisfies RewardAssignment;

type Of = { reward_id: string } | { campaign_id: string };
const among = (db: Db, projectId: string, of: Of): Fragment => {
  const owner = "reward_id" in of ? db`reward_id = ${of.reward_id}` : db`campaign_id = ${of.campaign_id}`;
  return db`${owner} and ${isThere(db, projectId)}`;
};
/** Assignments of a campaign in the bin are hidden. */
const isThere = (db: Db, projectId: string): Fragment =>
  db`campaign_id in (select id from campaigns where project_id = ${projectId} and deleted_at is null)`;

/** The assignments of a reward or a campaign; with an id, at most that one. */
export async function listRewardAssignments(
  db: Db,
  projectId: string,
  of: Of,
  { id, ...query }: Page & { id?: string | undefined },
) {
  const where = db`${among(db, projectId, of)} and ${id === undefined ? db`true` : db`id = ${id}`}`;
  const page = pageSql(db, { limit: PAGE_LIMIT, ...query }, SORTABLE);
  const [rows, counts] = await Promise.all([
    db<RewardAssignmentRow[]>`
      select * from reward_assignments where project_id = ${projectId} and ${where} ${page}`,
    db<{ total: number }[]>`
      select count(*) as total from reward_assignments where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

export async function getRewardAssignment(db: Db, projectId: string, of: Of, id: string): Promise<RewardAssignmentRow> {
  const [row] = await db<RewardAssignmentRow[]>`
    select * from reward_assignments
    where project_id = ${projectId} and ${among(db, projectId, of)} and id = ${id}`;
  if (!row) throw notFound("reward_assignment", id);
  return row;
}

/** Nobody else changes or deletes it, or assigns rules to it, until the transaction ends. */
export async function lockRewardAssignment(tx: Tx, projectId: string, id: string): Promise<RewardAssignmentRow | null> {
  const [row] = await tx<RewardAssignmentRow[]>`
    select * from reward_assignments where project_id = ${projectId} and id = ${id} order by id for no key update`;
  return row ?? null;
}

/** The ids of those of a reward, in their order. */
export async function assignmentIdsOf(db: Db, projectId: string, rewardId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from reward_assignments where project_id = ${projectId} and reward_id = ${rewardId} order by id`;
  return rows.map(({ id }) => id);
}

/** The ids of those of a campaign. */
export async function assignmentIdsIn(db: Db, projectId: string, campaignId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from reward_assignments where project_id = ${projectId} and campaign_id = ${campaignId} order by id`;
  return rows.map(({ id }) => id);
}

/** Deletes the assignments of a reward to campaigns in the bin. */
export async function removeBinnedAssignments(tx: Tx, projectId: string, rewardId: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    delete from reward_assignments
    where project_id = ${projectId} and reward_id = ${rewardId} and not ${isThere(tx, projectId)} returning id`;
  return rows.map(({ id }) => id);
}
