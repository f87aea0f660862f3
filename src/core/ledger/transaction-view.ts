import type { EntryRow } from "../rows/ledger.ts";
import type { VoucherType } from "../vouchers/settings.ts";
import type { EntryKind } from "./account.ts";

/** What an entry of each kind is called, after `CREDITS_` or `POINTS_`. What has no name here is never shown. */
const NAMES: Partial<Record<EntryKind, string>> = {
  redemption: "REDEMPTION",
  refund: "REFUND",
  addition: "ADDITION",
  removal: "REMOVAL",
  accrual: "ACCRUAL",
  expiration: "EXPIRATION",
  transfer_in: "TRANSFER_IN",
  transfer_out: "TRANSFER_OUT",
  taken_back: "REMOVAL",
};
const MANUAL: readonly EntryKind[] = ["addition", "removal"];

/** What time brings has no source. */
const isByHand = ({ kind, source }: EntryRow): boolean =>
  MANUAL.includes(kind) || (kind === "activation_in" && source === "API");

/** Credits or points. */
export const balanceType = (type: VoucherType): "gift_voucher" | "loyalty_card" =>
  type === "GIFT_VOUCHER" ? "gift_voucher" : "loyalty_card";

/** An entry of the ledger as a client is told of it. */
export function transactionView(entry: EntryRow, type: VoucherType, orderSourceId: string | null) {
  const { kind, amount, order_id, redemption_id, rollback_id, campaign_id } = entry;
  const isGift = type === "GIFT_VOUCHER";
  const { related_transaction_id = null, returned_lots: _, ...details } = entry.details;
  return {
    id: entry.id,
    source_id: entry.source_id,
    voucher_id: entry.account_id,
    campaign_id,
    source: entry.source,
    reason: entry.reason,
    type: kind === "activation_in" ? "PENDING_POINTS_ACTIVATION" : `${isGift ? "CREDITS" : "POINTS"}_${NAMES[kind]}`,
    details: {
      balance: {
        type: balanceType(type),
        total: entry.total,
        ...(isGift ? { amount } : { points: amount }),
        balance: entry.balance,
        operation_type: isByHand(entry) ? ("MANUAL" as const) : ("AUTOMATIC" as const),
        related_object: { type: "voucher" as const, id: entry.account_id },
        object: "balance" as const,
      },
      ...(order_id !== null && { order: { id: order_id, source_id: orderSourceId } }),
      ...(redemption_id !== null && { redemption: { id: redemption_id } }),
      ...(rollback_id !== null && { rollback: { id: rollback_id } }),
      ...details,
    },
    related_transaction_id: related_transaction_id as string | null,
    created_at: entry.created_at,
  };
}
