import { pageIn } from "../../../catalog/page.ts";
import { notFound } from "../../../core/errors.ts";
import {
  createEarningRules,
  removeCampaignEarningRule,
  switchEarningRule,
  updateCampaignEarningRule,
} from "../../../flows/loyalty-v1/save-campaign-earning-rules.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { loyaltyNamed } from "../../../steps/points/loyalty-campaigns.ts";
import {
  ByCampaignEarningRule,
  CampaignEarningRule,
  CampaignEarningRuleList,
  CampaignEarningRuleQuery,
  CampaignEarningRules,
  CampaignEarningRulesCreate,
  CampaignEarningRuleUpdate,
  OfCampaign,
} from "./schema.ts";
import { view } from "./store.ts";

type Named = { campaignId: string; campaignEarningRuleId: string };
const idsFrom = ({ campaignId, campaignEarningRuleId }: Named) => [campaignId, campaignEarningRuleId] as const;

export const campaignEarningRuleRoutes = [
  read(
    "GET /v1/loyalties/{campaignId}/earning-rules",
    {
      id: "listCampaignEarningRules",
      summary: "List the earning rules of a loyalty campaign",
      params: OfCampaign,
      query: CampaignEarningRuleQuery,
      ok: CampaignEarningRuleList,
    },
    async (c) => {
      const catalog = await c.catalog();
      const { id } = loyaltyNamed(catalog, c.params.campaignId);
      return list(pageIn(catalog.earning_rules_of_campaign.get(id) ?? [], c.query), view);
    },
  ),
  write(
    "POST /v1/loyalties/{campaignId}/earning-rules",
    {
      id: "createCampaignEarningRules",
      summary: "Create earning rules of a loyalty campaign",
      description: "A list of them: all are created, or none. A project has at most 100 of them.",
      params: OfCampaign,
      body: CampaignEarningRulesCreate,
      ok: CampaignEarningRules,
    },
    async (c) => createEarningRules(c, c.params.campaignId, c.body),
  ),
  read(
    "GET /v1/loyalties/{campaignId}/earning-rules/{campaignEarningRuleId}",
    {
      id: "getCampaignEarningRule",
      summary: "Read an earning rule of a loyalty campaign",
      params: ByCampaignEarningRule,
      ok: CampaignEarningRule,
    },
    async (c) => {
      const [campaign, id] = idsFrom(c.params);
      const catalog = await c.catalog();
      const row = catalog.campaign_earning_rules.get(id);
      if (row?.campaign_id !== loyaltyNamed(catalog, campaign).id) throw notFound("earning_rule", id);
      return view(row);
    },
  ),
  write(
    "PUT /v1/loyalties/{campaignId}/earning-rules/{campaignEarningRuleId}",
    {
      id: "updateCampaignEarningRule",
      summary: "Update an earning rule of a loyalty campaign",
      description:
        "What is not sent keeps its value; metadata is merged key by key. What starts the rule cannot change.",
      params: ByCampaignEarningRule,
      body: CampaignEarningRuleUpdate,
      ok: CampaignEarningRule,
    },
    async (c) => updateCampaignEarningRule(c, idsFrom(c.params), c.body),
  ),
  write(
    "DELETE /v1/loyalties/{campaignId}/earning-rules/{campaignEarningRuleId}",
    {
      id: "deleteCampaignEarningRule",
      summary: "Delete an earning rule of a loyalty campaign",
      description: "Points that it gave stay.",
      params: ByCampaignEarningRule,
      ok: Empty,
    },
    async (c) => removeCampaignEarningRule(c, idsFrom(c.params)),
  ),
  write(
    "POST /v1/loyalties/{campaignId}/earning-rules/{campaignEarningRuleId}/enable",
    {
      id: "enableCampaignEarningRule",
      summary: "Enable an earning rule of a loyalty campaign",
      params: ByCampaignEarningRule,
      ok: CampaignEarningRule,
    },
    async (c) => switchEarningRule(c, idsFrom(c.params), true),
  ),
  write(
    "POST /v1/loyalties/{campaignId}/earning-rules/{campaignEarningRuleId}/disable",
    {
      id: "disableCampaignEarningRule",
      summary: "Disable an earning rule of a loyalty campaign",
      description: "It gives no points while it is disabled.",
      params: ByCampaignEarningRule,
      ok: CampaignEarningRule,
    },
    async (c) => switchEarningRule(c, idsFrom(c.params), false),
  ),
];
