import { notFound } from "../../core/errors.ts";
import { transactionView } from "../../core/ledger/transaction-view.ts";
import type { VoucherType } from "../../core/vouchers/settings.ts";
import type { Ctx } from "../../ctx.ts";
import type { LedgerTransactionQuery, TransactionList } from "../../resources/ledger/ledger/schema.ts";
import { listEntries } from "../../resources/ledger/ledger/store.ts";
import { sourceIdsOf } from "../../resources/orders/orders/store.ts";
import { getCampaign } from "../../resources/promotions/campaigns/store.ts";
import { getVoucher } from "../../resources/promotions/vouchers/store.ts";
import { loyaltyNamed } from "../../steps/points/loyalty-campaigns.ts";
import { getCampaignMember, type Which } from "../../steps/points/point-members.ts";
import { campaignsOf } from "../../steps/promotions/voucher-view.ts";

/** What was moved on a card. */
export async function transactionsOfVoucher(
  c: Ctx,
  reference: string,
  query: LedgerTransactionQuery,
): Promise<TransactionList> {
  const row = await getVoucher(c.db, c.project, reference);
  const campaigns = await campaignsOf(c.db, c.project.id, await c.catalog(), [row]);
  if (row.campaign_id !== null && !campaigns.has(row.campaign_id)) throw notFound("voucher", reference);
  return transactionsPage(c, { voucherId: row.id }, { ...query, type: row.type });
}

/** What was moved on the card of a member. */
export async function transactionsOfMember(
  c: Ctx,
  which: Which,
  query: LedgerTransactionQuery,
): Promise<TransactionList> {
  const { id, type } = await getCampaignMember(c, await c.catalog(), which);
  return transactionsPage(c, { voucherId: id }, { ...query, type });
}

/** What was moved on all cards of a loyalty campaign. */
export async function transactionsOfLoyalty(
  c: Ctx,
  reference: string,
  query: LedgerTransactionQuery,
): Promise<TransactionList> {
  const { id } = loyaltyNamed(await c.catalog(), reference);
  return transactionsPage(c, { campaignId: id }, { ...query, type: "LOYALTY_CARD" });
}

/** What was moved on all cards of a campaign; nothing where it has no cards. */
export async function transactionsOfCampaign(
  c: Ctx,
  reference: string,
  query: LedgerTransactionQuery,
): Promise<TransactionList> {
  const { id, voucher_type } = await getCampaign(c.db, c.project.id, reference);
  return transactionsPage(c, { campaignId: id }, { ...query, type: voucher_type ?? "DISCOUNT_VOUCHER" });
}

async function transactionsPage(
  c: Ctx,
  of: Parameters<typeof listEntries>[2],
  { type, ...query }: LedgerTransactionQuery & { type: VoucherType },
): Promise<TransactionList> {
  const { rows, has_more } = await listEntries(c.db, c.project.id, of, { ...query, now: c.now });
  const orderIds = [...new Set(rows.flatMap(({ order_id }) => order_id ?? []))];
  const sourceIds = orderIds.length > 0 ? await sourceIdsOf(c.db, c.project.id, orderIds) : new Map<string, null>();
  const data = rows.map((row) => transactionView(row, type, sourceIds.get(row.order_id ?? "") ?? null));
  const next = has_more ? { more_starting_after: data.at(-1)!.id } : {};
  return { object: "list", data_ref: "data", data, has_more, ...next };
}
