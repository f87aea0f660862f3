import type { Tx } from "./db.ts";

/**
 * Reserves so many moments of a project, a microsecond apart and not before `now`, and returns the first of them. The table holds
 * the last one that was given. Who needs many takes them in a transaction of its own: others wait for the row until it ends.
 */
export async function takeMoments(
  tx: Tx,
  table: "redeemable_stamps" | "customer_stamps",
  projectId: string,
  { now, count }: { now: string; count: number },
): Promise<string> {
  // In UTC a moment and an interval have one sum, whatever the session's zone: some databases take no other here.
  const [row] = await tx<{ first_at: string }[]>`
    insert into ${tx(table)} as s (project_id, last_at)
    values (${projectId}, ${now}::timestamptz + ${count - 1}::bigint * interval '1 microsecond')
    on conflict (project_id) do update set last_at = greatest(excluded.last_at,
      (s.last_at at time zone 'UTC' + ${count}::bigint * interval '1 microsecond') at time zone 'UTC')
    returning (last_at at time zone 'UTC' - ${count - 1}::bigint * interval '1 microsecond') at time zone 'UTC' as first_at`;
  return row!.first_at;
}
