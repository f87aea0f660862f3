import assert from "node:assert/strict";
import { test } from "node:test";
import type { CampaignEarningRule } from "../../../api/operations.gen.ts";
import { en } from "../../../text/en.ts";
import { createText } from "../../../text/text.ts";
import {
  earningChanges,
  earningFaults,
  earningSays,
  earningSaysAll,
  earningValuesOf,
  NEW_EARNING,
  newEarning,
} from "./earning-values.ts";

const t = createText(en, "en-GB");
const ruleWith = (loyalty: object, event = "order.paid") =>
  ({
    event,
    loyalty,
    source: { banner: null },
    active: true,
    start_date: null,
    expiration_date: null,
  }) as unknown as CampaignEarningRule;
const RATE = { every: 100, points: 2 };

test("a rule that is opened and saved is the same rule", () => {
  for (const loyalty of [
    { type: "FIXED", points: 10 },
    { type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT", order: { amount: RATE } },
    { type: "PROPORTIONAL", calculation_type: "ORDER_TOTAL_AMOUNT", order: { total_amount: RATE } },
    { type: "FIXED", points: 10, points_formula: "ORDER_AMOUNT / 2" },
    {
      ...{ type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT" },
      order: { amount: { ...RATE, points_formula: "1 + 1" } },
    },
  ]) {
    const values = earningValuesOf(ruleWith(loyalty));
    assert.deepEqual(newEarning(values, new Map()).loyalty, loyalty);
    assert.deepEqual(earningChanges({ banner: "x" }, values), { source: { banner: "x" } });
  }
});

test("what the form cannot show is neither shown as a number nor sent", () => {
  const kept = ruleWith({
    ...{ type: "PROPORTIONAL", calculation_type: "ORDER_ITEMS_QUANTITY" },
    order_items: { quantity: { ...RATE, every: 3 } },
  });
  const values = earningValuesOf(kept);
  assert.equal(values.gives, "kept");
  assert.deepEqual(earningChanges({ points: 5, active: false }, values), { active: false });
  assert.equal(earningSays(kept, t, "EUR"), "2 points for each 3 units");
  assert.equal(earningSays(ruleWith({ type: "FIXED", points_formula: "1 + 1" }), t, "EUR"), "Points by a formula");
});

test("points wait for days only where an order brings them, and no longer when that is taken away", () => {
  const saved = {
    ...ruleWith({ type: "FIXED", points: 10 }),
    pending_points: { period_type: "DAY", period_value: 14 },
  };
  const values = earningValuesOf(saved as CampaignEarningRule);
  assert.equal(values.pending_points, 14);
  assert.deepEqual(newEarning(values, new Map()).pending_points, { period_type: "DAY", period_value: 14 });
  const now = { ...values, pending_points: null };
  assert.deepEqual(earningChanges({ pending_points: null }, now), { pending_points: null });
  assert.equal("pending_points" in newEarning({ ...values, event: "customer.segment.entered" }, new Map()), false);
  assert.equal("pending_points" in earningFaults({ ...values, pending_points: 91 }, t), true);
  assert.equal("pending_points" in earningFaults({ ...values, pending_points: 90 }, t), false);
  assert.equal(earningSaysAll(saved as CampaignEarningRule, t, "EUR"), "10 points, which can be spent after 14 days");
});

test("an event of the shop is sent by its name and its schema", () => {
  const values = { ...NEW_EARNING, event: "custom", about: "ms_1", gives: "points", points: 5 } as const;
  const { event, custom_event } = newEarning(values, new Map([["ms_1", "store_visited"]]));
  assert.deepEqual([event, custom_event], ["store_visited", { schema_id: "ms_1" }]);
  assert.equal(earningValuesOf(ruleWith({ type: "FIXED", points: 5 }, "store_visited")).event, "custom");
});

test("a condition and a formula are sent when they are changed, and taken away again", () => {
  const saved = ruleWith({ type: "FIXED", points: 10, points_formula: "1 + 1" });
  const values = earningValuesOf({ ...saved, validation_rule_id: "val_1" });
  assert.equal(values.rule, "val_1");
  assert.equal(newEarning(values, new Map()).validation_rule_id, "val_1");
  assert.deepEqual(earningChanges({ rule: null }, { ...values, rule: null }), { validation_rule_id: null });
  assert.deepEqual(earningChanges({ formula: "" }, { ...values, formula: "" }), {
    loyalty: { type: "FIXED", points: 10 },
  });
});
