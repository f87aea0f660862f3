import type { Tx } from "../../db/db.ts";

/** Cards whose tier has to be looked at: those of a member, or of a whole program from one of them on. */
export type Review = { id: string; program_id: string; member_id: string | null; after_card_id: string };

/** Asks for all cards of programs to be looked at. */
export async function reviewPrograms(tx: Tx, projectId: string, programIds: readonly string[]): Promise<void> {
  if (programIds.length === 0) return;
  await tx`
    insert into loyalty_reviews (project_id, program_id)
    select ${projectId}, id from unnest(${programIds}::text[]) as x (id)`;
}

/** Asks for the cards of customers to be looked at who entered or left segments that tiers ask for. */
export async function reviewSegmentTiers(
  tx: Tx,
  projectId: string,
  { segmentIds, customerIds }: { segmentIds: readonly string[]; customerIds: readonly string[] },
): Promise<void> {
  if (segmentIds.length === 0) return;
  await tx`
    insert into loyalty_reviews (project_id, program_id, member_id)
    select distinct m.project_id, m.program_id, m.id
    from loyalty_tiers t
    join loyalty_assignments a on a.project_id = ${projectId} and a.component_id = t.tier_structure_id
    join loyalty_members m on m.project_id = ${projectId} and m.program_id = a.program_id
      and m.customer_id = any(${customerIds}) and m.status <> 'DELETED'
    where t.project_id = ${projectId} and t.qualification_rules->'segment'->>'id' = any(${segmentIds})`;
}

/** Takes some of what is to be looked at. Whoever asks for more meanwhile adds rows, and waits for nobody. */
export const takeReviews = (tx: Tx, projectId: string, limit: number): PromiseLike<Review[]> =>
  tx<Review[]>`
    select id, program_id, member_id, after_card_id from loyalty_reviews where project_id = ${projectId}
    order by id limit ${limit} for no key update skip locked`;

/** The next cards of a program. */
export async function nextCardIds(
  tx: Tx,
  projectId: string,
  { program_id, after_card_id, limit }: Pick<Review, "program_id" | "after_card_id"> & { limit: number },
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from loyalty_cards
    where project_id = ${projectId} and program_id = ${program_id} and id > ${after_card_id} and deleted_at is null
    order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}

export const moveReview = (tx: Tx, projectId: string, { id, after_card_id }: Pick<Review, "id" | "after_card_id">) =>
  tx`update loyalty_reviews set after_card_id = ${after_card_id} where project_id = ${projectId} and id = ${id}`;

export const dropReviews = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx`delete from loyalty_reviews where project_id = ${projectId} and id = any(${ids})`;
