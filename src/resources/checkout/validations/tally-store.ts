import type { Db, Tx } from "../../../db/db.ts";

const BATCH = 5_000;

export type ValidationTallyKind = { campaign_id: string; day: string };

/** What there is more than one row of. */
export const loadScatteredValidationTallies = (db: Db, projectId: string) =>
  db<ValidationTallyKind[]>`
    select campaign_id, day::text from validation_tallies where project_id = ${projectId}
    group by campaign_id, day having count(*) > 1 order by campaign_id, day`;

/** Makes one row of many; whether there may be more. Rows that somebody else adds together are left to them. */
export async function addValidationTalliesTogether(
  tx: Tx,
  projectId: string,
  { campaign_id, day }: ValidationTallyKind,
): Promise<boolean> {
  const rows = await tx<{ id: string; succeeded: number; failed: number }[]>`
    select id, succeeded, failed from validation_tallies
    where project_id = ${projectId} and campaign_id = ${campaign_id} and day = ${day}::text::date
    order by id limit ${BATCH} for no key update skip locked`;
  const [first, ...others] = rows;
  if (!first || others.length === 0) return false;
  const sum = (field: "succeeded" | "failed") => rows.reduce((all, row) => all + row[field], 0);
  await tx`delete from validation_tallies where project_id = ${projectId} and id = any(${others.map(({ id }) => id)})`;
  await tx`
    update validation_tallies set succeeded = ${sum("succeeded")}, failed = ${sum("failed")}
    where project_id = ${projectId} and id = ${first.id}`;
  return rows.length === BATCH;
}
