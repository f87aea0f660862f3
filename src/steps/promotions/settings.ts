import type { Catalog } from "../../catalog/catalog.ts";
import { ALL_PRODUCTS_ID, type Discount, unitTypesOf } from "../../core/discounts/discount.ts";
import { type DiscountSent, discountFault, parseDiscount } from "../../core/discounts/schema.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { formulaFault } from "../../core/formula/parse.ts";
import { parseExpirationRules } from "../../core/loyalty/campaign/shapes.ts";
import type { CampaignValidity } from "../../core/time/schema.ts";
import { type ValidityFields, validityFieldsFault } from "../../core/time/validity.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { LoyaltyCardSent } from "../../core/vouchers/schema.ts";
import type { LoyaltyCardSettings } from "../../core/vouchers/settings.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import type { Db } from "../../db/db.ts";
import type { Project } from "../../request.ts";
import { type CategoryRow, categoryNamed, view as categoryView } from "../../resources/catalogue/categories/store.ts";
import { productCollections } from "../../resources/catalogue/product-collections/store.ts";
import { loadGoods } from "../goods/goods.ts";

/** The discount as it is stored; 400 `invalid_payload` when its fields do not fit together. */
export function requireDiscount(sent: DiscountSent, path: string): Discount {
  const details = discountFault(sent, { path, formulaFault });
  if (details !== null) throw invalid(details);
  return parseDiscount(sent);
}

/** The points of a card as they are stored; 400 `invalid_payload` when how they expire does not fit together. */
export const requireLoyaltyCard = (
  { points, expiration_rules: rules }: LoyaltyCardSent,
  path: string,
): Partial<LoyaltyCardSettings> => ({
  points,
  ...(rules !== undefined && { expiration_rules: rules && parseExpirationRules(rules, `${path}.expiration_rules`) }),
});

const utc = (moment: string | null) =>
  moment && Temporal.Instant.from(moment).toString({ smallestUnit: "millisecond" });

/** 404 when a unit discount gives units of something that is not there: a product, a SKU or a collection. */
export async function requireUnits(
  c: Pick<WriteCtx, "db" | "project">,
  catalog: Catalog,
  discount: Discount | null | undefined,
): Promise<void> {
  const [missing] = await missingUnits(c, catalog, [discount ?? null]);
  if (missing !== undefined) throw notFound("product", missing);
}

/** What unit discounts give units of and what is not there, in a few statements however many discounts there are. */
export async function missingUnits(
  c: Pick<Ctx<Db>, "db" | "project">,
  catalog: Catalog,
  discounts: readonly (Discount | null)[],
): Promise<string[]> {
  const types = [...new Set(discounts.flatMap(unitTypesOf))].filter((id) => !catalog.product_collections.has(id));
  if (types.length === 0) return [];
  const { products, skus } = await loadGoods(c.db, c.project.id, { products: types, skus: types });
  const others = types.filter((id) => id !== ALL_PRODUCTS_ID && !products.has(id) && !skus.has(id));
  // A collection that the same request made is not in the catalog yet.
  const made = others.length > 0 ? await productCollections.load(c.db, c.project.id, others) : [];
  return others.filter((id) => !made.some((row) => row.id === id));
}

/** The fields when they fit together, with their moments in UTC; else 400 `invalid_payload`. */
export function requireValidity(fields: ValidityFields, { timezone }: Pick<Project, "timezone">): ValidityFields {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = fields;
  const kept = { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours };
  const details = validityFieldsFault({ ...kept, zone: zoneOf({ timezone }) });
  if (details !== null) throw invalid(details);
  return { ...kept, start_date: utc(start_date), expiration_date: utc(expiration_date) };
}

type Named = { category?: string | null; category_id?: string | null };

// Contract is silent: clients send names of categories that nobody made. See ADR 0011.
/**
 * The category that a body names: by id, 404 without it, or by name, which is made when there is none. Undefined when
 * the body says nothing about it, null when it says none.
 */
export async function findOrAddCategory(
  c: WriteCtx,
  catalog: Catalog,
  named: Named,
): Promise<string | null | undefined> {
  const { category, category_id } = named;
  if (category_id) {
    if (!catalog.categories.has(category_id)) throw notFound("category", category_id);
    return category_id;
  }
  if (category) {
    const id = c.newId("cat");
    const { row, created } = await categoryNamed(c.db, c.project.id, { id, name: category, created_at: c.now });
    if (created) c.changed("category", row.id);
    return row.id;
  }
  return category_id === null || category === null || category === "" ? null : undefined;
}

/** How the category of an object is shown; one that no longer exists is shown as none. */
export function categoryShown({ categories }: Pick<Catalog, "categories">, id: string | null) {
  const row: CategoryRow | undefined = id === null ? undefined : categories.get(id);
  return row
    ? { category: row.name, category_id: row.id, categories: [categoryView(row)] }
    : { category: null, category_id: null, categories: [] };
}

/** When a campaign is active, as it is shown: dates that it does not have are left out. */
export function campaignValidity(fields: ValidityFields): CampaignValidity {
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = fields;
  return {
    ...(start_date !== null && { start_date }),
    ...(expiration_date !== null && { expiration_date }),
    ...{ validity_timeframe, validity_day_of_week, validity_hours },
  } as CampaignValidity;
}
