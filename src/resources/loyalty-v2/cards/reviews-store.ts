import type { Tx } from "../../../db/db.ts";
import { tenantOf } from "../../../db/records.ts";

/** Cards whose tier has to be looked at: those of a member, or of a whole program from one of them on. */
export type Review = { id: string; program_id: string; member_id: string | null; after_card_id: string };
/** Who asks for a look, and when: the tier is looked at as of that moment. */
type Asking = { db: Tx; project: { id: string }; now: string };

/** Asks for all cards of programs to be looked at. */
export async function reviewPrograms({ db, project, now }: Asking, programIds: readonly string[]): Promise<void> {
  if (programIds.length === 0) return;
  await db`
    insert into loyalty_reviews (project_id, program_id, asked_at)
    select p.project_id, x.id, ${now}
    from ${tenantOf(db, project.id)} cross join unnest(${programIds}::text[]) as x (id)`;
}

/** Asks for the cards of customers to be looked at who entered or left segments that tiers ask for, each at a moment. */
export async function reviewSegmentTiers(
  tx: Tx,
  projectId: string,
  moved: readonly { segment_id: string; customer_id: string; at: string }[],
): Promise<void> {
  if (moved.length === 0) return;
  await tx`
    insert into loyalty_reviews (project_id, program_id, member_id, asked_at)
    select m.project_id, m.program_id, m.id, max(x.at)
    from unnest(${moved.map((one) => one.segment_id)}::text[], ${moved.map((one) => one.customer_id)}::text[],
      ${moved.map(({ at }) => at)}::timestamptz[]) as x (segment_id, customer_id, at)
    join loyalty_tiers t on t.project_id = ${projectId} and t.qualification_rules->'segment'->>'id' = x.segment_id
    join loyalty_assignments a on a.project_id = ${projectId} and a.component_id = t.tier_structure_id
    join loyalty_members m on m.project_id = ${projectId} and m.program_id = a.program_id
      and m.customer_id = x.customer_id and m.status <> 'DELETED'
    group by m.project_id, m.program_id, m.id`;
}

/** Takes some of what is to be looked at by now. Whoever asks for more meanwhile adds rows, and waits for nobody. */
export const takeReviews = (tx: Tx, projectId: string, { now, limit }: { now: string; limit: number }) =>
  tx<Review[]>`
    select id, program_id, member_id, after_card_id from loyalty_reviews
    where project_id = ${projectId} and asked_at <= ${now}
    order by asked_at, id limit ${limit} for no key update skip locked`;

/** The first moment as of which something is to be looked at; null: nothing is. */
export async function firstReviewAt(tx: Tx, projectId: string): Promise<string | null> {
  const [row] = await tx<[{ at: string | null }]>`
    select min(asked_at) as at from loyalty_reviews where project_id = ${projectId}`;
  return row.at;
}

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
