import type { Lot } from "../../ledger/account.ts";
import { type DayOfYear, dayEnd, later, localDate, nextListed } from "../../time/calendar.ts";
import type { NewCardId } from "./card.ts";
import type { PointsExpiration } from "./wallet.ts";

type Rolling = NonNullable<PointsExpiration["rolling_expiration"]>;
const LAST_MONTH = {
  END_OF_MONTH: (month: number) => month,
  END_OF_QUARTER: (month: number) => Math.ceil(month / 3) * 3,
  END_OF_HALF_YEAR: (month: number) => (month <= 6 ? 6 : 12),
  END_OF_YEAR: () => 12,
} as const;

const endOfMonth = (year: number, month: number): Temporal.PlainDate =>
  Temporal.PlainDate.from({ year, month, day: 31 }, { overflow: "constrain" });

/** The last day of what holds `day`; of a particular month: its first end that is not before `day`. */
function rounded(day: Temporal.PlainDate, rounding: Rolling["rounding"]): Temporal.PlainDate {
  if (!rounding) return day;
  if (rounding.type !== "END_OF_PARTICULAR_MONTH") return endOfMonth(day.year, LAST_MONTH[rounding.type](day.month));
  const end = endOfMonth(day.year, rounding.value!);
  return Temporal.PlainDate.compare(end, day) >= 0 ? end : endOfMonth(day.year + 1, rounding.value!);
}

/**
 * The last day on which points can be spent that were credited on `day`; null: they stay. Credited on 25 January with a
 * month, they can be spent until the end of 25 February.
 */
export function lastDay(settings: PointsExpiration, day: Temporal.PlainDate): Temporal.PlainDate | null {
  switch (settings.type) {
    case "NO_EXPIRATION":
      return null;
    case "ROLLING_EXPIRATION": {
      const { period, rounding } = settings.rolling_expiration!;
      return rounded(later(day, period), rounding);
    }
    case "CALENDAR_EXPIRATION": {
      const dates: readonly DayOfYear[] = settings.calendar_expiration!.expiration_dates;
      return nextListed(day, dates, { isSameCounted: true });
    }
    case "SLIDING_EXPIRATION":
      return later(day, settings.sliding_expiration!.period);
  }
}

/** Which settings decide. Those of the effect come first, then those of the tier that the member is in, then the card's. */
export type ExpirationSettings = {
  effect: PointsExpiration | null;
  tier: PointsExpiration | null;
  wallet: PointsExpiration;
};

export type Expiry = Pick<Lot, "expires_at" | "bucket_date" | "bucket_type" | "expiration">;

/** When points that are credited at `now` expire. */
export function pointsExpiry(settings: ExpirationSettings, { now, zone }: { now: string; zone: string }): Expiry {
  const own = settings.effect ?? settings.tier;
  const used = own ?? settings.wallet;
  const last = lastDay(used, localDate(now, zone));
  return {
    expires_at: last && dayEnd(last, zone),
    bucket_date: last?.toString() ?? null,
    bucket_type: used.type,
    expiration: own,
  };
}

/** What can move a sliding expiration: earning, spending, or an event of a schema. */
export type CardActivity = { kind: "earning" } | { kind: "spending" } | { kind: "custom"; schema_id: string };

export type Sliding = {
  earning_activity: boolean;
  spending_activity: boolean;
  custom_activity: boolean;
  custom_activity_types: readonly string[];
};
export function isCounted(sliding: Sliding, activity: CardActivity): boolean {
  if (activity.kind === "earning") return sliding.earning_activity;
  if (activity.kind === "spending") return sliding.spending_activity;
  return sliding.custom_activity && sliding.custom_activity_types.includes(activity.schema_id);
}

/**
 * Lots that an activity moves, with their new day. Those of a card whose own expiration slides follow the card's period;
 * on other cards each follows the settings it was credited with. All that get the same day are one bucket from then on.
 */
export function slid(
  lots: readonly Lot[],
  {
    activity,
    wallet,
    ...world
  }: { activity: CardActivity; wallet: PointsExpiration; now: string; zone: string; newId: NewCardId },
): Lot[] {
  const today = localDate(world.now, world.zone);
  const slides = lots.filter((lot) => lot.pot === "available" && lot.bucket_type === "SLIDING_EXPIRATION");
  const days = new Map<Lot, Temporal.PlainDate>();
  for (const lot of slides) {
    const settings = wallet.sliding_expiration ?? (lot.expiration as PointsExpiration | null)?.sliding_expiration;
    if (!settings || !isCounted(settings, activity)) continue;
    const last = later(today, settings.period);
    if (last.toString() !== lot.bucket_date) days.set(lot, last);
  }
  // A bucket of which a part stays where it is keeps its id.
  const staying = slides.filter((lot) => !days.has(lot));
  const buckets = new Map(staying.map(({ bucket_date, bucket_id }) => [bucket_date, bucket_id]));
  const taken = new Set(staying.map(({ bucket_id }) => bucket_id));
  return [...days].map(([lot, last]) => {
    const bucket_date = last.toString();
    const own = taken.has(lot.bucket_id) ? null : lot.bucket_id;
    const bucket_id = buckets.get(bucket_date) ?? own ?? world.newId("lcpeb");
    buckets.set(bucket_date, bucket_id);
    taken.add(bucket_id);
    return { ...lot, expires_at: dayEnd(last, world.zone), bucket_date, bucket_id };
  });
}

type BucketKey = { pot: Lot["pot"]; date: string | null; type: string | null };
const isInBucket = (lot: Lot, { pot, date, type }: BucketKey): boolean =>
  lot.pot === pot &&
  lot.bucket_id !== null &&
  lot.bucket_date === date &&
  lot.bucket_type === type &&
  lot.remaining > 0;

/** The bucket that holds lots of this day and type, if there is one. */
export const bucketFor = (lots: readonly Lot[], key: BucketKey): string | null =>
  lots.find((lot) => isInBucket(lot, key))?.bucket_id ?? null;
