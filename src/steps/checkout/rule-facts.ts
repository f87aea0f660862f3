import type { Catalog } from "../../catalog/catalog.ts";
import { loadsIn } from "../../catalog/named-in-rules.ts";
import { rulesFor } from "../../catalog/rules.ts";
import type { FilterEvaluation } from "../../core/filters/operator.ts";
import { oncePer } from "../../core/once-per.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { anyLoads } from "../../core/rules/loads.ts";
import type { Db } from "../../db/db.ts";
import type { Project } from "../../request.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import { loadSegmentsOf, type Somebody } from "../customers/segment-membership.ts";
import { loadTiersOf } from "../points/tiers-held.ts";
import { type BudgetsAsked, isLimited, limitsUnits } from "./budgets.ts";
import { type KnownVoucher, rulesOfTier, rulesOfVoucher } from "./redeemables.ts";
import type { CountersAsked } from "./use.ts";

// Rules declare the facts that are loaded for them (`loads`). For carts each of those facts is loaded here, from that
// declaration. Earnings and costs of rewards have the same rules: what those name comes from it too (`named-in-rules.ts`).

type Request = { catalog: Catalog };
const catalogsOf = (requests: readonly Request[]): Catalog[] => [...new Set(requests.map(({ catalog }) => catalog))];

/** The segments and loyalty tiers of customers, of those that rules name. */
export type Standings = {
  /** The segments of the n-th customer at a moment. */
  segmentsOf(n: number, moment: FilterEvaluation): ReadonlySet<string>;
  tiersOf(n: number, now: string): ReadonlySet<string>;
};
const NOTHING: ReadonlySet<string> = new Set();
export const NO_STANDINGS: Standings = { segmentsOf: () => NOTHING, tiersOf: () => NOTHING };

/** `segments` and `tiers`: nothing is read where no rule names one. */
export async function loadStandings(
  db: Db,
  project: Pick<Project, "id" | "timezone">,
  catalog: Catalog,
  customers: () => readonly Somebody[],
): Promise<Standings> {
  const { segments, tiers } = loadsIn(catalog);
  if (segments.size + tiers.size === 0) return NO_STANDINGS;
  const people = customers();
  const about = { projectId: project.id, segmentIds: segments };
  return {
    segmentsOf: segments.size > 0 ? await loadSegmentsOf(db, catalog, people, about) : NO_STANDINGS.segmentsOf,
    tiersOf: tiers.size > 0 ? await loadTiersOf(db, project, catalog, people) : NO_STANDINGS.tiersOf,
  };
}

/** `collections`: those that it matters whether a line is in. Rules name them, or unit discounts give units of them. */
export const collectionsNamed = (catalog: Catalog, unitTypes: ReadonlySet<string>) =>
  [...loadsIn(catalog).collections.union(unitTypes)].flatMap((id) => catalog.product_collections.get(id) ?? []);

/**
 * `campaign_counts`: whether what codes count for their campaigns decides anything. Then it is locked before codes are. Otherwise
 * batches would wait for each other from their first decision to their COMMIT; it is added with the last statement instead.
 */
export const countsDecide = (catalog: Catalog): boolean =>
  loadsIn(catalog).facts.has("campaign_counts") || limitsUnits(catalog);

/** `campaign_counts` and `own_counts`: whose counters any rule looks at. The others are not read to decide. */
export const countersAsked = (requests: readonly Request[]): CountersAsked => {
  const isAsked = (fact: "campaign_counts" | "own_counts") =>
    catalogsOf(requests).some((catalog) => loadsIn(catalog).facts.has(fact));
  return { campaigns: isAsked("campaign_counts"), tiers: isAsked("own_counts") };
};

const countsCustomers = (catalog: Catalog): boolean => loadsIn(catalog).facts.has("customer_counts");

/** `customer_counts`: whether any rule of what is asked for looks at how often a customer redeemed it. */
export const asksAboutCustomers = (
  requests: readonly Request[],
  known: readonly KnownVoucher[],
  tiers: readonly PromotionTierRow[],
): boolean =>
  catalogsOf(requests)
    .filter(countsCustomers)
    .some(
      (catalog) =>
        known.some((voucher) => anyLoads(rulesOfVoucher(catalog, voucher), "customer_counts")) ||
        tiers.some((tier) => anyLoads(rulesOfTier(catalog, tier), "customer_counts")),
    );

/** `customer_counts` of offers: the customers who ask, in projects with a rule that looks at what they redeemed. */
export function customersAsked(
  requests: readonly { command: Request; cart: { customer: { id: string | null } | null } }[],
  subjects: readonly { ref: string; campaign_id: string | null }[],
) {
  const refs = subjects.map(({ ref }) => ref);
  const campaignIds = subjects.flatMap(({ campaign_id }) => campaign_id ?? []);
  return requests.flatMap(({ command, cart }) =>
    cart.customer?.id && countsCustomers(command.catalog) ? { id: cart.customer.id, refs, campaignIds } : [],
  );
}

/** Everything that requests may redeem: what is counted, and by whom rules may ask about it. */
export const subjectsOf = (vouchers: readonly VoucherRow[], tiers: readonly PromotionTierRow[]) => [
  ...vouchers.map((row) => ({ ref: row.id, campaign_id: row.campaign_id, row })),
  ...tiers.map(({ id, campaign_id }) => ({ ref: id, campaign_id, row: null })),
];

/** What requests may redeem, with the rules that limit how many units are discounted. */
export const limitedIn = (
  requests: readonly Request[],
  known: readonly KnownVoucher[],
  tiers: readonly PromotionTierRow[],
): BudgetsAsked["redeemables"] =>
  catalogsOf(requests)
    .filter(limitsUnits)
    .flatMap((catalog) => [
      ...known.map((voucher) => ({
        ref: voucher.row.id,
        campaign_id: voucher.row.campaign_id,
        rules: rulesOfVoucher(catalog, voucher),
      })),
      ...tiers.map((tier) => ({ ref: tier.id, campaign_id: tier.campaign_id, rules: rulesOfTier(catalog, tier) })),
    ]);

/** The tiers and campaigns whose rules limit units over time. */
const limitedPromotions = oncePer((catalog: Catalog): BudgetsAsked["redeemables"] => {
  const all = limitsUnits(catalog)
    ? [
        ...limitedIn([{ catalog }], [], [...catalog.promotion_tiers.values()]),
        ...[...catalog.campaigns.keys()].map((id) => ({ ref: id, campaign_id: id, rules: rulesFor(catalog, id) })),
      ]
    : [];
  return all.filter(isLimited);
});

/** The same of all that may be offered: these codes, and all promotions. */
export const limitedOffers = (requests: readonly Request[], known: readonly KnownVoucher[]) => [
  ...limitedIn(requests, known, []),
  ...new Set(requests.flatMap(({ catalog }) => limitedPromotions(catalog))),
];
