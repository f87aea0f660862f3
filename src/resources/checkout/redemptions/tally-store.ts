import type { Db, Tx } from "../../../db/db.ts";

const BATCH = 5_000;

export type TallyKind = { object: string; result: string; campaign_id: string };

/** What there is more than one row of. */
export const loadScatteredTallies = (db: Db, projectId: string) =>
  db<TallyKind[]>`
    select object, result, campaign_id from redemption_tallies where project_id = ${projectId}
    group by object, result, campaign_id having count(*) > 1 order by object, result, campaign_id`;

/**
 * Makes one row of many; whether there may be more. Rows that somebody else adds together are left to them. Both
 * changes are seen at once, so a sum is never wrong.
 */
export async function addTalliesTogether(tx: Tx, projectId: string, kind: TallyKind): Promise<boolean> {
  const rows = await tx<{ id: string; count: number }[]>`
    select id, count from redemption_tallies
    where project_id = ${projectId} and object = ${kind.object} and result = ${kind.result}
      and campaign_id = ${kind.campaign_id}
    order by id limit ${BATCH} for no key update skip locked`;
  const [first, ...others] = rows;
  if (!first || others.length === 0) return false;
  const sum = others.reduce((all, { count }) => all + count, first.count);
  await tx`delete from redemption_tallies where project_id = ${projectId} and id = any(${others.map(({ id }) => id)})`;
  await tx`update redemption_tallies set count = ${sum} where project_id = ${projectId} and id = ${first.id}`;
  return rows.length === BATCH;
}
