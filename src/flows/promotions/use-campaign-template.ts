import { isDeepStrictEqual } from "node:util";
import { type Static, Type } from "typebox";
import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import type { DiscountSent } from "../../core/discounts/schema.ts";
import { ApiError } from "../../core/errors.ts";
import { skuMetadata } from "../../core/order/collections.ts";
import { Nullable, open, optional, type Props } from "../../core/shapes.ts";
import type { KeptMetadata, KeptProduct, KeptSku, TemplateContent } from "../../core/templates/content.ts";
import { withIds } from "../../core/templates/named.ts";
import type { ValidityFields } from "../../core/time/validity.ts";
import { CodeConfigSchema, QuantitySchema } from "../../core/vouchers/schema.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/commit.ts";
import { record } from "../../events/events.ts";
import { locations } from "../../resources/catalogue/locations/store.ts";
import { productCollections } from "../../resources/catalogue/product-collections/store.ts";
import { findProducts, insertProduct, productsNamed } from "../../resources/catalogue/products/store.ts";
import { findSkus, insertSku, skusOf } from "../../resources/catalogue/skus/store.ts";
import { segments } from "../../resources/customers/segments/store.ts";
import { CreatedResources } from "../../resources/promotions/campaign-templates/schema.ts";
import { lockCampaignTemplate } from "../../resources/promotions/campaign-templates/store.ts";
import { CampaignView, campaignCreate } from "../../resources/promotions/campaigns/schema.ts";
import { PromotionTier, PromotionTierCreate } from "../../resources/promotions/promotion-tiers/schema.ts";
import type { ValidationRuleCreate } from "../../resources/promotions/validation-rules/schema.ts";
import { createSegment } from "../../steps/customers/segments.ts";
import { createCollection } from "../../steps/goods/product-collections.ts";
import { insertValidationRule } from "../../steps/promotions/validation-rules.ts";

const without = <P extends Props, K extends keyof P>(props: P, keys: readonly K[]) =>
  Object.fromEntries(Object.entries(props).filter(([key]) => !keys.includes(key as K))) as Omit<P, K>;

const Voucher = open(
  optional({
    code_config: Nullable(CodeConfigSchema),
    redemption: Nullable(open({ quantity: Type.Optional(QuantitySchema) })),
  }),
);
const FIXED = ["campaign_type", "voucher", "validation_rules", "referral_program", "loyalty_tiers_expiration"] as const;
/** What is not sent is that of the template; its value and its rules always are. */
export const CampaignSetup = open({
  ...without(campaignCreate, FIXED),
  voucher: Type.Optional(Nullable(Voucher)),
});
export type CampaignSetup = Static<typeof CampaignSetup>;
export const TierSetup = open({
  campaign_id: Type.String({ minLength: 1, maxLength: 200, description: "A promotion campaign, by its id or name." }),
  ...without(PromotionTierCreate.properties, ["action", "validation_rules", "validation_rule_assignments"]),
});
export type TierSetup = Static<typeof TierSetup>;

export const CampaignSetupDone = Type.Object({
  created_resources: CreatedResources,
  campaign: CampaignView,
  object: Type.Literal("campaign_setup"),
});
export const TierSetupDone = Type.Object({
  created_resources: CreatedResources,
  promotion_tier: PromotionTier,
  object: Type.Literal("promotion_tier_setup"),
});

/** The campaign that a template makes. What it needs and is not there has been made, and is told. */
export async function campaignOfTemplate(c: WriteCtx, id: string, { voucher, ...sent }: CampaignSetup) {
  const { campaign_type, content } = await lockCampaignTemplate(c.db, c.project.id, id);
  const { settings, rules, created_resources } = await materialise(c, content);
  const { discount, gift, metadata } = settings;
  const { code_config, ...general } = content.campaign;
  const quantity = voucher?.redemption?.quantity;
  const campaign = {
    ...{ metadata, ...general, ...validityOf(settings) },
    ...given(sent, CampaignSetup),
    campaign_type,
    vouchers_count: sent.vouchers_count ?? 0,
    voucher: {
      ...(discount && { discount }),
      ...(gift && { gift }),
      redemption: { quantity: quantity === undefined ? settings.quantity : quantity },
      code_config: voucher?.code_config ?? code_config,
    },
    validation_rules: rules,
  };
  return { campaign, created_resources };
}

/** The promotion tier that a template makes, in the same way. */
export async function tierOfTemplate(c: WriteCtx, id: string, { campaign_id: _, ...sent }: TierSetup) {
  const { content } = await lockCampaignTemplate(c.db, c.project.id, id);
  // Contract is silent: how a template of gift cards is refused here.
  if (!content.settings.discount)
    throw new ApiError("invalid_payload", { details: "Only a template of discounts can become a promotion tier" });
  const { settings, rules, created_resources } = await materialise(c, content);
  const { discount, metadata } = settings;
  const tier = {
    ...{ metadata, banner: content.banner, ...validityOf(settings) },
    ...given(sent, TierSetup),
    action: { discount: discount! },
    validation_rules: rules,
  };
  return { tier, created_resources };
}

/** As they are sent; those of a body are not marked as read-only. */
const validityOf = (fields: ValidityFields) => {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = fields;
  const validity = { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours };
  return validity as Pick<TierSetup, keyof ValidityFields>;
};

/** What is sent of the fields that may be: a body can hold others all the same. */
const given = <T extends object>(sent: T, { properties }: { properties: object }) =>
  Object.fromEntries(Object.entries(sent).filter(([key, value]) => key in properties && value !== undefined)) as T;

/** Where what a template names is in this project, by the id it had, and what had to be made for it. */
type Found = { ids: Map<string, string>; created: CreatedResources };

/** The settings and rules of a template in this project. Rules are always made anew; they belong to what is made now. */
async function materialise(c: WriteCtx, content: TemplateContent) {
  const catalog = await c.catalog();
  requireSameMetadata(catalog, content.metadata);
  const found: Found = { ids: new Map(), created: [] };
  await findOrMakeProducts(c, catalog, content.products, found);
  await findOrMakeSkus(c, catalog, content, found);
  await findOrMakeLocations(c, content.locations, found);
  await findOrMakeCollections(c, content.product_collections, found);
  await findOrMakeSegments(c, content.segments, found);
  const rules: string[] = [];
  for (const kept of content.validation_rules) {
    const rule = await insertValidationRule(c, withIds(kept, found.ids) as ValidationRuleCreate);
    await record(c, [{ kind: "business_validation_rule.created", payload: { rule } }]);
    found.created.push({ id: rule.id, object: "validation_rules" });
    rules.push(rule.id);
  }
  // The same fields; those of a body are not marked as read-only.
  const discount = withIds(content.settings.discount, found.ids) as DiscountSent | null;
  return { settings: { ...content.settings, discount }, rules, created_resources: found.created };
}

/** Schemas of metadata are never made, and a key that means something else here would make other rules. */
function requireSameMetadata({ metadata_schemas }: Catalog, kept: readonly KeptMetadata[]): void {
  for (const { related_object, property, type, array } of kept) {
    const { properties = {} } = metadata_schemas.get(related_object) ?? {};
    const here = Object.hasOwn(properties, property) ? properties[property] : undefined;
    if (here && !here.deleted && (here.type !== type || here.array !== array))
      throw new ApiError("metadata_validation_failed", {
        details: `${property}: is ${wordsOf(here)} in the metadata schema of ${related_object}, and ${wordsOf({ type, array })} in the template`,
      });
  }
}
const wordsOf = ({ type, array }: Pick<KeptMetadata, "type" | "array">) => (array ? `an array of ${type}` : type);

/** The one that says the same as what is kept; among several the one that is it. */
const sameAs = <K extends { id: string }>(kept: K, rows: Iterable<K>): K | undefined => {
  const same = [...rows].filter((row) =>
    isDeepStrictEqual(
      { ...kept, id: row.id },
      Object.fromEntries(Object.keys(kept).map((key) => [key, row[key as keyof K]])),
    ),
  );
  return same.find(({ id }) => id === kept.id) ?? same[0];
};

// Contract is silent: a product or SKU with the source id of one that is kept, and other details. The source id says
// that it is the same thing, and there cannot be two of them: it is used.
async function findOrMakeProducts(
  c: WriteCtx,
  catalog: Catalog,
  all: readonly KeptProduct[],
  { ids, created }: Found,
): Promise<void> {
  if (all.length === 0) return;
  const rows = [
    ...(await findProducts(c.db, c.project.id, [...new Set(all.flatMap(({ id, source_id }) => source_id ?? id))])),
    ...(await productsNamed(c.db, c.project.id, [
      ...new Set(all.flatMap(({ source_id, name }) => (source_id ? [] : (name ?? [])))),
    ])),
  ];
  const bySource = new Map(rows.map((row) => [row.source_id, row]));
  const byName = Map.groupBy(rows, ({ name }) => name);
  for (const kept of all) {
    const there = kept.source_id === null ? sameAs(kept, byName.get(kept.name) ?? []) : bySource.get(kept.source_id);
    if (there) ids.set(kept.id, there.id);
    if (there) continue;
    requireMetadata(catalog, "product", { metadata: kept.metadata, on: "create" });
    const stamps = { id: c.newId("prod"), project_id: c.project.id, created_at: c.now, updated_at: null };
    const made = await insertProduct(c.db, { ...kept, ...stamps });
    // Somebody else has just made it.
    if (!made) throw new StartOver();
    ids.set(kept.id, made.id);
    created.push({ id: made.id, object: "product" });
  }
}

/** Those of products that are there by now. */
async function findOrMakeSkus(
  c: WriteCtx,
  catalog: Catalog,
  { skus, products }: Pick<TemplateContent, "skus" | "products">,
  { ids, created }: Found,
): Promise<void> {
  if (skus.length === 0) return;
  const named = await findSkus(c.db, c.project.id, [...new Set(skus.flatMap(({ source_id }) => source_id ?? []))]);
  const bySource = new Map(named.map((row) => [row.source_id, row]));
  const all = skus.map((kept): KeptSku => ({ ...kept, product_id: ids.get(kept.product_id)! }));
  const ofProducts = await skusOf(c.db, c.project.id, [...new Set(all.map(({ product_id }) => product_id))], SKUS_SEEN);
  const metadataOf = new Map(products.map(({ id, metadata }) => [ids.get(id), metadata]));
  for (const kept of all) {
    const there =
      kept.source_id === null
        ? sameAs(kept, ofProducts.get(kept.product_id)?.rows ?? [])
        : bySource.get(kept.source_id);
    if (there) ids.set(kept.id, there.id);
    if (there) continue;
    const metadata = skuMetadata(metadataOf.get(kept.product_id) ?? {}, kept.metadata);
    requireMetadata(catalog, "product", { metadata, on: "create" });
    const stamps = { id: c.newId("sku"), project_id: c.project.id, created_at: c.now, updated_at: null };
    const made = await insertSku(c.db, { ...kept, ...stamps });
    if (!made) throw new StartOver();
    ids.set(kept.id, made.id);
    created.push({ id: made.id, object: "sku" });
  }
}
/** Of a product with more SKUs without source ids, the oldest are compared. */
const SKUS_SEEN = 1_000;

async function findOrMakeLocations(
  c: WriteCtx,
  all: TemplateContent["locations"],
  { ids, created }: Found,
): Promise<void> {
  if (all.length === 0) return;
  const rows = await locations.load(c.db, c.project.id, null);
  for (const kept of all) {
    const there = sameAs(kept, rows);
    const stamps = { id: c.newId("loc"), project_id: c.project.id, created_at: c.now, updated_at: null };
    const { id } = there ?? (await locations.insert(c.db, { ...kept, ...stamps }));
    ids.set(kept.id, id);
    if (!there) created.push({ id, object: "location" });
  }
}

async function findOrMakeCollections(
  c: WriteCtx,
  all: TemplateContent["product_collections"],
  { ids, created }: Found,
): Promise<void> {
  if (all.length === 0) return;
  // The rows: who used the template just before may have made them.
  const rows: { id: string }[] = await productCollections.load(c.db, c.project.id, null);
  for (const kept of all) {
    const { id: _, ...here } = withIds(kept, ids);
    const there = sameAs({ ...here, id: kept.id }, rows);
    const { name, type, products, filter } = here;
    const { id } = there ?? (await createCollection(c, { name, type, products, ...(filter && { filter }) }));
    ids.set(kept.id, id);
    if (!there) created.push({ id, object: "products_collection" });
  }
}

async function findOrMakeSegments(
  c: WriteCtx,
  all: TemplateContent["segments"],
  { ids, created }: Found,
): Promise<void> {
  if (all.length === 0) return;
  const rows: { id: string }[] = await segments.load(c.db, c.project.id, null);
  for (const kept of all) {
    const { id: _, ...here } = withIds(kept, ids);
    const there = sameAs({ ...here, id: kept.id }, rows);
    const { id } = there ?? (await createSegment(c, here));
    ids.set(kept.id, id);
    if (!there) created.push({ id, object: "segments" });
  }
}
