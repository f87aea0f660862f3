import assert from "node:assert/strict";
import { test } from "node:test";
import { isFailed, isLate } from "./overdue.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const work = (more: object) => ({
  ...{ status: "DONE", operation_status: "SUCCESS", created_at: "2026-03-10T11:00:00.000Z", updated_at: null },
  ...more,
});

test("work that failed is told for a week, and work that stands still after ten minutes", () => {
  assert.ok(isFailed(work({ operation_status: "FAILED" }), NOW));
  assert.ok(!isFailed(work({ operation_status: "FAILED", result: { failed_count: 2 } }), NOW), "faulty rows of a file");
  assert.ok(!isFailed(work({ status: "FAILED", created_at: "2026-03-01T12:00:00.000Z" }), NOW));
  assert.ok(isLate(work({ status: "ENQUEUED" }), NOW));
  assert.ok(!isLate(work({ status: "IN_PROGRESS", updated_at: "2026-03-10T11:55:00.000Z" }), NOW));
  assert.ok(!isLate(work({}), NOW));
});
