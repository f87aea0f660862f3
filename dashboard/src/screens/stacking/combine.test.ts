import assert from "node:assert/strict";
import { test } from "node:test";
import type { StackingRules } from "../../api/operations.gen.ts";
import { combine } from "./combine.ts";

const rules = (changes: Partial<StackingRules> = {}) =>
  ({
    applicable_redeemables_limit: 5,
    applicable_redeemables_per_category_limit: null,
    applicable_redeemables_category_limits: {},
    applicable_exclusive_redeemables_limit: 1,
    applicable_exclusive_redeemables_per_category_limit: null,
    exclusive_categories: ["sale"],
    joint_categories: ["club"],
    ...changes,
  }) as StackingRules;

test("an exclusive category goes with joint ones only", () => {
  assert.equal(combine("sale", "club", rules()), "together");
  assert.equal(combine("sale", "other", rules()), "excluded");
  assert.equal(combine(null, "sale", rules()), "excluded");
  assert.equal(combine("club", "other", rules()), "together");
});

test("limits keep two of a kind apart", () => {
  assert.equal(combine("sale", "sale", rules()), "exclusiveLimit");
  assert.equal(combine("sale", "sale", rules({ applicable_exclusive_redeemables_limit: 2 })), "together");
  assert.equal(combine("other", "other", rules({ applicable_redeemables_per_category_limit: 1 })), "categoryLimit");
  const own = rules({
    applicable_redeemables_per_category_limit: 1,
    applicable_redeemables_category_limits: { other: 2 },
  });
  assert.equal(combine("other", "other", own), "together");
  assert.equal(combine("other", "club", rules({ applicable_redeemables_limit: 1 })), "limit");
});
