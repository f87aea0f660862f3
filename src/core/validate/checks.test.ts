import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cart } from "../../../test/support/carts.ts";
import { redeemable, SITUATION } from "../../../test/support/redeemables.ts";
import { errorBody } from "../errors.ts";
import { DEFAULT_STACKING } from "../stacking/settings.ts";
import { CHECKS, type Check } from "./checks.ts";
import { calculationOf, decide } from "./decide.ts";
import { failsAnyway, judge } from "./judge.ts";
import type { Redeemable } from "./redeemable.ts";
import { traceDecision } from "./trace.ts";

const PERCENT = { type: "PERCENT" as const, percent_off: 10 };
const settings = DEFAULT_STACKING;
const order = cart([], { amount: 1000 });

/** What the judge and the trace say of one redeemable. */
function both(candidate: Redeemable, situation: typeof SITUATION) {
  const within = { ...situation, calculation: calculationOf(settings) };
  const judged = judge(candidate, { order, blocked: new Set(), applied: [] }, within);
  const decision = decide([candidate], order, { settings, situation });
  const [trace] = traceDecision(decision, { settings, situation });
  return {
    judged: "error" in judged ? judged.error : null,
    anyway: failsAnyway(candidate, within)?.error ?? null,
    trace: trace!,
  };
}

const date = fc.constantFrom(null, null, "2025-12-31T00:00:00Z", "2026-01-01T12:00:00Z", "2026-02-01T00:00:00Z");
const validity = fc.record({
  start_date: date,
  expiration_date: date,
  validity_timeframe: fc.constantFrom(null, null, { interval: "P2D", duration: "P1D" }),
  // The moment is a Thursday.
  validity_day_of_week: fc.constantFrom(null, null, [], [4], [0, 1]),
  validity_hours: fc.constantFrom(
    ...[null, null, { daily: [] }],
    { daily: [{ start_time: "12:00", expiration_time: "13:00" }] },
    { daily: [{ start_time: "18:00", expiration_time: "19:00" }] },
  ),
});
const person = (id: string | null) => ({
  ...{ id, source_id: null, metadata: {}, birthdate: null },
  ...{ segments: new Set<string>(), loyalty_tiers: new Set<string>() },
});
const situations = fc.record({
  object: fc.constantFrom("voucher" as const, "promotion_tier" as const),
  is_active: fc.constantFrom(true, true, true, false),
  validity,
  quantity: fc.constantFrom(null, 1, 2),
  redeemed: fc.constantFrom(0, 1),
  locked: fc.constantFrom(0, 1),
  referrer_id: fc.constantFrom(null, "cust_1"),
  is_referrer: fc.boolean(),
  is_unshared: fc.constantFrom(undefined, undefined, undefined, true as const),
  customer: fc.constantFrom(null, person(null), person("cust_1"), person("cust_2")),
});
const keyOf = (key: string) => CHECKS.find((check) => check.key === key)!;

test("law: the judge and the trace agree about every check", () => {
  const refusedBy = new Map<string, number>();
  fc.assert(
    fc.property(situations, ({ customer, is_unshared, ...given }) => {
      const candidate = redeemable(PERCENT, { ...given, ...(is_unshared && { is_unshared }) });
      const { judged, anyway, trace } = both(candidate, { ...SITUATION, customer });
      assert.deepEqual(judged, anyway, "nothing else stands against it");
      const asked = CHECKS.filter(({ needs }) => needs(candidate)).map(({ key }) => key);
      const told = trace.checks.map(({ check }) => check);
      assert.deepEqual(told, asked.slice(0, told.length), "in the order of the table");
      const failed = trace.checks.filter(({ passed }) => !passed).map(({ check }) => check);
      assert.deepEqual(failed, judged ? [told.at(-1)] : [], "the last that is told is the one that refuses");
      if (!judged) assert.deepEqual(told, asked);
      else assert.deepEqual(keyOf(failed[0]!).refuse(candidate), judged);
      assert.equal(trace.decided_by, judged?.key ?? null);
      for (const key of failed) refusedBy.set(key, (refusedBy.get(key) ?? 0) + 1);
    }),
    { numRuns: 3000 },
  );
  for (const { key } of CHECKS) assert.ok((refusedBy.get(key) ?? 0) > 5, `${key} refused ${refusedBy.get(key) ?? 0}`);
});

test("a guest with the referrer's address is refused, and the trace says by what", () => {
  const candidate = redeemable(PERCENT, { referrer_id: "cust_1", is_referrer: true });
  const { judged, trace } = both(candidate, { ...SITUATION, customer: person(null) });
  assert.equal(judged?.key, "referrer_not_permitted_to_redeem");
  assert.deepEqual(trace.checks.at(-1), { check: "not_the_referrer", passed: false, seen: false, expected: true });
});

test("a check that is planted in the table refuses, and stands in the trace", () => {
  const planted: Check = {
    key: "planted",
    needs: ({ metadata }) => "planted" in metadata,
    holds: ({ redeemable: { metadata } }) => metadata.planted === true,
    refuse: ({ id }) => errorBody("voucher_disabled", { details: `planted ${id}` }),
    seen: ({ redeemable: { metadata } }) => metadata.planted,
    expected: () => true,
  };
  const table = CHECKS as Check[];
  table.push(planted);
  try {
    const of = (metadata: Redeemable["metadata"]) => both(redeemable(PERCENT, { metadata }), SITUATION);
    const last = ({ trace }: ReturnType<typeof of>) => trace.checks.at(-1);
    const refused = of({ planted: false });
    assert.equal(refused.judged?.details, "planted CODE");
    assert.deepEqual(refused.anyway, refused.judged);
    assert.deepEqual(last(refused), { check: "planted", passed: false, seen: false, expected: true });
    const held = of({ planted: true });
    assert.equal(held.judged, null);
    assert.deepEqual(last(held), { check: "planted", passed: true, seen: true, expected: true });
    const other = of({});
    assert.deepEqual([other.judged, last(other)?.check], [null, "active"], "it is asked where it is needed");
  } finally {
    table.splice(table.indexOf(planted), 1);
  }
});
