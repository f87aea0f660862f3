import { OPEN, type Seen, see } from "./fields.ts";

// What client applications see of the things that several answers hold. What is missing here is not shown: other
// customers, rules, traces, turnover. Of its own customer a client sees who they are.

export const CUSTOMER = see("id source_id object");

export const VALIDITY = see("start_date expiration_date validity_day_of_week", {
  validity_timeframe: see("interval duration"),
  validity_hours: { daily: see("start_time expiration_time days_of_week") },
});

const UNIT = see("unit_off unit_off_formula unit_type effect");
export const DISCOUNT: Seen = {
  ...see("type effect amount_off amount_off_formula percent_off percent_off_formula fixed_amount fixed_amount_formula"),
  ...see("amount_limit aggregated_amount_limit unit_off unit_off_formula unit_type is_dynamic", { units: UNIT }),
};
const GOODS: Seen = { product: see("id source_id name"), sku: see("id source_id sku") };
export const APPLIED_DISCOUNT: Seen = { ...DISCOUNT, ...GOODS, units: { ...UNIT, ...GOODS } };

const ITEM: Seen = {
  ...see("object id product_id sku_id source_id related_object quantity initial_quantity discount_quantity"),
  ...see("applied_discount_quantity price amount initial_amount discount_amount applied_discount_amount"),
  ...see("applied_quantity applied_quantity_amount subtotal_amount"),
  product: see("id source_id price override name", { metadata: OPEN }),
  sku: see("id source_id price override sku", { metadata: OPEN }),
  metadata: OPEN,
};
export const ORDER: Seen = {
  ...see("id source_id amount initial_amount discount_amount items_discount_amount total_discount_amount total_amount"),
  ...see("applied_discount_amount items_applied_discount_amount total_applied_discount_amount customer_id object"),
  items: ITEM,
  metadata: OPEN,
};

const LIMITS = [
  "quantity_limit",
  "aggregated_quantity_limit",
  "amount_limit",
  "aggregated_amount_limit",
  "product_campaign_quantity_limit",
  "product_customer_campaign_quantity_limit",
  "product_in_collection_campaign_quantity_limit",
  "product_in_collection_customer_campaign_quantity_limit",
  "product_promotion_tier_quantity_limit",
  "product_customer_promotion_tier_quantity_limit",
  "product_in_collection_promotion_tier_quantity_limit",
  "product_in_collection_customer_promotion_tier_quantity_limit",
];
const APPLICABLE = see("total data_ref object", {
  data: {
    ...see("object id source_id product_id product_source_id strict price price_formula skip_initially repeat target"),
    ...see(LIMITS.flatMap((name) => [name, `${name}_formula`]).join(" ")),
    ...see("effect order_item_indices", { order_item_units: see("index units units_limit_exceeded") }),
  },
});
/** The products that a discount is for, and those that it is not for. */
export const APPLIES: Seen = { applicable_to: APPLICABLE, inapplicable_to: APPLICABLE };

/** Also the body of a refused request. */
export const REFUSAL: Seen = {
  ...see("code key message details request_id resource_id resource_type related_object_ids related_object_type"),
  error: see("message"),
};

const BUNDLED = see("id object item_quantity");
const RESULT: Seen = {
  discount: APPLIED_DISCOUNT,
  gift: see("credits balance locked_credits"),
  loyalty_card: see("points balance points_ratio exchange_ratio"),
  bundle: see("quantity limit", { identified: { ...BUNDLED, item_index: true }, missing: BUNDLED }),
  application_details: {
    ...see("source_index source_applied_quantity source_applied_quantity_amount target_index"),
    ...see("target_applied_quantity target_applied_quantity_amount target_applied_discount_amount"),
  },
  error: REFUSAL,
  details: see("key message"),
};

const CATEGORY = see("id name hierarchy created_at updated_at object");
export const CATEGORY_IN_STACK: Seen = { ...CATEGORY, stacking_rules_type: true };

/** A redeemable that a cart was decided about. */
export const ABOUT: Seen = {
  ...see("id object name campaign_name campaign_id"),
  metadata: OPEN,
  categories: CATEGORY_IN_STACK,
  result: RESULT,
  order: ORDER,
  ...APPLIES,
};
export const REDEEMABLE: Seen = { ...ABOUT, ...see("status", { details: see("key message") }) };

export const STACKING: Seen = {
  ...see("redeemables_limit applicable_redeemables_limit applicable_redeemables_per_category_limit"),
  ...see("applicable_redeemables_category_limits applicable_exclusive_redeemables_limit"),
  ...see("applicable_exclusive_redeemables_per_category_limit exclusive_categories joint_categories"),
  ...see("discount_calculation_mode initial_amount_mode_categories discounted_amount_mode_categories"),
  ...see("redeemables_application_mode redeemables_sorting_rule grouped_redeemables_sorting_rule"),
  ...see("redeemables_products_application_mode redeemables_no_effect_rule no_effect_skip_categories"),
  ...see("no_effect_redeem_anyway_categories redeemables_rollback_order_mode"),
};

const PICTURE = see("id url");
export const PICTURES: Seen = { qr: PICTURE, barcode: PICTURE };

/** A code that its customer was given or has redeemed. */
export const VOUCHER: Seen = {
  ...see("id code campaign campaign_id category category_id type active additional_info is_referral_code"),
  ...see("created_at updated_at object"),
  ...VALIDITY,
  categories: CATEGORY,
  discount: DISCOUNT,
  gift: see("amount subtracted_amount balance effect"),
  loyalty_card: {
    ...see("points balance next_expiration_date next_expiration_points pending_points expired_points"),
    ...see("subtracted_points"),
  },
  metadata: OPEN,
  assets: PICTURES,
  redemption: see("quantity redeemed_quantity redeemed_amount redeemed_points object url"),
  publish: see("object count url"),
};

export const TIER: Seen = {
  ...see("id name banner hierarchy active promotion_id campaign_id category_id created_at updated_at object"),
  ...VALIDITY,
  action: { discount: DISCOUNT },
  metadata: OPEN,
  campaign: see("id active category_id object", VALIDITY),
  categories: CATEGORY,
};
