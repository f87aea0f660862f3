import { failedIn, LOOKED_AT } from "../../../core/webhooks/failing.ts";
import type { Db } from "../../../db/db.ts";
import type { FailingWebhook } from "./schema.ts";

type Health = {
  id: string;
  target_url: string;
  active: boolean;
  /** When Laurel itself made the last change: it is the only one that it makes. */
  switched_off_at: string | null;
  newest: { status: string; attempts: number }[];
};

/** The webhooks of a project whose deliveries do not arrive, or did not until they were switched off. */
export async function loadFailing(db: Db, projectId: string): Promise<FailingWebhook[]> {
  const rows = await db<Health[]>`
    select w.id, w.target_url, w.active, coalesce(d.newest, '[]') as newest,
      case when not w.active and last.actor_type = 'engine' then last.created_at end as switched_off_at
    from webhooks w
    left join lateral (
      select jsonb_agg(jsonb_build_object('status', n.status, 'attempts', n.attempts)
        order by n.created_at desc, n.id desc) as newest
      from (
        select id, status, attempts, created_at from webhook_deliveries
        where project_id = ${projectId} and webhook_id = w.id
        order by created_at desc, id desc limit ${LOOKED_AT}) n) d on true
    left join lateral (
      select actor_type, created_at from audit_log
      where project_id = ${projectId} and kind = 'webhook' and object_id = w.id
      order by number desc limit 1) last on true
    where w.project_id = ${projectId} order by w.created_at, w.id`;
  return rows.flatMap(({ newest, active, ...webhook }) => {
    const failed = failedIn(newest);
    if (webhook.switched_off_at === null && (!active || failed === 0)) return [];
    const reason = active ? ("FAILING" as const) : ("SWITCHED_OFF" as const);
    return [{ ...webhook, reason, failed, deliveries: newest.length, object: "failing_webhook" as const }];
  });
}
