import assert from "node:assert/strict";
import { test } from "node:test";
import { comingMonths } from "./months.ts";

test("coming months begin with the one that holds now, in the zone of the project", () => {
  assert.deepEqual(comingMonths("2026-11-30T23:30:00.000Z", "Europe/Warsaw", 3), {
    now: "2026-11-30T23:30:00.000Z",
    names: ["2026-12", "2027-01", "2027-02"],
    starts: ["2026-11-30T23:00:00.000Z", "2026-12-31T23:00:00.000Z", "2027-01-31T23:00:00.000Z"],
    end: "2027-02-28T23:00:00.000Z",
  });
});
