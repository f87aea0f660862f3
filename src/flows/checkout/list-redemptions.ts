import { notFound } from "../../core/errors.ts";
import { orderFromJson } from "../../core/redeem/order-shown.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Ctx } from "../../ctx.ts";
import {
  getRedemption,
  listRedemptions,
  listRedemptionsOfVoucher,
  loadRollbacksOf,
  type ShownRow,
  type StatusTotals,
  sumRedemptions,
  TOTALS_ROWS_MAX,
} from "../../resources/checkout/redemptions/list-store.ts";
import type {
  Redemption,
  RedemptionQuery,
  RedemptionTotals,
  RedemptionTotalsQuery,
} from "../../resources/checkout/redemptions/schema.ts";
import { findCustomer, findCustomers } from "../../resources/customers/customers/store.ts";
import { getVoucher, vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { redeemableRecord, redemptionView } from "../../steps/checkout/redemption-view.ts";
import { campaignsOf, voucherView } from "../../steps/promotions/voucher-view.ts";

/** A page of redemptions. A customer whom nobody knows redeemed nothing. */
export async function redemptionsOf(c: Ctx, { customer, ...query }: RedemptionQuery) {
  const known = customer === undefined ? undefined : await findCustomer(c.db, c.project.id, customer);
  if (known === null) return { rows: [], total: 0 };
  const { rows, total } = await listRedemptions(c.db, c.project, {
    ...query,
    ...(known && { customer_id: known.id }),
    now: c.now,
  });
  return { rows: await showRedemptions(c, rows), total };
}

const NOTHING = { count: 0, orders: 0, order_amount: 0, discount_amount: 0, gift_amount: 0, points: 0 };

/** What the redemptions of a list add up to, over all of its pages. */
export async function totalsOfRedemptions(
  c: Ctx,
  { customer, ...query }: RedemptionTotalsQuery,
): Promise<RedemptionTotals> {
  const known = customer === undefined ? undefined : await findCustomer(c.db, c.project.id, customer);
  const asked = { ...query, ...(known && { customer_id: known.id }), now: c.now };
  const rows = known === null ? [] : await sumRedemptions(c.db, c.project, asked);
  const sumOf = (wanted: StatusTotals["status"]) => {
    const { status: _, ...sums } = rows.find(({ status }) => status === wanted) ?? { ...NOTHING, status: wanted };
    return sums;
  };
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return {
    total,
    is_complete: total < TOTALS_ROWS_MAX,
    ...{ succeeded: sumOf("SUCCEEDED"), rolled_back: sumOf("ROLLED_BACK"), failed: { count: sumOf("FAILED").count } },
    object: "redemption_totals",
  };
}

/** A redemption, a failed one or a rollback. */
export async function readRedemption(c: Ctx, id: string): Promise<Redemption> {
  return (await showRedemptions(c, [await getRedemption(c.db, c.project.id, id)]))[0]!;
}

// Contract is silent: the newest 100 entries when no page is asked for; a code may have a million.
const LIMIT = 100;

/** How often a code was redeemed, with all that happened to it. */
export async function redemptionsOfVoucher(
  c: Ctx,
  reference: string,
  { limit = LIMIT, page = 1 }: { limit?: number; page?: number },
) {
  const row = await getVoucher(c.db, c.project, reference);
  const catalog = await c.catalog();
  const campaigns = await campaignsOf(c.db, c.project.id, catalog, [row]);
  if (row.campaign_id !== null && !campaigns.has(row.campaign_id)) throw notFound("voucher", reference);
  const { rows, total } = await listRedemptionsOfVoucher(c.db, c.project.id, row.id, { limit, page });
  return {
    ...voucherView({ ...catalog, campaigns }, row, c.project).redemption,
    data_ref: "redemption_entries" as const,
    total,
    redemption_entries: await showRedemptions(c, rows),
  };
}

/** The views of a page; its customers, rollbacks and codes are read in one statement each. */
async function showRedemptions(c: Ctx, rows: readonly ShownRow[]): Promise<Redemption[]> {
  const ids = [...new Set(rows.flatMap(({ customer_id }) => customer_id ?? []))];
  const undone = rows.filter(({ status }) => status === "ROLLED_BACK").map(({ id }) => id);
  const codes = rows.flatMap((row) => (row.related_object_type === "voucher" ? row.related_object_id! : []));
  const [catalog, customers, rollbacks, vouchers] = await Promise.all([
    c.catalog(),
    ids.length > 0 ? findCustomers(c.db, c.project.id, { ids, sourceIds: [], trackingIds: [] }) : [],
    undone.length > 0 ? loadRollbacksOf(c.db, c.project.id, undone) : [],
    codes.length > 0 ? vouchersById(c.db, c.project.id, [...new Set(codes)]) : [],
  ]);
  const campaigns = await campaignsOf(c.db, c.project.id, catalog, vouchers);
  const customerOf = new Map(customers.map((one) => [one.id, one]));
  const rollbacksOf = Map.groupBy(rollbacks, ({ redemption_id }) => redemption_id);
  // The codes of a campaign in the bin are in the bin as well.
  const isThere = ({ campaign_id }: VoucherRow) => campaign_id === null || campaigns.has(campaign_id);
  const voucherOf = new Map(vouchers.filter(isThere).map((one) => [one.id, one]));
  const records = {
    catalog: { ...catalog, campaigns },
    project: c.project,
    voucherOf: (id: string) => voucherOf.get(id),
  };
  return rows.map((row) => ({
    ...redemptionView(row, {
      customer: customerOf.get(row.customer_id ?? "") ?? null,
      order: row.order_now && orderFromJson(row.order_now),
      rollbacks: (rollbacksOf.get(row.id) ?? []).map(({ redemption_id: _, ...rollback }) => rollback),
    }),
    ...redeemableRecord(row, records),
  }));
}
