import type { FieldPaths } from "../../../api/errors.ts";
import { TIMES_PATHS } from "../../../kit/date/times.ts";
import type { Field } from "./values.ts";

/** What the interface calls the fields of the form, where it has other names for them. */
export const PATHS = {
  ...{ "voucher.discount": "discount", "voucher.gift": "gift", applicable_to: "goods", "promotion.tiers": "tiers" },
  ...{ "voucher.loyalty_card.points": "points", "loyalty_card.points": "points" },
  ...{ "voucher.loyalty_card": "expires", loyalty_card: "expires", referral_program: "referral" },
  ...{ "voucher.code": "code", "voucher.code_config": "pattern", category_id: "category" },
  ...{ "voucher.redemption": "uses", redemption: "uses" },
  ...TIMES_PATHS,
} as const satisfies FieldPaths & Record<string, Field>;
