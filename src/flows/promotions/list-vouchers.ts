import type { Catalog } from "../../catalog/catalog.ts";
import { notFound } from "../../core/errors.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Ctx } from "../../ctx.ts";
import { loadVoucherAssignments } from "../../resources/promotions/validation-rule-assignments/store.ts";
import { listVouchers } from "../../resources/promotions/vouchers/list-store.ts";
import type { Voucher, VoucherQuery, VoucherWithRules } from "../../resources/promotions/vouchers/schema.ts";
import { getVoucher } from "../../resources/promotions/vouchers/store.ts";
import { loadPointsNow, type PointCard } from "../../steps/points/point-cards.ts";
import { memberView } from "../../steps/points/point-members.ts";
import { campaignsOf, voucherView, voucherWithRules } from "../../steps/promotions/voucher-view.ts";

/** A page of codes. */
export async function pageOfVouchers(c: Ctx, query: VoucherQuery): Promise<{ rows: Voucher[]; total: number }> {
  const { rows, total } = await listVouchers(c.db, c.project, { ...query, now: c.now });
  const catalog = await c.catalog();
  const shown = { ...catalog, campaigns: await campaignsOf(c.db, c.project.id, catalog, rows) };
  const cards = await loadPointsNow(c, shown, rows);
  return { rows: rows.map((row) => shownNow(c, shown, row, cards.get(row.id))), total };
}

/** A code with its rules. */
export async function readVoucher(c: Ctx, reference: string): Promise<VoucherWithRules> {
  const row = await getVoucher(c.db, c.project, reference);
  const catalog = await c.catalog();
  const campaigns = await campaignsOf(c.db, c.project.id, catalog, [row]);
  if (row.campaign_id !== null && !campaigns.has(row.campaign_id)) throw notFound("voucher", reference);
  const assigned = await loadVoucherAssignments(c.db, c.project.id, [row.id]);
  const shown = { ...catalog, campaigns };
  const cards = await loadPointsNow(c, shown, [row]);
  return voucherWithRules(shownNow(c, shown, row, cards.get(row.id)), assigned);
}

/** A loyalty card is shown with the points that it has now. */
const shownNow = (c: Ctx, shown: Catalog, row: VoucherRow, card: PointCard | undefined): Voucher =>
  card ? memberView(shown, card, c.project) : voucherView(shown, row, c.project);
