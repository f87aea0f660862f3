import { defineRule, single } from "./rule.ts";

// Contract is silent on when it is asked.
/** The points that pay for the order. As with gift credits, the calculation may take fewer than were asked for. */
export const redemptionPointsUsed = defineRule({
  name: "redemption.reward.pay_with_points.points_used",
  summary: "The points that this redemption spends.",
  family: "redemption",
  takes: "number",
  unit: "count",
  after: true,
  needs: [],
  read: ({ redemption }) => single(redemption.points_used),
  examples: [
    { conditions: { $less_than_or_equal: [100] }, facts: { redemption: { points_used: 100 } }, holds: true },
    { conditions: { $less_than_or_equal: [100] }, facts: { redemption: { points_used: 101 } }, holds: false },
  ],
});
