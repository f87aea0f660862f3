import { localeOf, type Text } from "../../text/text.ts";
import { roughSeconds } from "./length.ts";

type Validity = {
  validity_day_of_week?: readonly number[] | null;
  validity_hours?: {
    daily: readonly { start_time: string; expiration_time: string; days_of_week?: readonly number[] | null }[];
  } | null;
  validity_timeframe?: { interval: string; duration: string } | null;
};
/** From when until when; an empty text is the beginning or the end of a day. `days`: 0 is Sunday; none: all of them. */
export type Hours = { key: number; days: readonly number[]; from: string; to: string };
/** Windows that come again, from the start on: how often one opens and how long it stays open, as ISO 8601 writes it. */
export type Again = { every: string; lasts: string };
/** Days of the week, hours, and windows that come again, as a form holds them. All three have to hold. */
export type Times = { days: readonly number[]; hours: readonly Hours[]; again: Again | null };

/** The interface has days, hours and windows apart; in a form they are one field. */
export const TIMES_PATHS = {
  validity_day_of_week: "times",
  validity_hours: "times",
  validity_timeframe: "times",
} as const;

export const ALWAYS: Times = { days: [], hours: [], again: null };
export const NO_HOURS = { days: [], from: "", to: "" };

const sorted = (days: readonly number[]) => [...days].sort((one, other) => one - other);
export const isBlank = ({ days, from, to }: Hours): boolean => days.length === 0 && from === "" && to === "";

export function timesOf({ validity_day_of_week, validity_hours, validity_timeframe: again }: Validity): Times {
  return {
    days: sorted(validity_day_of_week ?? []),
    hours: (validity_hours?.daily ?? []).map(({ start_time, expiration_time, days_of_week }, key) => ({
      ...{ key, days: sorted(days_of_week ?? []), from: start_time, to: expiration_time },
    })),
    again: again ? { every: again.interval, lasts: again.duration } : null,
  };
}

export const startOf = ({ from }: Hours): string => from || "00:00";
export const endOf = ({ to }: Hours): string => to || "23:59";

/** What is sent. Hours that say nothing are left out. */
export function validityOf({ days, hours, again }: Times) {
  const daily = hours
    .filter((one) => !isBlank(one))
    .map((one) => ({
      ...{ start_time: startOf(one), expiration_time: endOf(one) },
      ...(one.days.length > 0 && { days_of_week: sorted(one.days) }),
    }));
  return {
    validity_day_of_week: days.length === 0 ? null : sorted(days),
    validity_hours: daily.length === 0 ? null : { daily },
    validity_timeframe: again && { interval: again.every, duration: again.lasts },
  };
}

const areOnOneDay = (one: Hours, other: Hours): boolean =>
  one.days.length === 0 || other.days.length === 0 || one.days.some((day) => other.days.includes(day));

/** What is wrong with hours, by their key: with their end, or with their beginning. */
export function hoursFaults({ hours }: Times, t: Text): ReadonlyMap<number, { from?: string; to?: string }> {
  const filled = hours.filter((one) => !isBlank(one));
  return new Map(
    filled.flatMap((one, place): [number, { from?: string; to?: string }][] => {
      if (startOf(one) >= endOf(one)) return [[one.key, { to: t("kit.times.backwards") }]];
      const isTaken = (other: Hours) =>
        startOf(one) < endOf(other) && startOf(other) < endOf(one) && areOnOneDay(one, other);
      return filled.slice(0, place).some(isTaken) ? [[one.key, { from: t("kit.times.overlap") }]] : [];
    }),
  );
}

/** What is wrong with windows that come again. The server knows better how long a month is. */
export function againFaults({ again }: Times, t: Text): Partial<Again> {
  if (again === null) return {};
  const required = t("kit.form.required");
  const { every, lasts } = again;
  if (every === "" || lasts === "") return { ...(!every && { every: required }), ...(!lasts && { lasts: required }) };
  return roughSeconds(lasts) > roughSeconds(every) ? { lasts: t("kit.times.tooLong") } : {};
}

/** The first fault, for the form that it keeps from being sent. */
export function timesFault(times: Times, t: Text): string | null {
  const [first] = hoursFaults(times, t).values();
  const { every, lasts } = againFaults(times, t);
  return first?.from ?? first?.to ?? every ?? lasts ?? null;
}

/** Windows that come again are counted from the start. */
export const startFault = (times: Times, start: string | null, t: Text): string | null =>
  times.again !== null && !start ? t("kit.times.needsStart") : null;

/** 4 January 1970 was a Sunday. */
const weekday = (day: number) =>
  new Intl.DateTimeFormat(localeOf(), { weekday: "long", timeZone: "UTC" }).format(Date.UTC(1970, 0, 4 + day));

/** The days from Monday on, as the form offers them. */
export const weekdays = () => [1, 2, 3, 4, 5, 6, 0].map((day) => ({ day, name: weekday(day) }));

/** `Friday and Saturday`. */
export const daysSay = (days: readonly number[]): string =>
  listSays(weekdays().flatMap(({ day, name }) => (days.includes(day) ? [name] : [])));

export const listSays = (words: readonly string[]): string =>
  new Intl.ListFormat(localeOf(), { type: "conjunction" }).format(words);
