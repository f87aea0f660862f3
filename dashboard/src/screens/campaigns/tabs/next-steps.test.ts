import assert from "node:assert/strict";
import { test } from "node:test";
import { nextStepsOf } from "./next-steps.ts";

const NOTHING = { codes: 0, redemptions: 0, rules: 0, rewards: 0 };
const of = (campaign_type: string, more: object = {}) =>
  ({ id: "camp_1", campaign_type, type: "AUTO_UPDATE", vouchers_generation_status: "DONE", ...more }) as never;
const textsOf = (campaign: never, known: object = {}) =>
  nextStepsOf(campaign, { ...NOTHING, ...known }).map(({ text }) => text.split(".").at(-1));

test("an empty campaign says what to do next, and no more than that", () => {
  const loyalty = of("LOYALTY_PROGRAM");
  assert.deepEqual(textsOf(loyalty), ["rule", "reward", "member"]);
  assert.deepEqual(textsOf(loyalty, { rules: 1, rewards: null }), ["member"]);
  assert.deepEqual(textsOf(of("REFERRAL_PROGRAM")), ["referrer", "share"]);
  const withTier = { referral_program: { tiers: [{}] } };
  assert.deepEqual(textsOf(of("REFERRAL_PROGRAM", withTier), { codes: 1 }), []);
  assert.deepEqual(textsOf(of("DISCOUNT_COUPONS")), ["give"]);
  assert.deepEqual(textsOf(of("DISCOUNT_COUPONS", { type: "STANDALONE" })), []);
  assert.deepEqual(textsOf(of("PROMOTION")), []);
  assert.deepEqual(textsOf(loyalty, { redemptions: 1 }), []);
});

test("cards are made, then printed; those that are being made are not asked for", () => {
  const gifts = of("GIFT_VOUCHERS", { type: "STATIC" });
  assert.deepEqual(nextStepsOf(gifts, NOTHING), [
    { text: "campaigns.nextSteps.cards", to: "/codes/new?campaign_id=camp_1", needs: "addVouchersToCampaign" },
  ]);
  assert.deepEqual(textsOf(gifts, { codes: 3 }), ["print"]);
  const coming = { type: "STATIC", vouchers_generation_status: "IN_PROGRESS" };
  assert.deepEqual(textsOf(of("GIFT_VOUCHERS", coming)), []);
});
