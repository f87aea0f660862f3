import type { Catalog } from "../../../catalog/catalog.ts";
import { notFound } from "../../../core/errors.ts";
import { zoneOf } from "../../../core/time/zone.ts";
import type { Ctx } from "../../../ctx.ts";
import {
  createPromotionTier,
  removePromotionTier,
  switchTier,
  updatePromotionTier,
} from "../../../flows/promotions/save-promotion-tier.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { loadTierStatuses } from "../../../steps/promotions/campaign-status.ts";
import { listPromotionTiers, promotionNamed, showTiers, tiersIn } from "../../../steps/promotions/promotion-tiers.ts";
import {
  ByPromotionTier,
  ClientPromotionTierList,
  PromotionTier,
  PromotionTierCreate,
  PromotionTierList,
  PromotionTierQuery,
  PromotionTierUpdate,
  TiersOfCampaign,
} from "./schema.ts";
import type { PromotionTierRow } from "./store.ts";

/** Tiers with their status. */
async function showAll(c: Ctx, catalog: Catalog, tiers: readonly PromotionTierRow[]): Promise<PromotionTier[]> {
  const at = { now: c.now, zone: zoneOf(c.project) };
  const shown = await showTiers(c.db, c.project.id, catalog, tiers);
  const statuses = await loadTierStatuses(c.db, c.project.id, { catalog, tiers, at });
  return shown.map((tier) => ({ ...tier, status: statuses.get(tier.id)! }));
}

async function listOfTiers(c: Ctx, query: PromotionTierQuery) {
  const catalog = await c.catalog();
  const now = { now: c.now, zone: zoneOf(c.project) };
  const { rows, total, has_more } = listPromotionTiers(catalog, query, now);
  const shown = await showAll(c, catalog, rows);
  return { ...list({ rows: shown, total }, (tier) => tier, "tiers"), has_more };
}

export const promotionTierRoutes = [
  read(
    "GET /v1/promotions/tiers",
    {
      id: "listPromotionTiers",
      summary: "List all promotion tiers",
      query: PromotionTierQuery,
      ok: PromotionTierList,
    },
    (c) => listOfTiers(c, c.query),
  ),
  read(
    "GET /client/v1/promotions/tiers",
    {
      id: "listPromotionTiersClientSide",
      summary: "List all promotion tiers in a client application",
      description: "Without their rules, and without what was redeemed so far.",
      query: PromotionTierQuery,
      ok: ClientPromotionTierList,
    },
    (c) => listOfTiers(c, c.query),
  ),
  read(
    "GET /v1/promotions/{campaignId}/tiers",
    {
      id: "listPromotionTiersOfCampaign",
      summary: "List the promotion tiers of a campaign",
      description: "All of them, in the order of their hierarchy.",
      params: TiersOfCampaign,
      ok: PromotionTierList,
    },
    async (c) => {
      const catalog = await c.catalog();
      const { id } = promotionNamed(catalog, c.params.campaignId);
      const rows = await showAll(c, catalog, tiersIn(catalog, id));
      return { ...list({ rows, total: rows.length }, (tier) => tier, "tiers"), has_more: false };
    },
  ),
  write(
    "POST /v1/promotions/{campaignId}/tiers",
    {
      id: "createPromotionTier",
      summary: "Add a promotion tier to a campaign",
      params: TiersOfCampaign,
      body: PromotionTierCreate,
      ok: PromotionTier,
    },
    async (c) => createPromotionTier(c, c.params.campaignId, c.body),
  ),
  read(
    "GET /v1/promotions/tiers/{promotionTierId}",
    { id: "getPromotionTier", summary: "Read a promotion tier", params: ByPromotionTier, ok: PromotionTier },
    async (c) => {
      const catalog = await c.catalog();
      const row = catalog.promotion_tiers.get(c.params.promotionTierId);
      if (!row) throw notFound("promotion_tier", c.params.promotionTierId);
      return (await showAll(c, catalog, [row]))[0]!;
    },
  ),
  write(
    "PUT /v1/promotions/tiers/{promotionTierId}",
    {
      id: "updatePromotionTier",
      summary: "Update a promotion tier",
      params: ByPromotionTier,
      body: PromotionTierUpdate,
      ok: PromotionTier,
    },
    async (c) => updatePromotionTier(c, c.params.promotionTierId, c.body),
  ),
  write(
    "DELETE /v1/promotions/tiers/{promotionTierId}",
    {
      id: "deletePromotionTier",
      summary: "Delete a promotion tier",
      description: "Refused while a promotion stack names it.",
      params: ByPromotionTier,
      ok: Empty,
    },
    async (c) => removePromotionTier(c, c.params.promotionTierId),
  ),
  write(
    "POST /v1/promotions/tiers/{promotionTierId}/enable",
    { id: "enablePromotionTier", summary: "Enable a promotion tier", params: ByPromotionTier, ok: PromotionTier },
    async (c) => switchTier(c, c.params.promotionTierId, true),
  ),
  write(
    "POST /v1/promotions/tiers/{promotionTierId}/disable",
    { id: "disablePromotionTier", summary: "Disable a promotion tier", params: ByPromotionTier, ok: PromotionTier },
    async (c) => switchTier(c, c.params.promotionTierId, false),
  ),
];
