import type { Catalog } from "../../../catalog/catalog.ts";
import { pageIn } from "../../../catalog/page.ts";
import { notFound } from "../../../core/errors.ts";
import type { CampaignTierRow } from "../../../core/rows/campaign.ts";
import {
  listRewardsOfTier,
  RewardOfTier,
  RuleOfTier,
  ruleOfTier,
} from "../../../flows/loyalty-v1/list-of-campaign-tier.ts";
import {
  createCampaignTiers,
  removeCampaignTier,
  updateCampaignTier,
} from "../../../flows/loyalty-v1/save-campaign-tiers.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty, listOf } from "../../../http/schemas.ts";
import { loyaltyNamed } from "../../../steps/points/loyalty-campaigns.ts";
import {
  ByCampaignTier,
  CampaignTier,
  CampaignTierList,
  CampaignTierQuery,
  CampaignTiers,
  CampaignTiersCreate,
  CampaignTierUpdate,
  OfCampaign,
  TierPage,
} from "./schema.ts";
import { view } from "./store.ts";

type Named = { campaignId: string; loyaltyTierId: string };
const idsFrom = ({ campaignId, loyaltyTierId }: Named) => [campaignId, loyaltyTierId] as const;

function tierNamed(catalog: Catalog, { campaignId, loyaltyTierId }: Named): CampaignTierRow {
  const row = catalog.campaign_tiers.get(loyaltyTierId);
  if (row?.campaign_id !== loyaltyNamed(catalog, campaignId).id) throw notFound("loyalty_tier", loyaltyTierId);
  return row;
}

export const campaignTierRoutes = [
  read(
    "GET /v1/loyalties/{campaignId}/tiers",
    {
      id: "listCampaignTiers",
      summary: "List the tiers of a loyalty campaign",
      params: OfCampaign,
      query: CampaignTierQuery,
      ok: CampaignTierList,
    },
    async (c) => {
      const catalog = await c.catalog();
      const { id } = loyaltyNamed(catalog, c.params.campaignId);
      return list(pageIn(catalog.tiers_of_campaign.get(id) ?? [], c.query), view);
    },
  ),
  write(
    "POST /v1/loyalties/{campaignId}/tiers",
    {
      id: "createCampaignTiers",
      summary: "Create tiers of a loyalty campaign",
      description:
        "A list of them: all are created, or none. Both ends of a range belong to it; ranges do not overlap.",
      params: OfCampaign,
      body: CampaignTiersCreate,
      ok: CampaignTiers,
    },
    async (c) => createCampaignTiers(c, c.params.campaignId, c.body),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}",
    { id: "getCampaignTier", summary: "Read a tier of a loyalty campaign", params: ByCampaignTier, ok: CampaignTier },
    async (c) => view(tierNamed(await c.catalog(), c.params)),
  ),
  write(
    "PUT /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}",
    {
      id: "updateCampaignTier",
      summary: "Update a tier of a loyalty campaign",
      description:
        "What is not sent keeps its value; metadata is merged key by key, `earning_rules` and `rewards` are replaced.",
      params: ByCampaignTier,
      body: CampaignTierUpdate,
      ok: CampaignTier,
    },
    async (c) => updateCampaignTier(c, idsFrom(c.params), c.body),
  ),
  write(
    "DELETE /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}",
    {
      id: "deleteCampaignTier",
      summary: "Delete a tier of a loyalty campaign",
      description: "Refused while an earning rule names it.",
      params: ByCampaignTier,
      ok: Empty,
    },
    async (c) => removeCampaignTier(c, idsFrom(c.params)),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/earning-rules",
    {
      id: "listEarningRulesOfTier",
      summary: "List the earning rules of a loyalty campaign, with what members of a tier get",
      params: ByCampaignTier,
      query: TierPage,
      ok: listOf(RuleOfTier),
    },
    async (c) => {
      const catalog = await c.catalog();
      const tier = tierNamed(catalog, c.params);
      const all = catalog.earning_rules_of_campaign.get(tier.campaign_id) ?? [];
      return list(pageIn(all, c.query), (rule) => ruleOfTier(rule, tier));
    },
  ),
  read(
    "GET /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/rewards",
    {
      id: "listRewardsOfTier",
      summary: "List the rewards of a loyalty campaign, with what members of a tier pay",
      params: ByCampaignTier,
      ok: listOf(RewardOfTier),
    },
    async (c) => {
      const catalog = await c.catalog();
      return list(await listRewardsOfTier(c, catalog, tierNamed(catalog, c.params)), (one) => one);
    },
  ),
];
