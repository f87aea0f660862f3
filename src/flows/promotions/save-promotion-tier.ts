import { requireMetadata } from "../../catalog/metadata.ts";
import { inUse } from "../../core/in-use.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import { type Campaign, loadCampaigns, lockCampaign } from "../../resources/promotions/campaigns/store.ts";
import { stacksNaming } from "../../resources/promotions/promotion-stacks/store.ts";
import type {
  PromotionTier,
  PromotionTierCreate,
  PromotionTierUpdate,
} from "../../resources/promotions/promotion-tiers/schema.ts";
import {
  getPromotionTier,
  type PromotionTierRow,
  promotionTiers,
} from "../../resources/promotions/promotion-tiers/store.ts";
import { removeAssignmentsOfObject } from "../../resources/promotions/validation-rule-assignments/store.ts";
import { given, insertTier, requirePromotion, showWrittenTiers } from "../../steps/promotions/promotion-tiers.ts";
import { findOrAddCategory, requireDiscount, requireUnits, requireValidity } from "../../steps/promotions/settings.ts";

/** The campaign stays locked, so that of two new tiers without a hierarchy one comes after the other. */
export async function createPromotionTier(
  c: WriteCtx,
  reference: string,
  sent: PromotionTierCreate,
): Promise<PromotionTier> {
  const campaign = await lockPromotion(c, reference);
  const row = await insertTier(c, await c.catalog(), campaign, sent);
  const tier = await showPromotionTier(c, campaign, row);
  const assigned = tier.validation_rule_assignments.data;
  await record(c, [
    promotionTierEvent("campaign.promotion_tier.created", row),
    ...assigned.map((assignment) => ({
      kind: "business_validation_rule.assignment.created" as const,
      payload: { assignment },
    })),
  ]);
  return tier;
}

/** What is not sent keeps its value; metadata is merged key by key. */
export async function updatePromotionTier(c: WriteCtx, id: string, sent: PromotionTierUpdate): Promise<PromotionTier> {
  const { tier, campaign } = await lockTier(c, id);
  const catalog = await c.catalog();
  const { name, banner, action, hierarchy, metadata = {} } = sent;
  requireMetadata(catalog, "promotion_tier", { metadata, on: "update" });
  const discount = action && requireDiscount(action.discount, ".action.discount");
  await requireUnits(c, catalog, discount);
  return savePromotionTier(c, [tier, campaign], "campaign.promotion_tier.updated", {
    ...requireValidity({ ...tier, ...given(sent) }, c.project),
    name,
    banner,
    action: discount && { discount },
    hierarchy: hierarchy ?? undefined,
    metadata: mergeMetadata(tier.metadata, metadata),
    category_id: await findOrAddCategory(c, catalog, sent),
  });
}

export async function switchTier(c: WriteCtx, id: string, active: boolean): Promise<PromotionTier> {
  const { tier, campaign } = await lockTier(c, id);
  const kind = active ? "campaign.promotion_tier.enabled" : "campaign.promotion_tier.disabled";
  return savePromotionTier(c, [tier, campaign], kind, { active });
}

// Contract is silent: a tier that a stack names. Without it the stack would be another one than was set up.
/** Deletes a tier with the assignments of its rules. While a stack names it, it is kept. */
export async function removePromotionTier(c: WriteCtx, id: string): Promise<null> {
  // Whoever saves a stack holds the campaign: none that names this tier appears meanwhile.
  const { tier } = await lockTier(c, id);
  const stacks = await stacksNaming(c.db, c.project.id, tier);
  if (stacks.length > 0) throw inUse({ type: "promotion_tier", id }, { type: "promotion_stack", ids: stacks });
  // The tier first: who is about to assign a rule to it holds its row, and is waited for here.
  await promotionTiers.remove(c.db, c.project.id, id);
  c.changed("promotion_tier", id);
  for (const assignment of await removeAssignmentsOfObject(c.db, c.project.id, id))
    c.changed("validation_rule_assignment", assignment);
  await record(c, [promotionTierEvent("campaign.promotion_tier.deleted", tier)]);
  return null;
}

async function lockPromotion(c: WriteCtx, reference: string): Promise<Campaign> {
  const row = await lockCampaign(c.db, c.project.id, reference);
  requirePromotion(row);
  return (await loadCampaigns(c.db, c.project.id, [row.id]))[0]!;
}

/** A tier and its campaign, which is locked. The tier is read again: only now nobody else changes it. */
async function lockTier(c: WriteCtx, id: string): Promise<{ tier: PromotionTierRow; campaign: Campaign }> {
  const { campaign_id } = await getPromotionTier(c.db, c.project.id, id);
  const campaign = await lockPromotion(c, campaign_id);
  return { tier: await getPromotionTier(c.db, c.project.id, id), campaign };
}

async function savePromotionTier(
  c: WriteCtx,
  [{ id }, campaign]: readonly [PromotionTierRow, Campaign],
  kind: EventKind,
  patch: Partial<Record<keyof PromotionTierRow, unknown>>,
): Promise<PromotionTier> {
  const row = await promotionTiers.update(c.db, c.project.id, id, { ...patch, updated_at: c.now });
  c.changed("promotion_tier", id);
  await record(c, [promotionTierEvent(kind, row)]);
  return showPromotionTier(c, campaign, row);
}

const showPromotionTier = async (c: WriteCtx, campaign: Campaign, row: PromotionTierRow): Promise<PromotionTier> =>
  (await showWrittenTiers(c, campaign, [row]))[0]!;

const promotionTierEvent = (kind: EventKind, { project_id: _, ...promotion_tier }: PromotionTierRow) => ({
  kind,
  campaign_id: promotion_tier.campaign_id,
  payload: { promotion_tier },
});
