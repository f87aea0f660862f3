import { OPEN, only, type Seen, see } from "../../../core/client/fields.ts";
import { CUSTOMER, DISCOUNT, ORDER, REDEEMABLE, TIER, VALIDITY, VOUCHER } from "../../../core/client/parts.ts";
import { Redeemed } from "./schema.ts";
import { SingleRedemption } from "./single-schema.ts";

const STORED_ORDER: Seen = {
  ...ORDER,
  ...see("status created_at updated_at"),
  customer: see("id object"),
  redemptions: {
    ...see("date rollback_id rollback_date stacked rollback_stacked"),
    ...see("related_object_id related_object_type related_object_parent_id"),
  },
};
const REWARD: Seen = {
  ...see("id assignment_id name type loyalty_tier_id created_at updated_at object"),
  parameters: {
    product: see("id sku_id"),
    coin: see("exchange_ratio points_ratio"),
    campaign: see("id type balance"),
  },
  product: see("id object"),
  sku: see("id product_id object"),
  customer: CUSTOMER,
  voucher: see("id code type campaign campaign_id object", {
    gift: see("amount balance"),
    loyalty_card: see("points balance"),
    discount: DISCOUNT,
  }),
};
const REDEMPTION: Seen = {
  ...see("id object date customer_id tracking_id amount redemption result status failure_code failure_message reason"),
  ...see("related_object_type related_object_id"),
  metadata: OPEN,
  related_redemptions: { rollbacks: see("id date rollback_order_mode") },
  order: STORED_ORDER,
  channel: see("channel_id channel_type"),
  customer: CUSTOMER,
  voucher: VOUCHER,
  reward: REWARD,
  gift: see("amount"),
  loyalty_card: see("points"),
};
const STACKED: Seen = {
  ...REDEMPTION,
  promotion_tier: { ...TIER, campaign: see("id name active category_id object", VALIDITY) },
};

export const ClientRedeemed = only(Redeemed, {
  redemptions: STACKED,
  parent_redemption: STACKED,
  order: STORED_ORDER,
  inapplicable_redeemables: REDEEMABLE,
  skipped_redeemables: REDEEMABLE,
});
export const ClientSingleRedemption = only(SingleRedemption, { ...REDEMPTION, promotion_tier: TIER });
