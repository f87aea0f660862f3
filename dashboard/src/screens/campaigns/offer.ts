import type { Campaign } from "../../api/operations.gen.ts";
import { timesOf } from "../../kit/date/times.ts";
import type { Offer } from "../../registry/campaign-sentence.ts";

/** What a saved campaign offers, for its sentence. */
export const offerOf = (campaign: Campaign): Offer => ({
  kind: campaign.campaign_type,
  discount: campaign.voucher?.discount ?? null,
  tiers: (campaign.promotion?.tiers ?? []).map(({ name, action }) => ({ name, discount: action.discount })),
  gift: campaign.voucher?.gift?.amount ?? null,
  points: campaign.voucher?.loyalty_card?.points ?? null,
  from: campaign.start_date ?? null,
  to: campaign.expiration_date ?? null,
  times: timesOf(campaign),
  uses: campaign.voucher?.redemption.quantity ?? null,
});
