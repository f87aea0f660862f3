import { dateFormat } from "../../text/formats.ts";
import { localeOf } from "../../text/text.ts";

// Moments are shown in the zone of the project. Who looks at them from elsewhere is told so.

const format = (options: Intl.DateTimeFormatOptions, iso: string, timeZone?: string) =>
  dateFormat(localeOf(), { ...options, ...(timeZone && { timeZone }) }).format(new Date(iso));

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** `14 Mar 2027` */
export const formatDay = (iso: string, zone?: string): string => format(DAY, iso, zone);
/** `09:00` */
export const formatTime = (iso: string, zone?: string): string => format(TIME, iso, zone);
/** `14 Mar 2027, 09:00` */
export const formatMoment = (iso: string, zone?: string): string => format({ ...DAY, ...TIME }, iso, zone);

const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The zone by name, where the browser has another one. */
export const otherZone = (zone: string): string | null => (zone === browserZone() ? null : zone);

const daysApart = (a: Date, b: Date) => Math.round((a.getTime() - b.getTime()) / 86_400_000);

/** `14 Mar, 09:00` of this year, and the day alone of others: for columns. */
export function formatShort(iso: string, zone?: string): string {
  const isOld = Math.abs(daysApart(new Date(iso), new Date())) > 300;
  return isOld ? formatDay(iso, zone) : format({ day: "numeric", month: "short", ...TIME }, iso, zone);
}

/** From when until when: `1 Dec – 24 Dec 2026`, `from 1 Dec 2026`, `until 24 Dec 2026`, or null for always. */
export function formatPeriod(
  from: string | null | undefined,
  to: string | null | undefined,
  zone: string,
  words: { from: (day: string) => string; until: (day: string) => string },
): string | null {
  if (from && to) return dateFormat(localeOf(), { ...DAY, timeZone: zone }).formatRange(new Date(from), new Date(to));
  if (from) return words.from(formatDay(from, zone));
  if (to) return words.until(formatDay(to, zone));
  return null;
}

/** `09:00:07`: for what happens right now. */
export const formatSeconds = (iso: string, zone?: string): string => format({ ...TIME, second: "2-digit" }, iso, zone);
