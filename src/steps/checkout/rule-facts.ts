import type { Catalog } from "../../catalog/catalog.ts";
import { anyAsksPerCustomer } from "../../catalog/named-in-rules.ts";
import { rulesFor, rulesOf } from "../../catalog/rules.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { asksPerCustomer } from "../../core/rules/per-customer.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import { type BudgetsAsked, isLimited, limitsUnits } from "./budgets.ts";
import type { Cart } from "./carts.ts";
import { type KnownVoucher, rulesOfTier, rulesOfVoucher } from "./redeemables.ts";
import type { Request } from "./requests.ts";

/** Everything that requests may redeem: what is counted, and by whom rules may ask about it. */
export const subjectsOf = (vouchers: readonly VoucherRow[], tiers: readonly PromotionTierRow[]) => [
  ...vouchers.map((row) => ({ ref: row.id, campaign_id: row.campaign_id, row })),
  ...tiers.map(({ id, campaign_id }) => ({ ref: id, campaign_id, row: null })),
];

/** Whether any rule of what is asked for asks how often a customer redeemed it. */
export function asksAboutCustomers(
  requests: readonly Request[],
  known: readonly KnownVoucher[],
  tiers: readonly PromotionTierRow[],
): boolean {
  const catalogs = [...new Set(requests.map(({ catalog }) => catalog))].filter(anyAsksPerCustomer);
  if (catalogs.length === 0) return false;
  const ids = [
    ...tiers.flatMap(({ id, campaign_id }) => [id, campaign_id]),
    ...known.flatMap(({ row }) => row.campaign_id ?? []),
  ];
  return catalogs.some(
    (catalog) =>
      known.some(({ assignments }) => rulesOf(catalog, assignments).some(asksPerCustomer)) ||
      ids.some((id) => rulesFor(catalog, id).some(asksPerCustomer)),
  );
}

/** The customers who ask, in projects with a rule on how often a customer redeemed something. */
export function customersAsked(
  asking: readonly { command: Pick<Request, "catalog">; cart: Pick<Cart, "customer"> }[],
  subjects: readonly { ref: string; campaign_id: string | null }[],
) {
  const refs = subjects.map(({ ref }) => ref);
  const campaignIds = subjects.flatMap(({ campaign_id }) => campaign_id ?? []);
  return asking.flatMap(({ command, cart }) =>
    cart.customer?.id && anyAsksPerCustomer(command.catalog) ? { id: cart.customer.id, refs, campaignIds } : [],
  );
}

/** What requests may redeem, with the rules that limit how many units are discounted. */
export const limitedIn = (
  requests: readonly Pick<Request, "catalog">[],
  known: readonly KnownVoucher[],
  tiers: readonly PromotionTierRow[],
): BudgetsAsked["redeemables"] =>
  [...new Set(requests.map(({ catalog }) => catalog))].filter(limitsUnits).flatMap((catalog) => [
    ...known.map((one) => ({
      ref: one.row.id,
      campaign_id: one.row.campaign_id,
      rules: rulesOfVoucher(catalog, one),
    })),
    ...tiers.map((tier) => ({ ref: tier.id, campaign_id: tier.campaign_id, rules: rulesOfTier(catalog, tier) })),
  ]);

const promotionsLimited = new WeakMap<Catalog, BudgetsAsked["redeemables"]>();
/** The tiers and campaigns whose rules limit units over time. */
function limitedPromotions(catalog: Catalog): BudgetsAsked["redeemables"] {
  const known = promotionsLimited.get(catalog);
  if (known) return known;
  const all = limitsUnits(catalog)
    ? [
        ...limitedIn([{ catalog }], [], [...catalog.promotion_tiers.values()]),
        ...[...catalog.campaigns.keys()].map((id) => ({ ref: id, campaign_id: id, rules: rulesFor(catalog, id) })),
      ]
    : [];
  const limited = all.filter(isLimited);
  promotionsLimited.set(catalog, limited);
  return limited;
}

/** The same of all that may be offered: these codes, and all promotions. */
export const limitedOffers = (requests: readonly Pick<Request, "catalog">[], known: readonly KnownVoucher[]) => [
  ...limitedIn(requests, known, []),
  ...new Set(requests.flatMap(({ catalog }) => limitedPromotions(catalog))),
];
