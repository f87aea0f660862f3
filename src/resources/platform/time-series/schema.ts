import { type Static, type TProperties, Type } from "typebox";
import { type Metric, SERIES_METRICS } from "../../../core/rollups/metrics.ts";
import { Choice, DateOrDateTime, Id, Nullable } from "../../../http/schemas.ts";

const Moment = Type.String({ description: "In the time of the project, such as 2026-11-01T00:00:00+01:00." });
const Figure = Type.Integer();
const HELP: Record<Metric, string> = {
  redemptions: "Codes and tiers that were redeemed.",
  rollbacks: "Redemptions that were rolled back, on the day of the rollback.",
  discount: "What came off orders, in 1/100, less what was rolled back; without gift credits.",
  gift_credits: "Credits spent from gift cards, in 1/100, less what was rolled back.",
  points_issued: "Points that became available, less what was taken back. Of campaigns and the project.",
  points_spent: "Points that were spent, less what was returned.",
  revenue: "Orders with a redemption, in 1/100, before discounts, less what was rolled back.",
  orders: "How many such orders there were.",
  refusals: "Redemptions that were refused.",
  unique_customers: "Different customers who redeemed something. Of days, of campaigns and of the project.",
};
const figures = Object.fromEntries(
  SERIES_METRICS.map((name) => [name, Type.Optional(Type.Integer({ description: HELP[name] }))]),
) as Record<Metric, ReturnType<typeof Type.Optional<typeof Figure>>>;

/** The figures that were asked for, of a period. */
export const SeriesTotals = Type.Object(figures, { title: "Totals" });
export type SeriesTotals = Static<typeof SeriesTotals>;
const Approximate = Nullable(
  Type.Object({
    metrics: Type.Array(Choice(SERIES_METRICS)),
    method: Type.String({ description: "How they were estimated." }),
  }),
);

const periodOf = <P extends TProperties>(more: P) => Type.Object({ from: Moment, to: Moment, ...more });
const PeriodBefore = periodOf({ totals: SeriesTotals });

export const TimeSeries = Type.Object(
  {
    object: Type.Literal("time_series"),
    unit: Choice(["day", "hour"]),
    timezone: Type.String({ description: "The time zone of the project, in which days and hours begin." }),
    from: Moment,
    to: Moment,
    rows: Type.Array(
      Type.Object({
        at: Moment,
        ...figures,
        complete: Type.Boolean({ description: "False: it is not over, or not all of it is counted yet." }),
      }),
    ),
    totals: SeriesTotals,
    previous: PeriodBefore,
    approximate: Approximate,
  },
  { title: "TimeSeries" },
);
export type TimeSeries = Static<typeof TimeSeries>;

const periodQuery = {
  from: Type.Optional(DateOrDateTime),
  to: Type.Optional(DateOrDateTime),
};
export const TimeSeriesQuery = Type.Object({
  metrics: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: `Names with commas between them: ${SERIES_METRICS.join(", ")}. Unless it is sent: redemptions,discount.`,
    }),
  ),
  unit: Type.Optional(Choice(["day", "hour"])),
  ...periodQuery,
  campaign: Type.Optional(Id),
  tier: Type.Optional(Id),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "Days only." })),
  segment: Type.Optional(Id),
  channel: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "The `channel_type`, such as API." }),
  ),
});
export type TimeSeriesQuery = Static<typeof TimeSeriesQuery>;

export const ProjectSummaryQuery = Type.Object(periodQuery);
export type ProjectSummaryQuery = Static<typeof ProjectSummaryQuery>;

const TopCampaign = Type.Object({
  id: Type.String(),
  name: Type.String(),
  campaign_type: Type.String(),
  redemptions: Figure,
  discount: Figure,
  gift_credits: Figure,
  revenue: Figure,
});
export const ProjectSummary = Type.Object(
  {
    object: Type.Literal("project_summary"),
    timezone: Type.String(),
    from: Moment,
    to: Moment,
    totals: SeriesTotals,
    previous: PeriodBefore,
    top_campaigns: Type.Array(TopCampaign, {
      description: "Those with the most redemptions in the period, ten at most.",
    }),
    ending_campaigns: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        campaign_type: Type.String(),
        expiration_date: Type.String({ format: "date-time" }),
      }),
      { description: "Active campaigns that end within 14 days, the next first, ten at most." },
    ),
    approximate: Approximate,
  },
  { title: "ProjectSummary" },
);
export type ProjectSummary = Static<typeof ProjectSummary>;
