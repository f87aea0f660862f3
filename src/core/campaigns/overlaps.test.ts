import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_STACKING } from "../stacking/settings.ts";
import { newSteps, TooExpensive } from "../steps.ts";
import { type ComparedOffer, exclusionOf, overlappingPairs } from "./overlaps.ts";

const offer = fc.record({
  campaign_id: fc.constantFrom("a", "b", "c", "d"),
  tier_id: fc.option(fc.constantFrom("t1", "t2"), { nil: null }),
  from: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(Number.NEGATIVE_INFINITY)),
  to: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(Number.POSITIVE_INFINITY)),
  goods: fc.option(
    fc.uniqueArray(fc.constantFrom("x", "y", "z"), { maxLength: 2 }).map((all) => new Set(all)),
    { nil: null },
  ),
  category: fc
    .option(fc.constantFrom("exclusive", "joint", "common"), { nil: null })
    .map((category_id) => ({ category_id, hierarchy: category_id && 1 })),
});
const settings = fc
  .record({
    applicable_redeemables_limit: fc.constantFrom(1, 5),
    applicable_redeemables_per_category_limit: fc.constantFrom(null, 1),
    applicable_exclusive_redeemables_limit: fc.constantFrom(1, 2),
  })
  .map((own) => ({
    ...DEFAULT_STACKING,
    ...own,
    exclusive_categories: ["exclusive"],
    joint_categories: ["joint"],
  }));

test("every overlap and exclusion that is told is real, and none is missed", () => {
  fc.assert(
    fc.property(fc.array(offer, { maxLength: 7 }), settings, (offers: ComparedOffer[], rules) => {
      const named = (kind: string, one: ComparedOffer, other: ComparedOffer) =>
        `${kind} ${[offers.indexOf(one), offers.indexOf(other)].sort().join(" ")}`;
      const expected: string[] = [];
      for (const [n, one] of offers.entries())
        for (const other of offers.slice(n + 1)) {
          const isSame = one.campaign_id === other.campaign_id;
          const isTogether = Math.max(one.from, other.from) <= Math.min(one.to, other.to);
          if (isSame || !isTogether || one.from > one.to || other.from > other.to) continue;
          const { goods } = one;
          const areForSame =
            goods === null || other.goods === null || [...goods].some((good) => other.goods!.has(good));
          if (areForSame) expected.push(named("overlap", one, other));
          if (exclusionOf(one.category, other.category, rules)) expected.push(named("exclusion", one, other));
        }
      const told = [...overlappingPairs(offers, rules)].map(({ kind, offers: [one, other] }) =>
        named(kind, one, other),
      );
      assert.deepEqual(told.sort(), expected.sort());
    }),
  );
});

test("what two categories exclude is what a stack of both does", () => {
  const rules = { ...DEFAULT_STACKING, exclusive_categories: ["only"], joint_categories: ["joint"] };
  const of = (category_id: string | null) => ({ category_id, hierarchy: null });
  assert.equal(exclusionOf(of("only"), of(null), rules), "exclusion_rules_not_met");
  assert.equal(exclusionOf(of("only"), of("joint"), rules), null);
  assert.equal(exclusionOf(of("only"), of("only"), rules), "applicable_exclusive_redeemables_limit_exceeded");
  assert.equal(exclusionOf(of(null), of(null), rules), null);
});

test("the work grows with the pairs that there are, and a budget ends it", () => {
  const base = { tier_id: null, category: { category_id: null, hierarchy: null } };
  const apart = Array.from({ length: 20_000 }, (_, n) => ({
    ...{ ...base, campaign_id: `${n}`, from: 0, to: 10 },
    goods: new Set([`good ${n}`]),
  }));
  const steps = newSteps();
  assert.deepEqual([...overlappingPairs(apart, DEFAULT_STACKING, steps)], []);
  assert.equal(steps.used, 20_000 * 11);
  const same = apart.map((one) => ({ ...one, goods: null }));
  assert.throws(() => [...overlappingPairs(same, DEFAULT_STACKING, newSteps())], TooExpensive);
});
