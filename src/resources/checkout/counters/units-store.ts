import type { UnitsRow } from "../../../core/rows/counter.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { tenantOf } from "../../../db/records.ts";

type Wanted = { subjectIds: readonly string[]; customerIds: readonly string[]; names: readonly string[] };

/**
 * The units of these subjects and customers. They have no locks of their own: whoever adds to them holds the counters of
 * the campaign or the tier, or the row of a code that stands alone.
 */
export const loadUnits = (db: Db, projectId: string, { subjectIds, customerIds, names }: Wanted) =>
  db<UnitsRow[]>`
    select u.subject_id, u.customer_id, u.name, u.units from unnest(${names}::text[]) as x (name)
      join unit_counters u on u.project_id = ${projectId} and u.subject_id = any(${subjectIds})
        and u.customer_id = any(${customerIds}) and u.name = x.name`;

const unnestedUnits = (tx: Tx, rows: readonly UnitsRow[]) => tx`
  unnest(${rows.map((r) => r.subject_id)}::text[], ${rows.map((r) => r.customer_id)}::text[],
    ${rows.map((r) => r.name)}::text[], ${rows.map((r) => r.units)}::bigint[]) as x (subject_id, customer_id, name, units)`;

/** Adds units; each subject, customer and name comes once. */
export async function addUnits(tx: Tx, projectId: string, rows: readonly UnitsRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    insert into unit_counters (project_id, subject_id, customer_id, name, units)
    select p.project_id, x.subject_id, x.customer_id, x.name, x.units
    from ${tenantOf(tx, projectId)} cross join ${unnestedUnits(tx, rows)} order by 2, 3, 4
    on conflict (project_id, subject_id, customer_id, name) do update set units = unit_counters.units + excluded.units`;
}

/** Takes units back that were added before. What a customer used is gone once the customer was erased. */
export async function takeBackUnits(tx: Tx, projectId: string, rows: readonly UnitsRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    update unit_counters u set units = u.units - x.units from ${unnestedUnits(tx, rows)}
    where u.project_id = ${projectId} and u.subject_id = x.subject_id and u.customer_id = x.customer_id
      and u.name = x.name`;
}
