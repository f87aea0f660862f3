import type { VoucherRow } from "../rows/voucher.ts";
import type { Lot } from "./account.ts";

const PENDING_PREFIX = "lopp_";
const LOT_PREFIX = "lopb_";
/** Points that wait are a lot, which has another name for clients. */
export const pendingIdOf = (lotId: string): string => lotId.replace(LOT_PREFIX, PENDING_PREFIX);
export const lotIdOf = (pendingId: string): string => pendingId.replace(PENDING_PREFIX, LOT_PREFIX);

/** Points that wait, as clients see them. */
export function pendingView(
  { id: voucher_id, campaign_id, holder_id }: Pick<VoucherRow, "id" | "campaign_id" | "holder_id">,
  lot: Lot,
) {
  return {
    id: pendingIdOf(lot.id),
    voucher_id,
    campaign_id,
    customer_id: holder_id,
    order_id: lot.order_id,
    points: lot.remaining,
    activates_at: lot.bucket_date!,
    details: lot.details ?? {},
    created_at: lot.created_at,
  };
}

/** What a transaction of a code says besides its points: what the engine tells of them stands in other fields here. */
export function entryDetails(row: VoucherRow, details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { points: _, rejection: __, metadata: ___, date: ____, buckets: _____, waited, ...told } = details;
  const lot = waited as Lot | undefined;
  return {
    ...(lot && { ...lot.details, pending_points: pendingView(row, lot) }),
    ...told,
  };
}
