import { DEMO_LOADING } from "../core/projects/settings.ts";
import type { Pool } from "../db/db.ts";

/**
 * For how many seconds the work of each job that has a queue has been waiting, of what waits longest; 0: nothing waits. Work that is
 * done in turns waits since its last turn. It does not matter whether a job runs here or anywhere: this is seen where none does.
 */
export async function lagOfJobs(db: Pool, now: string): Promise<Record<string, number>> {
  const rows = await db<{ job: string; since: string | null }[]>`
    select 'run-async-actions' as job,
      min(coalesce(a.updated_at, a.created_at) - p.clock_offset_ms * interval '1 millisecond') as since
    from async_actions a join projects p on p.id = a.project_id
    where a.status in ('ENQUEUED', 'IN_PROGRESS') and p.deleted_at is null
    union all
    select 'run-exports', min(coalesce(e.updated_at, e.created_at) - p.clock_offset_ms * interval '1 millisecond')
    from exports e join projects p on p.id = e.project_id
    where e.status in ('SCHEDULED', 'IN_PROGRESS') and p.deleted_at is null
    union all
    -- The first of each webhook. First attempts are due since the epoch: they wait since their event.
    select 'send-webhooks', min(case when d.due_at > 'epoch' then d.due_at when d.attempts = 0 then d.created_at end)
    from webhooks w join projects p on p.id = w.project_id and p.deleted_at is null
      cross join lateral (
        select due_at, attempts, created_at from webhook_deliveries
        where project_id = w.project_id and webhook_id = w.id and due_at <= ${now}
        order by due_at, number limit 1) d
    where w.active
    union all
    select 'advance-cards', min(due.due_at - p.clock_offset_ms * interval '1 millisecond')
    from projects p cross join lateral (
      (select due_at from loyalty_cards
        where project_id = p.id and due_at <= ${now}::timestamptz + p.clock_offset_ms * interval '1 millisecond'
        order by due_at limit 1)
      union all
      (select due_at from vouchers
        where project_id = p.id and deleted_at is null
          and due_at <= ${now}::timestamptz + p.clock_offset_ms * interval '1 millisecond'
        order by due_at limit 1)) due
    where p.deleted_at is null and not ${DEMO_LOADING} = any(p.features)`;
  const secondsSince = (since: string | null) =>
    since === null ? 0 : Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000);
  return Object.fromEntries(rows.map(({ job, since }) => [job, secondsSince(since)]));
}
