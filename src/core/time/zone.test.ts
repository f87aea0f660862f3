import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveZone } from "./zone.ts";

const CASES = [
  ["Europe/Warsaw", "Europe/Warsaw"],
  ["Etc/GMT+1", "Etc/GMT+1"],
  ["UTC", "UTC"],
  ["GMT", "GMT"],
  ["GMT+1", "+01:00"],
  ["GMT+01:00", "+01:00"],
  ["UTC-3", "-03:00"],
  ["UTC+0530", "+05:30"],
  ["+02:00", "+02:00"],
  ["GMT+25", null],
  ["GMT+1:75", null],
  ["Mars/Olympus", null],
  ["", null],
  ["2026-01-01T00:00:00Z[Europe/Warsaw]", null],
] as const;

for (const [timezone, zone] of CASES) {
  test(`the time zone ${JSON.stringify(timezone)} ${zone ? `is calculated in ${zone}` : "is refused"}`, () => {
    assert.equal(resolveZone(timezone), zone);
  });
}
