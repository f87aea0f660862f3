import type { Promised, ValidationRow, ValidationTally } from "../../../core/rows/validation.ts";
import type { Db } from "../../../db/db.ts";
import { tenantOf, textsOf } from "../../../db/records.ts";
import { together } from "../../../db/together.ts";

/** By their ids: stored again, they are what they were, and are not counted again. So they are counted before they are stored. */
export async function insertValidations(
  tx: Db,
  projectId: string,
  { rows, tallies }: { rows: readonly ValidationRow[]; tallies: readonly ValidationTally[] },
): Promise<void> {
  if (rows.length === 0) return;
  const promises = rows.map(({ promise }) => JSON.stringify(promise));
  const counted =
    tallies.length === 0
      ? Promise.resolve()
      : tx`
        insert into validation_tallies (project_id, id, campaign_id, day, succeeded, failed)
        select p.project_id, min(x.validation_id) || ' ' || x.campaign_id || ' ' || x.day, x.campaign_id, x.day,
          sum(x.succeeded), sum(x.failed)
        from ${tenantOf(tx, projectId)} cross join unnest(
          ${tallies.map((t) => t.validation_id)}::text[], ${tallies.map((t) => t.campaign_id)}::text[],
          ${tallies.map((t) => t.day)}::text[]::date[], ${tallies.map((t) => t.succeeded)}::int[],
          ${tallies.map((t) => t.failed)}::int[]) as x (validation_id, campaign_id, day, succeeded, failed)
        where not exists (select 1 from validations v where v.project_id = ${projectId} and v.id = x.validation_id)
        group by p.project_id, x.campaign_id, x.day`.execute();
  const stored = tx`
    insert into validations (project_id, id, customer_id, tracking_id, valid, group_id, campaign_id, created_at, promise)
    select p.project_id, x.id, x.customer_id, x.tracking_id, x.valid, x.group_id, x.campaign_id, x.created_at, x.promise::json
    from ${tenantOf(tx, projectId)} cross join rows from (
      json_to_recordset(${JSON.stringify(rows.map(({ promise, ...row }) => row))}::text::json) as (id text, customer_id text,
        tracking_id text, valid boolean, group_id text, campaign_id text, created_at timestamptz),
      ${textsOf(tx, promises)})
      as x (id, customer_id, tracking_id, valid, group_id, campaign_id, created_at, promise)
    on conflict (project_id, id) do nothing`.execute();
  await together([counted, stored]);
}

/** What these validations promised. */
export const loadPromises = (db: Db, projectId: string, ids: readonly string[]) =>
  db<Promised[]>`select id, valid, promise from validations where project_id = ${projectId} and id = any(${ids})`;
