import assert from "node:assert/strict";
import { test } from "node:test";
import { toInstantText } from "./instant-text.ts";

test("every form of an instant becomes one text: milliseconds, and the microseconds of those that have some", () => {
  const FORMS = {
    "2026-03-01T12:00:00.123Z": "2026-03-01T12:00:00.123Z",
    "2026-03-01T12:00:00.123456Z": "2026-03-01T12:00:00.123456Z",
    "2026-03-01 12:00:00+00": "2026-03-01T12:00:00.000Z",
    "2026-03-01 12:00:00.5+00": "2026-03-01T12:00:00.500Z",
    "2026-03-01 12:00:00.123456+00": "2026-03-01T12:00:00.123456Z",
    "2026-03-01T12:00:00+00:00": "2026-03-01T12:00:00.000Z",
    "2026-03-01T12:00:00.1234+00:00": "2026-03-01T12:00:00.123400Z",
    "2026-03-01 14:00:00.25+02": "2026-03-01T12:00:00.250Z",
  };
  for (const [text, form] of Object.entries(FORMS)) {
    assert.equal(toInstantText(text), form);
    assert.equal(toInstantText(form), form, "and stays");
  }
});
