import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RETRY_MINUTES, retryAt } from "./retries.ts";

const first = "2026-01-01T12:00:00.000Z";
const MINUTE_MS = 60_000;

/** When the attempts are made of which each is so many milliseconds late. */
function attemptsOf(lateness: readonly number[]): string[] {
  const made = [first];
  for (const late of lateness) {
    const due = retryAt({ firstAttemptAt: first, lastAttemptAt: made.at(-1)! }, made.length);
    if (due === null) break;
    made.push(new Date(Date.parse(due) + late).toISOString());
  }
  return made;
}

test("there are twelve retries, each counted from the first attempt, the last a day after it", () => {
  const made = attemptsOf(Array(20).fill(0));
  assert.deepEqual(made.slice(1), [
    ...["2026-01-01T12:01:00.000Z", "2026-01-01T12:02:00.000Z", "2026-01-01T12:04:00.000Z"],
    ...["2026-01-01T12:08:00.000Z", "2026-01-01T12:16:00.000Z", "2026-01-01T12:32:00.000Z"],
    ...["2026-01-01T13:04:00.000Z", "2026-01-01T14:08:00.000Z", "2026-01-01T16:16:00.000Z"],
    ...["2026-01-01T20:32:00.000Z", "2026-01-02T05:04:00.000Z", "2026-01-02T12:00:00.000Z"],
  ]);
  assert.equal(retryAt({ firstAttemptAt: first, lastAttemptAt: made.at(-1)! }, made.length), null);
  assert.equal(RETRY_MINUTES.length, 12);
  assert.ok(RETRY_MINUTES.every((minutes, n) => n === 0 || minutes > RETRY_MINUTES[n - 1]!));
});

test("however late attempts are, a retry comes no sooner than its gap after the one before, and there are twelve", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3 * 24 * 60 * MINUTE_MS), { minLength: 12, maxLength: 12 }), (lateness) => {
      const made = attemptsOf(lateness).map((at) => Date.parse(at));
      assert.equal(made.length, 13);
      for (const [n, minutes] of RETRY_MINUTES.entries()) {
        const gap = (minutes - (RETRY_MINUTES[n - 1] ?? 0)) * MINUTE_MS;
        assert.ok(made[n + 1]! - made[n]! >= gap);
        assert.ok(made[n + 1]! - made[0]! >= minutes * MINUTE_MS);
      }
    }),
  );
});
