import assert from "node:assert/strict";
import { test } from "node:test";
import { failedIn, isFailed, isLate } from "./overdue.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const work = (more: object) => ({
  ...{ status: "DONE", operation_status: "SUCCESS", created_at: "2026-03-10T11:00:00.000Z", updated_at: null },
  ...more,
});

test("work that failed is told for a week, and work that stands still after ten minutes", () => {
  assert.ok(isFailed(work({ operation_status: "FAILED" }), NOW));
  assert.ok(!isFailed(work({ status: "FAILED", created_at: "2026-03-01T12:00:00.000Z" }), NOW));
  assert.ok(isLate(work({ status: "ENQUEUED" }), NOW));
  assert.ok(!isLate(work({ status: "IN_PROGRESS", updated_at: "2026-03-10T11:55:00.000Z" }), NOW));
  assert.ok(!isLate(work({}), NOW));
});

test("a webhook fails while its newest tried message has not arrived", () => {
  const of = (...all: [string, number][]) => failedIn(all.map(([status, attempts]) => ({ status, attempts })));
  assert.equal(of(["WAITING", 0], ["WAITING", 2], ["FAILED", 7], ["DELIVERED", 1]), 2);
  assert.equal(of(["WAITING", 0], ["DELIVERED", 1], ["FAILED", 7]), 0);
  assert.equal(of(), 0);
});
