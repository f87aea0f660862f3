import { notFound } from "../../core/errors.ts";
import { adjust } from "../../core/loyalty/card/manual.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { AdjustBody, Adjusted } from "../../resources/loyalty-v2/cards/schema.ts";
import { cardTransactionMade } from "../../steps/points/card-transactions.ts";
import { saveProgramCards } from "../../steps/points/program-cards.ts";
import { alter, openMember, requireActiveMember } from "../../steps/points/program-members.ts";

type Which = { programId: string; memberId: string; cardId: string };

/** Credits points by hand, or takes some away. */
export async function adjustPoints(
  c: WriteCtx,
  which: Which,
  { points, reason = null }: AdjustBody,
): Promise<Adjusted> {
  const at = await openMember(c, await c.catalog(), which);
  const card = at.card(which.cardId);
  if (!card) throw notFound("card", which.cardId);
  requireActiveMember(c, at);
  const { entries } = alter(card, (state, world) => adjust(state, world, { points, reason }));
  await saveProgramCards(c.db, c.project.id, at.cards);
  if (entries.length === 0)
    return {
      transaction: null,
      status: "NO_CHANGE",
      message: "Provided amount is zero, transaction was not created",
    };
  return {
    transaction: cardTransactionMade(card.card.row, entries[0]!),
    status: "TRANSACTION_CREATED",
    message: `Points ${points > 0 ? "addition" : "subtraction"} transaction created`,
  };
}
