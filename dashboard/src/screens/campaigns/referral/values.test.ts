import assert from "node:assert/strict";
import { test } from "node:test";
import type { Campaign, Reward } from "../../../api/operations.gen.ts";
import { campaignSentence } from "../../../registry/campaign-sentence.ts";
import { en } from "../../../text/en.ts";
import { createText } from "../../../text/text.ts";
import { offerOf } from "../offer.ts";
import { NO_REFERRAL, programOf, type Referral, referralFault, referralOf, rewardOf } from "./values.ts";

const t = createText(en, "en-GB");
const tier = (id: string, parameters: object) => ({
  id,
  banner: null,
  parameters,
  reward: { assignment_id: `rewa_${id}` },
});
const campaign = {
  campaign_type: "REFERRAL_PROGRAM",
  voucher: { discount: { type: "AMOUNT", amount_off: 1000 }, redemption: { quantity: null } },
  referral_program: {
    conversion_event_type: "order.paid",
    referee_reward: {
      related_object_parent: { id: "camp_club", name: "Club", object: "CAMPAIGN" },
      ...{ type: "LOYALTY_CARD", amount: 50 },
    },
    tiers: [tier("1", { type: "EACH", segment_id: "seg_1" }), tier("2", { type: "MINIMUM", min: 5 })],
  },
} as unknown as Campaign;
const reward = (name: string, campaign: object) => ({ name, parameters: { campaign } }) as unknown as Reward;
const rewards = new Map([
  ["rewa_1", reward("Club", { id: "camp_club", type: "LOYALTY_PROGRAM", balance: 100 })],
  ["rewa_2", reward("Thank you", { id: "camp_gift", type: "GIFT_VOUCHERS", balance: 1000 })],
]);

test("a referral program that is opened and saved is the same one", () => {
  const { referral_program } = campaign;
  assert.deepEqual(programOf(referralOf(campaign, rewards), new Map()), {
    ...{ conversion_event_type: "order.paid", custom_event: null, tiers: referral_program!.tiers },
    referee_reward: { related_object_parent: { id: "camp_club" }, type: "LOYALTY_CARD", amount: 50 },
  });
});

test("the sentence says what the friend gets and what the referrer gets", () => {
  assert.equal(
    campaignSentence(offerOf(campaign, { rewards }), { t, currency: "USD", zone: "UTC" }),
    "Friends who use a referral code get $10.00 off and 50 points. " +
      "Who brings a friend gets 100 points for each friend and $10.00 on a gift card once 5 friends came.",
  );
});

test("a new reward needs a campaign and an amount, a code no amount", () => {
  const club = { value: "camp_club", label: "Club" };
  const fresh = { key: 0, tier: null, isOnce: false, min: null };
  const withOne = (gift: object): Referral => ({ ...NO_REFERRAL, referrer: [{ ...fresh, ...gift } as never] });
  assert.equal(referralFault(NO_REFERRAL, t), null);
  assert.notEqual(referralFault(withOne({ kind: "LOYALTY_PROGRAM", campaign: club, amount: null }), t), null);
  assert.notEqual(referralFault(withOne({ kind: "DISCOUNT_COUPONS", campaign: null, amount: null }), t), null);
  assert.notEqual(referralFault({ ...NO_REFERRAL, counts: "custom_event" }, t), null);
  const points = { kind: "LOYALTY_PROGRAM" as const, campaign: club, amount: 100 };
  const code = { kind: "DISCOUNT_COUPONS" as const, campaign: club, amount: null };
  for (const gift of [points, code]) assert.equal(referralFault(withOne(gift), t), null);
  assert.deepEqual(rewardOf(points).parameters, { campaign: { id: "camp_club", balance: 100 } });
  assert.deepEqual(rewardOf(code).parameters, { campaign: { id: "camp_club" } });
  assert.deepEqual(programOf(withOne(points), new Map([[0, "rewa_new"]])).tiers, [
    { reward: { assignment_id: "rewa_new" }, parameters: { type: "EACH" } },
  ]);
});
