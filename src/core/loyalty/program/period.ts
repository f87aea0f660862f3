import { type Static, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Choice, strict } from "../../shapes.ts";

export const PERIOD_UNITS = ["DAY", "MONTH", "YEAR"] as const;
/** How many of a unit a period may have; a unit that is not named has no maximum. */
export type PeriodMax = Readonly<Partial<Record<string, number>>>;
export const PERIOD_MAX = { DAY: 90, MONTH: 12, YEAR: 5 } as const satisfies PeriodMax;
export const PERIOD_MAX_OF_ONE_YEAR = { DAY: 90, MONTH: 12, YEAR: 1 } as const satisfies PeriodMax;

export const PeriodValue = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** So long. Which maximum holds for its unit is said by `requirePeriod`. */
export const Period = strict({ value: PeriodValue, unit: Choice(PERIOD_UNITS) });
export type Period = Static<typeof Period>;

/** A day that comes every year. */
export const CalendarDate = strict({
  day: Type.Integer({ minimum: 1, maximum: 31 }),
  month: Type.Integer({ minimum: 1, maximum: 12 }),
});
export type CalendarDate = Static<typeof CalendarDate>;
export const CalendarDates = Type.Array(CalendarDate, { minItems: 1, maxItems: 20 });

/** A whole number of points or money, from 1. */
export const AtLeastOne = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export function requirePeriod({ value, unit }: { value: number; unit: string }, path: string, most: PeriodMax): void {
  const max = most[unit] ?? Number.MAX_SAFE_INTEGER;
  if (value > max) throw invalid(`Property ${path}.value must be <= ${max} when the unit is ${unit}`);
}

/** With the 29th of February: it comes in some years. */
export const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

export function requireDates(dates: readonly CalendarDate[], path: string): void {
  for (const [n, { day, month }] of dates.entries()) {
    const max = DAYS_OF_MONTH[month - 1]!;
    if (day > max) throw invalid(`Property ${path}[${n}].day must be <= ${max} when the month is ${month}`);
  }
}
