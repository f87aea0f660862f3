import { NEW_TIER, START, type Values } from "./values.ts";

// What a new campaign can begin with, when nobody has saved a template yet. Amounts are in 1/100.

export const STARTS = {
  welcome: {
    ...{ campaign_type: "DISCOUNT_COUPONS", type: "STANDALONE", uses: null, per_customer: 1 },
    discount: { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ORDER" },
  },
  mailing: {
    ...{ campaign_type: "DISCOUNT_COUPONS", type: "STATIC", uses: 1, vouchers_count: 100 },
    discount: { type: "PERCENT", percent_off: 15, effect: "APPLY_TO_ORDER" },
  },
  spendAndSave: {
    campaign_type: "PROMOTION",
    spends: 5000,
    tiers: [{ ...NEW_TIER, key: 1, discount: { type: "AMOUNT", amount_off: 500, effect: "APPLY_TO_ORDER" } }],
  },
  giftCards: { campaign_type: "GIFT_VOUCHERS", type: "STATIC", gift: 2500, vouchers_count: 100 },
  friends: {
    campaign_type: "REFERRAL_PROGRAM",
    discount: { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ORDER" },
  },
  points: { campaign_type: "LOYALTY_PROGRAM", earn_points: 1, earn_every: 100 },
} as const satisfies Record<string, Partial<Values> | Record<string, unknown>>;
export type Start = keyof typeof STARTS;

/** The values that the form begins with; an address that names nothing begins with nothing. */
export function startOf(name: string | null): Values {
  const start = STARTS[name as Start] as unknown as Partial<Values> | undefined;
  return structuredClone({ ...START, ...start });
}
