import type { CounterKey, CounterRow, CounterValues } from "../../../core/rows/counter.ts";
import { StartOver } from "../../../db/batches/commit.ts";
import { type Db, type Fragment, type IdList, isGuarded, type Tx } from "../../../db/db.ts";
import { updateEach } from "../../../db/each-row.ts";
import { tenantOf } from "../../../db/records.ts";

const columns = (db: Db) => db`
  subject_kind, subject_id, period_kind, period_start::text, redemptions, order_amount, discount_amount, gift_amount`;

/** The counters of these subjects in all time and in the periods that begin on one of these days. */
export const loadCounters = (
  db: Db,
  projectId: string,
  { subjectIds, starts }: { subjectIds: IdList; starts: readonly string[] },
) => db<CounterRow[]>`
  select ${columns(db)} from counters
  where project_id = ${projectId} and subject_kind in ('campaign', 'promotion_tier', 'api_key')
    and subject_id = any(${subjectIds}) and period_start = any(${starts}::text[]::date[])`;

/** The counters that exist, without a lock. */
export const loadKeys = (db: Db, projectId: string, keys: readonly CounterKey[]): PromiseLike<CounterRow[]> => {
  const of = (field: "subject_id" | "period_start") => [...new Set(keys.map((key) => key[field]))];
  return keys.length > 0
    ? loadCounters(db, projectId, { subjectIds: of("subject_id"), starts: of("period_start") })
    : Promise.resolve([]);
};

/** Locks the counters, in order. What is not there cannot be locked, so it is made first. */
export async function lockCounters(tx: Tx, projectId: string, keys: readonly CounterKey[]): Promise<CounterRow[]> {
  if (keys.length === 0) return [];
  const made = tx`
    insert into counters (project_id, subject_kind, subject_id, period_kind, period_start)
    select distinct p.project_id, x.subject_kind, x.subject_id, x.period_kind, x.period_start
    from ${tenantOf(tx, projectId)} cross join unnest(${keys.map((k) => k.subject_kind as string)}::text[], ${keys.map((k) => k.subject_id)}::text[],
      ${keys.map((k) => k.period_kind as string)}::text[], ${keys.map((k) => k.period_start)}::text[]::date[])
      as x (subject_kind, subject_id, period_kind, period_start)
    order by 2, 3, 4, 5
    on conflict do nothing`.execute();
  const of = (field: "subject_id" | "period_start") => [...new Set(keys.map((key) => key[field]))];
  const locked = tx<CounterRow[]>`
    select ${columns(tx)} from counters
    where project_id = ${projectId} and subject_kind in ('campaign', 'promotion_tier', 'api_key')
      and subject_id = any(${of("subject_id")}) and period_start = any(${of("period_start")}::text[]::date[])
    order by subject_kind, subject_id, period_kind, period_start for no key update`.execute();
  return (await Promise.all([locked, made]))[0];
}

/** Locks the counters of campaigns that are there, in all time and in the periods that begin on these days. */
export const lockCampaignCounters = (tx: Tx, projectId: string, of: Record<"campaigns" | "days", Fragment>) =>
  tx<CounterRow[]>`
    select ${columns(tx)} from counters
    where project_id = ${projectId} and subject_kind = 'campaign' and subject_id = any(${of.campaigns})
      and period_start = any(${of.days} || date '1970-01-01')
    order by subject_kind, subject_id, period_kind, period_start for no key update`.execute();

/**
 * Adds to counters that decided nothing, and so were not locked: those that are not there are made. The last statement of
 * a transaction, so that others wait for its COMMIT only. When one of them would pass what can be counted, the transaction
 * fails: the number is divided by zero.
 */
export async function countLast(tx: Tx, projectId: string, rows: readonly CounterRow[]): Promise<void> {
  if (rows.length === 0) return;
  const of = (field: keyof CounterValues) => rows.map((row) => row[field]);
  await tx`
    insert into counters as c (project_id, subject_kind, subject_id, period_kind, period_start, redemptions, order_amount,
      discount_amount, gift_amount)
    select p.project_id, x.subject_kind, x.subject_id, x.period_kind, x.period_start, x.redemptions,
      x.order_amount, x.discount_amount, x.gift_amount
    from ${tenantOf(tx, projectId)} cross join unnest(${rows.map((r) => r.subject_kind as string)}::text[], ${rows.map((r) => r.subject_id)}::text[],
      ${rows.map((r) => r.period_kind as string)}::text[], ${rows.map((r) => r.period_start)}::text[]::date[],
      ${of("redemptions")}::bigint[], ${of("order_amount")}::bigint[], ${of("discount_amount")}::bigint[],
      ${of("gift_amount")}::bigint[])
      as x (subject_kind, subject_id, period_kind, period_start, redemptions, order_amount, discount_amount, gift_amount)
    order by 2, 3, 4, 5
    on conflict (project_id, subject_kind, subject_id, period_kind, period_start) do update
      set order_amount = c.order_amount + excluded.order_amount,
        discount_amount = c.discount_amount + excluded.discount_amount,
        gift_amount = c.gift_amount + excluded.gift_amount,
        redemptions = c.redemptions + excluded.redemptions / (case when greatest(c.redemptions + excluded.redemptions,
          c.order_amount + excluded.order_amount, c.discount_amount + excluded.discount_amount,
          c.gift_amount + excluded.gift_amount) <= ${Number.MAX_SAFE_INTEGER} then 1 else 0 end)`.catch((error) => {
    throw isGuarded(error) ? new StartOver("more was counted meanwhile than can be counted") : error;
  });
}

/** Adds to counters that are locked; a rollback adds what is negative. Where one is gone, the transaction fails. */
export async function addToCounters(tx: Tx, projectId: string, rows: readonly CounterRow[]): Promise<void> {
  if (rows.length === 0) return;
  const of = (field: keyof CounterValues) => rows.map((row) => row[field]);
  const update = tx`
    update counters c set redemptions = c.redemptions + x.redemptions, order_amount = c.order_amount + x.order_amount,
      discount_amount = c.discount_amount + x.discount_amount, gift_amount = c.gift_amount + x.gift_amount
    from unnest(${rows.map((r) => r.subject_kind as string)}::text[], ${rows.map((r) => r.subject_id)}::text[],
      ${rows.map((r) => r.period_kind as string)}::text[], ${rows.map((r) => r.period_start)}::text[]::date[],
      ${of("redemptions")}::bigint[], ${of("order_amount")}::bigint[], ${of("discount_amount")}::bigint[],
      ${of("gift_amount")}::bigint[])
      as x (subject_kind, subject_id, period_kind, period_start, redemptions, order_amount, discount_amount, gift_amount)
    where c.project_id = ${projectId} and c.subject_kind = x.subject_kind and c.subject_id = x.subject_id
      and c.period_kind = x.period_kind and c.period_start = x.period_start`;
  await updateEach(tx, projectId, rows.length, update);
}
