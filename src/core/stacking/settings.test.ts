import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  CATEGORY_LISTS,
  categoriesIn,
  DEFAULT_STACKING,
  type StackingSettings,
  stackingFault,
  withoutCategory,
} from "./settings.ts";

const settings = (changes: Partial<StackingSettings>): StackingSettings => ({ ...DEFAULT_STACKING, ...changes });
const fault = (changes: Partial<StackingSettings>) => stackingFault(settings(changes), (id) => id.startsWith("cat_"));

test("the defaults hold together", () => {
  assert.equal(fault({}), null);
});

test("a limit may equal the one above it and not exceed it; null is no limit", () => {
  assert.equal(fault({ redeemables_limit: 5, applicable_redeemables_limit: 5 }), null);
  assert.match(
    fault({ redeemables_limit: 4 })!,
    /^Property \.applicable_redeemables_limit must be <= \.redeemables_limit \(4\)$/,
  );
  assert.equal(fault({ applicable_redeemables_per_category_limit: 5 }), null);
  assert.match(
    fault({ applicable_redeemables_per_category_limit: 6 })!,
    /must be <= \.applicable_redeemables_limit \(5\)$/,
  );
  assert.equal(fault({ applicable_exclusive_redeemables_per_category_limit: null }), null);
  assert.match(
    fault({ applicable_exclusive_redeemables_per_category_limit: 2 })!,
    /must be <= \.applicable_exclusive_redeemables_limit \(1\)$/,
  );
});

test("a category cannot be on both sides of a choice", () => {
  assert.match(
    fault({ no_effect_skip_categories: ["cat_a"], no_effect_redeem_anyway_categories: ["cat_a"] })!,
    /must not both hold cat_a$/,
  );
  assert.match(
    fault({ initial_amount_mode_categories: ["cat_a"], discounted_amount_mode_categories: ["cat_b", "cat_a"] })!,
    /must not both hold cat_a$/,
  );
  assert.match(fault({ exclusive_categories: ["cat_a"], joint_categories: ["cat_a"] })!, /must not both hold cat_a$/);
});

test("every list and the map of limits hold categories of the project only", () => {
  for (const list of CATEGORY_LISTS) {
    assert.equal(fault({ [list]: ["cat_a"] }), null);
    assert.equal(
      fault({ [list]: ["cat_a", "gone"] }),
      `Property .${list} holds gone, which is not a category of the project`,
    );
  }
  assert.match(fault({ applicable_redeemables_category_limits: { cat_a: 1, gone: 1 } })!, /holds gone/);
});

const ids = fc.uniqueArray(fc.constantFrom("cat_a", "cat_b", "cat_c", "cat_d"));
const any = fc
  .record({
    ...Object.fromEntries(CATEGORY_LISTS.map((list) => [list, ids])),
    limits: fc.dictionary(fc.constantFrom("cat_a", "cat_b", "cat_c"), fc.integer({ min: 1, max: 10 })),
  })
  .map(({ limits, ...lists }) =>
    settings({
      ...(lists as Partial<StackingSettings>),
      applicable_redeemables_category_limits: limits as Record<string, number>,
    }),
  );

test("a category that is taken out is named nowhere, and the others are named where they were", () => {
  fc.assert(
    fc.property(any, fc.constantFrom("cat_a", "cat_b"), (before, gone) => {
      const after = withoutCategory(before, gone);
      assert.deepEqual(categoriesIn(after), categoriesIn(before).difference(new Set([gone])));
      for (const list of CATEGORY_LISTS)
        assert.deepEqual(
          after[list],
          before[list].filter((id) => id !== gone),
        );
      assert.equal(after.redeemables_limit, before.redeemables_limit);
      assert.deepEqual(withoutCategory(after, gone), after);
    }),
  );
});
