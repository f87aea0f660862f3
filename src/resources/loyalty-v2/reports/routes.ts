import { movementsShown, type Periods, type RangeAsked, reportPeriods } from "../../../core/loyalty/program/report.ts";
import { zoneOf } from "../../../core/time/zone.ts";
import { readCard, readProgramMember, requireProgram } from "../../../flows/loyalty-v2/read-memberships.ts";
import { read } from "../../../http/route.ts";
import { requireKnown } from "../../../steps/programs/loyalty-uses.ts";
import {
  ByCard,
  ByMemberRule,
  ByProgram,
  CardDailyReport,
  DailyQuery,
  EarningRulesReports,
  FilteredDailyQuery,
  MemberEarningRuleDailyReport,
  PointsEarningsReports,
  ProgramSummaryQuery,
  SpendingReports,
  TiersReports,
  TiersSummaryQuery,
} from "./schema.ts";
import {
  movementsOf,
  pointsEarningsOf,
  type ReportScope,
  ruleOutcomesOf,
  spendingOf,
  successesOf,
  tierMovesByDay,
} from "./store.ts";

const PROGRAM = "/v2/loyalties/programs/{programId}";
const MEMBER = `${PROGRAM}/members/{memberId}` as const;
const REPORTS = `${PROGRAM}/reports` as const;

type Reading = Parameters<typeof requireProgram>[0] & {
  params: { programId: string };
  project: { id: string; timezone: string };
  now: string;
};
const periodsFor = ({ project }: Pick<Reading, "project">, range: RangeAsked): Periods =>
  reportPeriods(range, zoneOf(project));

const report = <R>(data: R[]) => ({ data, object: "report" as const });

type Filtered = { filters?: Record<string, unknown> };
/** What a report of a program asks for; without a range it is of all time. */
async function askedOf(c: Reading & { query: Filtered & Partial<RangeAsked> }): Promise<ReportScope> {
  const { resolution } = c.query;
  const periods = resolution === undefined ? null : periodsFor(c, c.query as RangeAsked);
  const { id: programId } = await requireProgram(c, c.params.programId);
  return { projectId: c.project.id, programId, periods, filters: c.query.filters, now: c.now };
}

/** Rows as a daily report shows them. Only periods in which something happened are shown. */
const dated = <R extends { n: number }, O extends string>({ periods }: ReportScope, rows: readonly R[], object: O) =>
  report(rows.map(({ n, ...row }) => ({ date: periods!.dates[n - 1]!, ...row, object })));

/** Rows as a summary shows them. What a row is of is its id. */
const sumById = <R extends { n: number }, O extends string>(rows: readonly R[], idOf: (row: R) => string, object: O) =>
  report(
    rows.map((row) => {
      const { n: _, ...shown } = row;
      return { id: idOf(row), ...shown, object };
    }),
  );

/** A row for each period, also for one in which nothing happened. */
const everyPeriod = <R extends { n: number }, V>(
  { dates }: Periods,
  rows: readonly R[],
  view: (date: string, rows: readonly R[]) => V,
) => {
  const by = Map.groupBy(rows, ({ n }) => n);
  return report(dates.map((date, n) => view(date, by.get(n + 1) ?? [])));
};

/** What rules came to, one row for each rule and period. */
function outcomesByRule(rows: Awaited<ReturnType<typeof ruleOutcomesOf>>) {
  const groups = Map.groupBy(rows, ({ n, earning_rule_id }) => `${n} ${earning_rule_id}`);
  return [...groups.values()].map((own) => {
    const counts = Object.fromEntries(own.map(({ outcome, count }) => [outcome, count]));
    const { success: success_count = 0, ...failures } = counts;
    const failures_breakdown: Record<string, number> = { cooldown: 0, frequency: 0, ...failures };
    const failures_count = Object.values(failures_breakdown).reduce((sum, count) => sum + count, 0);
    const { n, earning_rule_id } = own[0]!;
    return { n, earning_rule_id, success_count, failures_count, failures_breakdown };
  });
}

const daily = { params: ByProgram, query: FilteredDailyQuery };
const summary = { params: ByProgram, query: ProgramSummaryQuery };
const ROWS_MAX = 100;

export const loyaltyReportRoutes = [
  read(
    `GET ${MEMBER}/cards/{cardId}/reports/daily`,
    {
      id: "getMemberCardDailyReport",
      summary: "Report how the points of a card moved",
      params: ByCard,
      query: DailyQuery,
      ok: CardDailyReport,
    },
    async (c) => {
      const periods = periodsFor(c, c.query);
      const { card } = await readCard(c, c.params);
      const rows = await movementsOf(c.db, c.project.id, { cardId: card.id, periods });
      return everyPeriod(periods, rows, (date, own) => ({
        date,
        ...movementsShown(own),
        object: "card_daily_report" as const,
      }));
    },
  ),
  read(
    `GET ${MEMBER}/earning-rules/{earningRuleId}/reports/daily`,
    {
      id: "getMemberEarningRuleDailyReport",
      summary: "Report how often a rule gave something to a member",
      params: ByMemberRule,
      query: DailyQuery,
      ok: MemberEarningRuleDailyReport,
    },
    async (c) => {
      const periods = periodsFor(c, c.query);
      const { id: memberId } = await readProgramMember(c, c.params);
      const { earning_rules } = await c.catalog();
      const { id: ruleId } = requireKnown(earning_rules, "earning_rule", c.params.earningRuleId);
      const rows = await successesOf(c.db, c.project.id, { memberId, ruleId, periods });
      return everyPeriod(periods, rows, (date, [own]) => ({
        date,
        count: own?.count ?? 0,
        object: "earning_rule_daily_report" as const,
      }));
    },
  ),
  read(
    `GET ${REPORTS}/spending/daily`,
    {
      id: "getProgramSpendingDailyReport",
      summary: "Report points spent, by period",
      ...daily,
      ok: SpendingReports.daily,
    },
    async (c) => {
      const asked = await askedOf(c);
      return dated(asked, await spendingOf(c.db, asked), "spending_daily_report");
    },
  ),
  read(
    `GET ${REPORTS}/spending/summary`,
    {
      id: "getProgramSpendingSummaryReport",
      summary: "Report points spent",
      ...summary,
      ok: SpendingReports.summary,
    },
    async (c) =>
      sumById(
        await spendingOf(c.db, await askedOf(c)),
        ({ card_definition_id }) => card_definition_id,
        "spending_summary_report",
      ),
  ),
  read(
    `GET ${REPORTS}/tiers/daily`,
    {
      id: "getProgramTiersDailyReport",
      summary: "Report moves between tiers, by period",
      ...daily,
      ok: TiersReports.daily,
    },
    async (c) => {
      const asked = await askedOf(c);
      return dated(asked, await tierMovesByDay(c.db, asked), "program_tiers_daily_report");
    },
  ),
  read(
    `GET ${REPORTS}/tiers/summary`,
    {
      id: "getProgramTiersSummaryReport",
      summary: "Report moves between tiers",
      params: ByProgram,
      query: TiersSummaryQuery,
      ok: TiersReports.summary,
    },
    async (c) => {
      const rows = await tierMovesByDay(c.db, await askedOf(c));
      const { data, object } = sumById(rows, ({ tier_id }) => tier_id, "program_tiers_summary_report");
      const [order] = c.query.order ?? ["-id"];
      data.sort((a, b) => (a.id < b.id ? -1 : 1));
      return { data: (order === "id" ? data : data.reverse()).slice(0, c.query.limit ?? ROWS_MAX), object };
    },
  ),
  read(
    `GET ${REPORTS}/points-earnings/daily`,
    {
      id: "getProgramPointsEarningsDailyReport",
      summary: "Report points earned, by period",
      ...daily,
      ok: PointsEarningsReports.daily,
    },
    async (c) => {
      const asked = await askedOf(c);
      return dated(asked, await pointsEarningsOf(c.db, asked), "program_points_earnings_daily_report");
    },
  ),
  read(
    `GET ${REPORTS}/points-earnings/summary`,
    {
      id: "getProgramPointsEarningsSummaryReport",
      summary: "Report points earned",
      ...summary,
      ok: PointsEarningsReports.summary,
    },
    async (c) =>
      sumById(
        await pointsEarningsOf(c.db, await askedOf(c)),
        ({ earning_rule_id, earning_item_id, card_definition_id }) =>
          `${earning_rule_id}:${earning_item_id}:${card_definition_id}`,
        "program_points_earnings_summary_report",
      ),
  ),
  read(
    `GET ${REPORTS}/earning-rules/daily`,
    {
      id: "getProgramEarningRulesDailyReport",
      summary: "Report what earning rules came to, by period",
      ...daily,
      ok: EarningRulesReports.daily,
    },
    async (c) => {
      const asked = await askedOf(c);
      return dated(asked, outcomesByRule(await ruleOutcomesOf(c.db, asked)), "program_earning_rules_daily_report");
    },
  ),
  read(
    `GET ${REPORTS}/earning-rules/summary`,
    {
      id: "getProgramEarningRulesSummaryReport",
      summary: "Report what earning rules came to",
      ...summary,
      ok: EarningRulesReports.summary,
    },
    async (c) =>
      sumById(
        outcomesByRule(await ruleOutcomesOf(c.db, await askedOf(c))),
        ({ earning_rule_id }) => earning_rule_id,
        "program_earning_rules_summary_report",
      ),
  ),
];
