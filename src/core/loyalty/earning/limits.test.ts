import assert from "node:assert/strict";
import { test } from "node:test";
import type { EarningLimits, SpendingLimits } from "../card/wallet.ts";
import { type MemberUses, used, useFault } from "../program/uses.ts";
import {
  allowedEarning,
  countInPeriod,
  type LimitUnit,
  periodStartOf,
  pointsIn,
  spendingFault,
  spendingRoom,
} from "./limits.ts";
import type { UseLimits } from "./use-limits.ts";

const when = { now: "2026-05-15T12:00:00Z", zone: "UTC" };
const NONE = { type: "NO_LIMIT", limits: [] } as { type: "NO_LIMIT"; limits: [] };
const timed = (unit: LimitUnit, max: number) => ({
  type: "TIME_BASED" as const,
  period: { type: "CURRENT_PERIOD" as const, current_period: { unit } },
  points: { max },
});
const earning = (given: Partial<EarningLimits>): EarningLimits => ({ global: NONE, transactions: NONE, ...given });
const spending = (given: Partial<SpendingLimits>): SpendingLimits => ({ global: NONE, transactions: NONE, ...given });
const card = { balance: 0, pending: 0, isDelayed: false, earned: null, orderTotal: null, ...when };

test("calendar periods begin on Monday, on the first, and in January, April, July and October", () => {
  const start = (unit: LimitUnit, now: string, zone = "UTC") => periodStartOf(unit, { now, zone });
  assert.equal(start("DAY", "2026-03-01T00:00:00Z"), "2026-03-01");
  assert.equal(start("WEEK", "2026-03-01T00:00:00Z"), "2026-02-23");
  assert.equal(start("MONTH", "2026-03-31T23:59:59Z"), "2026-03-01");
  for (const [month, quarter] of [
    ["01", "01"],
    ["03", "01"],
    ["04", "04"],
    ["09", "07"],
    ["12", "10"],
  ] as const)
    assert.equal(start("QUARTER", `2026-${month}-15T00:00:00Z`), `2026-${quarter}-01`);
  assert.equal(start("YEAR", "2026-12-31T23:30:00Z"), "2026-01-01");
  assert.equal(start("YEAR", "2026-12-31T23:30:00Z", "Europe/Warsaw"), "2027-01-01");
  assert.equal(start("DAY", "2011-12-30T10:00:00Z", "Pacific/Apia"), "2011-12-31");
});

test("an earning above the limit of a transaction is refused as a whole", () => {
  const limits = earning({ transactions: { type: "LIMITED", limits: [{ type: "POINTS", max: 40 }] } });
  const { points, rejection } = allowedEarning({ ...card, limits, points: 50 });
  assert.deepEqual([points, rejection?.reason], [0, "TRANSACTION_EARNING_LIMIT_EXCEEDED"]);
  assert.deepEqual(allowedEarning({ ...card, limits, points: 40 }), { points: 40, rejection: null });
});

test("an order below the least amount earns nothing; what no order caused is not asked", () => {
  const limits = earning({ transactions: { type: "LIMITED", limits: [{ type: "SPENDING", min_amount: 1000 }] } });
  const points = (orderTotal: number | null) => allowedEarning({ ...card, limits, points: 5, orderTotal }).points;
  assert.deepEqual([points(999), points(1000), points(null)], [0, 5, 5]);
});

test("an earning is cut to what is left of the period", () => {
  const limits = earning({ global: { type: "LIMITED", limits: [timed("MONTH", 100)] } });
  const at = (earned: number, start: string) =>
    allowedEarning({ ...card, limits, points: 50, earned: { unit: "MONTH", start, points: earned } }).points;
  assert.deepEqual([at(80, "2026-05-01"), at(100, "2026-05-01"), at(80, "2026-04-01")], [20, 0, 50]);
  let count = countInPeriod(null, 80, { limits, ...when });
  count = countInPeriod(count, 15, { limits, ...when });
  assert.equal(pointsIn(count, "MONTH", when), 95);
  assert.equal(pointsIn(count, "MONTH", { ...when, now: "2026-06-01T00:00:00Z" }), 0);
  assert.deepEqual(countInPeriod(count, 7, { limits, ...when, now: "2026-06-01T00:00:00Z" }), {
    unit: "MONTH",
    start: "2026-06-01",
    points: 7,
  });
  assert.equal(countInPeriod(null, 7, { limits: earning({}), ...when }), null);
});

test("an earning is cut to what the card has room for, and what waits fills it where points wait", () => {
  const limits = earning({ global: { type: "LIMITED", limits: [{ type: "BALANCE_BASED", max: 500 }] } });
  const full = { ...card, limits, points: 100, balance: 300, pending: 150 };
  assert.equal(allowedEarning({ ...full, isDelayed: true }).points, 50);
  assert.equal(allowedEarning({ ...full, isDelayed: false }).points, 100);
  assert.equal(allowedEarning({ ...full, balance: 600 }).points, 0);
});

test("the stricter limit is what may be spent, and each has its own name", () => {
  const limits = spending({
    global: { type: "LIMITED", limits: [timed("DAY", 250)] },
    transactions: { type: "LIMITED", limits: [{ type: "POINTS", max: 300 }] },
  });
  const spent = { unit: "DAY" as const, start: "2026-05-15", points: 50 };
  const on = { limits, spentInAll: 900, spent, ...when };
  assert.equal(spendingRoom(on), 200);
  assert.equal(spendingFault(on, 301)?.key, "transaction_spending_limit_exceeded");
  assert.deepEqual(spendingFault(on, 201), {
    key: "global_spending_limit_exceeded",
    rejection: {
      reason: "GLOBAL_SPENDING_LIMIT_EXCEEDED",
      details: { type: "TIME_BASED", limit: 250, spendings: 50 },
    },
  });
  assert.equal(spendingFault(on, 200), null);
  const lifetime = spending({ global: { type: "LIMITED", limits: [{ type: "SPENDING_BASED", max: 1000 }] } });
  assert.equal(spendingRoom({ ...on, limits: lifetime }), 100);
  assert.equal(spendingRoom({ ...on, limits: spending({}) }), Number.POSITIVE_INFINITY);
});

const limited = (given: Partial<UseLimits>): UseLimits => ({
  cooldown: { type: "NO_COOLDOWN", fixed_cooldown: null },
  frequency: { type: "NO_LIMIT", limits: [] },
  ...given,
});
const pause = (value: number, unit: "HOUR" | "DAY" | "WEEK" | "MONTH" | "YEAR") =>
  limited({ cooldown: { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value, unit } } } });

test("a pause lasts until its last moment, in the time that clocks show", () => {
  const after = (limits: UseLimits, [last, now]: [string, string], zone = "UTC") =>
    useFault(used({}, "r", { now: last, zone }), "r", { limits, now, zone });
  assert.equal(after(pause(1, "HOUR"), ["2026-05-15T12:00:00Z", "2026-05-15T12:59:59.999Z"]), "cooldown");
  assert.equal(after(pause(1, "HOUR"), ["2026-05-15T12:00:00Z", "2026-05-15T13:00:00Z"]), null);
  // A day from Saturday noon in Warsaw is 23 hours long when clocks go forward.
  assert.equal(after(pause(1, "DAY"), ["2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z"], "Europe/Warsaw"), null);
  assert.equal(after(pause(1, "DAY"), ["2026-03-28T11:00:00Z", "2026-03-29T09:59:59Z"], "Europe/Warsaw"), "cooldown");
  assert.equal(after(pause(1, "MONTH"), ["2026-01-31T12:00:00Z", "2026-02-28T12:00:00Z"]), null);
  assert.equal(useFault({}, "r", { limits: pause(1, "YEAR"), ...when }), null);
});

test("so often in a calendar period, and again in the next", () => {
  const limits = limited({
    frequency: {
      type: "LIMITED",
      limits: [
        {
          type: "TIME_BASED",
          period: { type: "CURRENT_PERIOD", current_period: { unit: "WEEK" } },
          triggers: { max: 2 },
        },
      ],
    },
  });
  const sunday = { now: "2026-05-17T23:59:59Z", zone: "UTC" };
  let uses: MemberUses = used({}, "r", { ...sunday, now: "2026-05-11T00:00:00Z" });
  assert.equal(useFault(uses, "r", { limits, ...sunday }), null);
  uses = used(uses, "r", sunday);
  assert.equal(useFault(uses, "r", { limits, ...sunday }), "frequency");
  assert.equal(useFault(uses, "other", { limits, ...sunday }), null);
  assert.equal(useFault(uses, "r", { limits, ...sunday, now: "2026-05-18T00:00:00Z" }), null);
  assert.deepEqual(used(uses, "r", { ...sunday, now: "2026-05-18T00:00:00Z" }).r?.counts, {
    DAY: ["2026-05-18", 1],
    WEEK: ["2026-05-18", 1],
    MONTH: ["2026-05-01", 3],
    QUARTER: ["2026-04-01", 3],
    YEAR: ["2026-01-01", 3],
  });
});
