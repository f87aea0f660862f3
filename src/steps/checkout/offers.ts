import type { Catalog } from "../../catalog/catalog.ts";
import { rulesFor } from "../../catalog/rules.ts";
import { unitTypesOf } from "../../core/discounts/discount.ts";
import { oncePer } from "../../core/once-per.ts";
import type { Offer, SingleOffer, StackOffer } from "../../core/qualify/offer.ts";
import { indexPromotions, type PromotionIndex } from "../../core/qualify/promotions.ts";
import { dependsOnUse } from "../../core/qualify/use.ts";
import { NO_COUNTERS } from "../../core/rules/facts.ts";
import type { Redeemable, RedeemableBenefit } from "../../core/validate/redeemable.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { view as categoryView } from "../../resources/catalogue/categories/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { PromotionStackRow } from "../../resources/promotions/promotion-stacks/store.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import {
  view as assignmentView,
  type ValidationRuleAssignmentRow,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { campaignOf, type KnownVoucher, tierRedeemable } from "./redeemables.ts";

/** What is compiled of a project's promotions. It goes with the catalog from revision to revision. */
type Promotions = {
  index: PromotionIndex;
  stacks: readonly StackOffer[];
};
const compiled = new WeakMap<Catalog, Promotions>();

const shownNames = ({ categories }: Catalog, campaign: Campaign | null, categoryId: string | null) => {
  const category = (categoryId === null ? undefined : categories.get(categoryId)) ?? null;
  return {
    campaign_id: campaign?.id ?? null,
    campaign_name: campaign?.name ?? null,
    campaign_type: campaign?.campaign_type ?? null,
    category_id: category?.id ?? null,
    category: category && categoryView(category),
  };
};

const assignmentsOf = ({ rules_of }: Catalog, ...ids: readonly string[]): readonly ValidationRuleAssignmentRow[] =>
  ids.flatMap((id) => rules_of.get(id) ?? []);

// An offer is made again only when something that it is made of changed: the index keeps what is the same object.
const known = new WeakMap<object, { from: readonly unknown[]; offer: SingleOffer }>();

function keep(row: object, from: readonly unknown[], make: () => SingleOffer): SingleOffer {
  const before = known.get(row);
  if (before && before.from.length === from.length && before.from.every((one, n) => one === from[n]))
    return before.offer;
  const offer = make();
  known.set(row, { from, offer });
  return offer;
}

const sourcesOf = (catalog: Catalog, campaign: Campaign, assignments: readonly ValidationRuleAssignmentRow[]) => [
  campaign,
  ...assignments,
  ...assignments.map(({ rule_id }) => catalog.validation_rules.get(rule_id)),
];

function tierOffer(catalog: Catalog, tier: PromotionTierRow): SingleOffer {
  const campaign = catalog.campaigns.get(tier.campaign_id)!;
  const assignments = assignmentsOf(catalog, tier.id, campaign.id);
  const category = catalog.categories.get(tier.category_id ?? campaign.category_id ?? "");
  return keep(tier, [category, ...sourcesOf(catalog, campaign, assignments)], () => {
    const redeemable = tierRedeemable(tier, campaign, { catalog, counts: NO_COUNTERS });
    return {
      object: "promotion_tier",
      id: tier.id,
      created_at: tier.created_at,
      name: tier.name,
      banner: tier.banner,
      voucher_type: null,
      ...shownNames(catalog, campaign, redeemable.category_id),
      assignments: assignments.map(assignmentView),
      redeemable,
      holder_roles: [],
    };
  });
}

/** The kinds of campaigns that stand for codes which nobody holds yet. */
const OFFERED: ReadonlySet<string> = new Set(["DISCOUNT_COUPONS", "GIFT_VOUCHERS", "REFERRAL_PROGRAM"]);
const isOffered = ({ type, campaign_type }: Campaign): boolean => type !== "STANDALONE" && OFFERED.has(campaign_type);

/** A campaign as the code of it that a customer could be given. */
function campaignOffer(catalog: Catalog, campaign: Campaign): SingleOffer {
  const assignments = assignmentsOf(catalog, campaign.id);
  const category = catalog.categories.get(campaign.category_id ?? "");
  return keep(campaign, [category, ...sourcesOf(catalog, campaign, assignments)], () => {
    const settings = settingsOf({ settings: null, template_version: null }, campaign);
    const { discount, gift } = settings;
    const benefit: RedeemableBenefit = gift
      ? { kind: "gift", balance: gift.amount, locked: 0, effect: gift.effect, requested: null }
      : { kind: "discount", discount: discount! };
    const redeemable: Redeemable = {
      object: "voucher",
      id: campaign.id,
      ref: campaign.id,
      label: gift ? "Gift Card" : "Discount Coupon",
      campaign_id: campaign.id,
      category_id: category?.id ?? null,
      hierarchy: category?.hierarchy ?? null,
      is_active: campaign.active && (gift !== null || discount !== null),
      validity: settings,
      quantity: null,
      redeemed: 0,
      locked: 0,
      published: 0,
      metadata: settings.metadata,
      rules: rulesFor(catalog, campaign.id),
      benefit,
      holder_ids: [],
      referrer_id: null,
      counts: NO_COUNTERS,
      used_units: new Map(),
    };
    return {
      object: "campaign",
      id: campaign.id,
      created_at: campaign.created_at,
      name: campaign.name,
      banner: null,
      voucher_type: campaign.voucher_type,
      ...shownNames(catalog, campaign, category?.id ?? null),
      assignments: assignments.map(assignmentView),
      redeemable,
      holder_roles: [],
    };
  });
}

function stackOffer(catalog: Catalog, stack: PromotionStackRow): StackOffer {
  const campaign = catalog.campaigns.get(stack.campaign_id)!;
  const { id, created_at, name, tiers } = stack;
  return {
    object: "promotion_stack",
    id,
    created_at,
    name,
    banner: null,
    voucher_type: null,
    ...shownNames(catalog, campaign, stack.category_id ?? campaign.category_id),
    assignments: [],
    tiers: tiers.ids.flatMap((tier) => {
      const row = catalog.promotion_tiers.get(tier);
      if (!row) return [];
      const about = { catalog, counts: NO_COUNTERS, stackCategory: stack.category_id };
      const redeemable = tierRedeemable(row, catalog.campaigns.get(row.campaign_id)!, about);
      return [{ ...tierOffer(catalog, row), redeemable }];
    }),
  };
}

/** Every tier and campaign as an offer. When only tiers changed, the offers of all others are known already. */
function offersOf(catalog: Catalog): SingleOffer[] {
  const { campaigns, categories, rules_of, validation_rules, carried } = catalog;
  const from = [campaigns, categories, rules_of, validation_rules];
  const before = carried.offers?.from.every((one, n) => one === from[n]) ? carried.offers.byRow : null;
  const byRow = new Map<object, SingleOffer>();
  for (const tier of catalog.promotion_tiers.values()) byRow.set(tier, before?.get(tier) ?? tierOffer(catalog, tier));
  for (const campaign of campaigns.values())
    if (isOffered(campaign)) byRow.set(campaign, before?.get(campaign) ?? campaignOffer(catalog, campaign));
  carried.offers = { from, byRow };
  return [...byRow.values()];
}

/** The promotions of a project, compiled once for each revision; of the revision before, what did not change is kept. */
export function promotionsOf(catalog: Catalog, zone: string): Promotions {
  const done = compiled.get(catalog);
  if (done && done.index.zone === zone) return done;
  const promotions: Promotions = {
    index: indexPromotions(offersOf(catalog), zone, catalog.carried.promotions ?? null),
    stacks: [...catalog.promotion_stacks.values()].map((stack) => stackOffer(catalog, stack)),
  };
  catalog.carried.promotions = promotions.index;
  compiled.set(catalog, promotions);
  return promotions;
}

/** A code as it is offered, with the roles in which the customer who asks holds it. */
export function voucherOffer(
  { row, assignments }: KnownVoucher,
  redeemable: Redeemable,
  { catalog, roles }: { catalog: Catalog; roles: readonly string[] },
): Offer {
  const campaign = campaignOf(catalog, row) ?? null;
  return {
    object: "voucher",
    id: row.code,
    created_at: row.created_at,
    name: null,
    banner: null,
    voucher_type: row.type,
    ...shownNames(catalog, campaign, redeemable.category_id),
    assignments: [...assignments, ...(campaign ? assignmentsOf(catalog, campaign.id) : [])].map(assignmentView),
    redeemable,
    holder_roles: roles,
  };
}

/** What the promotions of a project may add to a cart. */
export const unitTypesIn = oncePer((catalog: Catalog): readonly string[] => [
  ...[...catalog.promotion_tiers.values()].flatMap(({ action }) => unitTypesOf(action.discount)),
  ...[...catalog.campaigns.values()].flatMap(({ templates, voucher_version }) =>
    unitTypesOf(templates.get(voucher_version)?.discount ?? null),
  ),
]);

/** For each code that may be offered: what it is worth, and its place among the others. */
export const VOUCHER_STEPS = 50;

/** The tiers of stacks whose rules look at what was redeemed so far. */
export const usedTiers = (stacks: readonly StackOffer[]): SingleOffer[] =>
  stacks.flatMap(({ tiers }) => tiers.filter(({ redeemable }) => dependsOnUse(redeemable)));
