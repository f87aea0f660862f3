import { Type } from "typebox";
import { removeCampaign } from "../../../flows/platform/bin.ts";
import { CampaignSummary, summarizeCampaign } from "../../../flows/promotions/campaign-summary.ts";
import { listCampaignsWithStatus, readCampaignWithStatus } from "../../../flows/promotions/list-campaigns.ts";
import {
  CampaignCreate,
  changeCampaign,
  createCampaign,
  switchCampaign,
} from "../../../flows/promotions/save-campaign.ts";
import { list, read, write } from "../../../http/route.ts";
import { listOf } from "../../../http/schemas.ts";
import { ByCampaign, CampaignDelete, CampaignQuery, CampaignUpdate, CampaignView, SummaryQuery } from "./schema.ts";

const Done = Type.Object({});

export const campaignRoutes = [
  read(
    "GET /v1/campaigns",
    { id: "listCampaigns", summary: "List campaigns", query: CampaignQuery, ok: listOf(CampaignView, "campaigns") },
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
    { id: "getCampaign", summary: "Read a campaign, by its id or name", params: ByCampaign, ok: CampaignView },
    async (c) => readCampaignWithStatus(c, c.params.campaignId),
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
  read(
    "GET /v1/campaigns/{campaignId}/summary",
    {
      id: "summarizeCampaign",
      summary: "What a campaign did",
      description: "Between two days of the project's calendar, both included; without them, in all.",
      params: ByCampaign,
      query: SummaryQuery,
      ok: CampaignSummary,
    },
    async (c) => summarizeCampaign(c, c.params.campaignId, c.query),
  ),
];
