import type { VoucherRow } from "../../../core/rows/voucher.ts";
import type { Db } from "../../../db/db.ts";
import { vouchersOf } from "./state-store.ts";

/** How many codes of one wallet are looked at, the newest first. */
const WALLET_MAX = 1000;

/** The newest codes that stand alone, before each of these moments; null is now. */
export async function loadStandalone(
  db: Db,
  projectId: string,
  { before, limit }: { before: readonly (string | null)[]; limit: number },
): Promise<(readonly VoucherRow[])[]> {
  const rows = await db<(VoucherRow & { n: number })[]>`
    select v.*, x.n::int from unnest(${before.map((at) => at ?? "infinity")}::text[]) with ordinality as x (before, n)
    cross join lateral (
      select * from ${vouchersOf(db, projectId)} as u where campaign_id is null and deleted_at is null
        and active and created_at < x.before::timestamptz
      order by created_at desc limit ${limit}) as v
    order by x.n, v.created_at desc`;
  const by = Map.groupBy(rows, ({ n }) => n);
  return before.map((_, n) => (by.get(n + 1) ?? []).map(({ n: __, ...row }) => row));
}

/** The codes of campaigns that have one code for everybody. */
export const loadGeneric = (db: Db, projectId: string, campaignIds: readonly string[]) =>
  db<VoucherRow[]>`
    select * from ${vouchersOf(db, projectId)} as v where campaign_id = any(${campaignIds})
      and deleted_at is null and active`;

/** What each of these customers holds, with the role in which it is held. */
export const loadWallets = (db: Db, projectId: string, customerIds: readonly string[]) =>
  db<(VoucherRow & { of_customer: string; holder_role: string })[]>`
    select v.*, x.customer_id as of_customer, h.holder_role
    from unnest(${customerIds}::text[]) as x (customer_id)
    cross join lateral (
      select voucher_id, holder_role from redeemable_holders
      where project_id = ${projectId} and customer_id = x.customer_id order by id desc limit ${WALLET_MAX}) as h
    join ${vouchersOf(db, projectId)} as v on v.id = h.voucher_id and v.deleted_at is null`;
