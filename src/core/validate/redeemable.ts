import type { Bundle } from "../discounts/bundle.ts";
import type { Discount } from "../discounts/discount.ts";
import type { UsedUnits } from "../discounts/items.ts";
import type { Metadata } from "../order/order.ts";
import type { Exchange, RewardPrice } from "../redeem/reward.ts";
import type { RuleDefinition } from "../rules/definition.ts";
import type { RuleFacts } from "../rules/facts.ts";
import type { Stackable } from "../stacking/walk.ts";
import type { ValidityFields } from "../time/validity.ts";

/** What redeeming brings. */
export type RedeemableBenefit =
  | { kind: "discount"; discount: Discount }
  | {
      kind: "gift";
      balance: number;
      /** Credits that other sessions hold. */
      locked: number;
      /** Credits that sessions hold, that of the request too, where they are shown. */
      held?: number;
      effect: "APPLY_TO_ORDER" | "APPLY_TO_ITEMS";
      /** What the request wants to pay with; null: as much as there is and as it takes. */
      requested: number | null;
    }
  | {
      kind: "points";
      balance: number;
      /** All points that the card ever got. */
      received?: number;
      /** What points are worth, where an order can be paid with them. */
      exchange?: Exchange | null;
      /** Points that other sessions hold. */
      locked: number;
      /** The reward that the request names, with its price; null: the card has no such reward, or its tier has not. */
      reward: { id: string; price: RewardPrice | null; is_out?: true; is_gone?: true } | null;
      /** For paying with points. Null: as many as there are and as it takes. */
      requested: number | null;
    };

export type AssignedRule = { readonly id: string; readonly definition: RuleDefinition; readonly bundle: Bundle | null };

/** A voucher or a promotion tier with all that decides about it. Its own settings count before those of its campaign. */
export type Redeemable = Stackable & {
  object: "voucher" | "promotion_tier";
  /** The id in answers: the code of a voucher, the id of a tier. */
  id: string;
  /** As it is stored. */
  ref: string;
  label: "Discount Coupon" | "Gift Card" | "Loyalty Card" | "Promotion Tier" | "Referral Code";
  campaign_id: string | null;
  is_active: boolean;
  validity: ValidityFields;
  /** Null: as often as wanted. */
  quantity: number | null;
  redeemed: number;
  /** Redemptions that other sessions hold. */
  locked: number;
  published: number;
  metadata: Metadata;
  rules: readonly AssignedRule[];
  benefit: RedeemableBenefit;
  holder_ids: readonly string[] | null;
  referrer_id: string | null;
  /** Whether the customer has the address of the referrer; such a customer may not be stored yet. */
  is_referrer?: boolean;
  /** A referral code that nobody shares: it was never published, or the referrer is gone. */
  is_unshared?: true;
  counts: RuleFacts["counts"];
  used_units: UsedUnits;
};

/** What was asked for and is not there. It has no category. */
export type Unknown = Stackable & { object: string; id: string; unknown: true };
export type Candidate = Redeemable | Unknown;
