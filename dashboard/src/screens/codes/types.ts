import type { TextKey } from "../../text/text.ts";

export const TYPES: Record<string, TextKey> = {
  DISCOUNT_VOUCHER: "codes.types.DISCOUNT_VOUCHER",
  GIFT_VOUCHER: "codes.types.GIFT_VOUCHER",
  LOYALTY_CARD: "codes.types.LOYALTY_CARD",
};
