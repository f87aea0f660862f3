import type { Campaign } from "../../../api/operations.gen.ts";
import { lengthSays } from "../../../kit/date/length.ts";
import { months } from "../../../registry/points-expiry.ts";
import type { Text } from "../../../text/text.ts";

type Stored = NonNullable<Campaign["loyalty_tiers_expiration"]>;
export const PERIODS = ["MONTH", "QUARTER", "HALF_YEAR", "YEAR"] as const;
export const ROUNDINGS = ["none", ...PERIODS, "CUSTOM"] as const;

/** How long the tiers of a campaign last, as a form holds it. */
export type Terms = {
  counts: Stored["qualification_type"];
  period: (typeof PERIODS)[number];
  starts: Stored["start_date"]["type"];
  ends: Stored["expiration_date"]["type"];
  /** As ISO 8601 writes it; empty: none. */
  extend: string;
  rounding: (typeof ROUNDINGS)[number];
  strategy: "START" | "END";
  /** Of `CUSTOM`: 0 is January. */
  month: number;
};

/** Which ends fit to what is counted; the first is what one begins with. */
export const ENDS = {
  BALANCE: ["BALANCE_DROP", "CUSTOM"],
  POINTS_IN_PERIOD: ["END_OF_PERIOD", "END_OF_NEXT_PERIOD", "CUSTOM"],
} as const satisfies Record<Terms["counts"], readonly Terms["ends"][]>;

export function termsOf(stored: Campaign["loyalty_tiers_expiration"]): Terms {
  const { type = "BALANCE_DROP", extend, rounding } = stored?.expiration_date ?? {};
  return {
    counts: stored?.qualification_type ?? "BALANCE",
    period: stored?.qualification_period ?? "YEAR",
    starts: stored?.start_date.type ?? "IMMEDIATE",
    ends: type,
    extend: extend ?? "",
    rounding: rounding?.type ?? "none",
    strategy: rounding?.strategy ?? "END",
    month: rounding?.value ?? 11,
  };
}

/** What fits to another way to count: a balance knows no period. */
export const countedBy = (counts: Terms["counts"]): Partial<Terms> => ({
  counts,
  starts: "IMMEDIATE",
  ends: ENDS[counts][0],
});

/** What is sent. A tier that follows the balance has no length. */
export function sentTerms({ counts, period, starts, ends, extend, rounding, strategy, month }: Terms): Stored {
  const rounded = {
    type: rounding as "MONTH",
    strategy,
    ...(rounding === "CUSTOM" && { unit: "MONTH", value: month }),
  };
  return {
    qualification_type: counts,
    ...(counts === "POINTS_IN_PERIOD" && { qualification_period: period }),
    start_date: { type: starts },
    expiration_date: {
      type: ends,
      ...(ends !== "BALANCE_DROP" && {
        ...(extend !== "" && { extend }),
        ...(rounding !== "none" && { rounding: rounded as NonNullable<Stored["expiration_date"]["rounding"]> }),
      }),
    },
  };
}

/** What is missing. The server decides the rest. */
export const termsFaults = ({ ends, extend }: Terms, t: Text) =>
  ends === "CUSTOM" && extend === "" ? { extend: t("kit.form.required") } : {};

/** What a form offers to round to; the same words say it for points. */
export const roundingWord = (rounding: Terms["rounding"], t: Text): string =>
  rounding === "none"
    ? t("points.exactly")
    : t(rounding === "CUSTOM" ? "points.rounding.PARTICULAR_MONTH" : `points.rounding.END_OF_${rounding}`);

function roundingSays({ rounding, strategy, month }: Terms, t: Text): string {
  const named = { month: months()[month]! };
  if (rounding === "CUSTOM")
    return strategy === "END" ? t("terms.to", { until: t("points.endOfMonth", named) }) : t("terms.toMonth", named);
  if (strategy === "END" || rounding === "none") return t("terms.to", { until: roundingWord(rounding, t) });
  return t("terms.toStart", { period: t(`terms.periods.${rounding}`) });
}

/** How long a tier lasts, in words. */
export function termsSay(terms: Terms, t: Text): string {
  const { counts, period, starts, ends, extend, rounding } = terms;
  if (ends === "BALANCE_DROP") return t("terms.follows");
  const isPeriod = counts === "POINTS_IN_PERIOD";
  const length = extend === "" ? "" : lengthSays(extend);
  const lasts = [
    ends === "CUSTOM" ? t("terms.for", { length }) : t(`terms.until.${ends}`),
    ends !== "CUSTOM" && length ? t("terms.longer", { length }) : null,
    rounding === "none" ? null : roundingSays(terms, t),
  ].filter((one) => one !== null);
  return [
    isPeriod ? t("terms.earnedIn", { period: t(`terms.periods.${period}`) }) : t("terms.reached"),
    isPeriod && starts === "NEXT_PERIOD" ? t("terms.beginsLater") : null,
    `${lasts.join(", ")}.`,
  ]
    .filter((one) => one !== null)
    .join(" ");
}
