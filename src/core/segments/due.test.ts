import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextMidnight, segmentDueAt } from "./due.ts";

const created_at = "2026-03-28T10:00:00.000Z";
const zone = "Europe/Warsaw";

test("a new segment is worked out soon after it was made, and then at every local midnight if it looks at the time", () => {
  const settled = "2026-03-28T10:00:15.000Z";
  const due = (recalculated_at: string | null, isTimed = true) =>
    segmentDueAt({ created_at, recalculated_at }, { isTimed, zone });
  assert.deepEqual([due(null), due(null, false), due(created_at)], [settled, settled, settled]);
  assert.deepEqual([due(settled), due(settled, false)], ["2026-03-28T23:00:00.000Z", null]);
  // The clocks go forward on the 29th.
  assert.equal(due("2026-03-28T23:00:00.000Z"), "2026-03-29T22:00:00.000Z");
});

test("midnights follow one another, also where clocks skip midnight, repeat it or leave out a day", () => {
  assert.equal(
    nextMidnight("2018-11-04T02:00:00.000Z", "America/Sao_Paulo"),
    "2018-11-04T03:00:00.000Z",
    "01:00 there",
  );
  assert.equal(nextMidnight("2011-12-30T09:59:59.999Z", "Pacific/Apia"), "2011-12-30T10:00:00.000Z");
  const zones = ["UTC", zone, "America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Asia/Kathmandu", "Asia/Beirut"];
  const moments = fc.date({ min: new Date("2005-01-01"), max: new Date("2027-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(moments, fc.constantFrom(...zones), (moment, where) => {
      const at = moment.toISOString();
      const next = nextMidnight(at, where);
      assert.ok(next > at && Date.parse(next) - moment.getTime() <= 26 * 3_600_000, `${at} ${next} ${where}`);
      const day = Temporal.Instant.from(next).toZonedDateTimeISO(where);
      assert.ok(day.equals(day.startOfDay()));
    }),
  );
});
