import type { Pool } from "../../src/db/db.ts";
import { unfolded } from "../../src/db/unfolded.ts";

/** What happened in a project, oldest first: every event, also where a row holds several. */
export const eventsOf = async (db: Pool, projectId: string): Promise<any[]> => [
  ...(await db`
    select id, kind, customer_id, voucher_id, campaign_id, payload, created_at, group_id
    from ${unfolded(db, db`r.project_id = ${projectId}`)} as e order by row_id, place`),
];

export const kindsOf = async (db: Pool, projectId: string): Promise<string[]> =>
  (await eventsOf(db, projectId)).map(({ kind }) => kind);
