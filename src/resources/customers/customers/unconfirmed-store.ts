import type { Db } from "../../../db/db.ts";
import { tenantOf } from "../../../db/records.ts";

/** A visitor who is known by a tracking id only. */
export type Unconfirmed = { id: string; tracking_id: string; created_at: string };

/** A visitor who is stored already stays so. Inserted in one order, so that two batches never wait for each other. */
export async function rememberUnconfirmed(db: Db, projectId: string, some: readonly Unconfirmed[]): Promise<void> {
  if (some.length === 0) return;
  await db`
    insert into unconfirmed_customers (project_id, id, tracking_id, created_at)
    select p.project_id, x.id, x.tracking_id, x.created_at
    from ${tenantOf(db, projectId)} cross join unnest(${some.map((one) => one.id)}::text[], ${some.map((one) => one.tracking_id)}::text[],
      ${some.map((one) => one.created_at)}::timestamptz[]) with ordinality as x (id, tracking_id, created_at, n)
    order by tracking_id, n on conflict (project_id, tracking_id) do nothing`;
}
