import type { Promised, ValidationRow, ValidationTally } from "../../../core/rows/validation.ts";
import type { Db } from "../../../db/db.ts";
import { textsOf } from "../../../db/records.ts";

/** By their ids: stored again, they are what they were, and are not counted again. */
export async function insertValidations(
  db: Db,
  projectId: string,
  { rows, tallies }: { rows: readonly ValidationRow[]; tallies: readonly ValidationTally[] },
): Promise<void> {
  if (rows.length === 0) return;
  const promises = rows.map(({ promise }) => JSON.stringify(promise));
  await db`
    with stored as (
      insert into validations (project_id, id, customer_id, tracking_id, valid, group_id, campaign_id, created_at, promise)
      select ${projectId}, x.id, x.customer_id, x.tracking_id, x.valid, x.group_id, x.campaign_id, x.created_at, x.promise::json
      from rows from (
        json_to_recordset(${JSON.stringify(rows.map(({ promise, ...row }) => row))}::text::json) as (id text, customer_id text,
          tracking_id text, valid boolean, group_id text, campaign_id text, created_at timestamptz),
        ${textsOf(db, promises)})
        as x (id, customer_id, tracking_id, valid, group_id, campaign_id, created_at, promise)
      on conflict (project_id, id) do nothing returning id)
    insert into validation_tallies (project_id, id, campaign_id, day, succeeded, failed)
    select ${projectId}, min(s.id) || ' ' || x.campaign_id || ' ' || x.day, x.campaign_id, x.day,
      sum(x.succeeded), sum(x.failed)
    from unnest(${tallies.map((t) => t.validation_id)}::text[], ${tallies.map((t) => t.campaign_id)}::text[],
      ${tallies.map((t) => t.day)}::text[]::date[], ${tallies.map((t) => t.succeeded)}::int[],
      ${tallies.map((t) => t.failed)}::int[]) as x (validation_id, campaign_id, day, succeeded, failed)
    join stored s on s.id = x.validation_id group by x.campaign_id, x.day`;
}

/** What these validations promised. */
export const loadPromises = (db: Db, projectId: string, ids: readonly string[]) =>
  db<Promised[]>`select id, valid, promise from validations where project_id = ${projectId} and id = any(${ids})`;
