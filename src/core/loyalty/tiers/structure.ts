import { type Static, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Choice, Nullable, strict } from "../../shapes.ts";
import {
  EventSchemaIds,
  EXPIRATION_TYPES,
  type PointsExpiration,
  parseActivities,
  shownFlags,
} from "../card/wallet.ts";
import {
  CalendarDates,
  PERIOD_MAX,
  PERIOD_UNITS,
  Period,
  PeriodValue,
  requireDates,
  requirePeriod,
} from "../program/period.ts";
import { idOf, maybe, variantOf } from "../program/shape.ts";
import type { LoyaltyStatus } from "../program/status.ts";

export const STRUCTURE_TYPES = ["POINT_BALANCE", "POINT_EARNED"] as const;

/** In which periods earned points are counted, and when they count. Hours and weeks have no maximum. */
export const PointEarned = strict({
  period: strict({ value: PeriodValue, unit: Choice(["HOUR", "DAY", "WEEK", "MONTH", "YEAR"]) }),
  type: Choice(["IMMEDIATELY", "NEXT_TRACKING_PERIOD"]),
});
export type PointEarned = Static<typeof PointEarned>;

const EXPIRATIONS = {
  NO_EXPIRATION: null,
  ROLLING_EXPIRATION: "rolling_expiration",
  CALENDAR_EXPIRATION: "calendar_expiration",
  SLIDING_EXPIRATION: "sliding_expiration",
} as const;
const Rolling = strict({ period: Period });
const Calendar = strict({ calendar_dates: CalendarDates });

export const TierExpirationBody = strict({
  type: Choice(EXPIRATION_TYPES),
  ...maybe({
    rolling_expiration: Rolling,
    calendar_expiration: Calendar,
    sliding_expiration: strict({
      earning_activity: Type.Optional(Type.Boolean()),
      spending_activity: Type.Optional(Type.Boolean()),
      custom_activity: Type.Optional(Type.Boolean()),
      custom_activity_types: Type.Optional(EventSchemaIds),
      period: Nullable(Period),
    }),
  }),
});
export type TierExpirationBody = Static<typeof TierExpirationBody>;
/** When a qualification ends. A sliding one without a period does not end by inactivity. */
export const TierExpiration = Type.Object({
  type: Choice(EXPIRATION_TYPES),
  rolling_expiration: Type.Optional(Rolling),
  calendar_expiration: Type.Optional(Calendar),
  sliding_expiration: Type.Optional(Type.Object({ ...shownFlags, period: Nullable(Period) })),
});
export type TierExpiration = Static<typeof TierExpiration>;

const DOWNGRADES = ["MULTI_LEVEL", "SINGLE_LEVEL", "NO_DOWNGRADE"] as const;
const GracePeriod = strict({
  value: PeriodValue,
  unit: Choice(PERIOD_UNITS),
  round_up: Type.Optional(Type.Boolean({ description: "To the end of the unit." })),
});
export const TierDowngradeBody = strict({
  type: Type.Optional(Choice(DOWNGRADES, { description: "Left out: NO_DOWNGRADE." })),
  ...maybe({ grace_period: GracePeriod }),
});
export type TierDowngradeBody = Static<typeof TierDowngradeBody>;
export const TierDowngrade = Type.Object({ type: Choice(DOWNGRADES), ...maybe({ grace_period: GracePeriod }) });
export type TierDowngrade = Static<typeof TierDowngrade>;

export const NO_TIER_EXPIRATION: TierExpiration = { type: "NO_EXPIRATION" };
export const NO_TIER_DOWNGRADE: TierDowngrade = { type: "NO_DOWNGRADE" };

/** How members come into tiers, and how long they stay. */
export type TierStructure = {
  id: string;
  name: string;
  type: (typeof STRUCTURE_TYPES)[number];
  card_definition_id: string;
  point_earned: PointEarned | null;
  expiration: TierExpiration | null;
  downgrade: TierDowngrade | null;
  metadata: Record<string, unknown>;
  status: LoyaltyStatus;
  created_at: string;
  updated_at: string | null;
};

export function parsePointEarned(sent: PointEarned): PointEarned {
  requirePeriod(sent.period, ".point_earned.period", PERIOD_MAX);
  return sent;
}

export function parseTierExpiration(sent: TierExpirationBody): TierExpiration {
  const path = ".expiration";
  const type = variantOf(sent, EXPIRATIONS, { path });
  const { rolling_expiration: rolling, calendar_expiration: calendar, sliding_expiration: sliding } = sent;
  if (rolling) {
    requirePeriod(rolling.period, `${path}.rolling_expiration.period`, PERIOD_MAX);
    return { type, rolling_expiration: rolling };
  }
  if (calendar) {
    requireDates(calendar.calendar_dates, `${path}.calendar_expiration.calendar_dates`);
    return { type, calendar_expiration: calendar };
  }
  if (sliding) {
    const where = `${path}.sliding_expiration`;
    const activities = parseActivities(sliding, where);
    if (sliding.period) requirePeriod(sliding.period, `${where}.period`, PERIOD_MAX);
    return { type, sliding_expiration: { ...activities, period: sliding.period } };
  }
  return { type };
}

export function parseTierDowngrade({ type = "NO_DOWNGRADE", ...rest }: TierDowngradeBody): TierDowngrade {
  if (rest.grace_period) requirePeriod(rest.grace_period, ".downgrade.grace_period", PERIOD_MAX);
  return { type, ...rest };
}

/** What the type and the tracking of earned points ask of each other, or null when it holds. */
export function structureFault({ type, point_earned }: Pick<TierStructure, "type" | "point_earned">): string | null {
  if (type === "POINT_EARNED" && point_earned === null)
    return "Payload must have required property 'point_earned' when the type is POINT_EARNED";
  if (type === "POINT_BALANCE" && point_earned !== null)
    return "Property .point_earned must be null when the type is POINT_BALANCE";
  return null;
}

// The tiers of a structure.

export const STRUCTURE_TIERS_MAX = 100;
const TIER_POINTS_MAX = 1_000_000_000;
const TierPoints = Type.Number({ minimum: 0, maximum: TIER_POINTS_MAX });
const points = strict({ min_value: TierPoints, ...maybe({ max_value: TierPoints }) });
const segment = strict({ id: idOf("seg") });
const QUALIFICATIONS = ["POINTS", "POINTS_AND_SEGMENT"] as const;

export const TierQualificationBody = strict({ type: Choice(QUALIFICATIONS), points, ...maybe({ segment }) });
/** Both ends of the range are in it; without an upper one it is open. */
export const TierQualification = Type.Object({
  type: Choice(QUALIFICATIONS),
  points: Type.Object({ min_value: TierPoints, max_value: Type.Optional(TierPoints) }),
  segment: Type.Optional(segment),
});
export type TierQualification = Static<typeof TierQualification>;
export const OwnDowngrade = strict({ type: Choice(["INHERIT", "NO_DOWNGRADE"]) });
export type OwnDowngrade = Static<typeof OwnDowngrade>;

/** A tier. `points_expiration` null: the points of those in it expire as those of the wallet do. */
export type Tier = {
  id: string;
  tier_structure_id: string;
  name: string;
  qualification_rules: TierQualification;
  downgrade: OwnDowngrade;
  points_expiration: PointsExpiration | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

export function parseQualification(sent: Static<typeof TierQualificationBody>): TierQualification {
  const path = ".qualification_rules";
  variantOf(sent, { POINTS: null, POINTS_AND_SEGMENT: "segment" }, { path });
  if (sent.type === "POINTS" && sent.segment) throw invalid(`Property ${path} must NOT have property 'segment'`);
  const { min_value, max_value } = sent.points;
  const max = max_value ?? undefined;
  if (max !== undefined && max < min_value) throw invalid(`Property ${path}.points.max_value must be >= ${min_value}`);
  return {
    type: sent.type,
    points: { min_value, ...(max !== undefined && { max_value: max }) },
    ...(sent.segment && { segment: sent.segment }),
  };
}

const rangeOf = ({ qualification_rules: { points: range } }: Pick<Tier, "qualification_rules">) => ({
  min: range.min_value,
  max: range.max_value ?? Number.POSITIVE_INFINITY,
});

/**
 * The tier whose points a new or changed one would cover too. Tiers with a segment are a path of their own beside the
 * others. A tier without an end covers everything above, so it can only be the highest.
 */
export function overlappingTier<T extends Pick<Tier, "id" | "qualification_rules">>(
  tiers: readonly T[],
  changed: Pick<Tier, "id" | "qualification_rules">,
): T | undefined {
  const own = rangeOf(changed);
  return tiers.find((tier) => {
    if (tier.id === changed.id || tier.qualification_rules.type !== changed.qualification_rules.type) return false;
    const other = rangeOf(tier);
    return own.min <= other.max && other.min <= own.max;
  });
}
