import { localeOf } from "../../text/text.ts";

type Validity = {
  validity_day_of_week?: readonly number[] | null;
  validity_hours?: {
    daily: readonly { start_time: string; expiration_time: string; days_of_week?: readonly number[] | null }[];
  } | null;
};
/** Days of the week, 0 is Sunday, and the hours of a day, as a form holds them. `isKept`: there are more hours than it can show. */
export type Times = { days: readonly number[]; from: string; to: string; isKept: boolean };

export const ALWAYS: Times = { days: [], from: "", to: "", isKept: false };

export function timesOf({ validity_day_of_week, validity_hours }: Validity): Times {
  const days = [...(validity_day_of_week ?? [])].sort((one, other) => one - other);
  const [first, ...more] = validity_hours?.daily ?? [];
  if (!first) return { ...ALWAYS, days };
  if (more.length > 0 || first.days_of_week?.length) return { ...ALWAYS, days, isKept: true };
  return { days, from: first.start_time, to: first.expiration_time, isKept: false };
}

/** What is sent. Hours that the form cannot show stay as they are. */
export const validityOf = ({ days, from, to, isKept }: Times) => ({
  validity_day_of_week: days.length === 0 ? null : [...days],
  ...(!isKept && {
    validity_hours:
      from === "" && to === "" ? null : { daily: [{ start_time: from || "00:00", expiration_time: to || "23:59" }] },
  }),
});

export const areBackwards = ({ from, to }: Times): boolean => (from || "00:00") >= (to || "23:59");

/** 4 January 1970 was a Sunday. */
const weekday = (day: number) =>
  new Intl.DateTimeFormat(localeOf(), { weekday: "long", timeZone: "UTC" }).format(Date.UTC(1970, 0, 4 + day));

/** The days from Monday on, as the form offers them. */
export const weekdays = () => [1, 2, 3, 4, 5, 6, 0].map((day) => ({ day, name: weekday(day) }));

/** `Friday and Saturday`. */
export const daysSay = (days: readonly number[]): string =>
  new Intl.ListFormat(localeOf(), { type: "conjunction" }).format(
    weekdays().flatMap(({ day, name }) => (days.includes(day) ? [name] : [])),
  );
