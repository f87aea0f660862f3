import type { BodyOf } from "../../../api/op.ts";
import type { Campaign, createCampaign, createValidationRule, updateCampaign } from "../../../api/operations.gen.ts";
import { validityOf } from "../../../kit/date/times.ts";
import { cardChanges, newCard } from "../../../registry/points-expiry.ts";
import { programOf } from "../referral/values.ts";
import { type Field, filled, typeOf, type Values, valuesOf } from "./values.ts";

// What is sent to make a campaign, and to change it.

/** The conditions of a campaign as a rule, or null where it has none. */
export function ruleOf(values: Values): BodyOf<typeof createValidationRule> | null {
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
  if (conditions.length === 0) return null;
  const numbered = conditions.map((one, place) => [String(place + 1), one] as const);
  const rules = { ...Object.fromEntries(numbered), logic: numbered.map(([number]) => number).join(" and ") };
  return { name: values.name.trim(), rules } as BodyOf<typeof createValidationRule>;
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

/** What is sent to make the campaign, with the rule and the rewards of referrers that were made before it. */
export function bodyOf(
  values: Values,
  ruleId: string | null,
  assigned: ReadonlyMap<number, string> = new Map(),
): BodyOf<typeof createCampaign> {
  const { campaign_type, start_date, expiration_date } = values;
  const type = typeOf(values);
  const common = {
    ...filled({ description: values.description.trim(), start_date, expiration_date, ...validityOf(values.times) }),
    ...{ name: values.name.trim(), campaign_type, ...(values.category && { category_id: values.category.value }) },
  };
  const rules = ruleId === null ? {} : { validation_rules: [ruleId] };
  if (campaign_type === "PROMOTION") {
    const tiers = values.tiers.map(({ name, banner, discount }) => ({
      ...filled({ name: name.trim(), banner: banner.trim() }),
      action: { discount: filled(discount!) },
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
