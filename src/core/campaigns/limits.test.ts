import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CampaignTotals, campaignLimit, isUsedUp, NO_TOTALS } from "./limits.ts";

type Rules = Parameters<typeof campaignLimit>[0];
const rule = (rules: object): Rules[number] => ({ definition: { rules: rules as never } });
const node = (name: string, conditions: object) => ({ name, property: null, conditions, rules: {} });
const NAMES = {
  "campaign.redemptions.count": "redemptions",
  "campaign.orders.amount": "order_amount",
  "campaign.orders.amount_discounted": "discount_amount",
  "redemption.gift.amount": "gift_amount",
} as const;

test("the budget is what the rules of a campaign let it take off", () => {
  const discounts = (conditions: object) => node("campaign.orders.amount_discounted", conditions);
  assert.equal(campaignLimit([], "discount_amount"), null);
  assert.equal(campaignLimit([rule({ 1: discounts({ $less_than_or_equal: [500] }) })], "discount_amount"), 500);
  assert.equal(campaignLimit([rule({ 1: discounts({ $less_than: [500] }) })], "discount_amount"), 499);
  assert.equal(campaignLimit([rule({ 1: discounts({ $more_than: [5] }) })], "discount_amount"), null);
  assert.equal(campaignLimit([rule({ 1: discounts({ $less_than_equal: [500] }) })], "order_amount"), null);
  const two = { 1: discounts({ $less_than_or_equal: [500] }), 2: discounts({ $less_than_or_equal: [700] }) };
  assert.equal(campaignLimit([rule(two)], "discount_amount"), 500, "both have to hold");
  assert.equal(campaignLimit([rule({ ...two, logic: "1 or 2" })], "discount_amount"), 700, "one has to hold");
  const other = node("order.amount", { $more_than: [1] });
  assert.equal(campaignLimit([rule({ ...two, 3: other, logic: "(1 and 2) or 3" })], "discount_amount"), null);
});

test("limits are used up exactly when no redemption that adds to the totals can hold the rules", () => {
  const most = 4;
  const total = fc.integer({ min: 0, max: most });
  const leaf = fc.record({
    name: fc.constantFrom(...(Object.keys(NAMES) as (keyof typeof NAMES)[])),
    operator: fc.constantFrom("$less_than", "$less_than_or_equal"),
    value: fc.integer({ min: 0, max: most + 2 }),
  });
  const logic = fc.constantFrom("1 and 2", "1 or 2", "1 and (2 or 3)", "1 or (2 and 3)", "(1 or 2) and 3", null);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(leaf, leaf, leaf, logic), { maxLength: 2 }),
      fc.record({ redemptions: total, order_amount: total, discount_amount: total, gift_amount: total }),
      (given, totals: CampaignTotals) => {
        const rules = given.map(([a, b, c, text]) =>
          rule({
            ...Object.fromEntries(
              [a, b, c].map(({ name, operator, value }, n) => [`${n + 1}`, node(name, { [operator]: [value] })]),
            ),
            ...(text && { logic: text }),
          }),
        );
        // What a redemption adds is at least one of each; more only makes it worse, so all sums are tried.
        const added = [1, 2, 3].flatMap((one) => [1, 2, 3].map((other) => ({ one, other })));
        const holds = added.some(({ one, other }) => {
          const after = {
            redemptions: totals.redemptions + 1,
            order_amount: totals.order_amount + one,
            discount_amount: totals.discount_amount + other,
            gift_amount: totals.gift_amount + other,
          };
          return given.every(([a, b, c, text]) => {
            const [x, y, z] = [a, b, c].map(({ name, operator, value }) =>
              operator === "$less_than" ? after[NAMES[name]] < value : after[NAMES[name]] <= value,
            ) as [boolean, boolean, boolean];
            if (text === "1 and 2") return x && y;
            if (text === "1 or 2") return x || y;
            if (text === "1 and (2 or 3)") return x && (y || z);
            if (text === "1 or (2 and 3)") return x || (y && z);
            return text === "(1 or 2) and 3" ? (x || y) && z : x && y && z;
          });
        });
        assert.equal(isUsedUp(rules, totals), !holds);
      },
    ),
  );
  assert.equal(isUsedUp([], NO_TOTALS), false);
});
