import assert from "node:assert/strict";
import { test } from "node:test";
import { isAmongTexts } from "./among.ts";
import { findOperator, RULE_OPERATORS } from "./operators.ts";

/** Wednesday, 4 March 2026, 23:30 in Berlin. */
const CONTEXT = { now: "2026-03-04T22:30:00Z", zone: "Europe/Berlin", isAmong: isAmongTexts };

const MISSING = undefined;
const HOURS = "18:00;20:01;2,3";
const TWO_DAYS = "2026-03-02T10:00:00Z;P2D;PT1H";
const SPAN = "2026-03-01T10:00:00Z;2026-03-02T10:00:00Z";

/** Operator, left side, values, and whether it holds. */
const CASES: readonly (readonly [string, unknown, readonly unknown[], boolean])[] = [
  ["$is", "Oslo", ["Oslo"], true],
  ["$is", "Oslo", ["oslo"], false],
  ["$is", 5, ["5"], true],
  ["$is", "5", [5], true],
  ["$is", true, ["true"], true],
  ["$is", "b", ["a", "b"], true],
  ["$is", ["a", "b"], ["b"], true],
  ["$is", [], ["b"], false],
  ["$is", MISSING, ["b"], false],
  ["$is", null, ["null"], false],
  ["$is", { a: 1 }, ["[object Object]"], false],
  ["$is_not", "a", ["a"], false],
  ["$is_not", "b", ["a"], true],
  ["$is_not", ["a", "b"], ["a"], false],
  ["$is_not", MISSING, ["a"], true],
  ["$is_not", "b", ["a", "b"], false],
  ["$in", "b", ["a", "b"], true],
  ["$in", ["c", "b"], ["a", "b"], true],
  ["$in", "c", ["a", "b"], false],
  ["$in", MISSING, ["a"], false],
  ["$not_in", "c", ["a", "b"], true],
  ["$not_in", ["c", "b"], ["a", "b"], false],
  ["$not_in", MISSING, ["a"], true],
  ["$less_than", 9, [10], true],
  ["$less_than", 10, [10], false],
  ["$less_than", "9", [10], true],
  ["$less_than", "9.99", ["10.0"], true],
  ["$less_than", "abc", [10], false],
  ["$less_than", true, [10], false],
  ["$less_than", MISSING, [10], false],
  ["$less_than", [11, 9], [10], true],
  ["$less_than", "2026-03-01", ["2026-03-02T00:30:00Z"], true],
  ["$less_than_or_equal", 10, [10], true],
  ["$less_than_or_equal", 11, [10], false],
  ["$less_than_or_equal", "10.10", [10.1], true],
  ["$less_than_equal", 10, [10], true],
  ["$more_than", 11, [10], true],
  ["$more_than", 10, [10], false],
  ["$more_than", "9007199254740993", ["9007199254740992"], true],
  ["$more_than", "2026-03-02", ["2026-03-01"], true],
  ["$more_than_or_equal", 10, [10], true],
  ["$more_than_or_equal", 9, [10], false],
  ["$more_than_equal", 10, [10], true],
  ["$greater_than_or_equal", 10, [10], true],
  ["$starts_with", "abc", ["x", "ab"], true],
  ["$starts_with", "abc", ["Ab"], false],
  ["$starts_with", ["x", "abc"], ["ab"], true],
  ["$starts_with", MISSING, [""], false],
  ["$ends_with", "abc", ["bc"], true],
  ["$ends_with", "abc", ["ab"], false],
  ["$contains", "abc", ["b"], true],
  ["$contains", ["x", "abc"], ["b"], true],
  ["$contains", 12345, ["234"], true],
  ["$contains", "abc", ["d"], false],
  ["$contains", MISSING, ["d"], false],
  ["$not_contain", "abc", ["d", "e"], true],
  ["$not_contain", "abc", ["d", "c"], false],
  ["$not_contain", MISSING, ["d"], true],
  ["$timeframe", "2026-03-04T10:59:59Z", [TWO_DAYS], true],
  ["$timeframe", "2026-03-04T11:00:00Z", [TWO_DAYS], false],
  ["$timeframe", "2026-03-03T10:30:00Z", [TWO_DAYS], false],
  ["$timeframe", "2026-03-01T10:30:00Z", [TWO_DAYS], false],
  ["$timeframe", "2026-03-04T10:30:00", [TWO_DAYS], false],
  ["$timeframe", "2026-03-04T11:30:00", [TWO_DAYS], true],
  ["$timeframe", "soon", [TWO_DAYS], false],
  ["$timeframe", MISSING, [TWO_DAYS], false],
  ["$timeframe_absolute", "2026-03-01T10:00:00Z", [SPAN], true],
  ["$timeframe_absolute", "2026-03-02T10:00:00Z", [SPAN], true],
  ["$timeframe_absolute", "2026-03-02T10:00:01Z", [SPAN], false],
  ["$timeframe_absolute", "2026-03-01T09:59:59Z", [SPAN], false],
  ["$timeframe_daily_hours", "2026-03-03T18:00:00", [HOURS], true],
  ["$timeframe_daily_hours", "2026-03-03T20:01:59", [HOURS], true],
  ["$timeframe_daily_hours", "2026-03-03T20:02:00", [HOURS], false],
  ["$timeframe_daily_hours", "2026-03-03T17:30:00Z", [HOURS], true],
  ["$timeframe_daily_hours", "2026-03-05T18:00:00", [HOURS], false],
  ["$timeframe_daily_hours", "2026-03-05T18:00:00", ["18:00;20:00"], true],
  ["$dow", "2026-03-01", [0], true],
  ["$dow", "2026-03-07", [0, 6], true],
  ["$dow", "2026-03-02", [0, 6], false],
  ["$dow", "2026-03-01T23:30:00Z", [1], true],
  ["$count", ["a", "b"], [2], true],
  ["$count", [], [0], true],
  ["$count", MISSING, [0], true],
  ["$count", ["a"], [2], false],
  ["$count_more", ["a", "b"], [1], true],
  ["$count_more", ["a"], [1], false],
  ["$count_less", ["a"], [2], true],
  ["$count_less", MISSING, [1], true],
  ["$count_less", ["a", "b"], [2], false],
  ["$not_differ", ["a", "b"], ["a", "b", "c"], true],
  ["$not_differ", ["a", "d"], ["a", "b", "c"], false],
  ["$not_differ", [], ["a"], true],
  ["$not_differ", MISSING, ["a"], false],
  ["$not_intersect", ["d", "e"], ["a"], true],
  ["$not_intersect", ["a", "e"], ["a"], false],
  ["$not_intersect", MISSING, ["a"], true],
  ["$after", "2026-03-02", ["2026-03-01"], true],
  ["$after", "2026-03-01", ["2026-03-01"], false],
  ["$after", "2026-03-01T20:00:00Z", ["2026-03-01"], false],
  ["$after", "2026-03-01T23:30:00Z", ["2026-03-01"], true],
  ["$after", "2026-03-01T10:00:01Z", ["2026-03-01T11:00:00"], true],
  ["$after", "later", ["2026-03-01"], false],
  ["$after", MISSING, ["2026-03-01"], false],
  ["$before", "2026-02-28", ["2026-03-01"], true],
  ["$before", "2026-03-01", ["2026-03-01"], false],
  ["$more_than_ago", "2026-03-01", [2], true],
  ["$more_than_ago", "2026-03-02", [2], false],
  ["$more_than_ago", "2026-03-09", [2], false],
  ["$less_than_ago", "2026-03-03", [2], true],
  ["$less_than_ago", "2026-03-04", [2], true],
  ["$less_than_ago", "2026-03-05", [2], false],
  ["$less_than_ago", "2026-03-02", [2], false],
  ["$is_days_ago", "2026-03-02", [2], true],
  ["$is_days_ago", "2026-03-04", [0], true],
  ["$is_days_ago", "2026-03-04T23:15:00Z", [0], false],
  ["$is_days_ago", "2026-02-28", [4], true],
  ["$more_than_future", "2026-03-07", [2], true],
  ["$more_than_future", "2026-03-06", [2], false],
  ["$less_than_future", "2026-03-05", [2], true],
  ["$less_than_future", "2026-03-04", [2], true],
  ["$less_than_future", "2026-03-03", [2], false],
  ["$is_days_in_future", "2026-03-06", [2], true],
  ["$is_days_in_future", "2026-03-04T23:15:00Z", [1], true],
  ["$is_days_in_future", "never", [1], false],
];
for (const [name, seen, values, holds] of CASES) {
  test(`${JSON.stringify(seen) ?? "what is missing"} ${name} ${JSON.stringify(values)} ${holds ? "holds" : "does not"}`, () => {
    assert.equal(findOperator(name)!.holds(seen, values, CONTEXT), holds);
  });
}

test("every operator is in the table, in both outcomes, but for the one of collections", () => {
  for (const { name } of RULE_OPERATORS) {
    if (name === "$from") continue;
    const outcomes = new Set(CASES.filter(([operator]) => operator === name).map((one) => one[3]));
    assert.equal(outcomes.size, 2, name);
  }
});

test("no name or alias is taken twice", () => {
  const names = RULE_OPERATORS.flatMap(({ name, aliases }) => [name, ...aliases]);
  assert.equal(new Set(names).size, names.length);
});
