import type { PointsExpirationRules } from "../api/operations.gen.ts";
import { localeOf, type Text } from "../text/text.ts";

export type PointsExpiry = PointsExpirationRules | null;
export const ROUNDINGS = ["END_OF_MONTH", "END_OF_QUARTER", "END_OF_HALF_YEAR", "END_OF_YEAR"] as const;

/** The names of the months, for their numbers from 1 on. */
export const months = () =>
  Array.from({ length: 12 }, (_, month) =>
    new Intl.DateTimeFormat(localeOf(), { month: "long", timeZone: "UTC" }).format(Date.UTC(2026, month, 1)),
  );

/** The card of a new campaign. */
export const newCard = (points: number | null, expires: PointsExpiry) => ({
  points: points ?? 0,
  ...(expires && { expiration_rules: expires }),
});

/** Both together. Rules that are left out stay: points that never expire again are said with null. */
export const cardChanges = (points: number | null, expires: PointsExpiry) => ({
  points: points ?? 0,
  expiration_rules: expires,
});

/** What is missing. The server decides the rest. */
export const expiryFault = (expiry: PointsExpiry, t: Text): string | null =>
  (expiry?.period_type === "MONTH" && expiry.period_value == null) ||
  (expiry?.period_type === "FIXED_DAY_OF_YEAR" && (!expiry.fixed_day || !expiry.fixed_month))
    ? t("kit.form.required")
    : null;

/** When points expire, in words. */
export function expirySays(expiry: PointsExpiry, t: Text): string {
  if (!expiry) return t("points.never");
  if (expiry.period_type === "FIXED_DAY_OF_YEAR")
    return t("points.onDay", { day: expiry.fixed_day ?? "…", month: months()[(expiry.fixed_month ?? 1) - 1]! });
  const after = t("points.afterMonths", { count: expiry.period_value ?? 0 });
  const { rounding_type, rounding_value } = expiry;
  if (!rounding_type) return after;
  const end =
    rounding_type === "PARTICULAR_MONTH"
      ? t("points.endOfMonth", { month: months()[(rounding_value ?? 1) - 1]! })
      : t(`points.rounding.${rounding_type}`);
  return `${after}, ${end}`;
}
