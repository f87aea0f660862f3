import assert from "node:assert/strict";
import { test } from "node:test";
import type { CampaignTier } from "../../../api/operations.gen.ts";
import { AS_EVERYBODY, sentMappings } from "./mapping.ts";
import { endedBy, tierFaults, tierValuesOf } from "./tier-values.ts";

const tier = (name: string, points: CampaignTier["points"], earning_rules: CampaignTier["earning_rules"] = {}) =>
  ({ id: name, name, points, earning_rules, rewards: {} }) as unknown as CampaignTier;

test("a new tier begins above the highest one, which ends there", () => {
  const tiers = [tier("Gold", { from: 500 }), tier("Guest", { from: 0, to: 499 })];
  const values = tierValuesOf(null, tiers);
  assert.equal(values.from, 1500);
  assert.equal(endedBy(tiers, values)?.name, "Gold");
  assert.equal(endedBy(tiers, { ...values, from: 500 }), null);
  assert.equal(tierValuesOf(null, []).from, 0);
});

test("a tier that is opened and saved gives and asks the same", () => {
  const earning_rules = {
    a: { type: "MULTIPLY" as const, multiplier: 1.5 },
    b: { type: "CUSTOM" as const, points: 7 },
  };
  const rewards = { c: { type: "NOT_AVAILABLE" as const }, d: { type: "CUSTOM" as const, points: 0 } };
  const { earns, pays } = tierValuesOf({ ...tier("Gold", { from: 0 }, earning_rules), rewards }, []);
  assert.deepEqual(sentMappings(earns), earning_rules);
  assert.deepEqual(sentMappings(pays), rewards);
  assert.deepEqual(sentMappings({ ...earns, a: AS_EVERYBODY }), { b: earning_rules.b });
});

test("a number that is missing is a fault of its own field", () => {
  const values = { ...tierValuesOf(null, []), name: "Gold", pays: { d: { type: "CUSTOM" as const, number: null } } };
  assert.deepEqual(Object.keys(tierFaults(values, (key) => key)), ["pays.d"]);
});
