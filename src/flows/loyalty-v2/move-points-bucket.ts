import { ApiError, notFound } from "../../core/errors.ts";
import type { Pot } from "../../core/ledger/account.ts";
import {
  type ExpireFault,
  expireBucket,
  type Handled,
  type PendingFault,
  settlePending,
} from "../../core/loyalty/card/manual.ts";
import type { WriteCtx } from "../../ctx.ts";
import { lotsOfBucket } from "../../resources/ledger/ledger/store.ts";
import type { Canceled } from "../../resources/loyalty-v2/cards/schema.ts";
import { cardTransactionMade } from "../../steps/points/card-transactions.ts";
import { type CardInWorld, saveProgramCards } from "../../steps/points/program-cards.ts";
import {
  alter,
  type MemberAtWork,
  openMember,
  requireActiveMember,
  stateOf,
} from "../../steps/points/program-members.ts";

type Which = { programId: string; memberId: string; cardId: string; bucketId: string };

const SETTLED = {
  activate: "Points activation transaction created",
  cancel: "Points cancellation transaction created",
};

/** Makes points that wait available, or cancels them. */
export async function settlePendingPoints(c: WriteCtx, which: Which, how: "activate" | "cancel"): Promise<Canceled> {
  const { at, card } = await open(c, which, "pending");
  const { bucketId } = which;
  return saveMove(c, { at, card, message: SETTLED[how] }, settlePending(stateOf(card), card.world, { bucketId, how }));
}

/** Lets the points of a bucket expire now. */
export async function expirePoints(c: WriteCtx, which: Which): Promise<Canceled> {
  const { at, card } = await open(c, which, "available");
  const handled = expireBucket(stateOf(card), card.world, { bucketId: which.bucketId, reason: null });
  return saveMove(c, { at, card, message: "Points expiration transaction created" }, handled);
}

const OBJECTS = { pending: "card_pending_points_bucket", available: "card_points_bucket" } as const;

async function open(c: WriteCtx, which: Which, pot: Pot): Promise<{ at: MemberAtWork; card: CardInWorld }> {
  const at = await openMember(c, await c.catalog(), which);
  const card = at.card(which.cardId);
  if (!card) throw notFound("card", which.cardId);
  const { cardId: accountId, bucketId } = which;
  const lots = await lotsOfBucket(c.db, c.project.id, { accountId, bucketId });
  if (!lots.some((lot) => lot.pot === pot)) throw notFound(OBJECTS[pot], bucketId);
  requireActiveMember(c, at);
  return { at, card };
}

async function saveMove(
  c: WriteCtx,
  { at, card, message }: { at: MemberAtWork; card: CardInWorld; message: string },
  handled: Handled<PendingFault | ExpireFault>,
): Promise<Canceled> {
  if (handled.fault !== null) throw new ApiError(handled.fault);
  const { entries } = alter(card, () => handled.change);
  await saveProgramCards(c.db, c.project.id, at.cards);
  // Of an activation the second entry is the one that is shown.
  const transaction = cardTransactionMade(card.card.row, entries.at(-1)!);
  return { transaction, status: "TRANSACTION_CREATED", message };
}
