import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { endOfSession, idleSince, isLive, sessionExpiry } from "./sessions.ts";

const BEGIN = "2026-01-01T00:00:00.000Z";
const HOUR = 3_600_000;
const after = (ms: number) => new Date(Date.parse(BEGIN) + ms).toISOString();

test("a session lives for 12 hours after its last use, and for 7 days in all", () => {
  const ends_at = endOfSession(BEGIN);
  assert.equal(ends_at, "2026-01-08T00:00:00.000Z");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 168 * HOUR }), fc.integer({ min: 0, max: 200 * HOUR }), (used, later) => {
      const times = { last_used_at: after(used), ends_at };
      const now = after(used + later);
      assert.equal(isLive(times, now), later < 12 * HOUR && used + later < 168 * HOUR);
      assert.equal(isLive(times, now), sessionExpiry(times) > now);
      assert.equal(times.last_used_at <= idleSince(now), later >= 12 * HOUR);
    }),
  );
});
