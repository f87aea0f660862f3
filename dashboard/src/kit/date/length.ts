import { localeOf, type Text } from "../../text/text.ts";

/** The units of a length of time, as ISO 8601 writes them. */
export const UNITS = {
  minutes: ["PT", "M"],
  hours: ["PT", "H"],
  days: ["P", "D"],
  weeks: ["P", "W"],
  months: ["P", "M"],
  years: ["P", "Y"],
} as const;
export type Unit = keyof typeof UNITS;

const ISO = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const ORDER = ["years", "months", "weeks", "days", "hours", "minutes", "seconds"] as const;

function partsOf(iso: string): { unit: (typeof ORDER)[number]; count: number }[] {
  const parts = ISO.exec(iso)?.slice(1) ?? [];
  return ORDER.flatMap((unit, place) => (Number(parts[place] ?? 0) > 0 ? [{ unit, count: Number(parts[place]) }] : []));
}

/** One number of one unit; null: a length that is made of several, or none. */
export function lengthOf(iso: string): { count: number; unit: Unit } | null {
  const [part, ...more] = partsOf(iso);
  return part && more.length === 0 && part.unit !== "seconds" ? { count: part.count, unit: part.unit } : null;
}

/** An empty text where there is no number. */
export const isoOf = (count: number | null, unit: Unit): string =>
  count ? `${UNITS[unit][0]}${count}${UNITS[unit][1]}` : "";

const SECONDS = { years: 31_556_952, months: 2_629_746, weeks: 604_800, days: 86_400, hours: 3600, minutes: 60 };
/** With months and years as long as they are on average. The server knows better. */
export const roughSeconds = (iso: string): number =>
  partsOf(iso).reduce((sum, { unit, count }) => sum + count * (unit === "seconds" ? 1 : SECONDS[unit]), 0);

const unitSays = (count: number, unit: string) =>
  new Intl.NumberFormat(localeOf(), { style: "unit", unit: unit.slice(0, -1), unitDisplay: "long" }).format(count);

/** `3 months`, `1 day and 12 hours`. */
export const lengthSays = (iso: string): string =>
  new Intl.ListFormat(localeOf(), { type: "conjunction" }).format(
    partsOf(iso).map(({ unit, count }) => unitSays(count, unit)),
  );

/** `every week`, `every 2 days`. */
export function everySays(iso: string, t: Text): string {
  const length = lengthOf(iso);
  return length?.count === 1 ? t(`kit.length.each.${length.unit}`) : t("kit.length.every", { length: lengthSays(iso) });
}
