import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Value } from "typebox/value";
import { RULE_VALUES, type RuleValueKind } from "./values.ts";

const samples: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom("true", "2026-03-04", "2026-03-04T10:00:00Z", "1", "2026-01-01;P1D;PT1H", "2026-01-01;2026-02-01"),
  fc.constantFrom("10:00;11:00;1", "x".repeat(2001), -1, 0, 6, 7, 100_001),
  fc.record(
    {
      id: fc.constantFrom("", "a", 5),
      type: fc.constantFrom("product_or_sku", "x", null),
      object: fc.constantFrom("sku", "x", null),
      source_id: fc.constantFrom("", null, 5),
      effect: fc.constantFrom("APPLY_TO_EVERY", null, "x"),
    },
    { requiredKeys: [] },
  ),
);
/** Kinds whose schema is text, of which the check takes only some. */
const NARROWER = new Set<RuleValueKind>([
  RULE_VALUES.number,
  RULE_VALUES.comparable,
  RULE_VALUES.date,
  RULE_VALUES.timeframe,
  RULE_VALUES.span,
  RULE_VALUES.daily_hours,
]);

for (const [name, kind] of Object.entries(RULE_VALUES)) {
  test(`a value is taken as ${name} only if its schema takes it${NARROWER.has(kind) ? "" : ", and always then"}`, () => {
    fc.assert(
      fc.property(samples, (value) => {
        const fits = Value.Check(kind.schema, value);
        if (kind.accepts(value)) assert.ok(fits);
        else assert.ok(!fits || NARROWER.has(kind));
      }),
      { numRuns: 500 },
    );
  });
}
