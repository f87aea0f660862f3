import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldTable } from "./fields.ts";
import { type ContentKind, EXAMPLE_CONTEXT, type FilterOperator } from "./operator.ts";
import { compileFilter, matchesFilter } from "./predicate.ts";
import { FILTER_OPERATORS } from "./registry.ts";
import type { FilterScalar } from "./values.ts";

const KINDS: readonly ContentKind[] = ["text", "number", "date", "birthdate", "list", "metadata"];
const FIELDS: FieldTable = Object.fromEntries(KINDS.map((kind) => [`${kind}_field`, { kind, fact: null }]));

const ask = (
  [kind, operator, seen, given]: readonly [ContentKind, string, unknown, unknown],
  context: { now: string; zone: string } = EXAMPLE_CONTEXT,
): boolean => {
  const path = `${kind}_field`;
  const filter = compileFilter({ junction: "and", [path]: { conditions: { [operator]: given } } }, FIELDS);
  return matchesFilter(filter, { [path]: seen }, context);
};

const ALL = `$in $not_in $in_location $not_in_location $is $is_days_ago $is_days_in_future $is_not $has_value
  $is_unknown $contains $not_contain $starts_with $ends_with $more_than $less_than $more_than_ago $less_than_ago
  $more_than_future $less_than_future $more_than_equal $less_than_equal $after $before $count $count_less $count_more
  $today $tomorrow $yesterday $this_week $last_week $next_week $this_month $last_month $next_month $this_year $next_year
  $last_year $is_day_of_month $is_day $is_month $is_year $today_md $tomorrow_md $yesterday_md $this_week_md
  $last_week_md $next_week_md $this_month_md $last_month_md $next_month_md $is_days_ago_md $is_more_days_ago_md
  $is_less_days_ago_md $is_days_in_future_md $is_more_days_in_future_md $is_less_days_in_future_md
  $is_years_ago`.split(/\s+/);

test("every operator of the language is there once, but those of states, which only lists have", () => {
  assert.deepEqual(FILTER_OPERATORS.map(({ name }) => name as string).toSorted(), ALL.toSorted());
});

/** A value that the operator takes on this kind of field. */
function takenBy({ on, examples }: FilterOperator, kind: ContentKind): unknown {
  const values = [...examples.map(([, , given]) => given), 1, "2026-03-01"];
  return values.find((given) => on[kind]!.says === null || on[kind]!.compile([given].flat() as FilterScalar[]));
}

for (const operator of FILTER_OPERATORS) {
  const { name, over, on, examples } = operator;
  test(`${name} has examples that hold and that do not, and each is true`, () => {
    assert.deepEqual(new Set(examples.map(([, , , holds]) => holds)), new Set([true, false]));
    for (const [kind, seen, given, holds] of examples)
      assert.equal(ask([kind, name, seen, given]), holds, `${kind} ${JSON.stringify(seen)} ${JSON.stringify(given)}`);
  });

  test(`${name} ${over === "none" || name === "$is_unknown" ? "holds" : "does not hold"} for what is missing`, () => {
    const expected = over === "none" || name === "$is_unknown";
    for (const kind of Object.keys(on) as ContentKind[])
      for (const seen of [undefined, null])
        assert.equal(ask([kind, name, seen, takenBy(operator, kind)]), expected, kind);
  });
}

test("an empty list has a value, and no elements", () => {
  assert.equal(ask(["list", "$has_value", [], true]), true);
  assert.equal(ask(["list", "$is", [], "a"]), false);
  assert.equal(ask(["list", "$is_not", [], "a"]), true);
  assert.equal(ask(["list", "$is", [null], "null"]), false);
});

test("several values are alternatives, and for the negative operators all are refused", () => {
  assert.equal(ask(["number", "$more_than", 5, [10, 4]]), true);
  assert.equal(ask(["number", "$more_than", 5, [10, 6]]), false);
  assert.equal(ask(["date", "$is_days_ago", "2026-02-26", [1, 3]]), true);
  assert.equal(ask(["text", "$not_contain", "abc", ["x", "c"]]), false);
});

/** The clocks of New York go forward on 8 March 2026 and back on 1 November: days have 23 and 25 hours. */
const NEW_YORK = "America/New_York";
type Row = [
  now: string,
  zone: string,
  kind: ContentKind,
  operator: string,
  seen: string,
  given: unknown,
  holds: boolean,
];
const CALENDAR: readonly Row[] = [
  // 22:30 on the 7th and 23:30 on the 8th, 24 hours apart, are a day apart.
  ["2026-03-09T03:30:00Z", NEW_YORK, "date", "$yesterday", "2026-03-08T03:30:00Z", true, true],
  // 00:30 on the 9th: 23:30 hours before is the 8th, in hours less than a day, in days one.
  ["2026-03-09T04:30:00Z", NEW_YORK, "date", "$is_days_ago", "2026-03-08T05:00:00Z", 1, true],
  ["2026-03-09T04:30:00Z", NEW_YORK, "date", "$today", "2026-03-09T03:59:59Z", true, false],
  ["2026-03-09T04:30:00Z", NEW_YORK, "date", "$today", "2026-03-09T04:00:00Z", true, true],
  // The day that has 25 hours: its first and its last moment.
  ["2026-11-01T12:00:00Z", NEW_YORK, "date", "$today", "2026-11-01T04:00:00Z", true, true],
  ["2026-11-01T12:00:00Z", NEW_YORK, "date", "$today", "2026-11-02T04:59:59Z", true, true],
  ["2026-11-01T12:00:00Z", NEW_YORK, "date", "$today", "2026-11-02T05:00:00Z", true, false],
  ["2026-11-01T12:00:00Z", NEW_YORK, "date", "$tomorrow", "2026-11-02T05:00:00Z", true, true],
  // A day as the first moment: midnight in New York is 05:00 in winter and 04:00 in summer.
  ["2026-06-01T00:00:00Z", NEW_YORK, "date", "$before", "2026-03-08T04:59:59Z", "2026-03-08", true],
  ["2026-06-01T00:00:00Z", NEW_YORK, "date", "$before", "2026-03-08T05:00:00Z", "2026-03-08", false],
  ["2026-06-01T00:00:00Z", NEW_YORK, "date", "$before", "2026-03-09T03:59:59Z", "2026-03-09", true],
  ["2026-06-01T00:00:00Z", NEW_YORK, "date", "$before", "2026-03-09T04:00:00Z", "2026-03-09", false],
  // The hour that is skipped, and the one that comes twice.
  ["2026-06-01T00:00:00Z", NEW_YORK, "date", "$after", "2026-03-08T07:00:00Z", "2026-03-08T02:30:00", false],
  ["2026-06-01T00:00:00Z", NEW_YORK, "date", "$after", "2026-03-08T07:31:00Z", "2026-03-08T02:30:00", true],
  ["2026-06-01T00:00:00Z", NEW_YORK, "date", "$after", "2026-11-01T05:31:00Z", "2026-11-01T01:30:00", true],
  // The same instant is New Year in Warsaw and the old year in UTC.
  ["2025-12-31T23:30:00Z", "Europe/Warsaw", "date", "$this_year", "2026-01-01T00:00:00Z", true, true],
  ["2025-12-31T23:30:00Z", "UTC", "date", "$this_year", "2026-01-01T00:00:00Z", true, false],
  ["2025-12-31T23:30:00Z", "UTC", "date", "$next_year", "2026-01-01T00:00:00Z", true, true],
  ["2026-01-01T12:00:00Z", "UTC", "date", "$last_year", "2025-01-01T00:00:00Z", true, true],
  ["2026-01-15T12:00:00Z", "UTC", "date", "$last_month", "2025-12-01T00:00:00Z", true, true],
  ["2026-12-15T12:00:00Z", "UTC", "date", "$next_month", "2027-01-31T23:59:59Z", true, true],
  ["2026-01-31T12:00:00Z", "UTC", "date", "$next_month", "2026-02-28T23:59:59Z", true, true],
  ["2026-01-31T12:00:00Z", "UTC", "date", "$next_month", "2026-03-01T00:00:00Z", true, false],
  // The week of Thursday, 1 January 2026 starts on Monday, 29 December.
  ["2026-01-01T12:00:00Z", "UTC", "date", "$this_week", "2025-12-29T00:00:00Z", true, true],
  ["2026-01-01T12:00:00Z", "UTC", "date", "$this_week", "2025-12-28T23:59:59Z", true, false],
  ["2026-01-01T12:00:00Z", "UTC", "date", "$last_week", "2025-12-28T23:59:59Z", true, true],
  ["2025-12-28T12:00:00Z", "UTC", "date", "$next_week", "2026-01-04T23:59:59Z", true, true],
  ["2025-12-28T12:00:00Z", "UTC", "date", "$next_week", "2026-01-05T00:00:00Z", true, false],
];
const BIRTHDAYS: readonly Row[] = [
  // Over the year's end.
  ["2026-01-01T12:00:00Z", "UTC", "birthdate", "$yesterday", "1990-12-31", true, true],
  ["2026-12-31T12:00:00Z", "UTC", "birthdate", "$tomorrow", "1990-01-01", true, true],
  ["2026-01-01T12:00:00Z", "UTC", "birthdate", "$this_week", "1990-12-29", true, true],
  ["2026-01-01T12:00:00Z", "UTC", "birthdate", "$this_week", "1990-01-04", true, true],
  ["2026-01-01T12:00:00Z", "UTC", "birthdate", "$this_week", "1990-01-05", true, false],
  ["2026-12-10T12:00:00Z", "UTC", "birthdate", "$next_month", "1990-01-20", true, true],
  ["2026-01-10T12:00:00Z", "UTC", "birthdate", "$last_month", "1990-12-20", true, true],
  ["2026-01-02T12:00:00Z", "UTC", "birthdate", "$is_less_days_ago_md", "1990-12-31", 2, true],
  ["2026-01-02T12:00:00Z", "UTC", "birthdate", "$is_less_days_ago_md", "1990-12-30", 2, false],
  ["2026-01-02T12:00:00Z", "UTC", "birthdate", "$is_more_days_ago_md", "1990-12-30", 2, true],
  ["2026-12-30T12:00:00Z", "UTC", "birthdate", "$is_less_days_in_future_md", "1990-01-01", 2, true],
  ["2026-12-30T12:00:00Z", "UTC", "birthdate", "$is_more_days_in_future_md", "1990-01-01", 2, false],
  ["2026-12-30T12:00:00Z", "UTC", "birthdate", "$is_days_in_future", "1990-01-01", 2, true],
  // 29 February is 28 February in a year without it, and itself in one with it.
  ["2026-02-28T12:00:00Z", "UTC", "birthdate", "$today", "2000-02-29", true, true],
  ["2026-03-01T12:00:00Z", "UTC", "birthdate", "$today", "2000-02-29", true, false],
  ["2028-02-28T12:00:00Z", "UTC", "birthdate", "$today", "2000-02-29", true, false],
  ["2028-02-29T12:00:00Z", "UTC", "birthdate", "$today", "2000-02-29", true, true],
  ["2026-02-10T12:00:00Z", "UTC", "birthdate", "$this_month", "2000-02-29", true, true],
  ["2026-02-28T12:00:00Z", "UTC", "birthdate", "$is_years_ago", "2000-02-29", 26, true],
  ["2028-02-28T12:00:00Z", "UTC", "birthdate", "$is_years_ago", "2000-02-29", 28, false],
  ["2028-02-28T12:00:00Z", "UTC", "birthdate", "$is_days_in_future_md", "2000-02-29", 1, true],
  ["2028-03-01T12:00:00Z", "UTC", "birthdate", "$is_days_ago_md", "2000-02-29", 1, true],
  ["2028-02-29T12:00:00Z", "UTC", "birthdate", "$today", "1999-02-28", true, false],
  // Today is a matter of the zone.
  ["2026-05-16T22:30:00Z", "Europe/Warsaw", "birthdate", "$today", "1990-05-17", true, true],
  ["2026-05-16T22:30:00Z", "UTC", "birthdate", "$today", "1990-05-17", true, false],
  // What counts days, or years, without a twin keeps the year.
  ["2026-05-17T12:00:00Z", "UTC", "birthdate", "$more_than_ago", "1990-05-17", 6570, true],
  ["2026-05-17T12:00:00Z", "UTC", "birthdate", "$this_year", "1990-05-17", true, false],
  // Other dates are not birthdays.
  ["2026-05-17T12:00:00Z", "UTC", "metadata", "$today", "1990-05-17", true, false],
  ["2026-05-17T12:00:00Z", "UTC", "metadata", "$today_md", "1990-05-17", true, true],
];
for (const [now, zone, kind, operator, seen, given, holds] of [...CALENDAR, ...BIRTHDAYS]) {
  const values = given === true ? "" : ` ${JSON.stringify(given)}`;
  test(`at ${now} in ${zone} the ${kind} ${seen} ${holds ? "is" : "is not"} ${operator}${values}`, () => {
    assert.equal(ask([kind, operator, seen, given], { now, zone }), holds);
  });
}
