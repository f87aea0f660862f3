import type { PeriodKind } from "../../core/time/period.ts";
import type { Db } from "../../db/db.ts";

export type CounterRow = {
  subject_kind: "campaign" | "promotion_tier" | "voucher" | "api_key";
  subject_id: string;
  period_kind: PeriodKind;
  period_start: string;
  redemptions: number;
  order_amount: number;
  discount_amount: number;
  gift_amount: number;
};

/** The counters of these subjects in all time and in the periods that begin on one of these days. */
export const loadCounters = (
  db: Db,
  projectId: string,
  { subjectIds, starts }: { subjectIds: readonly string[]; starts: readonly string[] },
) => db<CounterRow[]>`
  select subject_kind, subject_id, period_kind, period_start::text, redemptions, order_amount, discount_amount,
    gift_amount
  from counters where project_id = ${projectId} and subject_kind in ('campaign', 'promotion_tier', 'voucher', 'api_key')
    and subject_id = any(${subjectIds}) and period_start = any(${starts}::text[]::date[])`;
