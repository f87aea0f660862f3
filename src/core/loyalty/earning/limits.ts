import { localDate } from "../../time/calendar.ts";
import type { EarningLimits, SpendingLimits } from "../card/wallet.ts";

export type LimitUnit = "DAY" | "WEEK" | "MONTH" | "QUARTER" | "YEAR";
/** Points in the calendar period that began on `start`. */
export type PeriodCount = { unit: LimitUnit; start: string; points: number };
type When = { now: string; zone: string };

/** The first day of the calendar period that holds a day. Weeks begin on Monday, quarters in January, April, July, October. */
export function firstDayOf(unit: LimitUnit, day: Temporal.PlainDate): Temporal.PlainDate {
  switch (unit) {
    case "DAY":
      return day;
    case "WEEK":
      return day.subtract({ days: day.dayOfWeek - 1 });
    case "MONTH":
      return day.with({ day: 1 });
    case "QUARTER":
      return day.with({ month: day.month - ((day.month - 1) % 3), day: 1 });
    case "YEAR":
      return day.with({ month: 1, day: 1 });
  }
}

/** The first day of the period that holds now. */
export const periodStartOf = (unit: LimitUnit, { now, zone }: When): string =>
  firstDayOf(unit, localDate(now, zone)).toString();

export function pointsIn(count: PeriodCount | null, unit: LimitUnit, when: When): number {
  return count && count.unit === unit && count.start === periodStartOf(unit, when) ? count.points : 0;
}

/** The unit that a limit counts in, if it is one of a period. */
const unitOf = ({ global }: EarningLimits | SpendingLimits): LimitUnit | null => {
  const [limit] = global.limits;
  return limit?.type === "TIME_BASED" ? limit.period.current_period.unit : null;
};

/** The count after so many more. Without a limit of a period nothing is counted. */
export function countInPeriod(
  count: PeriodCount | null,
  points: number,
  { limits, ...when }: When & { limits: EarningLimits | SpendingLimits },
): PeriodCount | null {
  const unit = unitOf(limits);
  if (unit === null) return count;
  return { unit, start: periodStartOf(unit, when), points: pointsIn(count, unit, when) + points };
}

export type Rejection = { reason: string; details: Readonly<Record<string, unknown>> | null };
/** How many points may be earned. Refused are only whole earnings; the rest is cut to what there is room for. */
export type Allowance = { points: number; rejection: Rejection | null };

type Earning = When & {
  limits: EarningLimits;
  points: number;
  balance: number;
  pending: number;
  /** The card does not credit at once: what waits fills it too. */
  isDelayed: boolean;
  earned: PeriodCount | null;
  /** What the order cost after discounts; null: no order caused it. */
  orderTotal: number | null;
};

const NOTHING: Allowance = { points: 0, rejection: null };

export function allowedEarning({ limits, points, orderTotal, ...card }: Earning): Allowance {
  for (const limit of limits.transactions.limits) {
    if (limit.type === "SPENDING" && orderTotal !== null && orderTotal < limit.min_amount) return NOTHING;
    if (limit.type === "POINTS" && points > limit.max) {
      const details = { type: limit.type, limit: limit.max };
      return { points: 0, rejection: { reason: "TRANSACTION_EARNING_LIMIT_EXCEEDED", details } };
    }
  }
  const [limit] = limits.global.limits;
  if (!limit) return { points, rejection: null };
  const room =
    limit.type === "BALANCE_BASED"
      ? limit.max - card.balance - (card.isDelayed ? card.pending : 0)
      : limit.points.max - pointsIn(card.earned, limit.period.current_period.unit, card);
  return { points: Math.max(0, Math.min(points, room)), rejection: null };
}

type Spending = When & { limits: SpendingLimits; spentInAll: number; spent: PeriodCount | null };
export type SpendingFault = {
  key: "transaction_spending_limit_exceeded" | "global_spending_limit_exceeded";
  rejection: Rejection;
};

/** How many points may be spent in one go by each limit, the limit of a transaction first. */
function spendingRooms({ limits, spentInAll, spent, ...when }: Spending) {
  const [transaction] = limits.transactions.limits;
  const [global] = limits.global.limits;
  const rooms: { room: number; fault: SpendingFault }[] = [];
  if (transaction)
    rooms.push({
      room: transaction.max,
      fault: {
        key: "transaction_spending_limit_exceeded",
        rejection: {
          reason: "TRANSACTION_SPENDING_LIMIT_EXCEEDED",
          details: { type: transaction.type, limit: transaction.max },
        },
      },
    });
  if (!global) return rooms;
  const [limit, spendings] =
    global.type === "SPENDING_BASED"
      ? [global.max, spentInAll]
      : [global.points.max, pointsIn(spent, global.period.current_period.unit, when)];
  rooms.push({
    room: Math.max(0, limit - spendings),
    fault: {
      key: "global_spending_limit_exceeded",
      rejection: { reason: "GLOBAL_SPENDING_LIMIT_EXCEEDED", details: { type: global.type, limit, spendings } },
    },
  });
  return rooms;
}

/** How many points may be spent in one go; without limits any number. */
export const spendingRoom = (spending: Spending): number =>
  Math.min(Number.POSITIVE_INFINITY, ...spendingRooms(spending).map(({ room }) => room));

/** Why so many points may not be spent, or null. */
export const spendingFault = (spending: Spending, points: number): SpendingFault | null =>
  spendingRooms(spending).find(({ room }) => points > room)?.fault ?? null;
