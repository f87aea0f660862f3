import { SUMS } from "../../../core/rollups/metrics.ts";
import { type CountedEntry, type CountedRedemption, type CustomerDay, rollUp } from "../../../core/rollups/roll-up.ts";
import type { RollupZone } from "../../../core/rollups/zone.ts";
import { loadsOf } from "../../../core/rules/loads.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import { insertOf, tenantOf } from "../../../db/records.ts";
import { comingRedemptions, countedEntries, countedRedemptions, toldRedemptions } from "../../../db/rollups/counted.ts";

/** So many rows are counted in one transaction, unless a single one has written more. */
const BATCH = 10_000;

export type RollupPosition = RollupZone & {
  cluster: string;
  /** The follower's place in the feed of events; null: it has not begun. */
  transaction_id: string | null;
  is_cleared: boolean;
  /** Whether all that was there before it began is counted. */
  is_whole: boolean;
};
/** Where the feed ends: all transactions with a lower number have ended. */
export type FeedEnd = { cluster: string; oldest: bigint };

export async function feedEnd(db: Db): Promise<FeedEnd> {
  const [row] = await db<[{ cluster: string; oldest: string }]>`
    select to_hex((select system_identifier from pg_control_system())) as cluster,
      pg_snapshot_xmin(pg_current_snapshot())::text as oldest`;
  return { cluster: row.cluster, oldest: BigInt(row.oldest) };
}

/** Locks how far a project is counted; null: somebody else counts it, or it has no position. */
export async function lockPosition(tx: Tx, projectId: string): Promise<RollupPosition | null> {
  const [row] = await tx<RollupPosition[]>`
    select zone, zone_minutes, cluster, transaction_id::text, is_cleared,
      is_cleared and redemptions_from = '-infinity' and entries_from = '' as is_whole
    from rollup_positions where project_id = ${projectId} order by project_id for no key update skip locked`;
  return row ?? null;
}

/** Begins to count a project, or begins again: what was counted goes first. */
export const startPosition = (
  tx: Tx,
  projectId: string,
  { zone, zone_minutes }: RollupZone,
  { cluster, oldest }: FeedEnd,
) => tx`
  insert into rollup_positions (project_id, zone, zone_minutes, cluster, transaction_id)
  values (${projectId}, ${zone}, ${zone_minutes}, ${cluster}, ${`${oldest}`})
  on conflict (project_id) do update set zone = excluded.zone, zone_minutes = excluded.zone_minutes,
    cluster = excluded.cluster, transaction_id = excluded.transaction_id, is_cleared = false,
    redemptions_from = 'infinity', entries_from = '~'`;

const COUNTS = ["rollup_hours", "rollup_days", "rollup_customers"] as const;

/** Deletes some of what was counted. When nothing is left, counting can begin. */
export async function clearSome(tx: Tx, projectId: string): Promise<void> {
  for (const table of COUNTS) {
    const some = tx`select ctid from ${tx(table)} where project_id = ${projectId} limit ${BATCH}`;
    const { count } = await tx`
      delete from ${tx(table)} where project_id = ${projectId} and ctid = any(array(${some}))`;
    if (count > 0) return;
  }
  // Whoever waits is there to be counted backwards.
  await tx`delete from rollup_waiting where project_id = ${projectId}`;
  await tx`update rollup_positions set is_cleared = true where project_id = ${projectId}`;
}

/**
 * Counts what the transactions up to this number have written and what waits, and goes on behind them; "too many": look at fewer.
 * What is older than what is counted yet is left to `countBackwards`.
 */
export async function countForwards(
  tx: Tx,
  projectId: string,
  { from, until, mayRefuse }: { from: bigint; until: bigint; mayRefuse: boolean },
): Promise<number | "too many"> {
  const told = await tx<{ id: string }[]>`
    select redemption_id as id from ${toldRedemptions(
      tx,
      tx`r.project_id = ${projectId} and r.transaction_id >= ${`${from}`} and r.transaction_id < ${`${until}`}`,
    )} as told limit ${mayRefuse ? BATCH + 1 : null}`;
  const entries = await tx<{ id: string }[]>`
    select e.id from ledger_entries e where e.project_id = ${projectId} and e.is_points
      and e.transaction_id >= ${`${from}`} and e.transaction_id < ${`${until}`} limit ${mayRefuse ? BATCH + 1 : null}`;
  if (mayRefuse && Math.max(told.length, entries.length) > BATCH) return "too many";
  const waiting = await tx<{ id: string }[]>`
    delete from rollup_waiting where project_id = ${projectId} returning redemption_id as id`;
  const ids = [...new Set([...told, ...waiting].map(({ id }) => id))];
  if (ids.length > 0) await recordSegments(tx, projectId, ids);
  await count(tx, projectId, {
    redemptions: tx`r.project_id = ${projectId} and r.id = any(${ids}) and r.created_at >= p.redemptions_from`,
    entries: tx`e.project_id = ${projectId} and e.id = any(${entries.map(({ id }) => id)}) and e.id >= p.entries_from`,
  });
  await tx`update rollup_positions set transaction_id = ${`${until}`} where project_id = ${projectId}`;
  return ids.length + entries.length;
}

/**
 * Counts some of what was there before, the newest first. What the follower has still to come to is left out, so each row is counted
 * once.
 */
export async function countBackwards(tx: Tx, projectId: string): Promise<void> {
  const [to] = await tx<[{ redemptions_from: string; entries_from: string }]>`
    select coalesce((
        select r.created_at from redemptions r where r.project_id = ${projectId} and r.created_at < p.redemptions_from
        order by r.created_at desc, r.id desc offset ${BATCH - 1} limit 1), '-infinity')::text as redemptions_from,
      coalesce((
        select e.id from ledger_entries e where e.project_id = ${projectId} and e.id < p.entries_from
        order by e.id desc offset ${BATCH - 1} limit 1), '') as entries_from
    from rollup_positions p where p.project_id = ${projectId}`;
  await count(tx, projectId, {
    redemptions: tx`r.project_id = ${projectId} and r.created_at >= ${to.redemptions_from}::text::timestamptz
      and r.created_at < p.redemptions_from
      and not r.id = any(array(select c.redemption_id from ${comingNow(tx, projectId)} as c))`,
    entries: tx`e.project_id = ${projectId} and e.id >= ${to.entries_from} and e.id < p.entries_from
      and (e.transaction_id is null or e.transaction_id < p.transaction_id)`,
  });
  await tx`
    update rollup_positions set redemptions_from = ${to.redemptions_from}::text::timestamptz, entries_from = ${to.entries_from}
    where project_id = ${projectId}`;
}

/** What the follower of a project has still to come to. */
const comingNow = (tx: Tx, projectId: string): Fragment =>
  comingRedemptions(
    tx,
    tx`r.project_id = ${projectId} and r.transaction_id >= (
      select q.transaction_id from rollup_positions q where q.project_id = ${projectId})`,
    tx`w.project_id = ${projectId}`,
  );

/** Adds the rows that the conditions find to the rollups. */
async function count(tx: Tx, projectId: string, rows: { redemptions: Fragment; entries: Fragment }): Promise<void> {
  const redemptions = await tx<CountedRedemption[]>`
    select id, result, hour, day::text, campaign_id, tier_id, voucher_id, channel, customer_id, segment_ids, stack,
      discount, gift_credits, points_spent, revenue
    from ${countedRedemptions(tx, rows.redemptions)} as c order by id`;
  const entries = await tx<CountedEntry[]>`
    select id, hour, day::text, campaign_id, metric, points from ${countedEntries(tx, rows.entries)} as c`;
  const { hours, days, customers } = rollUp(redemptions, entries);
  const fresh = await insertCustomers(tx, projectId, customers);
  if (hours.length > 0)
    await tx`insert into rollup_hours as t ${insertOf(tx, "rollup_hours", projectId, hours)}
      on conflict (project_id, subject, subject_id, hour) do update set ${added(tx, SUMS)}`;
  if (days.length > 0)
    await tx`insert into rollup_days as t ${insertOf(
      tx,
      "rollup_days",
      projectId,
      days.map((one) => ({ ...one, unique_customers: fresh.get(`${one.subject} ${one.subject_id} ${one.day}`) ?? 0 })),
    )} on conflict (project_id, subject, subject_id, day) do update set ${added(tx, [...SUMS, "unique_customers"])}`;
}

const added = (tx: Tx, columns: readonly string[]): Fragment =>
  columns.reduce<Fragment>(
    (sum, name, n) => tx`${sum}${n > 0 ? tx`,` : tx``} ${tx(name)} = t.${tx(name)} + excluded.${tx(name)}`,
    tx``,
  );

/** A day as a number: as a text it depends on settings, and a database that is spread over machines returns no such thing. */
const daysOf = (tx: Tx): Fragment => tx`day - date '1970-01-01' as days`;
const dayAfter = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

/** Notes who came, and says how many of them were not there yet, by the rollup that they count for. */
async function insertCustomers(
  tx: Tx,
  projectId: string,
  customers: readonly CustomerDay[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  if (customers.length === 0) return counts;
  const fresh = await tx<{ campaign_id: string; days: number }[]>`
    insert into rollup_customers (project_id, campaign_id, day, customer_id, is_sampled)
    select p.project_id, x.campaign_id, x.day, x.customer_id, get_byte(sha256(convert_to(x.customer_id, 'UTF8')), 0) < 4
    from ${tenantOf(tx, projectId)}
      cross join json_to_recordset(${JSON.stringify(customers)}::text::json) as x (campaign_id text, day date, customer_id text)
    on conflict do nothing returning campaign_id, ${daysOf(tx)}`;
  for (const { campaign_id, days } of fresh) {
    const day = dayAfter(days);
    const name = campaign_id === "" ? `project  ${day}` : `campaign ${campaign_id} ${day}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Notes the segments that customers are in who redeemed just now: those that rules in use name. */
async function recordSegments(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
  const rules = await tx<Parameters<typeof loadsOf>[0][]>`
    select rules, bundle_rules, applicable_to from validation_rules v
    where v.project_id = ${projectId} and v.rules::text like '%segment%' and exists (
      select from validation_rule_assignments a where a.project_id = ${projectId} and a.rule_id = v.id)`;
  const named = [...new Set(rules.flatMap((rule) => [...loadsOf(rule).segments]))];
  if (named.length === 0) return;
  await tx`
    insert into redemption_segments (project_id, redemption_id, segment_ids)
    select r.project_id, r.id, array_agg(m.segment_id order by m.segment_id)
    from redemptions r join segment_members m on m.project_id = ${projectId} and m.customer_id = r.customer_id
      and m.segment_id = any(${named})
    where r.project_id = ${projectId} and r.id = any(${ids}) and r.object = 'redemption' and r.result = 'SUCCESS'
    group by r.project_id, r.id
    on conflict do nothing`;
}

type Erased = { id: string; tracking_id: string | null };

/**
 * Before a customer is erased: their events go, so what is not counted yet is noted, and nobody counts meanwhile. Returns who may
 * have redeemed less afterwards: an earlier customer with the same source id may lose redemptions too.
 */
export async function holdRollups(tx: Tx, projectId: string, { id, tracking_id }: Erased): Promise<string[]> {
  // Where nothing was counted yet, nobody may begin either until the events are gone.
  await tx`
    insert into rollup_positions (project_id, cluster, zone, zone_minutes) values (${projectId}, '', 'UTC', 0)
    on conflict do nothing`;
  const [position] = await tx<[{ transaction_id: string | null }]>`
    select transaction_id::text from rollup_positions where project_id = ${projectId} order by project_id for no key update`;
  if (position.transaction_id === null) return [];
  const rows = tx`r.project_id = ${projectId} and r.customer_id = ${id} and r.transaction_id >= ${position.transaction_id}`;
  await tx`
    insert into rollup_waiting (project_id, redemption_id)
    select distinct project_id, redemption_id from ${toldRedemptions(tx, rows)} as told on conflict do nothing`;
  const named = await tx<{ customer_id: string }[]>`
    select distinct customer_id from redemptions
    where project_id = ${projectId} and tracking_id = ${tracking_id} and customer_id is not null`;
  return [...new Set([id, ...named.map(({ customer_id }) => customer_id)])];
}

/** Afterwards: a day on which nothing is left that a customer redeemed loses that customer. */
export async function leaveRollups(tx: Tx, projectId: string, customerIds: readonly string[]): Promise<void> {
  if (customerIds.length === 0) return;
  const left = countedRedemptions(
    tx,
    tx`r.project_id = ${projectId} and r.customer_id = any(${customerIds}) and r.created_at >= p.redemptions_from
      and not r.id = any(array(select c.redemption_id from ${comingNow(tx, projectId)} as c))`,
  );
  const gone = await tx<{ campaign_id: string; days: number }[]>`
    delete from rollup_customers t where project_id = ${projectId} and customer_id = any(${customerIds}) and not exists (
      select from ${left} as r where r.result = 'redemption' and r.customer_id = t.customer_id and r.day = t.day
        and t.campaign_id in ('', r.campaign_id))
    returning campaign_id, ${daysOf(tx)}`;
  const counts = Map.groupBy(gone, ({ campaign_id, days }) => `${campaign_id} ${days}`);
  const less = [...counts.values()].map(([first, ...more]) => ({
    ...{ campaign_id: first!.campaign_id, day: dayAfter(first!.days), customers: 1 + more.length },
  }));
  await tx`
    update rollup_days d set unique_customers = d.unique_customers - x.customers
    from json_to_recordset(${JSON.stringify(less)}::text::json) as x (campaign_id text, day date, customers bigint)
    where d.project_id = ${projectId} and d.subject_id = x.campaign_id and d.day = x.day
      and d.subject = case when x.campaign_id = '' then 'project' else 'campaign' end`;
}
