import assert from "node:assert/strict";
import { test } from "node:test";
import type { Campaign, CampaignEarningRule } from "../../api/operations.gen.ts";
import { offerOf } from "./offer.ts";

const club = { campaign_type: "LOYALTY_PROGRAM", validation_rules_assignments: { data: [] } } as unknown as Campaign;
const paid = (order: object, more: object = {}) =>
  ({ event: "order.paid", active: true, loyalty: { order }, ...more }) as unknown as CampaignEarningRule;
const earns = (...rules: CampaignEarningRule[]) => offerOf(club, { rules }).earns;

test("what a saved loyalty campaign earns is said, before discounts or after them, whichever rule comes first", () => {
  const rate = { points: 1, every: 100 };
  assert.deepEqual([earns(paid({ amount: rate })), earns(paid({ total_amount: rate }))], [rate, rate]);
  const visit = { event: "visit", active: true, loyalty: { points: 10 } } as unknown as CampaignEarningRule;
  assert.deepEqual(earns(visit, paid({ metadata: {} }), paid({ amount: rate })), rate);
  const others = [
    earns(paid({ metadata: {} })),
    earns(paid({ amount: rate }, { active: false })),
    earns(visit),
    earns(),
  ];
  assert.deepEqual(others, [null, null, null, null]);
  assert.equal(earns(paid({ amount: { ...rate, points_formula: "1" } })), null);
});
