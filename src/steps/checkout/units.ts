import type { Catalog } from "../../catalog/catalog.ts";
import { type Discount, unitTypesOf } from "../../core/discounts/discount.ts";
import type { CatalogueUnits } from "../../core/discounts/units.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import { type Goods, membershipIn, unitsOf } from "../goods/goods.ts";
import type { Cart } from "./carts.ts";
import { discountOf } from "./redeemables.ts";
import { collectionsNamed } from "./rule-facts.ts";

/** What the discounts of these codes and tiers may add to a cart. */
export function unitTypesFor(
  requests: readonly { catalog: Catalog }[],
  vouchers: readonly VoucherRow[],
  tiers: readonly PromotionTierRow[],
): ReadonlySet<string> {
  const catalogs = [...new Set(requests.map(({ catalog }) => catalog))];
  const discounts: (Discount | null)[] = [
    ...tiers.map(({ action }) => action.discount),
    ...catalogs.flatMap((catalog) => vouchers.map((row) => discountOf(row, catalog))),
  ];
  return new Set(discounts.flatMap(unitTypesOf));
}

const NO_UNITS: CatalogueUnits = new Map();
export const unitsFor = (
  types: ReadonlySet<string>,
  goods: Goods,
  catalog: Catalog,
  { moment, steps }: Cart,
): CatalogueUnits =>
  types.size === 0 ? NO_UNITS : unitsOf(goods, membershipIn(collectionsNamed(catalog, types), goods, moment, steps));
