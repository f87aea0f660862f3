import type { Campaign } from "../../api/operations.gen.ts";
import type { TextKey } from "../../text/text.ts";

export type Kind = Campaign["campaign_type"];

export const KINDS: Record<Kind, TextKey> = {
  DISCOUNT_COUPONS: "campaigns.kinds.DISCOUNT_COUPONS",
  PROMOTION: "campaigns.kinds.PROMOTION",
  GIFT_VOUCHERS: "campaigns.kinds.GIFT_VOUCHERS",
  LOYALTY_PROGRAM: "campaigns.kinds.LOYALTY_PROGRAM",
  REFERRAL_PROGRAM: "campaigns.kinds.REFERRAL_PROGRAM",
};
