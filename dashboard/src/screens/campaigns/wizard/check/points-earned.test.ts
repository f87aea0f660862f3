import assert from "node:assert/strict";
import { test } from "node:test";
import { rulePoints } from "../../../../../../src/core/loyalty/campaign/earning.ts";
import { pointsEarned } from "./points-earned.ts";

test("an order earns in the form of a new program what the server would give for it", () => {
  for (const [amount, points, every] of [
    ...[[0, 1, 100] as const, [99, 1, 100] as const, [100, 1, 100] as const],
    ...[[4_999, 3, 1_000] as const, [1_234_567, 7, 333] as const, [Number.MAX_SAFE_INTEGER, 9, 1] as const],
  ]) {
    const order = { amount, total_amount: amount, items: [], metadata: {} };
    const given = rulePoints(
      { type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT", order: { amount: { every, points } } } as never,
      { bases: { order, customer: {}, custom_event: {} } as never, mapping: undefined, formula: () => null },
    );
    assert.equal(pointsEarned(amount, { points, every }), given, `${points} for each ${every} of ${amount}`);
  }
});
