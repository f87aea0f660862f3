import type { Pool } from "../../src/db/db.ts";
import { unfolded } from "../../src/db/unfolded.ts";
import { until } from "./storage.ts";

/** What happened in a project, oldest first: every event, also where a row holds several. */
export const eventsOf = async (db: Pool, projectId: string): Promise<any[]> => [
  ...(await db`
    select id, kind, customer_id, voucher_id, campaign_id, payload, created_at, group_id
    from ${unfolded(db, db`r.project_id = ${projectId}`)} as e order by row_id, place`),
];

export const kindsOf = async (db: Pool, projectId: string): Promise<string[]> =>
  (await eventsOf(db, projectId)).map(({ kind }) => kind);

/** Holds when the feed shows every event. Other files have transactions on the same server, and older ones hold it. */
export const allShown = (db: Pool, projectId: string): Promise<void> =>
  until("the transactions before the last event have ended", async () => {
    // Asked where transactions get their numbers, which need not be where the rows are.
    const [{ oldest }] = await db<[{ oldest: number }]>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest`;
    const [{ last }] = await db<[{ last: number }]>`
      select coalesce(max(transaction_id), 0) as last from events where project_id = ${projectId}`;
    return oldest > last;
  });
