import type { TextKey } from "../../text/text.ts";

export const TYPES: Record<string, TextKey> = {
  DISCOUNT_VOUCHER: "codes.types.DISCOUNT_VOUCHER",
  GIFT_VOUCHER: "codes.types.GIFT_VOUCHER",
  LOYALTY_CARD: "codes.types.LOYALTY_CARD",
};

const IS_ACTIVE = "filters[active][conditions]";
/** Which codes: each state is found by a parameter of its own. */
export const STATES = {
  active: { text: "kit.status.active", name: `${IS_ACTIVE}[$active]`, value: "true" },
  disabled: { text: "kit.status.disabled", name: `${IS_ACTIVE}[$disabled]`, value: "true" },
  expired: { text: "kit.status.expired", name: `${IS_ACTIVE}[$expired]`, value: "true" },
  usedUp: { text: "kit.status.usedUp", name: "filters[redemption_status][conditions][$redeemed]", value: "true" },
} as const;
