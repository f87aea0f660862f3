import { createCampaign } from "../../../flows/promotions/save-campaign.ts";
import { copyTemplate, createTemplate } from "../../../flows/promotions/save-campaign-template.ts";
import { createPromotionTier } from "../../../flows/promotions/save-promotion-tier.ts";
import {
  CampaignSetup,
  CampaignSetupDone,
  campaignOfTemplate,
  TierSetup,
  TierSetupDone,
  tierOfTemplate,
} from "../../../flows/promotions/use-campaign-template.ts";
import { read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByCampaignTemplate,
  ByTemplateInProject,
  CampaignTemplate,
  CampaignTemplateCopy,
  CampaignTemplateCreate,
  CampaignTemplateList,
  CampaignTemplateQuery,
  CampaignTemplateRead,
  CampaignTemplateUpdate,
  ExpandQuery,
  InProject,
} from "./schema.ts";
import { listCampaignTemplates, campaignTemplates as store, view } from "./store.ts";

export const campaignTemplateRoutes = [
  read(
    "GET /v1/templates/campaigns",
    {
      id: "listCampaignTemplates",
      summary: "List campaign templates",
      query: CampaignTemplateQuery,
      ok: CampaignTemplateList,
    },
    async (c) => listCampaignTemplates(c.db, c.project.id, { ...c.query, now: c.now }),
  ),
  write(
    "POST /v1/templates/campaigns",
    {
      id: "createCampaignTemplate",
      summary: "Create a campaign template",
      description:
        "From a campaign of discount codes or gift cards, or from a promotion tier, as it is now: its settings, its rules and what they name. Its name, category and codes are not part of it.",
      body: CampaignTemplateCreate,
      ok: CampaignTemplate,
    },
    async (c) => view(await createTemplate(c, c.body)),
  ),
  read(
    "GET /v1/templates/campaigns/{campaignTemplateId}",
    {
      id: "getCampaignTemplate",
      summary: "Read a campaign template",
      params: ByCampaignTemplate,
      query: ExpandQuery,
      ok: CampaignTemplateRead,
    },
    async (c) => {
      const row = await store.get(c.db, c.project.id, c.params.campaignTemplateId);
      return { ...view(row), ...(c.query.expand && { json_template: row.content }) };
    },
  ),
  write(
    "PUT /v1/templates/campaigns/{campaignTemplateId}",
    {
      id: "updateCampaignTemplate",
      summary: "Update a campaign template",
      description: "Only the fields that are sent change. `description: null` takes the description away.",
      params: ByCampaignTemplate,
      body: CampaignTemplateUpdate,
      ok: CampaignTemplate,
    },
    async (c) => {
      const { name, description } = c.body;
      c.changed("campaign_template", c.params.campaignTemplateId);
      const patch = { name, description, updated_at: c.now };
      return view(await store.update(c.db, c.project.id, c.params.campaignTemplateId, patch));
    },
  ),
  write(
    "DELETE /v1/templates/campaigns/{campaignTemplateId}",
    {
      id: "deleteCampaignTemplate",
      summary: "Delete a campaign template",
      description: "What was made from it stays.",
      params: ByCampaignTemplate,
      ok: Empty,
    },
    async (c) => {
      c.changed("campaign_template", c.params.campaignTemplateId);
      await store.remove(c.db, c.project.id, c.params.campaignTemplateId);
      return null;
    },
  ),
  write(
    "POST /v1/templates/campaigns/{campaignTemplateId}/campaign-setup",
    {
      id: "createCampaignFromTemplate",
      summary: "Create a campaign from a template",
      description:
        "What is sent takes the place of what the template holds. Its rules are made anew for this campaign; products, SKUs, collections, segments and locations that they name are used when they are there, and made otherwise.",
      params: ByCampaignTemplate,
      body: CampaignSetup,
      ok: CampaignSetupDone,
    },
    async (c) => {
      const { campaign, created_resources } = await campaignOfTemplate(c, c.params.campaignTemplateId, c.body);
      return { created_resources, campaign: await createCampaign(c, campaign), object: "campaign_setup" as const };
    },
  ),
  write(
    "POST /v1/templates/campaigns/{campaignTemplateId}/tier-setup",
    {
      id: "addTierFromTemplate",
      summary: "Add a promotion tier from a template",
      description: "To a promotion campaign, from a template of discounts; otherwise as a campaign is made from one.",
      params: ByCampaignTemplate,
      body: TierSetup,
      ok: TierSetupDone,
    },
    async (c) => {
      const { tier, created_resources } = await tierOfTemplate(c, c.params.campaignTemplateId, c.body);
      const promotion_tier = await createPromotionTier(c, c.body.campaign_id, tier);
      return { created_resources, promotion_tier, object: "promotion_tier_setup" as const };
    },
  ),
  read(
    "GET /management/v1/projects/{projectId}/templates/campaigns",
    {
      id: "listCampaignTemplatesOfProject",
      summary: "List the campaign templates of a project",
      params: InProject,
      query: CampaignTemplateQuery,
      ok: CampaignTemplateList,
    },
    async (c) => listCampaignTemplates(c.db, c.project.id, { ...c.query, now: c.now }),
  ),
  write(
    "POST /management/v1/projects/{projectId}/templates/campaigns/{campaignTemplateId}/copy",
    {
      id: "copyCampaignTemplate",
      summary: "Copy a campaign template to another project",
      description: "What its rules name is looked for, or made, in the other project when the template is used there.",
      params: ByTemplateInProject,
      body: CampaignTemplateCopy,
      ok: CampaignTemplate,
    },
    async (c) => view(await copyTemplate(c, c.params.campaignTemplateId, c.body)),
  ),
];
