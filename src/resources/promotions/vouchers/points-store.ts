import type { VoucherRow } from "../../../core/rows/voucher.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { type ConfiguredRow, lockedWithStates, type SavedSums, saveSums, vouchersOf } from "./state-store.ts";

/** What codes hold, in which tier they are, and when time alone changes them next. They are locked. */
export async function savePoints(
  tx: Tx,
  projectId: string,
  cards: readonly (SavedSums & Pick<VoucherRow, "due_at">)[],
): Promise<void> {
  if (cards.length === 0) return;
  await Promise.all([saveSums(tx, projectId, cards), saveCodesDue(tx, projectId, cards)]);
}

/**
 * Locks codes that time alone changes, those first that have waited longest. What somebody else holds is left out: it is
 * advanced there, or found again.
 */
export async function lockDueCodes(
  tx: Tx,
  projectId: string,
  { now, limit }: { now: string; limit: number },
): Promise<VoucherRow[]> {
  const rows = await tx<ConfiguredRow[]>`
    select * from vouchers where project_id = ${projectId} and due_at <= ${now} and deleted_at is null
    order by due_at, id limit ${limit} for no key update skip locked`;
  return lockedWithStates(tx, projectId, rows);
}

export async function countDueCodes(db: Db, projectId: string, now: string): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) from vouchers where project_id = ${projectId} and due_at <= ${now} and deleted_at is null`;
  return row.count;
}

export async function hasDueCodes(db: Db, projectId: string, now: string): Promise<boolean> {
  const [row] = await db<[{ has: boolean }]>`
    select exists (
      select 1 from vouchers where project_id = ${projectId} and due_at <= ${now} and deleted_at is null) as has`;
  return row.has;
}

/** When the first code is due; null: none ever is. */
export async function firstCodeDueAt(db: Db, projectId: string): Promise<string | null> {
  const [row] = await db<[{ at: string | null }]>`
    select min(due_at) as at from vouchers where project_id = ${projectId} and deleted_at is null`;
  return row.at;
}

/** Sets when codes are due next. They are locked. Most are due when they were: those rows stay as they are. */
export async function saveCodesDue(
  tx: Tx,
  projectId: string,
  codes: readonly { id: string; due_at: string | null }[],
): Promise<void> {
  if (codes.length === 0) return;
  await tx`
    update vouchers v set due_at = x.due_at
    from unnest(${codes.map(({ id }) => id)}::text[], ${codes.map(({ due_at }) => due_at)}::timestamptz[]) as x (id, due_at)
    where v.project_id = ${projectId} and v.id = x.id and v.due_at is distinct from x.due_at`;
}

/** The next codes of a campaign that somebody has, with points: what a review of its tiers goes through. */
export async function nextCodeIds(
  tx: Tx,
  projectId: string,
  { campaignId, after, limit }: { campaignId: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from ${vouchersOf(tx, projectId)} as v
    where campaign_id = ${campaignId} and id > ${after} and account is not null
      and type = 'LOYALTY_CARD' and deleted_at is null
    order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}
