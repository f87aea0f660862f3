import { ApiError } from "../../errors.ts";
import { EMPTY, type EntryKind, sumsAfter } from "../../ledger/account.ts";
import { dayEnd, dayStart } from "../../time/calendar.ts";
import { type Lifetime, lifetimeOf } from "../card/card.ts";
import { firstDayOf } from "../earning/limits.ts";

/** How a report divides time, and how long it may be. */
const RESOLUTIONS = {
  day: { unit: "DAY", step: { days: 1 }, most: { days: 90 }, says: "90 days" },
  week: { unit: "WEEK", step: { weeks: 1 }, most: { weeks: 12 }, says: "12 weeks" },
  month: { unit: "MONTH", step: { months: 1 }, most: { months: 12 }, says: "12 months" },
  quarter: { unit: "QUARTER", step: { months: 3 }, most: { months: 12 }, says: "4 quarters" },
} as const;
export type Resolution = keyof typeof RESOLUTIONS;
export const RESOLUTION_NAMES = Object.keys(RESOLUTIONS) as Resolution[];
export type RangeAsked = { start_date: string; end_date: string; resolution: Resolution };

/** The periods of a report. Both days belong to it; of the first and last period only what lies between them counts. */
export type Periods = {
  start_date: string;
  end_date: string;
  /** The first day of each period. That of the first one may be before the report begins. */
  dates: readonly string[];
  /** The moment in which each period begins. */
  starts: readonly string[];
  /** The moments between which it is: the second one does not count. */
  since: string;
  until: string;
};

const YEARS = { min: 1970, max: 9998 };
const invalidQuery = (details: string) => new ApiError("invalid_query_params", { details });

function requireReportDay(field: string, text: string): Temporal.PlainDate {
  const day = Temporal.PlainDate.from(text);
  if (day.year < YEARS.min || day.year > YEARS.max)
    throw invalidQuery(`Property .${field} must be a day of the years ${YEARS.min} to ${YEARS.max}`);
  return day;
}

export function reportPeriods({ start_date, end_date, resolution }: RangeAsked, zone: string): Periods {
  const [start, end] = [requireReportDay("start_date", start_date), requireReportDay("end_date", end_date)];
  const { unit, step, most, says } = RESOLUTIONS[resolution];
  const { compare } = Temporal.PlainDate;
  if (compare(end, start) <= 0) throw invalidQuery("Property .end_date must be after .start_date");
  if (compare(end, start.add(most)) > 0)
    throw invalidQuery(
      `Property .end_date must be at most ${says} after .start_date when the resolution is ${resolution}`,
    );
  const days: Temporal.PlainDate[] = [];
  for (let day = firstDayOf(unit, start); compare(day, end) <= 0; day = day.add(step)) days.push(day);
  return {
    start_date: start.toString(),
    end_date: end.toString(),
    dates: days.map(String),
    starts: days.map((day) => dayStart(day, zone)),
    since: dayStart(start, zone),
    until: dayEnd(end, zone),
  };
}

/** What was moved on a card. A spending that was refused locked points and unlocked them again. */
export type Movement = { kind: EntryKind; moved: number; refused: number };

/** What these movements add to the counters of the card, named as reports name them. */
export function movementsShown(movements: readonly Movement[]) {
  const sums = movements.reduce((all, { kind, moved, refused }) => {
    const { locked = 0, unlocked = 0, ...after } = sumsAfter(all, kind, moved);
    return { ...after, locked: locked + refused, unlocked: unlocked + refused };
  }, EMPTY);
  const { points, pending_points } = lifetimeOf(sums);
  return { ...prefixed("points", points), ...prefixed("pending_points", pending_points) };
}

type Prefixed<P extends string, R> = { [K in keyof R & string as `${P}_${K}`]: R[K] };
const prefixed = <P extends "points" | "pending_points">(prefix: P, counters: Lifetime[P]) =>
  Object.fromEntries(Object.entries(counters).map(([name, value]) => [`${prefix}_${name}`, value])) as Prefixed<
    P,
    Lifetime[P]
  >;
