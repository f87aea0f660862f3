import { type Static, Type } from "typebox";
import { invalid } from "../../core/errors.ts";
import { Nullable, open, optional, type Props } from "../../core/shapes.ts";
import type { ValidityFields } from "../../core/time/validity.ts";
import { CodeConfigSchema, QuantitySchema } from "../../core/vouchers/schema.ts";
import type { WriteCtx } from "../../ctx.ts";
import { CreatedResources } from "../../resources/promotions/campaign-templates/schema.ts";
import { lockCampaignTemplate } from "../../resources/promotions/campaign-templates/store.ts";
import { CampaignView, campaignCreate } from "../../resources/promotions/campaigns/schema.ts";
import { PromotionTier, PromotionTierCreate } from "../../resources/promotions/promotion-tiers/schema.ts";
import { makeTemplateResources } from "../../steps/promotions/template-resources.ts";

const without = <P extends Props, K extends keyof P>(props: P, keys: readonly K[]) =>
  Object.fromEntries(Object.entries(props).filter(([key]) => !keys.includes(key as K))) as Omit<P, K>;

const Voucher = open(
  optional({
    code_config: Nullable(CodeConfigSchema),
    redemption: Nullable(open({ quantity: Type.Optional(QuantitySchema) })),
  }),
);
const FIXED = ["campaign_type", "voucher", "validation_rules", "referral_program", "loyalty_tiers_expiration"] as const;
/** What is not sent is that of the template; its value and its rules always are. */
export const CampaignSetup = open({
  ...without(campaignCreate, FIXED),
  voucher: Type.Optional(Nullable(Voucher)),
});
export type CampaignSetup = Static<typeof CampaignSetup>;
export const TierSetup = open({
  campaign_id: Type.String({ minLength: 1, maxLength: 200, description: "A promotion campaign, by its id or name." }),
  ...without(PromotionTierCreate.properties, ["action", "validation_rules", "validation_rule_assignments"]),
});
export type TierSetup = Static<typeof TierSetup>;

export const CampaignSetupDone = Type.Object({
  created_resources: CreatedResources,
  campaign: CampaignView,
  object: Type.Literal("campaign_setup"),
});
export const TierSetupDone = Type.Object({
  created_resources: CreatedResources,
  promotion_tier: PromotionTier,
  object: Type.Literal("promotion_tier_setup"),
});

/** The campaign that a template makes. What it needs and is not there has been made, and is told. */
export async function campaignOfTemplate(c: WriteCtx, id: string, { voucher, ...sent }: CampaignSetup) {
  const { campaign_type, content } = await lockCampaignTemplate(c.db, c.project.id, id);
  const { settings, rules, created_resources } = await makeTemplateResources(c, content);
  const { discount, gift, metadata } = settings;
  const { code_config, ...general } = content.campaign;
  const quantity = voucher?.redemption?.quantity;
  const campaign = {
    ...{ metadata, ...general, ...validityOf(settings) },
    ...given(sent, CampaignSetup),
    campaign_type,
    vouchers_count: sent.vouchers_count ?? 0,
    voucher: {
      ...(discount && { discount }),
      ...(gift && { gift }),
      redemption: { quantity: quantity === undefined ? settings.quantity : quantity },
      code_config: voucher?.code_config ?? code_config,
    },
    validation_rules: rules,
  };
  return { campaign, created_resources };
}

/** The promotion tier that a template makes, in the same way. */
export async function tierOfTemplate(c: WriteCtx, id: string, { campaign_id: _, ...sent }: TierSetup) {
  const { content } = await lockCampaignTemplate(c.db, c.project.id, id);
  // Contract is silent: how a template of gift cards is refused here.
  if (!content.settings.discount) throw invalid("Only a template of discounts can become a promotion tier");
  const { settings, rules, created_resources } = await makeTemplateResources(c, content);
  const { discount, metadata } = settings;
  const tier = {
    ...{ metadata, banner: content.banner, ...validityOf(settings) },
    ...given(sent, TierSetup),
    action: { discount: discount! },
    validation_rules: rules,
  };
  return { tier, created_resources };
}

/** As they are sent; those of a body are not marked as read-only. */
const validityOf = (fields: ValidityFields) => {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = fields;
  const validity = { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours };
  return validity as Pick<TierSetup, keyof ValidityFields>;
};

/** What is sent of the fields that may be: a body can hold others all the same. */
const given = <T extends object>(sent: T, { properties }: { properties: object }) =>
  Object.fromEntries(Object.entries(sent).filter(([key, value]) => key in properties && value !== undefined)) as T;
