import type { Campaign, CampaignEarningRule } from "../../api/operations.gen.ts";
import { timesOf } from "../../kit/date/times.ts";
import type { Offer } from "../../registry/campaign-sentence.ts";
import type { FoundGoods } from "./goods/use-goods.ts";
import { foundSaid } from "./goods/values.ts";
import { type Rewards, referralIn, referralOf } from "./referral/values.ts";

/** What a rule gives for an amount of money, before discounts or after them; null: it gives otherwise. */
function earnsOf({ event, active, loyalty }: CampaignEarningRule): Offer["earns"] {
  const order = event === "order.paid" && active ? loyalty.order : undefined;
  const rate = order?.amount ?? order?.total_amount;
  return !rate || rate.points_formula ? null : { points: Number(rate.points), every: Number(rate.every) };
}

/** What is read beside a campaign for its sentence. */
type Beside = {
  rewards?: Rewards | undefined;
  goods?: FoundGoods | undefined;
  rules?: readonly CampaignEarningRule[] | undefined;
};

/** What a saved campaign offers, for its sentence. */
export const offerOf = (campaign: Campaign, { rewards = new Map(), goods: found, rules = [] }: Beside = {}): Offer => ({
  kind: campaign.campaign_type,
  discount: campaign.voucher?.discount ?? null,
  goods: foundSaid(found?.get(campaign.id), campaign.voucher?.discount ?? null),
  tiers: (campaign.promotion?.tiers ?? []).map(({ id, name, action: { discount } }) => ({
    ...{ name, discount, goods: foundSaid(found?.get(id), discount) },
  })),
  gift: campaign.voucher?.gift?.amount ?? null,
  points: campaign.voucher?.loyalty_card?.points ?? null,
  earns: rules.map(earnsOf).find((one) => one !== null) ?? null,
  ...(campaign.referral_program && referralIn(referralOf(campaign, rewards))),
  from: campaign.start_date ?? null,
  to: campaign.expiration_date ?? null,
  times: timesOf(campaign),
  uses: campaign.voucher?.redemption.quantity ?? null,
});
