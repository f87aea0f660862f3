import { type Static, Type } from "typebox";
import { TEMPLATE_TYPES } from "../../../core/templates/content.ts";
import { Choice, DateTime, Filters, FreeMap, Id, Nullable, open, optional, strict } from "../../../http/schemas.ts";

const name = Type.String({ minLength: 1, maxLength: 200, description: "Unique in the project." });
const description = Nullable(Type.String({ maxLength: 5000 }));

const fields = {
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String({ description: "Left out when there is none." })),
  campaign_type: Choice(TEMPLATE_TYPES),
  created_at: DateTime,
  updated_at: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: "Left out until it is updated." })),
  object: Type.Literal("campaign_template"),
};
export const CampaignTemplate = Type.Object(fields, { title: "CampaignTemplate" });
export type CampaignTemplate = Static<typeof CampaignTemplate>;
export const CampaignTemplateRead = Type.Object({
  ...fields,
  json_template: Type.Optional(
    FreeMap<object>("CampaignTemplateContent", "The body of the campaign to be made, when asked for."),
  ),
});

export const CampaignTemplateCreate = open({
  name,
  ...optional({
    description,
    campaign_id: Nullable(Type.String({ ...Id, description: "The campaign to take it from, by id or name." })),
    promotion_tier_id: Nullable(Type.String({ ...Id, description: "Or the promotion tier." })),
  }),
});
export type CampaignTemplateCreate = Static<typeof CampaignTemplateCreate>;
export const CampaignTemplateUpdate = open(optional({ name, description }));
export const CampaignTemplateCopy = strict({
  destination_project_id: Id,
  name,
  description: Type.Optional(
    Type.Unsafe<string | null>({ ...description, description: "That of the template unless it is sent." }),
  ),
});
export type CampaignTemplateCopy = Static<typeof CampaignTemplateCopy>;

export const CampaignTemplateList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(CampaignTemplate),
  total: Type.Optional(Type.Integer({ minimum: 0, description: "With `include_total`." })),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next page." })),
});
export type CampaignTemplateList = Static<typeof CampaignTemplateList>;
export const CampaignTemplateQuery = Type.Object(
  optional({
    limit: Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." }),
    order: Choice(["id", "-id"], { description: "Oldest first; a leading dash means newest first." }),
    starting_after_id: Type.String({ maxLength: 200, description: "The id of the last one of the page before." }),
    include_total: Type.Boolean(),
    filters: Filters,
  }),
);
export type CampaignTemplateQuery = Static<typeof CampaignTemplateQuery>;
export const ExpandQuery = Type.Object({ expand: Type.Optional(Choice(["json_template"])) });

export const ByCampaignTemplate = Type.Object({ campaignTemplateId: Type.String() });
export const InProject = Type.Object({ projectId: Type.String() });
export const ByTemplateInProject = Type.Object({ projectId: Type.String(), campaignTemplateId: Type.String() });

export const CreatedResources = Type.Array(
  Type.Object({
    id: Type.String(),
    object: Choice(["validation_rules", "product", "sku", "products_collection", "segments", "location"]),
  }),
  { description: "What was made along with it. What was there already is used as it is." },
);
export type CreatedResources = Static<typeof CreatedResources>;
