import type { Discount } from "../discounts/discount.ts";
import type { ExpirationRules } from "../loyalty/campaign/shapes.ts";
import type { Metadata } from "../order/order.ts";
import type { ValidityFields } from "../time/validity.ts";

export type VoucherType = "DISCOUNT_VOUCHER" | "GIFT_VOUCHER" | "LOYALTY_CARD";
export type GiftSettings = { amount: number; effect: "APPLY_TO_ORDER" | "APPLY_TO_ITEMS" };
export type LoyaltyCardSettings = { points: number; expiration_rules?: ExpirationRules | null };

/** What a code is worth, how often and when. Those of a campaign stand in its template, until a code has its own. */
export type VoucherSettings = ValidityFields & {
  discount: Discount | null;
  gift: GiftSettings | null;
  loyalty_card: LoyaltyCardSettings | null;
  /** Null: as often as wanted. */
  quantity: number | null;
  metadata: Metadata;
};

export const NO_SETTINGS: VoucherSettings = Object.freeze({
  discount: null,
  gift: null,
  loyalty_card: null,
  quantity: null,
  metadata: {},
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
});

type Follower = { settings: VoucherSettings | null; template_version: number | null };
type Templates = { voucher_version: number; templates: ReadonlyMap<number, VoucherSettings> };

/** The settings that hold for a code: its own, those it kept when it was published or redeemed, or the newest. */
export const settingsOf = ({ settings, template_version }: Follower, campaign: Templates | null): VoucherSettings =>
  settings ?? campaign?.templates.get(template_version ?? campaign.voucher_version) ?? NO_SETTINGS;
