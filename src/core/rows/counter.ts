import type { PeriodKind } from "../time/period.ts";

export type CounterKey = {
  /** A code counts for itself, in its own row. `api_key`: a tier and a key together. */
  subject_kind: "campaign" | "promotion_tier" | "api_key";
  subject_id: string;
  period_kind: PeriodKind;
  period_start: string;
};
export type CounterValues = { redemptions: number; order_amount: number; discount_amount: number; gift_amount: number };
export type CounterRow = CounterKey & CounterValues;

/** Units that were discounted, of all customers when `customer_id` is empty. `name` is the `budgetKey` of a limit. */
export type UnitsRow = { subject_id: string; customer_id: string; name: string; units: number };
