import type { VoucherRow } from "../../../core/rows/voucher.ts";
import type { Db, IdList } from "../../../db/db.ts";
import { type BesideAsked, type FoundVoucher, readBeside } from "./beside-store.ts";
import { vouchersOf } from "./state-store.ts";

/** How many codes of one wallet are looked at, the newest first. */
const WALLET_MAX = 1000;

/** The newest codes that stand alone, before each of these moments; null is now. */
export async function loadStandalone(
  db: Db,
  projectId: string,
  { before, limit, asked }: { before: readonly (string | null)[]; limit: number; asked: BesideAsked },
): Promise<(readonly FoundVoucher[])[]> {
  const codes = db`
    select v.*, x.n::int from unnest((select ${before.map((at) => at ?? "infinity")}::text[])) with ordinality as x (before, n)
    cross join lateral (
      select * from ${vouchersOf(db, projectId)} as u where campaign_id is null and deleted_at is null
        and active and created_at < x.before::timestamptz
      order by created_at desc limit (select ${limit}::bigint)) as v`;
  const order = db`order by t.n, t.created_at desc`;
  const found = await readBeside<VoucherRow & { n: number }>(db, projectId, { codes, order, asked });
  const by = Map.groupBy(found, ({ row }) => row.n);
  return before.map((_, n) => (by.get(n + 1) ?? []).map(({ row: { n: __, ...row }, beside }) => ({ row, beside })));
}

/** The codes of campaigns that have one code for everybody. */
export const loadGeneric = (db: Db, projectId: string, campaignIds: readonly string[], asked: BesideAsked) =>
  readBeside<VoucherRow>(db, projectId, {
    codes: db`
      select * from ${vouchersOf(db, projectId)} as v where campaign_id = any((select ${campaignIds}::text[])::text[])
        and deleted_at is null and active`,
    asked,
  });

/** A code in a wallet, with the role in which it is held. */
export type HeldVoucher = FoundVoucher & { holder_role: string };

/** What each of these customers holds. Who is there and holds nothing has an empty wallet. */
export async function loadWallets(
  db: Db,
  projectId: string,
  customerIds: IdList,
  asked: BesideAsked,
): Promise<Map<string, HeldVoucher[]>> {
  const codes = db`
    select v.*, x.customer_id as of_customer, h.holder_role
    from (select id as customer_id from customers where project_id = ${projectId} and id = any(${customerIds})) as x
    left join lateral (
      select voucher_id, holder_role from redeemable_holders
      where project_id = ${projectId} and customer_id = x.customer_id order by id desc limit ${WALLET_MAX}) as h on true
    left join ${vouchersOf(db, projectId)} as v on v.id = h.voucher_id and v.deleted_at is null`;
  const rows = await readBeside<VoucherRow & { of_customer: string; holder_role: string }>(db, projectId, {
    codes,
    asked,
  });
  const wallets = Map.groupBy(rows, ({ row }) => row.of_customer);
  return new Map(
    [...wallets].map(([id, held]) => [
      id,
      // Without a code: nothing is held, or it is in the bin.
      held.flatMap(({ row: { of_customer: _, holder_role, ...row }, beside }) =>
        (row.id as string | null) === null ? [] : [{ row, beside, holder_role }],
      ),
    ]),
  );
}
