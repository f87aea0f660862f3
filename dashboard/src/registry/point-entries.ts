import type { LoyaltyCardTransaction } from "../api/operations.gen.ts";
import type { TextKey } from "../text/text.ts";

type Kind = LoyaltyCardTransaction["type"];

/** What each kind of entry in the ledger of a card is called, and what it does to the balance. */
export const POINT_ENTRIES: Record<Kind, { text: TextKey; sign: "+" | "−" | "" }> = {
  ADMIN_CREDIT: { text: "loyalty.entry.ADMIN_CREDIT", sign: "+" },
  ADMIN_DEBIT: { text: "loyalty.entry.ADMIN_DEBIT", sign: "−" },
  ADMIN_POINTS_EXPIRATION: { text: "loyalty.entry.ADMIN_POINTS_EXPIRATION", sign: "−" },
  POINTS_EARNED: { text: "loyalty.entry.POINTS_EARNED", sign: "+" },
  POINTS_SPENT_ON_REWARD: { text: "loyalty.entry.POINTS_SPENT_ON_REWARD", sign: "−" },
  POINTS_PURCHASED: { text: "loyalty.entry.POINTS_PURCHASED", sign: "+" },
  POINTS_PURCHASE_REVERSED: { text: "loyalty.entry.POINTS_PURCHASE_REVERSED", sign: "−" },
  POINTS_SPENT_ON_ORDER: { text: "loyalty.entry.POINTS_SPENT_ON_ORDER", sign: "−" },
  POINTS_REFUNDED: { text: "loyalty.entry.POINTS_REFUNDED", sign: "+" },
  POINTS_RETURNED: { text: "loyalty.entry.POINTS_RETURNED", sign: "−" },
  POINTS_EXPIRED: { text: "loyalty.entry.POINTS_EXPIRED", sign: "−" },
  PENDING_POINTS_ADDED: { text: "loyalty.entry.PENDING_POINTS_ADDED", sign: "" },
  PENDING_POINTS_ACTIVATED: { text: "loyalty.entry.PENDING_POINTS_ACTIVATED", sign: "+" },
  PENDING_POINTS_CANCELED: { text: "loyalty.entry.PENDING_POINTS_CANCELED", sign: "" },
};
