import type { Catalog } from "../../catalog/catalog.ts";
import { notFound } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import { type CampaignRow, lockCampaign } from "../../resources/promotions/campaigns/store.ts";
import type {
  PromotionStack,
  PromotionStackCreate,
  PromotionStackUpdate,
} from "../../resources/promotions/promotion-stacks/schema.ts";
import {
  getStack,
  type PromotionStackRow,
  promotionStacks,
} from "../../resources/promotions/promotion-stacks/store.ts";
import { promotionTiersIn } from "../../resources/promotions/promotion-tiers/store.ts";
import { takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { requirePromotion } from "../../steps/promotions/promotion-tiers.ts";
import { categoryShown, findOrAddCategory } from "../../steps/promotions/settings.ts";

export const stackView = (
  catalog: Pick<Catalog, "categories">,
  { project_id: _, category_id: id, ...row }: PromotionStackRow,
): PromotionStack => {
  const { category_id, categories } = categoryShown(catalog, id);
  return { ...row, category_id, categories, object: "promotion_stack" };
};

export async function createStack(c: WriteCtx, reference: string, sent: PromotionStackCreate): Promise<PromotionStack> {
  const campaign = await lockPromotion(c, reference);
  const catalog = await c.catalog();
  const row = await promotionStacks.insert(c.db, {
    project_id: c.project.id,
    id: c.newId("stack"),
    campaign_id: campaign.id,
    name: sent.name,
    tiers: await requireTiers(c, campaign, sent.tiers),
    category_id: await findOrAddCategory(c, catalog, { category_id: sent.category_id }),
    created_at: await takeStamps(c.db, c.project.id, { now: c.now }),
  });
  return saved(c, catalog, "campaign.promotion_stack.created", row);
}

/** What is not sent keeps its value; the list of tiers is replaced whole. */
export async function updateStack(
  c: WriteCtx,
  [reference, id]: readonly [string, string],
  sent: PromotionStackUpdate,
): Promise<PromotionStack> {
  const campaign = await lockPromotion(c, reference);
  await getStack(c.db, c.project.id, campaign.id, id);
  const catalog = await c.catalog();
  const row = await promotionStacks.update(c.db, c.project.id, id, {
    name: sent.name,
    tiers: sent.tiers && (await requireTiers(c, campaign, sent.tiers)),
    category_id: await findOrAddCategory(c, catalog, { category_id: sent.category_id }),
    updated_at: c.now,
  });
  return saved(c, catalog, "campaign.promotion_stack.updated", row);
}

export async function removeStack(c: WriteCtx, [reference, id]: readonly [string, string]): Promise<null> {
  const campaign = await lockPromotion(c, reference);
  await getStack(c.db, c.project.id, campaign.id, id);
  await promotionStacks.remove(c.db, c.project.id, id);
  c.changed("promotion_stack", id);
  return null;
}

/** The lock keeps the tiers of the campaign: who deletes one waits for it. */
async function lockPromotion(c: WriteCtx, reference: string): Promise<CampaignRow> {
  const campaign = await lockCampaign(c.db, c.project.id, reference);
  requirePromotion(campaign);
  return campaign;
}

async function requireTiers(
  c: WriteCtx,
  campaign: CampaignRow,
  { ids, hierarchy_mode = "MANUAL" }: PromotionStackCreate["tiers"],
): Promise<PromotionStackRow["tiers"]> {
  const known = await promotionTiersIn(c.db, c.project.id, campaign.id, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound("promotion_tier", unknown);
  return { ids, hierarchy_mode };
}

async function saved(c: WriteCtx, catalog: Catalog, kind: EventKind, row: PromotionStackRow): Promise<PromotionStack> {
  c.changed("promotion_stack", row.id);
  const { project_id: _, ...promotion_stack } = row;
  await record(c, [{ kind, campaign_id: row.campaign_id, payload: { promotion_stack } }]);
  return stackView(catalog, row);
}
