import { Type } from "typebox";
import { optional } from "../../../core/shapes.ts";
import { PromotionTier } from "../../promotions/promotion-tiers/schema.ts";
import { VoucherWithRules } from "../../promotions/vouchers/schema.ts";
import { Redemption } from "./schema.ts";

const { holder_id, referrer_id, validation_rules_assignments, ...voucher } = VoucherWithRules.properties;
const { summary, validation_rule_assignments, ...tier } = PromotionTier.properties;

/** The redemption of one code or tier: the older operations show all of it. Client applications do not see everything. */
export const SingleRedemption = Type.Object(
  {
    ...Redemption.properties,
    ...optional({
      voucher: Type.Object(
        { ...voucher, ...optional({ holder_id, referrer_id, validation_rules_assignments }) },
        { title: "RedeemedVoucher" },
      ),
      promotion_tier: Type.Object(
        { ...tier, ...optional({ summary, validation_rule_assignments }) },
        { title: "RedeemedTier" },
      ),
    }),
  },
  { title: "SingleRedemption" },
);
