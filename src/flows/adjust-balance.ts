import { hasRoom, moveBalance, type OpenCard, openCard } from "../catalog/voucher-balance.ts";
import { lockWithCampaign } from "../catalog/vouchers.ts";
import { ApiError } from "../core/errors.ts";
import type { WriteCtx } from "../ctx.ts";
import { record } from "../events/events.ts";
import type { Balance, BalanceBody } from "../resources/ledger/schema.ts";
import type { VoucherRow } from "../resources/vouchers/store.ts";

/** Puts credits or points on a card, or takes some away. The row of the card is locked, and its account with it. */
export async function adjustBalance(c: WriteCtx, reference: string, sent: BalanceBody): Promise<Balance> {
  const { row, campaign } = await lockWithCampaign(c, reference);
  requireCard(row, sent.amount);
  const card = await openCard(c, row, campaign);
  requireRoom(card, sent.amount);
  const { balance, happened } = await moveBalance(c, card, sent.amount, sent);
  await record(c, happened);
  return balance;
}

function requireCard({ id, code, type, holder_id }: VoucherRow, amount: number): void {
  if (type === "DISCOUNT_VOUCHER")
    throw new ApiError("invalid_voucher", { details: "A discount has no balance", resource_id: id });
  if (amount === 0) throw new ApiError("invalid_add_balance_params", { details: "Property .amount must not be 0" });
  if (type === "LOYALTY_CARD" && holder_id === null)
    throw new ApiError("invalid_customer", { details: `Customer must be a holder of a loyalty card: ${code}` });
}

// Contract is silent: what sessions hold back can be taken away too. Who removes it by hand means it.
function requireRoom(card: OpenCard, amount: number): void {
  const { row, account } = card;
  if (!hasRoom(card, amount))
    throw new ApiError("invalid_payload", {
      details: `Property .amount is too large: a card takes ${Number.MAX_SAFE_INTEGER} in all`,
    });
  if (amount >= 0 || -amount <= account.sums.available) return;
  const key = row.type === "GIFT_VOUCHER" ? "gift_amount_exceeded" : "loyalty_card_points_exceeded";
  throw new ApiError(key, { details: row.code });
}
