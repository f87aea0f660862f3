import type { BodyOf } from "../../../api/op.ts";
import type { Campaign, createCampaign, createValidationRule, updateCampaign } from "../../../api/operations.gen.ts";
import { validityOf } from "../../../kit/date/times.ts";
import { cardChanges, newCard } from "../../../registry/points-expiry.ts";
import { applicableOf, goodsFor } from "../goods/values.ts";
import type { Kind } from "../kinds.ts";
import { programOf } from "../referral/values.ts";
import { type Field, filled, type TierValue, typeOf, type Values, valuesOf } from "./values.ts";

// What is sent to make a campaign, and to change it.

type RuleBody = BodyOf<typeof createValidationRule>;
/** What was made before the campaign: the rewards of referrers, and the rules of offers, by their keys. */
type Made = { assigned?: ReadonlyMap<number, string>; tierRules?: ReadonlyMap<number, string> };

/** Kinds with one discount. The offers of a promotion have one each, and products of their own. */
const HAS_DISCOUNT: readonly Kind[] = ["DISCOUNT_COUPONS", "REFERRAL_PROGRAM"];

/** The products of an offer that is made with its promotion, as a rule; null: it takes all of them. */
export function ruleOfTier({ name, discount, goods }: TierValue, values: Values): RuleBody | null {
  const taken = goodsFor(goods, discount);
  return taken.which === "all"
    ? null
    : { name: `${values.name.trim()}: ${name.trim()}`, applicable_to: applicableOf(taken) };
}

/** The conditions of a campaign and the products of its discount as one rule, or null where it has neither. */
export function ruleOf(values: Values): RuleBody | null {
  const { segment, spends, per_customer, budget } = values;
  const conditions = [
    segment && { name: "customer.segment", conditions: { $is: [segment.value] } },
    spends && { name: "order.initial_amount", conditions: { $more_than_or_equal: [spends] } },
    per_customer && {
      name: "campaign.redemptions.customers_count",
      conditions: { $less_than_or_equal: [per_customer] },
    },
    budget && { name: "campaign.orders.amount_discounted", conditions: { $less_than_or_equal: [budget] } },
  ].filter((one) => Boolean(one));
  const goods = goodsFor(values.goods, values.discount);
  const isOnGoods = HAS_DISCOUNT.includes(values.campaign_type) && goods.which !== "all";
  const applicable_to = isOnGoods ? { applicable_to: applicableOf(goods) } : {};
  const name = values.name.trim();
  if (conditions.length === 0) return isOnGoods ? { name, ...applicable_to } : null;
  const numbered = conditions.map((one, place) => [String(place + 1), one] as const);
  const rules = { ...Object.fromEntries(numbered), logic: numbered.map(([number]) => number).join(" and ") };
  return { name, rules, ...applicable_to } as RuleBody;
}

function voucherOf(values: Values) {
  const { campaign_type: kind } = values;
  const code_config = values.pattern.trim() === "" ? undefined : { pattern: values.pattern.trim() };
  const code = typeOf(values) === "STANDALONE" ? values.code.trim() : undefined;
  const common = filled({ code_config, code });
  const redemption = { quantity: values.uses };
  if (kind === "GIFT_VOUCHERS")
    return { type: "GIFT_VOUCHER" as const, gift: { amount: values.gift! }, redemption: { quantity: null }, ...common };
  if (kind === "LOYALTY_PROGRAM")
    return { type: "LOYALTY_CARD" as const, loyalty_card: newCard(values.points, values.expires), ...common };
  const isReferral = kind === "REFERRAL_PROGRAM";
  return {
    type: "DISCOUNT_VOUCHER" as const,
    discount: filled(values.discount!),
    redemption: isReferral ? { quantity: null } : redemption,
    ...common,
    ...(isReferral && { is_referral_code: true }),
  };
}

/** What is sent to make the campaign, with what was made before it. */
export function bodyOf(
  values: Values,
  ruleId: string | null,
  { assigned = new Map(), tierRules = new Map() }: Made = {},
): BodyOf<typeof createCampaign> {
  const { campaign_type, start_date, expiration_date } = values;
  const type = typeOf(values);
  const common = {
    ...filled({ description: values.description.trim(), start_date, expiration_date, ...validityOf(values.times) }),
    ...{ name: values.name.trim(), campaign_type, ...(values.category && { category_id: values.category.value }) },
  };
  const rules = ruleId === null ? {} : { validation_rules: [ruleId] };
  if (campaign_type === "PROMOTION") {
    const tiers = values.tiers.map(({ key, name, banner, discount }) => ({
      ...filled({ name: name.trim(), banner: banner.trim() }),
      action: { discount: filled(discount!) },
      ...(tierRules.has(key) && { validation_rules: [tierRules.get(key)!] }),
    }));
    // Of the campaign, and not of each offer: its budget is one for all of them.
    return { ...common, ...rules, promotion: { tiers } };
  }
  return {
    ...common,
    ...rules,
    ...{ type, voucher: voucherOf(values) },
    ...(type === "STATIC" && { vouchers_count: values.vouchers_count }),
    ...(campaign_type === "REFERRAL_PROGRAM" && { referral_program: filled(programOf(values.referral, assigned)) }),
  };
}

/** What is sent to change it: only what was changed. */
export function changesOf(
  changes: Partial<Values>,
  campaign: Campaign,
  assigned: ReadonlyMap<number, string> = new Map(),
): BodyOf<typeof updateCampaign> {
  const { gift } = campaign.voucher ?? {};
  const { points, expires } = { ...valuesOf(campaign), ...changes };
  const has = (field: Field) => field in changes;
  return {
    ...(has("description") && { description: changes.description || null }),
    ...(has("start_date") && { start_date: changes.start_date ?? null }),
    ...(has("expiration_date") && { expiration_date: changes.expiration_date ?? null }),
    ...(has("discount") && changes.discount && { discount: filled(changes.discount) }),
    ...(has("gift") && {
      gift: { amount: changes.gift!, ...(gift?.effect !== undefined && { effect: gift.effect }) },
    }),
    ...(changes.referral && { referral_program: programOf(changes.referral, assigned) }),
    ...(changes.times && validityOf(changes.times)),
    ...((has("points") || has("expires")) && { loyalty_card: cardChanges(points, expires) }),
    ...(has("category") && { category_id: changes.category?.value ?? null }),
    ...(has("uses") && { redemption: { quantity: changes.uses ?? null } }),
  };
}
