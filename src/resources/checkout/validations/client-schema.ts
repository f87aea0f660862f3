import { OPEN, only, type Seen, see } from "../../../core/client/fields.ts";
import {
  APPLIED_DISCOUNT,
  APPLIES,
  CATEGORY_IN_STACK,
  ORDER,
  REDEEMABLE,
  REFUSAL,
  STACKING,
} from "../../../core/client/parts.ts";
import { PromotionsValidation, Validation, VoucherValidation } from "./schema.ts";

const SESSION = see("key type ttl ttl_unit");

export const ClientValidation = only(
  Validation,
  see("id valid tracking_id", {
    redeemables: REDEEMABLE,
    skipped_redeemables: REDEEMABLE,
    inapplicable_redeemables: REDEEMABLE,
    order: ORDER,
    session: SESSION,
    stacking_rules: STACKING,
  }),
);

/** What both older validations show of what they are about. */
const SHOWN: Seen = {
  ...see("valid reason tracking_id start_date expiration_date"),
  ...APPLIES,
  error: REFUSAL,
  metadata: OPEN,
  session: SESSION,
  order: ORDER,
  discount: APPLIED_DISCOUNT,
};
export const ClientVoucherValidation = only(VoucherValidation, {
  ...SHOWN,
  ...see("code campaign campaign_id"),
  gift: see("credits balance effect"),
  loyalty: see("points_cost"),
  reward: see("id assignment_id points"),
});
export const ClientPromotionsValidation = only(
  PromotionsValidation,
  see("valid tracking_id", {
    promotions: {
      ...SHOWN,
      ...see("id object name banner hierarchy category category_id discount_amount applied_discount_amount"),
      campaign: see("id start_date expiration_date active object"),
      categories: CATEGORY_IN_STACK,
    },
  }),
);
