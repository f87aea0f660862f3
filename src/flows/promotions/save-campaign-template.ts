import { unitTypesOf } from "../../core/discounts/discount.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import type {
  KeptMetadata,
  KeptProduct,
  KeptSegment,
  KeptSku,
  TemplateContent,
  TemplateType,
} from "../../core/templates/content.ts";
import { TEMPLATE_TYPES } from "../../core/templates/content.ts";
import { type MetadataKey, namedInDefinitions, namedInFilters } from "../../core/templates/named.ts";
import { permissionsOf, permits } from "../../core/users/roles.ts";
import { NO_SETTINGS } from "../../core/vouchers/settings.ts";
import type { WriteCtx } from "../../ctx.ts";
import { locations } from "../../resources/catalogue/locations/store.ts";
import { type ProductCollectionRow, productCollections } from "../../resources/catalogue/product-collections/store.ts";
import { findProducts, type ProductRow } from "../../resources/catalogue/products/store.ts";
import { findSkus, type SkuRow } from "../../resources/catalogue/skus/store.ts";
import { segments } from "../../resources/customers/segments/store.ts";
import { getProject } from "../../resources/platform/projects/store.ts";
import { listProjectsOf } from "../../resources/platform/users/session-store.ts";
import type {
  CampaignTemplateCopy,
  CampaignTemplateCreate,
} from "../../resources/promotions/campaign-templates/schema.ts";
import { type CampaignTemplateRow, campaignTemplates } from "../../resources/promotions/campaign-templates/store.ts";
import { getCampaign } from "../../resources/promotions/campaigns/store.ts";
import { getPromotionTier } from "../../resources/promotions/promotion-tiers/store.ts";
import { loadAssignmentsOf } from "../../resources/promotions/validation-rule-assignments/store.ts";
import { validationRules } from "../../resources/promotions/validation-rules/store.ts";

// Contract is silent: how much a template may hold.
const GOODS_MAX = 2_000;

/** What a template is taken from: a campaign, or a tier as if it were a campaign of discount codes. */
type Source = Pick<TemplateContent, "campaign" | "banner" | "settings"> & { id: string; campaign_type: TemplateType };

/** Takes a template from a campaign or a promotion tier as it is now. What becomes of that later changes nothing. */
export async function createTemplate(c: WriteCtx, sent: CampaignTemplateCreate): Promise<CampaignTemplateRow> {
  const { name, description = null, campaign_id, promotion_tier_id } = sent;
  if (Boolean(campaign_id) === Boolean(promotion_tier_id))
    throw invalid("Payload must have exactly one of the properties 'campaign_id' and 'promotion_tier_id'");
  const source = campaign_id ? await campaignSource(c, campaign_id) : await tierSource(c, promotion_tier_id!);
  const { campaign_type } = source;
  const content = await contentOf(c, source);
  const made = { id: c.newId("camp_tpl"), project_id: c.project.id, created_at: c.now };
  c.changed("campaign_template", made.id);
  return campaignTemplates.insert(c.db, { ...made, name, description, campaign_type, content });
}

/** The same template in another project. What its rules name is looked for there when the template is used. */
export async function copyTemplate(c: WriteCtx, id: string, sent: CampaignTemplateCopy): Promise<CampaignTemplateRow> {
  const { campaign_type, content, ...original } = await campaignTemplates.get(c.db, c.project.id, id);
  const { destination_project_id, name, description = original.description } = sent;
  await requireDestination(c, destination_project_id);
  const { id: project_id } = await getProject(c.db, destination_project_id);
  const made = { id: c.newId("camp_tpl"), project_id, created_at: c.now };
  c.changed("campaign_template", made.id, project_id);
  return campaignTemplates.insert(c.db, { ...made, name, description, campaign_type, content });
}

/** A user copies to projects that they may make templates in; a project that they are not in is not there for them. */
async function requireDestination({ db, caller }: WriteCtx, projectId: string): Promise<void> {
  if (caller.kind !== "session") return;
  const member = (await listProjectsOf(db, caller.key_id)).find(({ id }) => id === projectId);
  if (!member) throw notFound("project", projectId);
  if (!permits(permissionsOf(member.role, member.permissions), "templates.create"))
    throw new ApiError("missing_required_permission", {
      details: `The user needs the permission templates.create in project ${projectId}`,
    });
}

async function campaignSource(c: WriteCtx, reference: string): Promise<Source> {
  const row = await getCampaign(c.db, c.project.id, reference);
  const { id, campaign_type, creation_status, code_config, settings } = row;
  const { type, description, auto_join, join_once, use_voucher_metadata_schema } = row;
  const { activity_duration_after_publishing } = row;
  const isSupported = (one: string): one is TemplateType => (TEMPLATE_TYPES as readonly string[]).includes(one);
  if (!isSupported(campaign_type) || creation_status === "DRAFT")
    throw new ApiError("campaign_type_is_not_supported_by_campaign_template", {
      details: `Campaign ${id} is ${creation_status === "DRAFT" ? "a draft" : `of the type ${campaign_type}`}; a template is taken from a campaign of one of the types ${TEMPLATE_TYPES.join(", ")}`,
      resource_id: id,
      resource_type: "campaign",
    });
  const general = { type, description, auto_join, join_once, use_voucher_metadata_schema };
  return {
    ...{ id, campaign_type, settings, banner: null },
    campaign: { ...general, activity_duration_after_publishing, code_config: code_config ?? {} },
  };
}

// Contract is silent: when a campaign that is made from a tier is active. What the tier says itself is kept, and not
// what it takes from its campaign.
async function tierSource(c: WriteCtx, tierId: string): Promise<Source> {
  const tier = await getPromotionTier(c.db, c.project.id, tierId);
  const { id, action, banner, metadata, start_date, expiration_date } = tier;
  const { validity_timeframe, validity_day_of_week, validity_hours } = tier;
  const validity = { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours };
  return {
    ...{ id, banner, campaign_type: "DISCOUNT_COUPONS" },
    settings: { ...NO_SETTINGS, discount: action.discount, metadata, ...validity },
    campaign: {
      ...{ type: "AUTO_UPDATE", description: null, auto_join: false, join_once: false },
      ...{ use_voucher_metadata_schema: true, activity_duration_after_publishing: null, code_config: {} },
    },
  };
}

/** The source with its rules and everything that they name. What they name and is not there cannot be kept. */
async function contentOf(c: WriteCtx, { id, campaign, banner, settings }: Source): Promise<TemplateContent> {
  const rules = await templateRules(c, id);
  const named = namedInDefinitions(rules, unitTypesOf(settings.discount));
  if (named.unsupported.length > 0)
    throw invalid(`A template cannot hold the validation rules ${named.unsupported.join(", ")}`);
  const kept = await segmentsOf(c, named.segments);
  const collections = await productCollections.load(c.db, c.project.id, named.product_collections);
  const customers = namedInFilters(
    kept.map(({ filter }) => filter),
    "customer",
  );
  const filtered = namedInFilters(
    collections.flatMap(({ filter }) => (filter ? [filter] : [])),
    "product",
  );
  const members = collections.flatMap(({ products }) => products);
  const { products, skus } = await keptGoods(c, {
    products: [...named.products, ...filtered.products, ...memberIds(members, "product")],
    skus: [...named.skus, ...filtered.skus, ...memberIds(members, "sku")],
  });
  const there = new Set([...products, ...skus].map((one) => one.id));
  const places = await locations.load(c.db, c.project.id, [...customers.locations, ...filtered.locations]);
  return {
    ...{ campaign, banner, settings, products, skus },
    validation_rules: rules.map(({ name, type, context_type, rules, bundle_rules, applicable_to, error }) => ({
      ...{ name, type, context_type, rules, bundle_rules, applicable_to, error },
    })),
    product_collections: collections.map(({ id, name, type, products, filter }) => ({
      ...{ id, name, type, filter, products: products.filter((one) => there.has(one.id)) },
    })),
    segments: kept,
    locations: places.map(({ id, name, shape }) => ({ id, name, shape })),
    metadata: await definitionsOf(c, [...named.metadata, ...customers.metadata, ...filtered.metadata]),
    custom_events: customers.custom_events,
  };
}

/** The rules that are assigned to an object, in that order. */
async function templateRules(c: WriteCtx, objectId: string) {
  const assigned = (await loadAssignmentsOf(c.db, c.project.id, [objectId])).get(objectId) ?? [];
  const ids = assigned.map(({ rule_id }) => rule_id);
  const byId = new Map((await validationRules.load(c.db, c.project.id, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function segmentsOf(c: WriteCtx, ids: readonly string[]): Promise<KeptSegment[]> {
  return (await segments.load(c.db, c.project.id, ids)).map(({ id, name, type, filter }) => {
    // Its customers are those of one project.
    if (type === "static" || filter === null)
      throw invalid(`A template cannot hold the static segment ${id} (${name})`);
    return { id, name, type, filter };
  });
}

const memberIds = (members: ProductCollectionRow["products"], object: "product" | "sku") =>
  members.filter((one) => one.object === object).map(({ id }) => id);

type References = { products: readonly string[]; skus: readonly string[] };

/** What the references name, by id or source id; of SKUs their products too. */
async function keptGoods(c: WriteCtx, named: References): Promise<{ products: KeptProduct[]; skus: KeptSku[] }> {
  const skus = await findSkus(c.db, c.project.id, [...new Set(named.skus)]);
  const parents = skus.map(({ product_id }) => product_id);
  const products = await findProducts(c.db, c.project.id, [...new Set([...named.products, ...parents])]);
  if (products.length + skus.length > GOODS_MAX)
    throw invalid(`A template cannot hold more than ${GOODS_MAX} products and SKUs`);
  return { products: products.map(keptProduct), skus: skus.map(keptSku) };
}

const keptProduct = ({ id, source_id, name, price, attributes, metadata, image_url }: ProductRow): KeptProduct => ({
  ...{ id, source_id, name, price, attributes, metadata, image_url },
});
const keptSku = (row: SkuRow): KeptSku => {
  const { id, source_id, product_id, sku, price, currency, attributes, metadata, image_url } = row;
  return { id, source_id, product_id, sku, price, currency, attributes, metadata, image_url };
};

/** How the project defines the keys; those that it does not define are free. */
async function definitionsOf(c: WriteCtx, keys: readonly MetadataKey[]): Promise<KeptMetadata[]> {
  const { metadata_schemas } = await c.catalog();
  return keys.flatMap(({ related_object, property }) => {
    const definition = Object.entries(metadata_schemas.get(related_object)?.properties ?? {}).find(
      ([key]) => key === property,
    )?.[1];
    if (!definition || definition.deleted) return [];
    return [{ related_object, property, type: definition.type, array: definition.array }];
  });
}
