import { Type } from "typebox";
import { optional } from "../../../core/shapes.ts";
import { PromotionTier } from "../../promotions/promotion-tiers/schema.ts";
import { VoucherWithRules } from "../../promotions/vouchers/schema.ts";
import { Redemption } from "./schema.ts";

/** The redemption of one code or tier: the older operations show all of it. */
export const SingleRedemption = Type.Object(
  {
    ...Redemption.properties,
    ...optional({
      voucher: Type.Object(VoucherWithRules.properties, { title: "RedeemedVoucher" }),
      promotion_tier: Type.Object(PromotionTier.properties, { title: "RedeemedTier" }),
    }),
  },
  { title: "SingleRedemption" },
);
