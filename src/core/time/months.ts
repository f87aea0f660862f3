import { dayStart, localDate, unitStart } from "./calendar.ts";

/** Months of the calendar in a row. The first one holds `now`, and only what comes after `now` belongs to it. */
export type Months = {
  now: string;
  /** YYYY-MM of each. */
  names: readonly string[];
  /** The moment in which each begins. */
  starts: readonly string[];
  /** The moment in which the last one ends. */
  end: string;
};

/** This month and those that follow it, so many in all. */
export function comingMonths(now: string, zone: string, count: number): Months {
  const first = unitStart(localDate(now, zone), "MONTH");
  const days = Array.from({ length: count }, (_, n) => first.add({ months: n }));
  return {
    now,
    names: days.map((day) => day.toPlainYearMonth().toString()),
    starts: days.map((day) => dayStart(day, zone)),
    end: dayStart(first.add({ months: count }), zone),
  };
}
