import assert from "node:assert/strict";
import { test } from "node:test";
import { cursorMoment, parseStartingAfter } from "./cursor.ts";

test("moments are compared as texts, whatever their digits and offset were", () => {
  const sent = [
    "2026-01-01T00:00:00.123Z",
    "2026-01-01T00:00:00.123001Z",
    "2026-01-01T01:00:00.123002+01:00",
    "2026-01-01T00:00:01Z",
  ];
  const moments = sent.map(cursorMoment);
  assert.deepEqual(moments, [
    "2026-01-01T00:00:00.123000Z",
    "2026-01-01T00:00:00.123001Z",
    "2026-01-01T00:00:00.123002Z",
    "2026-01-01T00:00:01.000000Z",
  ]);
  assert.deepEqual(moments.toReversed().sort(), moments);
});

test("what is older than a cursor of nanoseconds stays older", () => {
  assert.ok(cursorMoment("2026-01-01T00:00:00.123456Z") < cursorMoment("2026-01-01T00:00:00.123456001Z"));
});

test("no cursor is null, also as a word", () => {
  assert.deepEqual(
    [parseStartingAfter(null), parseStartingAfter(undefined), parseStartingAfter("null")],
    [null, null, null],
  );
  assert.equal(parseStartingAfter("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00.000000Z");
});
