import type { EntryKind } from "../../core/ledger/account.ts";
import type { CardEntry } from "../../core/loyalty/card/card.ts";
import type { CardTransaction } from "../../resources/loyalty-v2/cards/schema.ts";

/** How clients call what is moved on a card. What has no name is not told: the first half of an activation. */
export const CARD_TRANSACTIONS: Partial<Record<EntryKind, CardTransaction["type"]>> = {
  addition: "ADMIN_CREDIT",
  removal: "ADMIN_DEBIT",
  manual_expiration: "ADMIN_POINTS_EXPIRATION",
  accrual: "POINTS_EARNED",
  reward_spend: "POINTS_SPENT_ON_REWARD",
  purchase: "POINTS_PURCHASED",
  purchase_reversal: "POINTS_PURCHASE_REVERSED",
  order_spend: "POINTS_SPENT_ON_ORDER",
  revocation: "POINTS_REFUNDED",
  return: "POINTS_RETURNED",
  expiration: "POINTS_EXPIRED",
  pending_addition: "PENDING_POINTS_ADDED",
  activation_in: "PENDING_POINTS_ACTIVATED",
  cancellation: "PENDING_POINTS_CANCELED",
};

/** An entry of the ledger as a transaction of its card. One that was refused says why. */
export function cardTransactionView(
  {
    id,
    program_id,
    member_id,
    card_definition_id,
  }: Record<"id" | "program_id" | "member_id" | "card_definition_id", string>,
  entry: Pick<CardEntry, "id" | "kind" | "reason" | "details" | "created_at">,
): CardTransaction {
  const { rejection = null, metadata = {}, ...details } = entry.details;
  return {
    id: entry.id,
    card_id: id,
    program_id,
    member_id,
    card_definition_id,
    card_type: "INDIVIDUAL",
    type: CARD_TRANSACTIONS[entry.kind]!,
    details: { reason: entry.reason, rejection, metadata, ...details },
    status: rejection === null ? "APPROVED" : "REJECTED",
    created_at: entry.created_at,
    updated_at: entry.created_at,
    object: "card_transaction",
  };
}

/** The same as it was when it was made: it settles in the transaction of the request, and is read settled. */
export function cardTransactionMade(
  card: Parameters<typeof cardTransactionView>[0],
  entry: Parameters<typeof cardTransactionView>[1],
): CardTransaction {
  const shown = cardTransactionView(card, entry);
  return { ...shown, details: { ...shown.details, rejection: null }, status: "PENDING", updated_at: null };
}
