import { Type } from "typebox";
import { removeCampaign } from "../../../flows/platform/bin.ts";
import { readAudience } from "../../../flows/platform/time-series.ts";
import { CampaignSummary, summarizeCampaign } from "../../../flows/promotions/campaign-summary.ts";
import { campaignLike } from "../../../flows/promotions/duplicate-campaign.ts";
import { forecastCampaign } from "../../../flows/promotions/forecast-campaign.ts";
import { listCampaignsWithStatus, readCampaignWithStatus } from "../../../flows/promotions/list-campaigns.ts";
import {
  archiveCampaign,
  CampaignCreate,
  changeCampaign,
  createCampaign,
  switchCampaign,
} from "../../../flows/promotions/save-campaign.ts";
import { list, read, write } from "../../../http/route.ts";
import { listOf } from "../../../http/schemas.ts";
import { showCampaign } from "../../../steps/promotions/campaigns.ts";
import {
  AudienceQuery,
  ByCampaign,
  CampaignAudience,
  CampaignDelete,
  CampaignDuplicate,
  CampaignExpand,
  CampaignForecast,
  CampaignQuery,
  CampaignSummaryQuery,
  CampaignUpdate,
  CampaignView,
  ForecastQuery,
} from "./schema.ts";
import { getCampaign } from "./store.ts";

const Done = Type.Object({});

export const campaignRoutes = [
  read(
    "GET /v1/campaigns",
    {
      id: "listCampaigns",
      summary: "List campaigns",
      description: "Archived ones are left out, unless `status` is `ARCHIVED`.",
      query: CampaignQuery,
      ok: listOf(CampaignView, "campaigns"),
    },
    async (c) => list(await listCampaignsWithStatus(c, c.query), (campaign) => campaign, "campaigns"),
  ),
  write(
    "POST /v1/campaigns",
    {
      id: "createCampaign",
      summary: "Create a campaign",
      description:
        "With one code it is made at once. More are made in the background: until then `vouchers_generation_status` is `IN_PROGRESS`.",
      body: CampaignCreate,
      ok: CampaignView,
    },
    async (c) => createCampaign(c, c.body),
  ),
  read(
    "GET /v1/campaigns/{campaignId}",
    {
      id: "getCampaign",
      summary: "Read a campaign, by its id or name",
      params: ByCampaign,
      query: CampaignExpand,
      ok: CampaignView,
    },
    async (c) => readCampaignWithStatus(c, c.params.campaignId, c.query.expand === "counters"),
  ),
  write(
    "PUT /v1/campaigns/{campaignId}",
    {
      id: "updateCampaign",
      summary: "Update a campaign",
      description:
        "What is not sent keeps its value; metadata is merged key by key. Codes that were published or redeemed keep what they had.",
      params: ByCampaign,
      body: CampaignUpdate,
      ok: CampaignView,
    },
    async (c) => changeCampaign(c, c.params.campaignId, c.body),
  ),
  write(
    "DELETE /v1/campaigns/{campaignId}",
    {
      id: "deleteCampaign",
      summary: "Delete a campaign with its codes",
      description: "Nothing finds it from now on; its codes are deleted in the background.",
      params: ByCampaign,
      query: CampaignDelete,
      ok: Type.Object({ async_action_id: Type.String() }),
      status: 202,
    },
    async (c) => removeCampaign(c, c.params.campaignId, c.query.force ?? false),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/enable",
    { id: "enableCampaign", summary: "Enable a campaign", params: ByCampaign, ok: Done },
    async (c) => switchCampaign(c, c.params.campaignId, true),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/disable",
    {
      id: "disableCampaign",
      summary: "Disable a campaign",
      description: "None of its codes and tiers can be redeemed while it is disabled.",
      params: ByCampaign,
      ok: Done,
    },
    async (c) => switchCampaign(c, c.params.campaignId, false),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/archive",
    {
      id: "archiveCampaign",
      summary: "Archive a campaign",
      description:
        "It is disabled, and lists leave it out. It is still read by its id or name, with its codes and figures, and enabling it brings it back.",
      params: ByCampaign,
      ok: CampaignView,
    },
    async (c) => archiveCampaign(c, c.params.campaignId, true),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/unarchive",
    {
      id: "unarchiveCampaign",
      summary: "Bring back an archived campaign",
      description: "It is in the lists again, and disabled.",
      params: ByCampaign,
      ok: CampaignView,
    },
    async (c) => archiveCampaign(c, c.params.campaignId, false),
  ),
  write(
    "POST /v1/campaigns/{campaignId}/duplicate",
    {
      id: "duplicateCampaign",
      summary: "Make a campaign like another one",
      description:
        "With its settings, dates and promotion tiers, and with codes of its own. Rules that only this campaign has are made anew; rules that others have too are shared. The new campaign is disabled. Loyalty programs cannot be duplicated.",
      params: ByCampaign,
      body: CampaignDuplicate,
      ok: CampaignView,
    },
    async (c) => {
      const { id } = await createCampaign(c, await campaignLike(c, c.params.campaignId, c.body));
      await switchCampaign(c, id, false);
      return showCampaign(c.db, c.project.id, await getCampaign(c.db, c.project.id, id));
    },
  ),
  read(
    "GET /v1/campaigns/{campaignId}/forecast",
    {
      id: "forecastCampaign",
      summary: "How long the budget and the codes of a campaign last",
      description:
        "What is left of its limits, day by day, and when they are used up at the speed of the last 14 days.",
      params: ByCampaign,
      query: ForecastQuery,
      ok: CampaignForecast,
    },
    async (c) => forecastCampaign(c, c.params.campaignId, c.query.days),
  ),
  read(
    "GET /v1/campaigns/{campaignId}/audience",
    {
      id: "getCampaignAudience",
      summary: "Who redeems a campaign",
      description:
        "How many different customers in a period, how many of them came back on another day, who came on the most days, and which segments they are in now. Unless they are sent, the period ends now and begins 30 days before. Figures are a few seconds behind.",
      params: ByCampaign,
      query: AudienceQuery,
      ok: CampaignAudience,
    },
    async (c) => readAudience(c, c.params.campaignId, c.query),
  ),
  read(
    "GET /v1/campaigns/{campaignId}/summary",
    {
      id: "summarizeCampaign",
      summary: "What a campaign did",
      description: "Between two days of the project's calendar, both included; without them, in all.",
      params: ByCampaign,
      query: CampaignSummaryQuery,
      ok: CampaignSummary,
    },
    async (c) => summarizeCampaign(c, c.params.campaignId, c.query),
  ),
];
