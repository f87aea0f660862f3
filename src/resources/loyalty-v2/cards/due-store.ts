import type { Db, Tx } from "../../../db/db.ts";

/**
 * Locks cards that time alone changes, those first that have waited longest, and returns their ids. What somebody else
 * holds is left out: it is advanced there, or found again. So whoever sweeps waits for nobody, and may take any order.
 */
export async function lockDueCards(
  tx: Tx,
  projectId: string,
  { now, limit }: { now: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from loyalty_cards where project_id = ${projectId} and due_at <= ${now}
    order by due_at, id limit ${limit} for no key update skip locked`;
  return rows.map(({ id }) => id);
}

export async function countDueCards(db: Db, projectId: string, now: string): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) from loyalty_cards where project_id = ${projectId} and due_at <= ${now}`;
  return row.count;
}

export async function hasDueCards(db: Db, projectId: string, now: string): Promise<boolean> {
  const [row] = await db<[{ has: boolean }]>`
    select exists (select 1 from loyalty_cards where project_id = ${projectId} and due_at <= ${now}) as has`;
  return row.has;
}

/** When the first card is due; null: none ever is. */
export async function firstCardDueAt(db: Db, projectId: string): Promise<string | null> {
  const [row] = await db<[{ at: string | null }]>`
    select min(due_at) as at from loyalty_cards where project_id = ${projectId}`;
  return row.at;
}

/** Sets when cards are due next. They are locked. */
export async function saveDue(
  tx: Tx,
  projectId: string,
  cards: readonly { id: string; due_at: string | null }[],
): Promise<void> {
  if (cards.length === 0) return;
  await tx`
    update loyalty_cards c set due_at = x.due_at
    from unnest(${cards.map(({ id }) => id)}::text[], ${cards.map(({ due_at }) => due_at)}::timestamptz[]) as x (id, due_at)
    where c.project_id = ${projectId} and c.id = x.id`;
}
