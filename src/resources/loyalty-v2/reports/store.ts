import type { FilterFields } from "../../../core/filters/filter.ts";
import type { Movement, Periods } from "../../../core/loyalty/program/report.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import { type FieldSql, whereOf } from "../../../db/filters.ts";

/** Which rows a report of a program is of. */
export type ReportScope = {
  projectId: string;
  programId: string;
  /** Null: of all time. */
  periods: Periods | null;
  filters?: Record<string, unknown> | undefined;
  now: string;
};
/** What was counted in the n-th period, from 1; 0 in a report of all time. */
type Counted<R> = R & { n: number };

const MOST = Number.MAX_SAFE_INTEGER;
const total = (db: Db, value: Fragment, where: Fragment = db`true`) =>
  db`least(coalesce(sum(${value}) filter (where ${where}), 0), ${MOST}::bigint)::bigint`;
const filtered = (db: Db, { filters, now }: ReportScope, fields: FilterFields, sql: FieldSql = {}) =>
  whereOf(db, filters ? { filters } : {}, { fields, sql, now, dialect: "v2" });

/** Which period a moment is in. */
const periodNumber = (db: Db, moment: Fragment, periods: Periods | null) =>
  periods ? db`width_bucket(${moment}, ${periods.starts as string[]}::timestamptz[])` : db`0`;
const isWithin = (db: Db, moment: Fragment, periods: Periods | null) =>
  periods ? db`${moment} >= ${periods.since} and ${moment} < ${periods.until}` : db`true`;
/** The same of a day. */
const numberOfDay = (db: Db, periods: Periods | null) =>
  periods ? db`width_bucket(local_date, ${periods.dates as string[]}::date[])` : db`0`;
const isDayWithin = (db: Db, periods: Periods | null) =>
  periods ? db`local_date between ${periods.start_date}::date and ${periods.end_date}::date` : db`true`;

/** What was moved on a card, by period and kind. */
export const movementsOf = (
  db: Db,
  projectId: string,
  { cardId, periods }: { cardId: string; periods: Periods },
): PromiseLike<Counted<Movement>[]> => {
  const moment = db`created_at`;
  return db<Counted<Movement>[]>`
    select ${periodNumber(db, moment, periods)} as n, kind, ${total(db, db`abs(amount)`)} as moved,
      ${total(db, db`(details -> 'points' ->> 'total')::numeric`, db`amount = 0 and kind in ('reward_spend', 'order_spend')`)}
        as refused
    from ledger_entries
    where project_id = ${projectId} and account_id = ${cardId} and ${isWithin(db, moment, periods)}
    group by 1, 2`;
};

/** How often a rule gave something to a member, by period. One event may have several effects. */
export const successesOf = (
  db: Db,
  projectId: string,
  { memberId, ruleId, periods }: { memberId: string; ruleId: string; periods: Periods },
): PromiseLike<Counted<{ count: number }>[]> => db<Counted<{ count: number }>[]>`
  select ${numberOfDay(db, periods)} as n, count(distinct cause) as count from earning_outcomes
  where project_id = ${projectId} and member_id = ${memberId} and earning_rule_id = ${ruleId}
    and outcome = 'success' and ${isDayWithin(db, periods)}
  group by 1`;

type Spending = Record<"success" | "success_on_reward" | "success_on_order", number> &
  Record<"points" | "points_on_rewards" | "points_on_order" | "amount_on_order", number> & {
    card_definition_id: string;
  };

/** Rewards bought and orders paid. What was given back later was spent all the same. */
export const spendingOf = (db: Db, asked: ReportScope): PromiseLike<Counted<Spending>[]> => {
  const { projectId, programId, periods } = asked;
  const moment = db`created_at`;
  const [onReward, onOrder] = [db`kind = 'reward'`, db`kind = 'order'`];
  const points = db`coalesce(details -> 'payment' ->> 'points_spent', details -> 'points' ->> 'total')::numeric`;
  return db<Counted<Spending>[]>`
    select ${periodNumber(db, moment, periods)} as n, card_definition_id, count(*) as success,
      count(*) filter (where ${onReward}) as success_on_reward, count(*) filter (where ${onOrder}) as success_on_order,
      ${total(db, points)} as points, ${total(db, points, onReward)} as points_on_rewards,
      ${total(db, points, onOrder)} as points_on_order,
      ${total(db, db`(details -> 'payment' ->> 'amount')::numeric`, onOrder)} as amount_on_order
    from loyalty_transactions
    where project_id = ${projectId} and program_id = ${programId} and kind in ('reward', 'order')
      and type in ('PURCHASE', 'PAY_WITH_POINTS') and status in ('APPROVED', 'REFUNDED')
      and ${isWithin(db, moment, periods)} and ${filtered(db, asked, { card_definition_id: "id" })}
    group by 1, 2 order by 1, 2`;
};

type Tiers = Record<"joins" | "upgrades" | "downgrades" | "lefts" | "prolongs", number> & {
  tier_structure_id: string;
  tier_id: string;
};

/** Moves into tiers, and out of all of them, on the day on which they came into force. */
export const tierMovesByDay = (db: Db, asked: ReportScope): PromiseLike<Counted<Tiers>[]> => {
  const { projectId, programId, periods } = asked;
  const moment = db`coalesce(updated_at, created_at)`;
  const sql = {
    tier_structure_id: (db: Db) => db`(details ->> 'tier_structure_id')`,
    tier_id: (db: Db) => db`coalesce(details ->> 'tier_to', details ->> 'tier_from')`,
  } satisfies FieldSql;
  const moves = (type: string) => db`count(*) filter (where type = ${type})`;
  return db<Counted<Tiers>[]>`
    select ${periodNumber(db, moment, periods)} as n, ${sql.tier_structure_id(db)} as tier_structure_id,
      ${sql.tier_id(db)} as tier_id, ${moves("JOINED")} as joins, ${moves("UPGRADED")} as upgrades,
      ${moves("DOWNGRADED")} as downgrades, ${moves("LEFT")} as lefts, ${moves("PROLONGED")} as prolongs
    from loyalty_transactions
    where project_id = ${projectId} and program_id = ${programId} and kind = 'tier' and status = 'APPROVED'
      and ${isWithin(db, moment, periods)} and ${filtered(db, asked, { tier_structure_id: "id", tier_id: "id" }, sql)}
    group by 1, 2, 3 order by 1, 2, 3`;
};

type PointsEarnings = Record<"success_count" | "points" | "pending_points", number> & {
  earning_rule_id: string;
  earning_item_id: string | null;
  card_definition_id: string;
};

export const pointsEarningsOf = (db: Db, asked: ReportScope): PromiseLike<Counted<PointsEarnings>[]> => {
  const { projectId, programId, periods } = asked;
  return db<Counted<PointsEarnings>[]>`
    select ${numberOfDay(db, periods)} as n, earning_rule_id, earning_item_id, card_definition_id,
      count(*) as success_count, ${total(db, db`points`)} as points, ${total(db, db`pending_points`)} as pending_points
    from earning_outcomes
    where project_id = ${projectId} and program_id = ${programId} and outcome = 'success'
      and card_definition_id is not null and ${isDayWithin(db, periods)}
      and ${filtered(db, asked, { earning_rule_id: "id", card_definition_id: "id" })}
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`;
};

type RuleOutcome = { earning_rule_id: string; outcome: string; count: number };

/** How often each rule came to each outcome, once for a member and an event. */
export const ruleOutcomesOf = (db: Db, asked: ReportScope): PromiseLike<Counted<RuleOutcome>[]> => {
  const { projectId, programId, periods } = asked;
  return db<Counted<RuleOutcome>[]>`
    select ${numberOfDay(db, periods)} as n, earning_rule_id, outcome, count(distinct (member_id, cause)) as count
    from earning_outcomes
    where project_id = ${projectId} and program_id = ${programId} and ${isDayWithin(db, periods)}
      and ${filtered(db, asked, { earning_rule_id: "id" })}
    group by 1, 2, 3 order by 1, 2, 3`;
};
