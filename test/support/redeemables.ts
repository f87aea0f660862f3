import type { Discount } from "../../src/core/discounts/discount.ts";
import { parseFormula } from "../../src/core/formula/parse.ts";
import { describedBundle, parseDefinition } from "../../src/core/rules/definition.ts";
import { NO_COUNTS } from "../../src/core/rules/facts.ts";
import type { AssignedRule, Redeemable, RedeemableBenefit } from "../../src/core/validate/redeemable.ts";
import type { Situation } from "../../src/core/validate/situation.ts";

export const NO_USE: Redeemable["counts"] = {
  campaign: NO_COUNTS,
  campaign_customer: NO_COUNTS,
  incentive: NO_COUNTS,
  incentive_customer: NO_COUNTS,
  incentive_api_key: 0,
  incentive_user: 0,
  campaign_orders_amount: 0,
  campaign_discount_amount: 0,
  campaign_gift_amount: 0,
};

/** A rule as it is stored, from what a client would send. */
export function rule(given: object, id = "val_1"): AssignedRule {
  const definition = parseDefinition(given, () => null);
  return { id, definition, bundle: describedBundle(definition.bundle_rules) };
}

/** A redeemable of a test: what matters of it, the rest is filled in. */
export function redeemable(benefit: RedeemableBenefit | Discount, given: Partial<Redeemable> = {}): Redeemable {
  const of: RedeemableBenefit = "kind" in benefit ? benefit : { kind: "discount", discount: benefit };
  return {
    object: "voucher",
    id: "CODE",
    ref: "v_1",
    label: of.kind === "gift" ? "Gift Card" : "Discount Coupon",
    campaign_id: null,
    category_id: null,
    hierarchy: null,
    is_active: true,
    validity: {
      start_date: null,
      expiration_date: null,
      validity_timeframe: null,
      validity_day_of_week: null,
      validity_hours: null,
    },
    quantity: null,
    redeemed: 0,
    locked: 0,
    published: 0,
    metadata: {},
    rules: [],
    benefit: of,
    holder_ids: null,
    referrer_id: null,
    counts: NO_USE,
    used_units: new Map(),
    ...given,
  };
}

export const gift = (
  balance: number,
  given: Partial<Extract<RedeemableBenefit, { kind: "gift" }>> = {},
): RedeemableBenefit => ({
  kind: "gift",
  balance,
  locked: 0,
  effect: "APPLY_TO_ORDER",
  requested: null,
  ...given,
});

export const SITUATION: Omit<Situation, "calculation"> = {
  now: "2026-01-01T12:00:00.000Z",
  zone: "UTC",
  customer: null,
  redemption: { metadata: {}, api_key_id: null, user_login: null },
  units: new Map(),
  formula: parseFormula,
};
