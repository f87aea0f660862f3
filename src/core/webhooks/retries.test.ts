import assert from "node:assert/strict";
import { test } from "node:test";
import { RETRY_MINUTES, retryAt } from "./retries.ts";

const first = "2026-01-01T12:00:00.000Z";

test("there are twelve retries, each counted from the first attempt, the last a day after it", () => {
  const at = [...Array(14).keys()].slice(1).map((attempts) => retryAt(first, attempts));
  assert.deepEqual(at, [
    ...["2026-01-01T12:01:00.000Z", "2026-01-01T12:02:00.000Z", "2026-01-01T12:04:00.000Z"],
    ...["2026-01-01T12:08:00.000Z", "2026-01-01T12:16:00.000Z", "2026-01-01T12:32:00.000Z"],
    ...["2026-01-01T13:04:00.000Z", "2026-01-01T14:08:00.000Z", "2026-01-01T16:16:00.000Z"],
    ...["2026-01-01T20:32:00.000Z", "2026-01-02T05:04:00.000Z", "2026-01-02T12:00:00.000Z"],
    null,
  ]);
  assert.equal(RETRY_MINUTES.length, 12);
  assert.ok(RETRY_MINUTES.every((minutes, n) => n === 0 || minutes > RETRY_MINUTES[n - 1]!));
});
