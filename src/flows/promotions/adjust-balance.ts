import { ApiError, invalid } from "../../core/errors.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import type { Balance, BalanceBody } from "../../resources/ledger/ledger/schema.ts";
import { recordPoints } from "../../steps/earning/earn-work.ts";
import { adjustMember, pointBalance } from "../../steps/earning/point-balance.ts";
import { hasRoom, moveBalance, type OpenCard, openGiftCard } from "../../steps/promotions/gift-cards.ts";
import { lockWithCampaign } from "../../steps/promotions/vouchers.ts";

/** Puts credits or points on a card, or takes some away. The row of the card is locked, and its account with it. */
export async function adjustBalance(c: WriteCtx, reference: string, sent: BalanceBody): Promise<Balance> {
  const { row, campaign } = await lockWithCampaign(c, reference);
  requireCard(row, sent.amount);
  if (row.type === "LOYALTY_CARD") return adjustPoints(c, row, sent);
  const card = await openGiftCard(c, row, campaign);
  requireBalance(card, sent.amount);
  const { balance, happened } = await moveBalance(c, card, sent.amount, sent);
  await record(c, happened);
  return balance;
}

async function adjustPoints(
  c: WriteCtx,
  { id }: VoucherRow,
  { amount, source_id, reason }: BalanceBody,
): Promise<Balance> {
  const catalog = await c.catalog();
  const given = { points: amount, source_id, reason };
  const { happened: told, redeemed, ...moved } = await adjustMember(c, catalog, { memberId: id }, given);
  await recordPoints(c, catalog, { told, redeemed });
  const { points: _, ...balance } = pointBalance(id, moved);
  return { amount, ...balance };
}

function requireCard({ id, type }: VoucherRow, amount: number): void {
  if (type === "DISCOUNT_VOUCHER")
    throw new ApiError("invalid_voucher", { details: "A discount has no balance", resource_id: id });
  if (amount === 0) throw new ApiError("invalid_add_balance_params", { details: "Property .amount must not be 0" });
}

// Contract is silent: what sessions hold back can be taken away too. Who removes it by hand means it.
function requireBalance(card: OpenCard, amount: number): void {
  const { row, account } = card;
  if (!hasRoom(card, amount))
    throw invalid(`Property .amount is too large: a card takes ${Number.MAX_SAFE_INTEGER} in all`);
  if (amount >= 0 || -amount <= account.sums.available) return;
  throw new ApiError("gift_amount_exceeded", { details: row.code });
}
