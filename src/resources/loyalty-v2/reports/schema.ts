import { type Static, Type } from "typebox";
import { RESOLUTION_NAMES } from "../../../core/loyalty/program/report.ts";
import { Choice, Filters, Nullable, type Props, strict } from "../../../http/schemas.ts";

const Day = Type.Unsafe<string>({ type: "string", format: "date" });
/** Movements of points: they may be fewer than before. */
const Points = Type.Integer();
const Count = Type.Integer({ minimum: 0 });
const Id = Type.String();

const reportOf = <P extends Props>(object: string, props: P) =>
  Type.Object({ data: Type.Array(Type.Object(props, { title: object })), object: Type.Literal("report") });
const names = <const N extends readonly string[], S>(fields: N, schema: S) =>
  Object.fromEntries(fields.map((field) => [field, schema])) as Record<N[number], S>;

const CARD = [
  ...(["total", "earned", "added", "purchased", "purchased_reversed", "subtracted"] as const),
  ...(["expired", "spent", "refunded", "returned", "locked", "unlocked"] as const),
] as const;
export const CardDailyReport = reportOf("CardDailyReport", {
  date: Day,
  ...names(
    CARD.map((name) => `points_${name}` as const),
    Points,
  ),
  ...names(["pending_points_total", "pending_points_activated", "pending_points_canceled"], Points),
  object: Type.Literal("card_daily_report"),
});
export const MemberEarningRuleDailyReport = reportOf("EarningRuleDailyReport", {
  date: Day,
  count: Count,
  object: Type.Literal("earning_rule_daily_report"),
});

/** A report of a program, by day and in all. */
const both = <P extends Props>(name: string, title: string, props: P) => ({
  daily: reportOf(`${title}Daily`, { date: Day, ...props, object: Type.Literal(`${name}_daily_report`) }),
  summary: reportOf(`${title}Summary`, { id: Id, ...props, object: Type.Literal(`${name}_summary_report`) }),
});
const spending = names(["success", "success_on_reward", "success_on_order"], Count);
const spent = names(["points", "points_on_rewards", "points_on_order", "amount_on_order"], Count);
export const SpendingReports = both("spending", "SpendingReport", { card_definition_id: Id, ...spending, ...spent });
export const TiersReports = both("program_tiers", "TiersReport", {
  tier_structure_id: Id,
  tier_id: Id,
  ...names(["joins", "upgrades", "downgrades", "lefts", "prolongs"], Count),
});
export const PointsEarningsReports = both("program_points_earnings", "PointsEarningsReport", {
  earning_rule_id: Id,
  earning_item_id: Nullable(Id),
  card_definition_id: Id,
  ...names(["success_count", "points", "pending_points"], Count),
});
export const EarningRulesReports = both("program_earning_rules", "EarningRulesReport", {
  earning_rule_id: Id,
  success_count: Count,
  failures_count: Count,
  failures_breakdown: Type.Unsafe<Record<string, number>>({
    type: "object",
    additionalProperties: { type: "integer", minimum: 0 },
    description: "How often each reason was the one: `cooldown`, `frequency`, and others.",
  }),
});

const range = {
  start_date: Day,
  end_date: Day,
  resolution: Choice(RESOLUTION_NAMES, { description: "What a row is of. Weeks begin on Monday." }),
};
const filters = { filters: Type.Optional(Filters) };
/** At most 90 days, 12 weeks, 12 months or 4 quarters. */
export const DailyQuery = strict(range);
export const FilteredDailyQuery = strict({ ...range, ...filters });
export type FilteredDailyQuery = Static<typeof FilteredDailyQuery>;
export const ProgramSummaryQuery = strict(filters);
export const TiersSummaryQuery = strict({
  ...filters,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows; 100 unless told." })),
  order: Type.Optional(
    Type.Array(Choice(["id", "-id"], { description: "A leading dash means descending." }), {
      minItems: 1,
      maxItems: 1,
    }),
  ),
});
export const ByProgram = Type.Object({ programId: Type.String() });
export const ByCard = Type.Object({ programId: Type.String(), memberId: Type.String(), cardId: Type.String() });
export const ByMemberRule = Type.Object({
  programId: Type.String(),
  memberId: Type.String(),
  earningRuleId: Type.String(),
});
