import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import {
  benefitsOfEarnings,
  type Earning,
  requireOverride,
  type Trigger,
  walletPoints,
  walletsOfEarnings,
} from "../../core/loyalty/earning/earning-rule.ts";
import { type CountedLines, rateOf } from "../../core/loyalty/earning/proportional.ts";
import type { Digital, Material } from "../../core/loyalty/program/material.ts";
import type { TierRules } from "../../core/loyalty/tiers/rules.ts";
import type { WriteCtx } from "../../ctx.ts";
import { loadGoods } from "../goods/goods.ts";

type InProject = Pick<WriteCtx, "db" | "project">;

// Goods are found by their source ids too; what is kept is an id.
const idSet = (rows: ReadonlyMap<string, { id: string }>) => new Set(rows.values().map(({ id }) => id));
function requireKnownIds(object: string, ids: Iterable<string>, known: { has(id: string): boolean }): void {
  for (const id of ids) if (!known.has(id)) throw notFound(object, id);
}

type Used = { wallets: Iterable<string>; benefits?: Iterable<string> };

/** 404 for a card definition or a benefit that is not there. */
export function requireComponents({ card_definitions, benefits }: Catalog, used: Used): void {
  requireKnownIds("card_definition", used.wallets, card_definitions);
  requireKnownIds("benefit", used.benefits ?? [], benefits);
}

/** 423 when something that is used is not active. */
export function requireActiveReferences(catalog: Catalog, { wallets, benefits = [] }: Used): void {
  const all = [
    ...[...wallets].map((id) => ({ object: "card_definition", id, row: catalog.card_definitions.get(id) })),
    ...[...benefits].map((id) => ({ object: "benefit", id, row: catalog.benefits.get(id) })),
  ];
  const idle = all.find(({ row }) => row?.status !== "ACTIVE");
  if (!idle) return;
  const { object, id, row } = idle;
  throw new ApiError("resource_locked", {
    details: `The ${object.replace("_", " ")} ${id} must be ACTIVE, and is ${row?.status ?? "DELETED"}`,
    resource_id: id,
    resource_type: object,
  });
}

export function requireTrigger({ custom_event_schemas, segments }: Catalog, { custom_event, segment }: Trigger): void {
  if (custom_event && !custom_event_schemas.values().some(({ id }) => id === custom_event.schema_id))
    throw notFound("custom_event_schema", custom_event.schema_id);
  if (segment && !segments.has(segment.id)) throw notFound("segment", segment.id);
}

/** 404 for a tier that is not there, and for one of another structure. */
export function requireTiers({ tier_structures, tiers }: Catalog, rules: readonly TierRules[]): void {
  for (const { tier_structure_id, tier_ids } of rules.flatMap(({ any_of }) => any_of ?? [])) {
    if (!tier_structures.has(tier_structure_id)) throw notFound("tier_structure", tier_structure_id);
    const other = tier_ids.find((id) => tiers.get(id)?.tier_structure_id !== tier_structure_id);
    if (other !== undefined) throw notFound("tier", other);
  }
}

/** 404 for a product, a SKU or a collection that is not there. */
export async function requireTargets(
  c: InProject,
  { product_collections }: Catalog,
  targets: readonly CountedLines[],
): Promise<void> {
  const ids = (field: "product" | "sku" | "products_collection") =>
    targets.flatMap((target) => target[field]?.id ?? []);
  requireKnownIds("product_collection", ids("products_collection"), product_collections);
  const [products, skus] = [ids("product"), ids("sku")];
  const goods = await loadGoods(c.db, c.project.id, { products, skus });
  requireKnownIds("product", products, idSet(goods.products));
  requireKnownIds("sku", skus, idSet(goods.skus));
}

/** 404 for goods that are not there, and for a SKU of another product. */
export async function requireMaterial(c: InProject, { product, sku }: Material): Promise<void> {
  const { products, skus } = await loadGoods(c.db, c.project.id, {
    products: [...(product ? [product.id] : []), ...(sku ? [sku.product_id] : [])],
    skus: sku ? [sku.id] : [],
  });
  const named = product?.id ?? sku!.product_id;
  if (products.get(named)?.id !== named) throw notFound("product", named);
  if (sku && (skus.get(sku.id)?.id !== sku.id || skus.get(sku.id)?.product_id !== named)) throw notFound("sku", sku.id);
}

/** 404 without the campaign, and 400 when its codes are of another kind. */
export function requireCampaign({ campaigns }: Catalog, { type, discount_coupons, gift_vouchers }: Digital): void {
  const id = (discount_coupons ?? gift_vouchers)?.campaign_id;
  if (id === undefined) return;
  const campaign = campaigns.get(id);
  if (!campaign) throw notFound("campaign", id);
  if (campaign.campaign_type !== type)
    throw invalid(`Property .digital.${type.toLowerCase()}.campaign_id must be a campaign of type ${type}`);
}

/** What the earnings of a rule name is there and fits. */
export async function requireEarnings(c: InProject, catalog: Catalog, earnings: readonly Earning[]): Promise<void> {
  requireComponents(catalog, { wallets: walletsOfEarnings(earnings), benefits: benefitsOfEarnings(earnings) });
  requireTiers(
    catalog,
    earnings.map(({ tier_rules }) => tier_rules),
  );
  const effects = earnings.flatMap((earning, n) =>
    earning.effects.map((effect, at) => ({
      effect,
      path: `.earnings[${n}].effects[${at}].${effect.type.toLowerCase()}`,
    })),
  );
  const targets = effects.flatMap(({ effect }) =>
    effect.type === "POINTS_PROPORTIONAL" ? (rateOf(effect.points_proportional).applicable_to ?? []) : [],
  );
  await requireTargets(c, catalog, targets);
  for (const { effect, path } of effects) {
    const into = walletPoints(effect);
    if (into?.points_expiration)
      requireOverride(
        into.points_expiration,
        catalog.card_definitions.get(into.card_definition_id)!,
        `${path}.points_expiration`,
      );
  }
}
