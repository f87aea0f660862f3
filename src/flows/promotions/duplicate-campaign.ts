import { ApiError } from "../../core/errors.ts";
import type { ValidityFields } from "../../core/time/validity.ts";
import type { WriteCtx } from "../../ctx.ts";
import { record } from "../../events/events.ts";
import type { CampaignBody, CampaignDuplicate } from "../../resources/promotions/campaigns/schema.ts";
import { type CurrentCampaign, getCampaign } from "../../resources/promotions/campaigns/store.ts";
import type { PromotionTierCreate } from "../../resources/promotions/promotion-tiers/schema.ts";
import { type PromotionTierRow, promotionTiersOfCampaigns } from "../../resources/promotions/promotion-tiers/store.ts";
import { loadAssignmentsOf } from "../../resources/promotions/validation-rule-assignments/store.ts";
import { countAssignments, validationRules } from "../../resources/promotions/validation-rules/store.ts";
import { insertValidationRule } from "../../steps/promotions/validation-rules.ts";

type Body = CampaignBody & { promotion?: { tiers: PromotionTierCreate[] } };
/** The ids of rules by the id of what has them. */
type RulesOf = (id: string) => string[];

/** What makes a campaign like another one. The rules that it needs have been made. */
export async function campaignLike(c: WriteCtx, reference: string, sent: CampaignDuplicate): Promise<Body> {
  const original = await getCampaign(c.db, c.project.id, reference);
  if (original.campaign_type === "LOYALTY_PROGRAM")
    throw new ApiError("invalid_campaign", {
      details: "A loyalty program cannot be duplicated: its cards, earning rules, tiers and rewards belong together",
    });
  const tiers = await promotionTiersOfCampaigns(c.db, c.project.id, [original.id]);
  const rulesOf = await duplicateRules(c, original, { tiers, name: sent.name });
  return bodyOf(c, original, { tiers, rulesOf, sent });
}

/** A rule that only this campaign has is made anew, so that the two can be changed apart. One that others have too is shared. */
async function duplicateRules(
  c: WriteCtx,
  original: CurrentCampaign,
  { tiers, name }: { tiers: readonly PromotionTierRow[]; name: string },
): Promise<RulesOf> {
  const { db, project } = c;
  const assigned = await loadAssignmentsOf(db, project.id, [original.id, ...tiers.map(({ id }) => id)]);
  const uses = Map.groupBy([...assigned.values()].flat(), ({ rule_id }) => rule_id);
  const counts = await countAssignments(db, project.id, [...uses.keys()]);
  const own = [...uses.keys()].filter((id) => counts.get(id) === uses.get(id)!.length);
  const made = new Map<string, string>();
  for (const row of await validationRules.load(db, project.id, own)) {
    const { type, context_type, rules, bundle_rules, applicable_to, error } = row;
    const ruleName = row.name === original.name ? name : row.name;
    const body = { name: ruleName, type, context_type, rules, bundle_rules, applicable_to, error };
    const rule = await insertValidationRule(c, body as Parameters<typeof insertValidationRule>[1]);
    await record(c, [{ kind: "business_validation_rule.created", payload: { rule } }]);
    made.set(row.id, rule.id);
  }
  return (id) => (assigned.get(id) ?? []).map(({ rule_id }) => made.get(rule_id) ?? rule_id);
}

type Parts = { tiers: readonly PromotionTierRow[]; rulesOf: RulesOf; sent: CampaignDuplicate };

/** What is sent to make such a campaign. */
async function bodyOf(c: WriteCtx, row: CurrentCampaign, { tiers, rulesOf, sent }: Parts): Promise<Body> {
  const { categories } = await c.catalog();
  const categoryKept = (id: string | null) => (id !== null && categories.has(id) ? { category_id: id } : {});
  const { campaign_type, type, description, auto_join, join_once, use_voucher_metadata_schema, settings } = row;
  const { discount, gift, quantity, metadata } = settings;
  const { activity_duration_after_publishing, referral_program, voucher_type } = row;
  const body = {
    ...{ name: sent.name, campaign_type, type, description, auto_join, join_once, use_voucher_metadata_schema },
    ...{ activity_duration_after_publishing, metadata, ...validityOf(settings), ...categoryKept(row.category_id) },
    validation_rules: rulesOf(row.id),
  };
  if (campaign_type === "PROMOTION") {
    const likeThem = tiers.map((tier) => {
      const { name, banner, action, hierarchy, active, metadata: own } = tier;
      const about = { name, banner, action, hierarchy, active, metadata: own };
      return { ...about, ...validityOf(tier), ...categoryKept(tier.category_id), validation_rules: rulesOf(tier.id) };
    });
    return { ...body, promotion: { tiers: likeThem } } as Body;
  }
  return {
    ...body,
    vouchers_count: sent.vouchers_count ?? (type === "STATIC" ? row.vouchers_count : 0),
    voucher: {
      ...(voucher_type && { type: voucher_type }),
      ...(discount && { discount }),
      ...(gift && { gift }),
      ...{ redemption: { quantity }, code_config: row.code_config ?? {}, code: sent.code },
    },
    ...(referral_program && {
      referral_program: {
        ...referral_program,
        // A tier of another program has an id of its own.
        ...(referral_program.tiers && { tiers: referral_program.tiers.map(({ id: _, ...tier }) => tier) }),
      },
    }),
  } as Body;
}

const validityOf = (fields: ValidityFields): ValidityFields => {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = fields;
  return { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours };
};
