import assert from "node:assert/strict";
import { test } from "node:test";
import { chartBuckets, shownMoment, spanFault } from "./buckets.ts";

const zone = "Europe/Warsaw";
const shown = (span: Parameters<typeof chartBuckets>[0]) => {
  const { buckets, before } = chartBuckets(span);
  return { at: buckets.map(({ from }) => shownMoment(from)), before: before.map(({ key }) => key) };
};

test("days begin at the midnights of the zone, also where clocks change", () => {
  const span = { from: "2026-10-24T22:30:00Z", to: "2026-10-26T00:00:00Z", unit: "day", zone } as const;
  assert.deepEqual(shown(span), {
    at: ["2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"],
    before: ["2026-10-23", "2026-10-24"],
  });
});

test("the hour that comes twice is two hours", () => {
  const span = { from: "2026-10-25T00:00:00Z", to: "2026-10-25T02:00:00Z", unit: "hour", zone } as const;
  assert.deepEqual(shown(span).at, ["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"]);
});

test("hours begin where those of the zone do", () => {
  const span = {
    from: "2026-01-01T00:00:00Z",
    to: "2026-01-01T00:30:00Z",
    unit: "hour",
    zone: "Asia/Kolkata",
  } as const;
  assert.deepEqual(shown(span), { at: ["2026-01-01T05:00:00+05:30"], before: ["2025-12-31T22:30:00.000Z"] });
});

test("a span that is empty, too long or beyond calendars is refused", () => {
  const day = { unit: "day", zone } as const;
  assert.match(spanFault({ ...day, from: "2026-01-02T00:00:00Z", to: "2026-01-02T00:00:00Z" }) ?? "", /before/);
  assert.match(spanFault({ ...day, from: "2020-01-02T00:00:00Z", to: "2026-01-02T00:00:00Z" }) ?? "", /at most 732/);
  assert.match(spanFault({ ...day, from: "0001-01-02T00:00:00Z", to: "0001-02-02T00:00:00Z" }) ?? "", /between/);
  assert.equal(spanFault({ ...day, from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }), null);
});
