import type { Db, IdList, Tx } from "../../../db/db.ts";
import { insertOf } from "../../../db/records.ts";

/** A friend whom somebody brought to a campaign. */
export type ConversionRow = {
  campaign_id: string;
  referee_id: string;
  referrer_id: string | null;
  voucher_id: string;
  related_object_type: "redemption" | "custom_event" | "order";
  related_object_id: string;
  created_at: string;
};

/** Which friend counted for which campaign. */
export type ConversionKey = Pick<ConversionRow, "campaign_id" | "referee_id">;

/** A friend who counted for a campaign does not count again. Returns what was inserted. No friend is in `rows` twice. */
export async function insertConversions(tx: Tx, projectId: string, rows: readonly ConversionRow[]) {
  if (rows.length === 0) return [];
  return tx<ConversionKey[]>`
    insert into referral_conversions ${insertOf(tx, "referral_conversions", projectId, rows)} order by r.campaign_id, r.referee_id
    on conflict (project_id, campaign_id, referee_id) do nothing returning campaign_id, referee_id`;
}

/** The same of friends of whom it is known that they did not count yet: where one did, the transaction fails. */
export async function insertFirstConversions(tx: Tx, projectId: string, rows: readonly ConversionRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    insert into referral_conversions ${insertOf(tx, "referral_conversions", projectId, rows)} order by r.campaign_id, r.referee_id`.execute();
}

/** What these have counted for as friends. Their rows are locked: nobody adds to it. */
export const loadConversions = (db: Db, projectId: string, customerIds: IdList) => db<ConversionKey[]>`
  select campaign_id, referee_id from referral_conversions
  where project_id = ${projectId} and referee_id = any(${customerIds})`;

type Bringing = { campaign_id: string; referrer_id: string };

/** How many friends these have brought to a campaign. Their rows are locked: nobody adds to it. */
export const countConversions = (db: Db, projectId: string, asked: readonly Bringing[]) =>
  db<(Bringing & { count: number })[]>`
    select r.campaign_id, r.referrer_id, count(*) as count from referral_conversions r
    join (select distinct * from unnest(${asked.map((one) => one.campaign_id)}::text[],
      ${asked.map((one) => one.referrer_id)}::text[]) as x (campaign_id, referrer_id)) as x
      on x.campaign_id = r.campaign_id and x.referrer_id = r.referrer_id
    where r.project_id = ${projectId}
    group by r.campaign_id, r.referrer_id`;

/** An order that was paid, with who may have brought its customer. */
export type PaidOrder = {
  id: string;
  customer_id: string;
  /** The redemptions with it. */
  redemptions: readonly string[];
  referrer_id: string | null;
};
/** A code that brought a customer, for one of the orders. */
export type BringingCode = {
  order_id: string;
  id: string;
  code: string;
  campaign_id: string;
  holder_id: string;
};

/**
 * The codes of these campaigns through which the customers of orders came, one for each campaign: what was redeemed
 * with the order, or else what they hold as friends, or else a code of the referrer of the order.
 */
export const codesOfOrders = (
  db: Db,
  projectId: string,
  { orders, campaignIds }: { orders: readonly PaidOrder[]; campaignIds: readonly string[] },
) => db<BringingCode[]>`
  with asked as (
    select * from unnest(${orders.map((one) => one.id)}::text[], ${orders.map((one) => one.customer_id)}::text[],
      ${orders.map((one) => JSON.stringify(one.redemptions))}::text[]::jsonb[],
      ${orders.map((one) => one.referrer_id)}::text[]) as x (order_id, customer_id, redemptions, referrer_id)
  ), named as (
    select a.order_id, 1 as rank, r.related_object_id as voucher_id from asked a
    cross join lateral jsonb_array_elements_text(a.redemptions) as one (id)
    join redemptions r on r.id = one.id
    where r.project_id = ${projectId} and r.related_object_type = 'voucher' and r.status = 'SUCCEEDED'
    union all
    select a.order_id, 2, h.voucher_id from asked a
    join redeemable_holders h on h.customer_id = a.customer_id
    where h.project_id = ${projectId} and h.holder_role = 'REFEREE'
    union all
    select a.order_id, 3, v.id from asked a
    join vouchers v on v.holder_id = a.referrer_id
    where v.project_id = ${projectId} and v.campaign_id = any(${campaignIds})
  )
  select distinct on (n.order_id, v.campaign_id) n.order_id, v.id, v.code, v.campaign_id, v.holder_id
  from named n join vouchers v on v.id = n.voucher_id
  where v.project_id = ${projectId} and v.campaign_id = any(${campaignIds}) and v.deleted_at is null and v.active
    and v.holder_id is not null
  order by n.order_id, v.campaign_id, n.rank, v.id`;

/**
 * Who may have brought the customers of orders, by whatever these are named: to be locked before it is known which of
 * them did. More than those do no harm.
 */
export const possibleReferrers = (
  db: Db,
  projectId: string,
  {
    names,
    orders,
    campaignIds,
  }: { names: readonly string[]; orders: readonly string[]; campaignIds: readonly string[] },
) => db<{ id: string }[]>`
  with concerned as (
    select o.customer_id, o.referrer_id, o.redemptions from orders o
    where o.project_id = ${projectId} and (o.id = any(${orders}) or o.source_id = any(${orders}))
  )
  select v.holder_id as id from vouchers v
  where v.project_id = ${projectId} and v.campaign_id = any(${campaignIds}) and v.holder_id is not null and v.id in (
    select h.voucher_id from redeemable_holders h where h.project_id = ${projectId} and h.holder_role = 'REFEREE'
      and h.customer_id in (
        select c.id from customers c where c.project_id = ${projectId}
          and (c.id = any(${names}) or c.source_id = any(${names}) or c.tracking_id = any(${names}))
        union all select customer_id from concerned)
    union all
    select r.related_object_id from redemptions r
    where r.project_id = ${projectId} and r.related_object_type = 'voucher' and r.id in (
      select k.key from concerned, json_each(concerned.redemptions) k
      union all
      select json_array_elements_text(k.value -> 'stacked') from concerned, json_each(concerned.redemptions) k))
  union
  select referrer_id from concerned where referrer_id is not null`;

export type TopReferrer = { customer_id: string; code: string | null; friends: number; last_at: string };

/** Those who brought the most friends to a campaign. Who was erased is nobody. A code that was deleted for good has no name. */
export const topReferrers = (db: Db, projectId: string, campaignId: string, limit: number) => db<TopReferrer[]>`
  select t.customer_id, v.code, t.friends, t.last_at from (
    select referrer_id as customer_id, max(voucher_id) as voucher_id, count(*) as friends, max(created_at) as last_at
    from referral_conversions
    where project_id = ${projectId} and campaign_id = ${campaignId} and referrer_id is not null
    group by referrer_id order by count(*) desc, referrer_id limit ${limit}) as t
  left join vouchers v on v.project_id = ${projectId} and v.id = t.voucher_id and v.deleted_at is null
  order by t.friends desc, t.customer_id`;

/** How many friends came to a campaign in a stretch of time. */
export async function countReferred(
  db: Db,
  projectId: string,
  { campaignId, from, to }: { campaignId: string; from: string | undefined; to: string | undefined },
): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) as count from referral_conversions
    where project_id = ${projectId} and campaign_id = ${campaignId}
      and created_at >= ${from ?? "-infinity"} and created_at < ${to ?? "infinity"}`;
  return row.count;
}
