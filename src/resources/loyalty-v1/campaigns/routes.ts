import { listLoyaltyCampaigns, readLoyaltyCampaign } from "../../../flows/loyalty-v1/list-loyalty-campaigns.ts";
import { removeCampaign } from "../../../flows/platform/bin.ts";
import { changeCampaign, createCampaign } from "../../../flows/promotions/save-campaign.ts";
import { list, read, write } from "../../../http/route.ts";
import { listOf } from "../../../http/schemas.ts";
import { lockLoyaltyCampaign } from "../../../steps/points/loyalty-campaigns.ts";
import { CampaignView } from "../../promotions/campaigns/schema.ts";
import {
  ByLoyaltyCampaign,
  Deleting,
  LoyaltyCampaignCreate,
  LoyaltyCampaignDelete,
  LoyaltyCampaignQuery,
  LoyaltyCampaignUpdate,
} from "./schema.ts";

/** A loyalty program is a campaign: these operations are those of campaigns, for programs only. */
export const loyaltyCampaignRoutes = [
  read(
    "GET /v1/loyalties",
    {
      id: "listLoyaltyCampaigns",
      summary: "List loyalty campaigns",
      query: LoyaltyCampaignQuery,
      ok: listOf(CampaignView, "campaigns"),
    },
    async (c) => list(await listLoyaltyCampaigns(c, c.query), (campaign) => campaign, "campaigns"),
  ),
  write(
    "POST /v1/loyalties",
    {
      id: "createLoyaltyCampaign",
      summary: "Create a loyalty campaign",
      description:
        "A campaign of the type `LOYALTY_PROGRAM`. A customer has one card of it at most, whatever `join_once` says.",
      body: LoyaltyCampaignCreate,
      ok: CampaignView,
    },
    async (c) => createCampaign(c, { ...c.body, campaign_type: "LOYALTY_PROGRAM" }),
  ),
  read(
    "GET /v1/loyalties/{campaignId}",
    {
      id: "getLoyaltyCampaign",
      summary: "Read a loyalty campaign, by its id or name",
      params: ByLoyaltyCampaign,
      ok: CampaignView,
    },
    async (c) => readLoyaltyCampaign(c, c.params.campaignId),
  ),
  write(
    "PUT /v1/loyalties/{campaignId}",
    {
      id: "updateLoyaltyCampaign",
      summary: "Update a loyalty campaign",
      description:
        "What is not sent keeps its value; metadata is merged key by key. Cards that were published keep what they had.",
      params: ByLoyaltyCampaign,
      body: LoyaltyCampaignUpdate,
      ok: CampaignView,
    },
    async (c) => {
      const { id } = await lockLoyaltyCampaign(c.db, c.project.id, c.params.campaignId);
      return changeCampaign(c, id, c.body);
    },
  ),
  write(
    "DELETE /v1/loyalties/{campaignId}",
    {
      id: "deleteLoyaltyCampaign",
      summary: "Delete a loyalty campaign with its cards",
      description: "Nothing finds it from now on; its cards are deleted in the background.",
      params: ByLoyaltyCampaign,
      query: LoyaltyCampaignDelete,
      ok: Deleting,
    },
    async (c) => {
      const { id } = await lockLoyaltyCampaign(c.db, c.project.id, c.params.campaignId);
      return removeCampaign(c, id, c.query.force ?? false);
    },
  ),
];
