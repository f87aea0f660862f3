import type { VoucherRow } from "../../../core/rows/voucher.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { updateEach } from "../../../db/each-row.ts";
import { vouchersOf } from "./state-store.ts";

/** How many codes of a campaign are wanted. */
export type WantedCodes = {
  campaign_id: string;
  limit: number;
  /** Whether those that follow the campaign can be used; else only those with settings of their own. */
  is_live: boolean;
};

/** Codes of campaigns that nobody has yet and nobody redeemed, the oldest ids first. They are not locked. */
export const findUnpublished = (db: Db, projectId: string, wanted: readonly WantedCodes[], now: string) =>
  db<{ id: string; campaign_id: string }[]>`
    select v.id, v.campaign_id
    from unnest(${wanted.map((one) => one.campaign_id)}::text[], ${wanted.map((one) => one.limit)}::int[],
      ${wanted.map((one) => String(one.is_live))}::text[]::boolean[]) as x (campaign_id, most, is_live)
    cross join lateral (
      select id, campaign_id from ${vouchersOf(db, projectId)} as u
      where campaign_id = x.campaign_id and deleted_at is null and active
        and published_count = 0 and redeemed_quantity = 0
        and (case when settings is null then x.is_live
          else coalesce((settings ->> 'expiration_date')::timestamptz > ${now}, true) end)
      order by id limit x.most) as v
    order by v.campaign_id, v.id`;

/** The code of each of these campaigns, which have one for all. */
export const findCodeForAll = (db: Db, projectId: string, campaignIds: readonly string[]) =>
  db<{ id: string; campaign_id: string }[]>`
    select distinct on (campaign_id) id, campaign_id from vouchers
    where project_id = ${projectId} and campaign_id = any(${campaignIds}) and deleted_at is null
    order by campaign_id, active desc, created_at`;

/** The codes that customers have, each of a campaign, oldest first; of each pair so many are looked at. They are not locked. */
export const findHeldBy = (
  db: Db,
  projectId: string,
  pairs: readonly { customerId: string; campaignId: string }[],
  limit: number,
) => db<VoucherRow[]>`
  select v.* from (select distinct * from unnest((select ${pairs.map((one) => one.customerId)}::text[]),
    ${pairs.map((one) => one.campaignId)}::text[]) as p (customer_id, campaign_id)) as x
  cross join lateral (
    select * from ${vouchersOf(db, projectId)} as u where holder_id = x.customer_id and campaign_id = x.campaign_id
      and deleted_at is null and active order by id limit ${limit}) as v
  order by v.id`;

/** A code as it is after it was published, `by` times more. */
export type PublishedVoucher = { row: VoucherRow; by: number };

/** Guarded: where a code is gone, or was published by somebody else meanwhile, the transaction fails. */
export async function savePublished(tx: Tx, projectId: string, published: readonly PublishedVoucher[]): Promise<void> {
  if (published.length === 0) return;
  const of = <F extends keyof VoucherRow>(field: F) => published.map(({ row }) => row[field]);
  const settings = published.map(({ row }) => (row.settings === null ? null : JSON.stringify(row.settings)));
  const update = tx`
    update vouchers v set published_count = x.published_count, holder_id = x.holder_id, referrer_id = x.referrer_id,
      settings = x.settings, template_version = x.template_version,
      updated_at = greatest(v.updated_at, x.updated_at)
    from unnest(${of("id")}::text[], ${of("published_count")}::bigint[], ${published.map(({ by }) => by)}::bigint[],
      ${of("holder_id")}::text[], ${of("referrer_id")}::text[], ${settings}::text[]::jsonb[],
      ${of("template_version")}::integer[], ${of("updated_at")}::timestamptz[])
      as x (id, published_count, by, holder_id, referrer_id, settings, template_version, updated_at)
    where v.project_id = ${projectId} and v.id = x.id and v.published_count = x.published_count - x.by`;
  await updateEach(tx, projectId, published.length, update);
}
