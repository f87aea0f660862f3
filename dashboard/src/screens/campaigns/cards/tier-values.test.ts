import assert from "node:assert/strict";
import { test } from "node:test";
import type { CampaignEarningRule, CampaignTier } from "../../../api/operations.gen.ts";
import { endedBy, mappingsOf, tierValuesOf } from "./tier-values.ts";

const tier = (name: string, points: CampaignTier["points"], earning_rules: CampaignTier["earning_rules"] = {}) =>
  ({ id: name, name, points, earning_rules }) as CampaignTier;

test("a new tier begins above the highest one, which ends there", () => {
  const tiers = [tier("Gold", { from: 500 }), tier("Guest", { from: 0, to: 499 })];
  const values = tierValuesOf(null, tiers);
  assert.equal(values.from, 1500);
  assert.equal(endedBy(tiers, values)?.name, "Gold");
  assert.equal(endedBy(tiers, { ...values, from: 500 }), null);
  assert.equal(tierValuesOf(null, []).from, 0);
});

test("multipliers are changed, and points of their own stay as they are", () => {
  const custom = { type: "CUSTOM" as const, points: 7 };
  const gold = tier("Gold", { from: 0 }, { a: { type: "MULTIPLY", multiplier: 2 }, b: custom });
  const values = tierValuesOf(gold, []);
  assert.deepEqual(values.times, { a: 2 });
  const rules = [{ id: "a" }, { id: "b" }, { id: "c" }] as CampaignEarningRule[];
  assert.deepEqual(mappingsOf({ ...values, times: { a: null, c: 3 } }, gold, rules), {
    b: custom,
    c: { type: "MULTIPLY", multiplier: 3 },
  });
});
