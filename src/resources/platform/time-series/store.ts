import type { Unit } from "../../../core/rollups/buckets.ts";
import { type Metric, type RollupSubject, type RollupSums, SUMS } from "../../../core/rollups/metrics.ts";
import type { Db } from "../../../db/db.ts";

export type RollupQuery = { unit: Unit; subject: RollupSubject; subject_id: string; from: string; to: string };
/** The figures of an hour or a day. Hours have no different customers. */
export type FigureRow = RollupSums & { key: string; unique_customers?: number };

/** The rollups of one subject in their order, from one key up to another, which is not in it. */
export const readRollups = (db: Db, projectId: string, { unit, subject, subject_id, from, to }: RollupQuery) =>
  unit === "hour"
    ? db<FigureRow[]>`
      select hour as key, ${db(SUMS)} from rollup_hours
      where project_id = ${projectId} and subject = ${subject} and subject_id = ${subject_id}
        and hour >= ${from} and hour < ${to} order by hour`
    : db<FigureRow[]>`
      select day::text as key, ${db([...SUMS, "unique_customers"] satisfies Metric[])} from rollup_days
      where project_id = ${projectId} and subject = ${subject} and subject_id = ${subject_id}
        and day >= ${from}::text::date and day < ${to}::text::date order by day`;

/** One customer in so many is in the sample. */
const SAMPLED = 64;

/** Customers of some days; an empty campaign is the whole project. With a sample everything is of that sample. */
type CustomerDays = { campaignId: string; from: string; to: string; isSample: boolean };
const rowsOf = (db: Db, projectId: string, { campaignId, from, to, isSample }: CustomerDays) => db`
  from rollup_customers r
  where r.project_id = ${projectId} and r.campaign_id = ${campaignId} and r.day >= ${from}::text::date and r.day < ${to}::text::date
    ${isSample ? db`and r.is_sampled` : db``}`;
const estimated = (count: number, isSample: boolean): number => (isSample ? count * SAMPLED : count);

/** How many different customers redeemed something. Grouped, because a distinct count would sort all rows. */
export async function countCustomers(db: Db, projectId: string, about: CustomerDays): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) from (select 1 ${rowsOf(db, projectId, about)} group by r.customer_id) as x`;
  return estimated(row.count, about.isSample);
}

/** How many rows there are; more than `most` are not counted. */
export async function countRows(db: Db, projectId: string, about: Omit<CustomerDays, "isSample">, most: number) {
  const [row] = await db<[{ count: number }]>`
    select count(*) from (select 1 ${rowsOf(db, projectId, { ...about, isSample: false })} limit ${most}) as x`;
  return row.count;
}

/** How many customers came on more than one day. */
export async function countReturning(db: Db, projectId: string, about: CustomerDays): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) from (
      select 1 ${rowsOf(db, projectId, about)} group by r.customer_id having count(*) > 1) as x`;
  return estimated(row.count, about.isSample);
}

/** The customers who came on the most days. */
export const topCustomers = (db: Db, projectId: string, about: CustomerDays, limit: number) =>
  db<{ id: string; days: number; last_day: string }[]>`
    select r.customer_id as id, count(*) as days, max(r.day)::text as last_day ${rowsOf(db, projectId, about)}
    group by r.customer_id order by count(*) desc, max(r.day) desc, r.customer_id limit ${limit}`;

/** The segments that these customers are in now. */
export async function segmentsOfCustomers(db: Db, projectId: string, about: CustomerDays, limit: number) {
  const rows = await db<{ id: string; customers: number }[]>`
    select m.segment_id as id, count(*) as customers
    from (select distinct r.customer_id ${rowsOf(db, projectId, about)}) as x
    join segment_members m on m.project_id = ${projectId} and m.customer_id = x.customer_id
    group by m.segment_id order by count(*) desc, m.segment_id limit ${limit}`;
  return rows.map(({ id, customers }) => ({ id, customers: estimated(customers, about.isSample) }));
}

/** Since when all is counted, in milliseconds; null: nothing is. */
export async function countedSince(db: Db, projectId: string): Promise<number | null> {
  const [row] = await db<{ ms: number | null }[]>`
    select case when redemptions_from = 'infinity' then null when redemptions_from = '-infinity' then 0
      else floor(extract(epoch from redemptions_from) * 1000)::bigint end as ms
    from rollup_positions where project_id = ${projectId} and is_cleared and transaction_id is not null`;
  return row?.ms ?? null;
}

export type BusiestCampaign = Pick<RollupSums, "redemptions" | "discount" | "gift_credits" | "revenue"> & {
  id: string;
};
/** The campaigns with the most redemptions in some days. */
export const topCampaigns = (db: Db, projectId: string, { from, to }: { from: string; to: string }, limit: number) =>
  db<BusiestCampaign[]>`
    select subject_id as id, sum(redemptions)::bigint as redemptions, sum(discount)::bigint as discount,
      sum(gift_credits)::bigint as gift_credits, sum(revenue)::bigint as revenue
    from rollup_days where project_id = ${projectId} and subject = 'campaign'
      and day >= ${from}::text::date and day < ${to}::text::date
    group by subject_id having sum(redemptions) > 0 order by sum(redemptions) desc, subject_id limit ${limit}`;

/** What was refused and rolled back of a campaign between two days, both included. */
export async function sumDays(
  db: Db,
  projectId: string,
  { campaignId, from, to }: { campaignId: string; from?: string | undefined; to?: string | undefined },
): Promise<Pick<RollupSums, "refusals" | "rollbacks">> {
  const [row] = await db<[Pick<RollupSums, "refusals" | "rollbacks">]>`
    select coalesce(sum(refusals), 0)::bigint as refusals, coalesce(sum(rollbacks), 0)::bigint as rollbacks
    from rollup_days where project_id = ${projectId} and subject = 'campaign' and subject_id = ${campaignId}
      and day between ${from ?? "0001-01-01"}::text::date and ${to ?? "9999-12-31"}::text::date`;
  return row;
}
