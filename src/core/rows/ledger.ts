import type { Entry, Lot } from "../ledger/account.ts";

/** An entry with what caused it. */
export type EntryRow = Entry & {
  id: string;
  campaign_id: string | null;
  redemption_id: string | null;
  rollback_id: string | null;
  order_id: string | null;
  source_id: string | null;
  source: string | null;
  reason: string | null;
  details: Readonly<Record<string, unknown>>;
  created_at: string;
};
export type LotRow = Lot & { account_id: string };
