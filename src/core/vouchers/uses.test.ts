import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addUse, type CodeUses, countsAt, keyUses, startsOf } from "./uses.ts";

const at = (now: string) => startsOf(now, "UTC");
const use = (uses: CodeUses | null, now: string, by: 1 | -1 = 1) => addUse(uses, { starts: at(now), keyId: "k", by });

test("uses are counted in the day, the week from Monday and the month of the project", () => {
  // 28 February 2026 is a Saturday, 1 March a Sunday, 2 March a Monday.
  let uses: CodeUses | null = null;
  for (const day of ["2026-02-28", "2026-03-01", "2026-03-01", "2026-03-02"]) uses = use(uses, `${day}T10:00:00Z`);
  assert.deepEqual(countsAt(uses, 4, at("2026-03-02T23:00:00Z")), { total: 4, day: 1, week: 1, month: 3 });
  assert.deepEqual(countsAt(uses, 4, at("2026-03-03T00:00:00Z")), { total: 4, day: 0, week: 1, month: 3 });
  // A request of the evening before that is decided a moment later still sees its own day.
  assert.deepEqual(countsAt(uses, 4, at("2026-03-01T23:59:59Z")), { total: 4, day: 2, week: 3, month: 3 });
  assert.equal(keyUses(uses, "k"), 4);
});

test("a rollback takes a use out of the periods in which it was made, and out of no other", () => {
  let uses: CodeUses | null = use(null, "2026-03-01T10:00:00Z");
  uses = use(uses, "2026-03-02T10:00:00Z");
  uses = use(uses, "2026-03-01T10:00:00Z", -1);
  assert.deepEqual(countsAt(uses, 1, at("2026-03-02T11:00:00Z")), { total: 1, day: 1, week: 1, month: 1 });
  assert.equal(countsAt(uses, 1, at("2026-03-01T11:00:00Z")).day, 0);
  const later = use(use(uses, "2026-05-02T10:00:00Z"), "2026-03-02T10:00:00Z", -1);
  assert.deepEqual(countsAt(later, 1, at("2026-05-02T11:00:00Z")), { total: 1, day: 1, week: 1, month: 1 });
});

test("as time goes on, what is counted is what was used and not undone in the period", () => {
  const hours = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.boolean()), { maxLength: 40 });
  fc.assert(
    fc.property(hours, (steps) => {
      let [hour, uses] = [0, null as CodeUses | null];
      const made: string[] = [];
      for (const [pause, undoes] of steps) {
        hour += pause;
        const now = new Date(Date.UTC(2026, 1, 26) + hour * 3_600_000).toISOString();
        const last = undoes ? made.pop() : undefined;
        if (last !== undefined) uses = use(uses, last, -1);
        else {
          made.push(now);
          uses = use(uses, now);
        }
        const starts = at(now);
        const since = (start: string) => made.filter((one) => one.slice(0, 10) >= start).length;
        const expected = {
          total: made.length,
          day: since(starts.day),
          week: since(starts.week),
          month: since(starts.month),
        };
        assert.deepEqual(countsAt(uses, made.length, starts), expected);
      }
    }),
  );
});
