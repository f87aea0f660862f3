import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_STACKING, type StackingSettings } from "./settings.ts";
import { type Judge, type Stackable, walkStack } from "./walk.ts";

type Test = Stackable & { name: string; fails?: boolean; isGone?: boolean; effect?: number };
const judge: Judge<Test, number, number, string> = {
  standsAlone: ({ fails, isGone }) => !fails && !isGone,
  failsAnyway: ({ name, isGone }) => (isGone ? `${name} is gone` : null),
  try: ({ name, fails, isGone, effect = 1 }, state) =>
    fails || isGone
      ? { failure: `${name} fails` }
      : { state: state + effect, result: state + effect, hasEffect: effect > 0 },
};
const one = (name: string, given: Partial<Test> = {}): Test => ({ name, category_id: null, hierarchy: null, ...given });

/** "A B! C-reason": applied, failed, skipped; in the order in which they were taken. */
function walk(candidates: readonly Test[], settings: Partial<StackingSettings> = {}): string {
  const { outcomes } = walkStack(candidates, { ...DEFAULT_STACKING, ...settings }, { initial: 0, judge });
  return outcomes
    .map(({ candidate: { name }, outcome }) =>
      outcome.status === "APPLICABLE"
        ? name
        : outcome.status === "INAPPLICABLE"
          ? `${name}!`
          : `${name}-${outcome.reason}`,
    )
    .join(" ");
}

test("ALL stops at the first failure; PARTIAL goes on without it", () => {
  const list = [one("A"), one("B", { fails: true }), one("C")];
  assert.equal(walk(list), "A B! C-preceding_validation_failed");
  assert.equal(walk(list, { redeemables_application_mode: "PARTIAL" }), "A B! C");
});

test("limits skip what is too much and do not fail the rest", () => {
  const seven = "ABCDEFG".split("").map((name) => one(name));
  const skip = "applicable_redeemables_limit_exceeded";
  assert.equal(walk(seven), `A B C D E F-${skip} G-${skip}`);
  const gone = [...seven.slice(0, 5), one("F", { fails: true }), one("G", { isGone: true }), one("H")];
  assert.equal(walk(gone), `A B C D E F-${skip} G! H-preceding_validation_failed`);
  assert.equal(walk(gone, { redeemables_application_mode: "PARTIAL" }), `A B C D E F-${skip} G! H-${skip}`);
  const category = [
    one("A", { category_id: "c" }),
    one("B", { category_id: "c" }),
    one("C", { category_id: "c" }),
    one("D"),
  ];
  const per = "applicable_redeemables_per_category_limit_exceeded";
  assert.equal(walk(category), "A B C D");
  assert.equal(walk(category, { applicable_redeemables_per_category_limit: 1 }), `A B-${per} C-${per} D`);
  assert.equal(
    walk(category, { applicable_redeemables_per_category_limit: 1, applicable_redeemables_category_limits: { c: 2 } }),
    `A B C-${per} D`,
  );
});

test("a valid exclusive redeemable drops the common ones and keeps the joint ones, which come last", () => {
  const settings = { exclusive_categories: ["x"], joint_categories: ["j"] };
  const [x, j, common] = [one("X", { category_id: "x" }), one("J", { category_id: "j" }), one("N")];
  assert.equal(walk([common, j, x], settings), "N-exclusion_rules_not_met X J");
  assert.equal(walk([j, x], { ...settings, grouped_redeemables_sorting_rule: "SORTING_RULE_ALWAYS" }), "J X");
  assert.equal(walk([common, j], settings), "N J");
  const invalid = { ...x, fails: true };
  assert.equal(walk([common, invalid], { ...settings, redeemables_application_mode: "PARTIAL" }), "N X!");
});

test("exclusive redeemables have limits of their own, together and by category", () => {
  const list = [one("A", { category_id: "x" }), one("B", { category_id: "x" }), one("C", { category_id: "y" })];
  const settings = { exclusive_categories: ["x", "y"] };
  const all = "applicable_exclusive_redeemables_limit_exceeded";
  assert.equal(walk(list, settings), `A B-${all} C-${all}`);
  assert.equal(
    walk(list, { ...settings, applicable_exclusive_redeemables_limit: 3 }),
    "A B-applicable_exclusive_redeemables_per_category_limit_exceeded C",
  );
});

test("what has no effect is applied anyway or skipped, as the project and its categories say", () => {
  const list = [one("A"), one("B", { effect: 0 }), one("C", { effect: 0, category_id: "c" })];
  assert.equal(walk(list), "A B C");
  assert.equal(walk(list, { redeemables_no_effect_rule: "SKIP" }), "A B-no_effect C-no_effect");
  assert.equal(
    walk(list, { redeemables_no_effect_rule: "SKIP", no_effect_redeem_anyway_categories: ["c"] }),
    "A B-no_effect C",
  );
  assert.equal(walk(list, { no_effect_skip_categories: ["c"] }), "A B C-no_effect");
});

test("by category hierarchy the lower comes first, equals keep the order of the request", () => {
  const list = [
    one("A"),
    one("B", { category_id: "b", hierarchy: 2 }),
    one("C", { category_id: "c", hierarchy: 1 }),
    one("D", { category_id: "b", hierarchy: 2 }),
  ];
  assert.equal(walk(list, { redeemables_sorting_rule: "CATEGORY_HIERARCHY" }), "C B D A");
});

test("every redeemable has one outcome, limits hold, and applied ones are those that moved the state", () => {
  const candidate = fc.record({
    name: fc.string({ minLength: 1, maxLength: 3 }),
    category_id: fc.constantFrom(null, "x", "j", "c"),
    hierarchy: fc.constantFrom(null, 0, 1),
    fails: fc.boolean(),
    effect: fc.integer({ min: 0, max: 2 }),
  });
  const settings = fc.record({
    redeemables_application_mode: fc.constantFrom("ALL" as const, "PARTIAL" as const),
    applicable_redeemables_limit: fc.integer({ min: 1, max: 4 }),
    applicable_redeemables_per_category_limit: fc.constantFrom(null, 1, 2),
    redeemables_no_effect_rule: fc.constantFrom("SKIP" as const, "REDEEM_ANYWAY" as const),
    exclusive_categories: fc.constantFrom<string[]>([], ["x"]),
    joint_categories: fc.constantFrom<string[]>([], ["j"]),
  });
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 8 }), settings, (list, given) => {
      const all = { ...DEFAULT_STACKING, ...given };
      const { outcomes, state } = walkStack(list, all, { initial: 0, judge });
      assert.equal(outcomes.length, list.length);
      const applied = outcomes
        .filter(({ outcome }) => outcome.status === "APPLICABLE")
        .map(({ candidate }) => candidate);
      assert.ok(applied.length <= all.applicable_redeemables_limit);
      assert.equal(
        state,
        applied.reduce((sum, { effect = 1 }) => sum + effect, 0),
      );
      const groups = new Set(applied.map(({ category_id }) => category_id));
      if (all.exclusive_categories.length > 0 && groups.has("x")) assert.ok(!groups.has("c") && !groups.has(null));
    }),
  );
});
