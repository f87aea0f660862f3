import { cardTransactionMade } from "../catalog/card-transactions.ts";
import { saveCardWork } from "../catalog/card-work.ts";
import type { Catalogs } from "../catalog/catalog.ts";
import { change, openMember, requireActive } from "../catalog/member-work.ts";
import { notFound } from "../core/errors.ts";
import { adjust } from "../core/loyalty/manual.ts";
import type { WriteCtx } from "../ctx.ts";
import type { AdjustBody, Adjusted } from "../resources/loyalty-cards/schema.ts";

type Which = { programId: string; memberId: string; cardId: string };

/** Credits points by hand, or takes some away. */
export async function adjustPoints(
  c: WriteCtx & { catalogs: Catalogs },
  which: Which,
  { points, reason = null }: AdjustBody,
): Promise<Adjusted> {
  const at = await openMember(c, await c.catalogs.catalogOf(c.project), which);
  const card = at.card(which.cardId);
  if (!card) throw notFound("card", which.cardId);
  requireActive(c, at);
  const { entries } = change(card, (state, world) => adjust(state, world, { points, reason }));
  await saveCardWork(c.db, c.project.id, at.work);
  if (entries.length === 0)
    return {
      transaction: null,
      status: "NO_CHANGE",
      message: "Provided amount is zero, transaction was not created",
    };
  return {
    transaction: cardTransactionMade(card.one.row, entries[0]!),
    status: "TRANSACTION_CREATED",
    message: `Points ${points > 0 ? "addition" : "subtraction"} transaction created`,
  };
}
