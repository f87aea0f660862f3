import { parseDuration } from "../../time/duration.ts";
import type { World } from "../card/moves.ts";
import { NO_EXPIRATION, type PendingPoints, PLAIN_WALLET, type PointsExpiration } from "../card/wallet.ts";
import type { Term } from "../tiers/dates.ts";
import type { WatchedStructure, WatchedTier } from "../tiers/tiers.ts";
import type { ExpirationRules, TiersExpiration } from "./shapes.ts";

/** When points expire, in the words of a wallet. */
export function pointsExpirationOf(rules: ExpirationRules | null | undefined): PointsExpiration {
  if (!rules) return NO_EXPIRATION;
  if (rules.period_type === "FIXED_DAY_OF_YEAR") {
    const expiration_dates = [{ day: rules.fixed_day, month: rules.fixed_month }];
    return { type: "CALENDAR_EXPIRATION", calendar_expiration: { expiration_dates } };
  }
  const { period_value: value, rounding_type: type, rounding_value } = rules;
  const rounding =
    type === "PARTICULAR_MONTH"
      ? ({ type: "END_OF_PARTICULAR_MONTH", value: rounding_value! } as const)
      : type && ({ type } as const);
  const rolling_expiration = { period: { value, unit: "MONTH" as const }, ...(rounding && { rounding }) };
  return { type: "ROLLING_EXPIRATION", rolling_expiration };
}

/** Until when points of a rule wait, in the words of a wallet. */
export const pendingPointsOf = (pending: { period_value: number } | null | undefined): PendingPoints =>
  pending
    ? { type: "PERIOD_BASED", period_based: { period: { value: pending.period_value, unit: "DAY" } } }
    : { type: "IMMEDIATE" };

/** A tier of a campaign, as far as it decides who is in it. */
export type PointsTier = { id: string; name: string; points_from: number; points_to: number | null };

const watched = ({ id, name, points_from, points_to }: PointsTier): WatchedTier => ({
  id,
  name,
  qualification_rules: {
    type: "POINTS",
    points: { min_value: points_from, ...(points_to !== null && { max_value: points_to }) },
  },
  downgrade: { type: "INHERIT" },
  points_expiration: null,
});

/** Without settings a tier follows the balance. */
const BY_BALANCE: TiersExpiration = {
  qualification_type: "BALANCE",
  start_date: { type: "IMMEDIATE" },
  expiration_date: { type: "BALANCE_DROP" },
};

// Contract is silent: the period at whose end a tier expires is the one in which the tier starts.
function termOf({ qualification_period: period = "YEAR", expiration_date }: TiersExpiration): Term | null {
  const { type, extend, rounding } = expiration_date;
  if (type === "BALANCE_DROP") return null;
  return {
    from: type === "CUSTOM" ? "START" : type,
    period,
    extend: extend ? parseDuration(extend) : null,
    rounding: rounding
      ? { to: rounding.type === "CUSTOM" ? rounding.value! + 1 : rounding.type, strategy: rounding.strategy }
      : null,
  };
}

/** The tiers of a campaign as one structure, which has the id of the campaign. */
function structureOf(campaignId: string, settings: TiersExpiration | null): WatchedStructure {
  const used = settings ?? BY_BALANCE;
  const { qualification_type, qualification_period = "YEAR", start_date } = used;
  const term = termOf(used);
  return {
    id: campaignId,
    type: qualification_type === "BALANCE" ? "POINT_BALANCE" : "POINT_EARNED",
    point_earned:
      qualification_type === "BALANCE"
        ? null
        : {
            type: start_date.type === "NEXT_PERIOD" ? "NEXT_TRACKING_PERIOD" : "IMMEDIATELY",
            period: { value: 1, unit: qualification_period },
          },
    expiration: term ? { type: "TERM_EXPIRATION", term } : { type: "NO_EXPIRATION" },
    downgrade: { type: "MULTI_LEVEL" },
  };
}

export type CampaignSettings = {
  campaign_id: string;
  expiration_rules: ExpirationRules | null;
  tiers: readonly PointsTier[];
  tiers_expiration: TiersExpiration | null;
};

/** What the cards of a loyalty campaign live in: its settings, in the words of the engine. */
export function campaignWorld(settings: CampaignSettings, living: Pick<World, "now" | "zone" | "newId">): World {
  const { campaign_id, expiration_rules, tiers, tiers_expiration } = settings;
  const structure = structureOf(campaign_id, tiers_expiration);
  return {
    ...living,
    wallet: { ...PLAIN_WALLET, points_expiration: pointsExpirationOf(expiration_rules) },
    tiers: tiers.length > 0 ? { structure, tiers: tiers.map(watched), isInSegment: () => false } : null,
    areTiersFirst: true,
  };
}
