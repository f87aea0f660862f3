import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { returnPoints, reversePurchase } from "../../core/loyalty/card/spend.ts";
import type { Material } from "../../core/loyalty/program/material.ts";
import { isShared } from "../../core/publish/publish.ts";
import type { TransactionRow } from "../../core/rows/loyalty.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type NewEvent, record } from "../../events/events.ts";
import { countPurchase, lockRewardStock } from "../../resources/loyalty-v2/programs/assignments-store.ts";
import type { RefundBody, RefundMade } from "../../resources/loyalty-v2/transactions/schema.ts";
import {
  insertTransactions,
  loadTransactions,
  lockTransactions,
  saveTransactions,
  transactionViews,
} from "../../resources/loyalty-v2/transactions/store.ts";
import { lockPools } from "../../resources/promotions/campaigns/codes-store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { lockVouchers, vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { saveProgramCards } from "../../steps/points/program-cards.ts";
import { alter, type MemberAtWork, openMember } from "../../steps/points/program-members.ts";
import { binCodes } from "../../steps/promotions/bin-codes.ts";
import { moveBalance, openGiftCard } from "../../steps/promotions/gift-cards.ts";
import { campaignsOf } from "../../steps/promotions/voucher-view.ts";
import type { HandoutView } from "../../steps/publishing/hand-out.ts";

type Which = { programId: string; rewardTransactionId: string };
type Bought = {
  points: { total: number };
  card_transaction_id: string;
  result: { reward: object; quantity: number; material: Material | null; digital: HandoutView | null } | null;
};
const REASON = "Reward purchase refunded";
const MESSAGE = "Reward refund transaction created. Points will be returned to the member's card shortly.";

/** Takes back what was bought, as far as it is still there, and returns the whole price. */
export async function refundReward(c: WriteCtx, which: Which, body: RefundBody): Promise<RefundMade> {
  const catalog = await c.catalog();
  const { programId, rewardTransactionId: id } = which;
  if (!catalog.programs.has(programId)) throw notFound("program", programId);
  const [seen] = await loadTransactions(c.db, c.project.id, [id]);
  if (seen?.kind !== "reward" || seen.program_id !== programId) throw notFound("reward_transaction", id);
  const policies = body?.policies;
  requireRefundable(catalog, seen, policies?.refund === "ALLOW");
  const code = await lockGiven(c, catalog, boughtIn(seen).result!.digital);
  // Contract is silent: who is deleted has no card that the points could come back to.
  const at = await openMember(c, catalog, { programId, memberId: seen.member_id });
  const [purchase] = await lockTransactions(c.db, c.project.id, [id]);
  requireRefundable(catalog, purchase!, policies?.refund === "ALLOW");
  const refundId = c.newId("lrtx");
  const taken = await takeBackReward(c, boughtIn(purchase!).result!.digital, code);
  const cardTransactionId = moveBack(at, purchase!, refundId);
  await saveProgramCards(c.db, c.project.id, at.cards);
  const refund = refundOf(c, purchase!, { id: refundId, digital: taken.given, cardTransactionId });
  await insertTransactions(c.db, [refund]);
  await saveTransactions(c.db, c.project.id, [{ ...purchase!, status: "REFUNDED", updated_at: c.now }]);
  if (policies?.stock !== "WRITE_OFF") await putBack(c, purchase!);
  await record(c, taken.happened);
  return { transaction: transactionViews.reward(refund), status: "APPROVED", message: MESSAGE };
}

const boughtIn = ({ details }: TransactionRow): Bought => details as unknown as Bought;

// Contract is silent: a reward that is deleted is refunded only when the policy allows it.
function requireRefundable({ rewards }: Catalog, { type, status, subject_id }: TransactionRow, isAllowed: boolean) {
  if (type !== "PURCHASE" || status !== "APPROVED")
    throw new ApiError("invalid_reward_transaction_status", {
      details: `Only an APPROVED PURCHASE can be refunded, and this is a ${type} that is ${status}`,
    });
  if (!isAllowed && rewards.get(subject_id!)?.refunds.type !== "REFUNDABLE")
    throw new ApiError("reward_not_refundable", { details: "The reward is not refundable", resource_id: subject_id! });
}

type Code = { row: VoucherRow; campaign: Campaign };
const codeIn = (given: HandoutView | null) => given?.discount_coupons?.[0] ?? given?.gift_vouchers?.[0] ?? null;

/** Locks the code that was given, and its campaign before it; null when it is gone. */
async function lockGiven(c: WriteCtx, catalog: Catalog, given: HandoutView | null): Promise<Code | null> {
  const code = codeIn(given);
  if (!code) return null;
  const [seen] = await vouchersById(c.db, c.project.id, [code.id]);
  if (!seen?.campaign_id) return null;
  await lockPools(c.db, c.project.id, [seen.campaign_id]);
  const [row] = await lockVouchers(c.db, c.project.id, [code.id]);
  const campaign = row && (await campaignsOf(c.db, c.project.id, catalog, [row])).get(seen.campaign_id);
  return row && row.deleted_at === null && campaign ? { row, campaign } : null;
}

type Taken = { given: HandoutView | null; happened: readonly NewEvent[] };

/** A code that was used stays; credits are taken back when all of them are there. */
async function takeBackReward(c: WriteCtx, given: HandoutView | null, code: Code | null): Promise<Taken> {
  const coupon = given?.discount_coupons?.[0];
  const gift = given?.gift_vouchers?.[0];
  if (coupon) {
    const isFree = code && code.row.redeemed_quantity === 0 && !isShared(code.campaign);
    const happened = isFree ? await binCodes(c, [{ ...code, of: c }]) : [];
    const result = isFree ? "DELETED" : "SKIPPED";
    return { given: { ...given, discount_coupons: [{ ...coupon, result }] }, happened };
  }
  if (gift) {
    const card = code && (await openGiftCard(c, code.row, code.campaign));
    const left = card?.account.sums.available ?? 0;
    if (!card || gift.amount === 0 || left < gift.amount)
      return { given: { ...given, gift_vouchers: [{ ...gift, balance: left, result: "SKIPPED" }] }, happened: [] };
    const { balance, happened } = await moveBalance(c, card, -gift.amount, { reason: REASON });
    const shown = { ...gift, balance: balance.balance, result: "CREDITS_SUBTRACTED" };
    return { given: { ...given, gift_vouchers: [shown] }, happened };
  }
  return { given, happened: [] };
}

/** Takes back points that were bought, and returns those that were paid. Returns the id of the latter's transaction. */
function moveBack(at: MemberAtWork, purchase: TransactionRow, refundId: string): string {
  const { points, card_transaction_id, result } = boughtIn(purchase);
  const details = {
    reward: { id: purchase.subject_id },
    purchase: { card_transaction: { id: card_transaction_id }, reward_transaction: { id: purchase.id } },
    reward_transaction: { id: refundId },
  };
  const bought = result?.digital?.loyalty_card_points;
  const target = bought && at.card(bought.card_id);
  if (target)
    alter(target, (card, world) => reversePurchase(card, world, { points: bought.points, reason: REASON, details }));
  const payer = at.card(purchase.card_id!);
  if (!payer) throw notFound("card", purchase.card_id!);
  const told = { points: points.total, reason: REASON, details };
  return alter(payer, (card, world) => returnPoints(card, world, told)).entries[0]!.id;
}

async function putBack(c: WriteCtx, { program_id: programId, subject_id }: TransactionRow): Promise<void> {
  const which = { programId, rewardId: subject_id! };
  if (await lockRewardStock(c.db, c.project.id, which)) await countPurchase(c.db, c.project.id, { ...which, by: -1 });
}

function refundOf(
  c: WriteCtx,
  purchase: TransactionRow,
  { id, digital, cardTransactionId }: { id: string; digital: HandoutView | null; cardTransactionId: string },
): TransactionRow {
  const { points, card_transaction_id, result } = boughtIn(purchase);
  return {
    ...purchase,
    id,
    type: "REFUND",
    status: "APPROVED",
    details: {
      reason: REASON,
      rejection: null,
      metadata: {},
      points,
      result: { ...result, digital },
      purchase: { card_transaction: { id: card_transaction_id }, reward_transaction: { id: purchase.id } },
      card_transaction_id: cardTransactionId,
    },
    created_at: c.now,
    updated_at: c.now,
  };
}
