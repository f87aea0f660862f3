import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import type { DiscountSent } from "../../core/discounts/schema.ts";
import { ApiError } from "../../core/errors.ts";
import { skuMetadata } from "../../core/order/collections.ts";
import type { KeptMetadata, KeptProduct, KeptSku, TemplateContent } from "../../core/templates/content.ts";
import { replaceIds } from "../../core/templates/named.ts";
import type { WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import { record } from "../../events/events.ts";
import { locations } from "../../resources/catalogue/locations/store.ts";
import { productCollections } from "../../resources/catalogue/product-collections/store.ts";
import { findProducts, insertProduct, productsNamed } from "../../resources/catalogue/products/store.ts";
import { findSkus, insertSku, skusOf } from "../../resources/catalogue/skus/store.ts";
import { segments } from "../../resources/customers/segments/store.ts";
import type { CreatedResources } from "../../resources/promotions/campaign-templates/schema.ts";
import type { ValidationRuleCreate } from "../../resources/promotions/validation-rules/schema.ts";
import { createSegment } from "../customers/segments.ts";
import { createCollection } from "../goods/product-collections.ts";
import { insertValidationRule } from "./validation-rules.ts";

/** The ids in this project of what a template names, by the id in the template, and what had to be created for it. */
type TemplateResources = { ids: Map<string, string>; created: CreatedResources };

/** The settings and rules of a template in this project. Rules are always made anew; they belong to what is made now. */
export async function makeTemplateResources(c: WriteCtx, content: TemplateContent) {
  const catalog = await c.catalog();
  requireSameMetadata(catalog, content.metadata);
  const resources: TemplateResources = { ids: new Map(), created: [] };
  await findOrMakeProducts(c, catalog, content.products, resources);
  await findOrMakeSkus(c, catalog, content, resources);
  await findOrMake(resources, content.locations, {
    object: "location",
    load: () => locations.load(c.db, c.project.id, null),
    make: (kept) => locations.insert(c.db, { ...kept, ...stampsOf(c, "loc") }),
  });
  await findOrMake(resources, content.product_collections, {
    object: "products_collection",
    load: () => productCollections.load(c.db, c.project.id, null),
    make: ({ name, type, products, filter }) =>
      createCollection(c, { name, type, products, ...(filter && { filter }) }),
  });
  await findOrMake(resources, content.segments, {
    object: "segments",
    load: () => segments.load(c.db, c.project.id, null),
    make: (kept) => createSegment(c, kept),
  });
  const rules: string[] = [];
  for (const kept of content.validation_rules) {
    const rule = await insertValidationRule(c, replaceIds(kept, resources.ids) as ValidationRuleCreate);
    await record(c, [{ kind: "business_validation_rule.created", payload: { rule } }]);
    resources.created.push({ id: rule.id, object: "validation_rules" });
    rules.push(rule.id);
  }
  // The same fields; those of a body are not marked as read-only.
  const discount = replaceIds(content.settings.discount, resources.ids) as DiscountSent | null;
  return { settings: { ...content.settings, discount }, rules, created_resources: resources.created };
}

const stampsOf = (c: WriteCtx, prefix: Parameters<WriteCtx["newId"]>[0]) => ({
  id: c.newId(prefix),
  project_id: c.project.id,
  created_at: c.now,
  updated_at: null,
});

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
  { ids, created }: TemplateResources,
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
    const made = await insertProduct(c.db, { ...kept, ...stampsOf(c, "prod") });
    // Somebody else has just made it.
    if (!made) throw new StartOver();
    ids.set(kept.id, made.id);
    created.push({ id: made.id, object: "product" });
  }
}

/** The SKUs of a template; their products exist by now. */
async function findOrMakeSkus(
  c: WriteCtx,
  catalog: Catalog,
  { skus, products }: Pick<TemplateContent, "skus" | "products">,
  { ids, created }: TemplateResources,
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
    const made = await insertSku(c.db, { ...kept, ...stampsOf(c, "sku") });
    if (!made) throw new StartOver();
    ids.set(kept.id, made.id);
    created.push({ id: made.id, object: "sku" });
  }
}
/** How many SKUs without a source id are compared for one product, the oldest first. */
const SKUS_SEEN = 1_000;

type Kind<K> = {
  object: CreatedResources[number]["object"];
  /** The rows: who used the template just before may have made them. */
  load(): PromiseLike<readonly { id: string }[]>;
  make(kept: Omit<K, "id">): PromiseLike<{ id: string }>;
};

/** Finds what says the same as what is kept, and makes what is not there. */
async function findOrMake<K extends { id: string }>(
  { ids, created }: TemplateResources,
  all: readonly K[],
  { object, load, make }: Kind<K>,
): Promise<void> {
  if (all.length === 0) return;
  const rows = await load();
  for (const kept of all) {
    const { id: _, ...here } = replaceIds(kept, ids);
    const there = sameAs<{ id: string }>({ ...here, id: kept.id }, rows);
    const { id } = there ?? (await make(here));
    ids.set(kept.id, id);
    if (!there) created.push({ id, object });
  }
}
