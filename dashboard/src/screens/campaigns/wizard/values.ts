import type { Campaign, Discount } from "../../../api/operations.gen.ts";
import { ALWAYS, startFault, type Times, timesFault, timesOf } from "../../../kit/date/times.ts";
import { isSame } from "../../../kit/form/changes.ts";
import type { Option } from "../../../kit/pick/record-select.tsx";
import type { Offer } from "../../../registry/campaign-sentence.ts";
import { categoryOf } from "../../../registry/category-of.ts";
import { expiryFault, type PointsExpiry } from "../../../registry/points-expiry.ts";
import type { Text } from "../../../text/text.ts";
import { ALL_GOODS, type Goods, goodsFault, goodsSaid } from "../goods/values.ts";
import type { Kind } from "../kinds.ts";
import { NO_REFERRAL, type Referral, type Rewards, referralFault, referralIn, referralOf } from "../referral/values.ts";

export type TierValue = { key: number; name: string; banner: string; discount: Discount | null; goods: Goods };
/** A campaign as its form holds it. */
export type Values = {
  campaign_type: Kind;
  name: string;
  description: string;
  type: Campaign["type"];
  discount: Discount | null;
  goods: Goods;
  gift: number | null;
  points: number | null;
  expires: PointsExpiry;
  earn_points: number | null;
  earn_every: number | null;
  tiers: TierValue[];
  referral: Referral;
  start_date: string | null;
  expiration_date: string | null;
  times: Times;
  segment: Option | null;
  spends: number | null;
  code: string;
  vouchers_count: number | null;
  pattern: string;
  uses: number | null;
  per_customer: number | null;
  budget: number | null;
  category: Option | null;
};
export type Field = keyof Values;

export const NEW_TIER = { name: "", banner: "", discount: null, goods: ALL_GOODS };
export const START: Values = {
  ...{ campaign_type: "DISCOUNT_COUPONS", name: "", description: "", type: "STATIC" },
  ...{ discount: { type: "PERCENT", effect: "APPLY_TO_ORDER" }, gift: null, points: null, expires: null },
  goods: ALL_GOODS,
  ...{ earn_points: null, earn_every: null, tiers: [{ ...NEW_TIER, key: 1 }] },
  referral: NO_REFERRAL,
  ...{ start_date: null, expiration_date: null, times: ALWAYS, segment: null, spends: null },
  ...{ code: "", vouchers_count: 100, pattern: "", uses: 1, per_customer: null, budget: null, category: null },
};

/** A step of the form and the fields in it. */
export const STEPS = {
  kind: ["campaign_type", "name", "description"],
  offer: ["discount", "goods", "gift", "points", "expires", "earn_points", "earn_every", "tiers", "referral"],
  when: ["start_date", "expiration_date", "times", "segment", "spends"],
  codes: ["type", "code", "vouchers_count", "pattern"],
  limits: ["uses", "per_customer", "budget", "category"],
  check: [],
} as const satisfies Record<string, readonly Field[]>;
export type Step = keyof typeof STEPS;
export const stepOf = (field: string): Step =>
  (Object.keys(STEPS) as Step[]).find((step) => (STEPS[step] as readonly string[]).includes(field)) ?? "kind";

/** Kinds whose codes are made one by one, as people ask for them. */
const ONE_BY_ONE: readonly Kind[] = ["LOYALTY_PROGRAM", "REFERRAL_PROGRAM"];
export const typeOf = ({ campaign_type, type }: Values): Campaign["type"] =>
  ONE_BY_ONE.includes(campaign_type)
    ? "AUTO_UPDATE"
    : campaign_type === "GIFT_VOUCHERS" && type === "STANDALONE"
      ? "STATIC"
      : type;

const VALUES: Record<Discount["type"], readonly (keyof Discount)[]> = {
  AMOUNT: ["amount_off", "amount_off_formula"],
  PERCENT: ["percent_off", "percent_off_formula"],
  FIXED: ["fixed_amount", "fixed_amount_formula"],
  UNIT: ["unit_off", "unit_off_formula", "units"],
};
const isWorthNothing = (discount: Discount | null) =>
  discount === null || !(VALUES[discount.type] ?? []).some((name) => Boolean(discount[name]));

/** What is wrong with a discount, as far as a form can tell. */
export const discountFault = (discount: Discount | null, t: Text): string | null =>
  isWorthNothing(discount)
    ? t("kit.form.required")
    : (discount?.percent_off ?? 0) > 100
      ? t("campaigns.percentTooMuch")
      : null;

const orNull = (discount: Discount | null) => (isWorthNothing(discount) ? null : discount);

const present = (field: Field, fault: string | null) => (fault === null ? {} : { [field]: fault });

/** What is missing or contradicts itself, by field. The server decides the rest. */
export function faultsIn(values: Values, t: Text): Partial<Record<Field, string>> {
  const { campaign_type: kind, start_date, expiration_date, earn_points, earn_every } = values;
  const required = t("kit.form.required");
  const isDiscount = kind === "DISCOUNT_COUPONS" || kind === "REFERRAL_PROGRAM";
  const badGoods = values.tiers.flatMap((tier) => goodsFault(tier.goods, tier.discount, t) ?? [])[0];
  const isBadTier = ({ name, discount }: TierValue) => name.trim() === "" || discountFault(discount, t) !== null;
  return {
    ...(values.name.trim() === "" && { name: required }),
    ...(isDiscount && discountFault(values.discount, t) !== null && { discount: discountFault(values.discount, t)! }),
    ...(isDiscount &&
      goodsFault(values.goods, values.discount, t) !== null && {
        goods: goodsFault(values.goods, values.discount, t)!,
      }),
    ...(kind === "GIFT_VOUCHERS" && !values.gift && { gift: required }),
    // A card that nothing puts points on is of no use; more ways to earn are added when the campaign is there.
    ...(kind === "LOYALTY_PROGRAM" && !earn_points && { earn_points: required }),
    ...(kind === "LOYALTY_PROGRAM" && !earn_every && { earn_every: required }),
    ...(kind === "PROMOTION" && badGoods !== undefined && { tiers: badGoods }),
    ...(kind === "PROMOTION" &&
      (values.tiers.length === 0 || values.tiers.some(isBadTier)) && { tiers: t("campaigns.badTiers") }),
    ...(kind === "REFERRAL_PROGRAM" &&
      referralFault(values.referral, t) !== null && { referral: referralFault(values.referral, t)! }),
    ...(kind !== "PROMOTION" && typeOf(values) === "STANDALONE" && values.code.trim() === "" && { code: required }),
    ...(kind !== "PROMOTION" && typeOf(values) === "STATIC" && !values.vouchers_count && { vouchers_count: required }),
    ...(kind === "LOYALTY_PROGRAM" &&
      expiryFault(values.expires, t) !== null && { expires: expiryFault(values.expires, t)! }),
    ...(start_date &&
      expiration_date &&
      Date.parse(start_date) >= Date.parse(expiration_date) && { expiration_date: t("campaigns.endsBefore") }),
    ...present("start_date", startFault(values.times, start_date, t)),
    ...present("times", timesFault(values.times, t)),
  };
}

const isSet = (value: unknown) => value !== null && value !== undefined && value !== "";
export const filled = <T extends object>(body: T): T =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => isSet(value))) as T;

/** What is saved beside a campaign: what its referrers get, and the products that its discount takes. */
export type BesideIt = { rewards?: Rewards; goods?: Goods };
/** A saved campaign as the form shows it. What a form cannot change is only shown. */
export const valuesOf = (campaign: Campaign, { rewards = new Map(), goods = ALL_GOODS }: BesideIt = {}): Values => ({
  ...START,
  ...{ campaign_type: campaign.campaign_type, name: campaign.name, type: campaign.type },
  description: campaign.description ?? "",
  discount: campaign.voucher?.discount ?? null,
  goods,
  gift: campaign.voucher?.gift?.amount ?? null,
  points: campaign.voucher?.loyalty_card?.points ?? null,
  expires: campaign.voucher?.loyalty_card?.expiration_rules ?? null,
  times: timesOf(campaign),
  tiers: (campaign.promotion?.tiers ?? []).map(({ name, banner, action }, key) => ({
    ...{ key, name, banner: banner ?? "", discount: action.discount, goods: ALL_GOODS },
  })),
  referral: referralOf(campaign, rewards),
  start_date: campaign.start_date ?? null,
  expiration_date: campaign.expiration_date ?? null,
  uses: campaign.voucher?.redemption.quantity ?? null,
  ...{ vouchers_count: campaign.vouchers_count, code: campaign.name },
  category: categoryOf(campaign.category_id, campaign.categories),
});

/** What is wrong with the fields of a saved campaign: the others are fixed, or were asked for when it was made. */
export function faultsInChanges(values: Values, was: Values, t: Text): Partial<Record<Field, string>> {
  const { discount, expires, referral, start_date, expiration_date, times, ...all } = faultsIn(values, t);
  // What the interface left contradictory keeps nobody from changing something else.
  const goods = isSame(values.goods, was.goods) ? undefined : all.goods;
  return Object.fromEntries(
    Object.entries({ discount, goods, expires, referral, start_date, expiration_date, times }).filter(
      ([, fault]) => fault !== undefined,
    ),
  );
}

/** What the form says so far, for the sentence above it. */
export const offerIn = (values: Values): Offer => ({
  ...{ kind: values.campaign_type, discount: orNull(values.discount), gift: values.gift },
  goods: goodsSaid(values.goods, values.discount),
  tiers: values.tiers.map(({ name, discount, goods }) => ({
    ...{ name, discount: orNull(discount), goods: goodsSaid(goods, discount) },
  })),
  ...(values.campaign_type === "REFERRAL_PROGRAM" && referralIn(values.referral)),
  points: values.points,
  earns: values.earn_points && values.earn_every ? { points: values.earn_points, every: values.earn_every } : null,
  ...{
    from: values.start_date,
    to: values.expiration_date,
    times: values.times,
    segment: values.segment?.label ?? null,
  },
  // Cards and codes of referrals are used as often as one likes.
  uses: values.campaign_type === "DISCOUNT_COUPONS" ? values.uses : null,
  ...{ spends: values.spends, perCustomer: values.per_customer, budget: values.budget },
});
