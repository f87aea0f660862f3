import assert from "node:assert/strict";
import { test } from "node:test";
import type { Campaign, CampaignEarningRule } from "../../api/operations.gen.ts";
import { offerOf } from "./offer.ts";

const club = { campaign_type: "LOYALTY_PROGRAM", validation_rules_assignments: { data: [] } } as unknown as Campaign;
const earns = (order: object, more: object = {}) =>
  offerOf(club, {
    rule: { event: "order.paid", active: true, loyalty: { order }, ...more } as unknown as CampaignEarningRule,
  }).earns;

test("what a saved loyalty campaign earns is said, before discounts or after them", () => {
  const rate = { points: 1, every: 100 };
  assert.deepEqual([earns({ amount: rate }), earns({ total_amount: rate })], [rate, rate]);
  const others = [earns({ metadata: {} }), earns({ amount: rate }, { active: false }), offerOf(club).earns];
  assert.deepEqual(others, [null, null, null]);
  assert.equal(earns({ amount: { ...rate, points_formula: "1" } }), null);
});
