import { limitOfCounter, type UsedUnits } from "../discounts/items.ts";
import type { CounterKey, CounterValues, UnitsRow } from "../rows/counter.ts";
import type { RedemptionRow } from "../rows/redemption.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import { type PeriodKind, periodStart } from "../time/period.ts";
import type { Starts } from "../vouchers/uses.ts";

/** What is counted: a code, with its row, or a tier. */
export type CountedSubject = { ref: string; campaign_id: string | null; row: VoucherRow | null };
/** Who asks, and when. */
export type Asker = { api_key_id: string; customer_id: string | null; starts: Starts };
/** What one redemption adds to the counters. */
export type Addition = { subject: CountedSubject; asker: Asker; values: CounterValues };

export const counterPeriods = (starts: Starts): Record<PeriodKind, string> => ({
  total: periodStart("total", "", ""),
  ...starts,
});
const PERIODS = ["total", "day", "week", "month"] as const satisfies readonly PeriodKind[];

export const tierKey = (tierId: string, apiKeyId: string): string => `${tierId} ${apiKeyId}`;

/** The counters that a redemption of the subject adds to; what a code counts for itself is in its row. */
export function counterKeys(
  { ref, campaign_id, row }: { ref: string; campaign_id: string | null; row: object | null },
  { api_key_id, starts }: Omit<Asker, "customer_id">,
): CounterKey[] {
  const periods = counterPeriods(starts);
  const of = (subject_kind: CounterKey["subject_kind"], subject_id: string, kinds: readonly PeriodKind[]) =>
    kinds.map(
      (period_kind): CounterKey => ({ subject_kind, subject_id, period_kind, period_start: periods[period_kind] }),
    );
  return [
    ...(campaign_id === null ? [] : of("campaign", campaign_id, PERIODS)),
    ...(row === null
      ? [...of("promotion_tier", ref, PERIODS), ...of("api_key", tierKey(ref, api_key_id), ["total"])]
      : []),
  ];
}

/** The counters that a redemption added to, in the periods in which it was made. */
export function countersOfRedemption(redemption: RedemptionRow): CounterKey[] {
  const { related_object_type, related_object_id, campaign_id, effect } = redemption;
  if (!effect) return [];
  const row = related_object_type === "promotion_tier" ? null : {};
  return counterKeys({ ref: related_object_id!, campaign_id, row }, effect);
}

export const counterName = ({ subject_kind, subject_id, period_kind, period_start }: CounterKey): string =>
  `${subject_kind} ${subject_id} ${period_kind} ${period_start}`;

export const NO_COUNTER_VALUES: CounterValues = Object.freeze({
  redemptions: 0,
  order_amount: 0,
  discount_amount: 0,
  gift_amount: 0,
});

export const addedTo = (before: CounterValues | undefined, values: CounterValues): CounterValues => ({
  redemptions: (before?.redemptions ?? 0) + values.redemptions,
  order_amount: (before?.order_amount ?? 0) + values.order_amount,
  discount_amount: (before?.discount_amount ?? 0) + values.discount_amount,
  gift_amount: (before?.gift_amount ?? 0) + values.gift_amount,
});

export const unitsName = ({ subject_id, customer_id, name }: UnitsRow): string =>
  JSON.stringify([subject_id, customer_id, name]);

/**
 * The counters that discounted units are added to. Contract is silent: a code without a campaign counts for itself, and
 * somebody who is no customer is held to the limits of a customer in each order for itself.
 */
export const unitCounters = (
  { ref, campaign_id }: { ref: string; campaign_id: string | null },
  customerId: string | null,
  units: UsedUnits,
): UnitsRow[] =>
  [...units].flatMap(([name, count]) => {
    const limit = limitOfCounter(name);
    const customer_id = limit.includes("_customer_") ? customerId : "";
    const subject_id = limit.includes("_promotion_tier_") ? ref : (campaign_id ?? ref);
    return customer_id === null ? [] : [{ subject_id, customer_id, name, units: count }];
  });
