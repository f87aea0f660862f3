import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { momentOf, wallTimeOf } from "./zoned.ts";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"];
const [FIRST, LAST] = [Date.parse("2015-01-01"), Date.parse("2035-01-01")];

test("the time on the wall is the one that Temporal knows, and leads back to a moment with the same time", () => {
  const minute = fc.integer({ min: FIRST / 60_000, max: LAST / 60_000 });
  fc.assert(
    fc.property(minute, fc.constantFrom(...ZONES), (minutes, zone) => {
      const iso = new Date(minutes * 60_000).toISOString();
      const wall = wallTimeOf(iso, zone);
      const known = Temporal.Instant.from(iso).toZonedDateTimeISO(zone).toPlainDateTime().toString().slice(0, 16);
      assert.equal(wall, known);
      const back = Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation: "compatible" });
      assert.equal(momentOf(wall, zone), new Date(back.epochMilliseconds).toISOString());
    }),
    { numRuns: 300 },
  );
});

test("times that the clock leaves out or shows twice", () => {
  assert.equal(momentOf("2027-03-28T02:30", "Europe/Berlin"), "2027-03-28T01:30:00.000Z");
  assert.equal(momentOf("2027-10-31T02:30", "Europe/Berlin"), "2027-10-31T00:30:00.000Z");
  assert.equal(momentOf("2027-05-31", "Europe/Berlin"), "2027-05-30T22:00:00.000Z");
  assert.equal(momentOf("soon", "UTC"), null);
});
