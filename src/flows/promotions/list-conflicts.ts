import type { Catalog } from "../../catalog/catalog.ts";
import { type CompiledRule, rulesFor } from "../../catalog/rules.ts";
import { type Existing, hasMoment, type NeverReason, neverHolds } from "../../core/campaigns/never-applies.ts";
import { type ComparedOffer, overlappingPairs } from "../../core/campaigns/overlaps.ts";
import type { LiveStatus } from "../../core/campaigns/status.ts";
import type { Discount } from "../../core/discounts/discount.ts";
import { mergeApplicableTo } from "../../core/discounts/targets.ts";
import { parseInstant } from "../../core/time/instant.ts";
import type { At, ValidityFields } from "../../core/time/validity.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { NO_SETTINGS } from "../../core/vouchers/settings.ts";
import type { Ctx } from "../../ctx.ts";
import { CONFLICTS_MAX, type Conflict } from "../../resources/promotions/conflicts/schema.ts";
import { existingProducts, existingSkus, segmentsWithMembers } from "../../resources/promotions/conflicts/store.ts";
import { loadStatuses, loadTierStatuses } from "../../steps/promotions/campaign-status.ts";
import { validityOfTier } from "../../steps/promotions/promotion-tiers.ts";

/** An offer as it is configured, before it is asked whether it can apply. */
type Configured = {
  campaign_id: string;
  tier_id: string | null;
  category_id: string | null;
  status: LiveStatus;
  validity: ValidityFields;
  rules: readonly CompiledRule[];
  discount: Discount | null;
};

/** What of the campaigns of a project overlaps, excludes each other, or never applies. Nothing of it is stored. */
export async function listConflicts(c: Ctx) {
  const catalog = await c.catalog();
  const at = { now: c.now, zone: zoneOf(c.project) };
  const offers = await configuredOffers(c, catalog, at);
  const goods = await goodsOf(c, catalog, offers);
  const found = conflictsIn(offers, { catalog, at, goods, steps: c.steps });
  const conflicts = [...found.take(CONFLICTS_MAX + 1)];
  const shown = conflicts.slice(0, CONFLICTS_MAX);
  const has_more = conflicts.length > shown.length;
  return { object: "list", data_ref: "conflicts", conflicts: shown, total: shown.length, has_more } as const;
}

/** What nobody can redeem, because somebody wants it so. */
const OUT: readonly LiveStatus[] = ["ARCHIVED", "DISABLED", "DRAFT"];

type About = { catalog: Catalog; at: At; goods: Goods; steps: Ctx["steps"] };

function* conflictsIn(offers: readonly Configured[], about: About): Generator<Conflict> {
  const { catalog, at, goods, steps } = about;
  const running: ComparedOffer[] = [];
  for (const offer of offers) {
    if (OUT.includes(offer.status)) continue;
    const placed = offerOf(offer, about);
    const reason = neverReason(offer, at, goods);
    if (reason) yield { kind: "never_applies", ...namesOf([placed]), ...between([placed]), reason };
    else running.push(placed);
  }
  const settings = catalog.stacking_rules?.rules;
  for (const { kind, offers: pair, reason } of overlappingPairs(running, settings, steps))
    yield { kind, ...namesOf(pair), ...between(pair), reason };
}

function neverReason({ status, rules, validity }: Configured, at: At, goods: Goods): NeverReason | null {
  if (status === "EXPIRED") return "expired";
  if (status === "USED_UP") return "used_up";
  return hasMoment(validity, at) ? neverHolds(rules, goods) : "no_moment";
}

function namesOf(offers: readonly ComparedOffer[]): Pick<Conflict, "campaigns" | "tiers"> {
  const tiers = offers.flatMap(({ tier_id }) => tier_id ?? []);
  return { campaigns: offers.map(({ campaign_id }) => campaign_id), ...(tiers.length > 0 && { tiers }) };
}

/** The time that all of them have together. */
function between(offers: readonly ComparedOffer[]): Pick<Conflict, "from" | "to"> {
  const text = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);
  return {
    from: text(Math.max(...offers.map(({ from }) => from))),
    to: text(Math.min(...offers.map(({ to }) => to))),
  };
}

function offerOf(offer: Configured, { catalog, at, goods }: About): ComparedOffer {
  const { campaign_id, tier_id, validity, category_id } = offer;
  const ms = (date: string | null, none: number): number =>
    (date === null ? null : parseInstant(date, at.zone)?.epochMilliseconds) ?? none;
  const category = category_id === null ? undefined : catalog.categories.get(category_id);
  return {
    ...{ campaign_id, tier_id },
    from: ms(validity.start_date, Number.NEGATIVE_INFINITY),
    to: ms(validity.expiration_date, Number.POSITIVE_INFINITY),
    goods: goods.of(offer),
    category: { category_id: category?.id ?? null, hierarchy: category?.hierarchy ?? null },
  };
}

const WITH_CODES = ["DISCOUNT_COUPONS", "REFERRAL_PROGRAM"];

async function configuredOffers({ db, project }: Ctx, catalog: Catalog, at: At): Promise<Configured[]> {
  const campaigns = [...catalog.campaigns.values()]
    .filter(({ campaign_type }) => WITH_CODES.includes(campaign_type))
    .map((one) => ({ ...one, settings: one.templates.get(one.voucher_version) ?? NO_SETTINGS }));
  const tiers = [...catalog.promotion_tiers.values()];
  const { statuses } = await loadStatuses(db, project.id, { catalog, campaigns, at });
  const tierStatuses = await loadTierStatuses(db, project.id, { catalog, tiers, at });
  const known = (id: string | null | undefined) => (id && catalog.categories.has(id) ? id : null);
  return [
    ...campaigns.map((one) => ({
      ...{ campaign_id: one.id, tier_id: null, category_id: known(one.category_id), status: statuses.get(one.id)! },
      ...{ validity: one.settings, rules: rulesFor(catalog, one.id), discount: one.settings.discount },
    })),
    ...tiers.map((tier) => {
      const campaign = catalog.campaigns.get(tier.campaign_id)!;
      return {
        ...{ campaign_id: campaign.id, tier_id: tier.id, status: tierStatuses.get(tier.id)! },
        category_id: known(tier.category_id) ?? known(campaign.category_id),
        validity: validityOfTier(tier, campaign),
        rules: [...rulesFor(catalog, tier.id), ...rulesFor(catalog, campaign.id)],
        discount: tier.action.discount,
      };
    }),
  ];
}

/** What exists of what rules name, and which goods an offer is for. */
type Goods = Existing & { of(offer: Configured): ReadonlySet<string> | null };

const isOwn = (id: string): boolean => /^(?:prod|sku|pc)_/.test(id);
const keyOfNamed = (object: string, id: string): string => `${object} ${id}`;

/** Every id of ours that stands in the rules of offers: a few more than are needed is no harm. */
const idsIn = (offers: readonly Configured[]): string[] => [
  ...new Set(
    offers.flatMap(({ rules }) =>
      rules.flatMap(({ definition }) =>
        [...JSON.stringify(definition).matchAll(/"((?:prod|sku)_[^"]+)"/g)].map(([, id]) => id!),
      ),
    ),
  ),
];

async function goodsOf({ db, project }: Ctx, catalog: Catalog, offers: readonly Configured[]): Promise<Goods> {
  const ids = idsIn(offers);
  const lists = [...catalog.segments.values()].filter(({ type }) => type === "static").map(({ id }) => id);
  const products = await existingProducts(db, project.id, ids);
  const skus = await existingSkus(db, project.id, ids);
  const filled = await segmentsWithMembers(db, project.id, lists);
  const skusOf = Map.groupBy(skus.keys(), (id) => skus.get(id)!);
  const hasGoods = (object: string, id: string): boolean => {
    // A cart may name goods by the ids of the shop, stored or not: nobody can tell of those.
    if (!isOwn(id)) return true;
    if (object === "products_collection") return catalog.product_collections.has(id);
    return products.has(id) || skus.has(id);
  };
  const members = (object: string, id: string): string[] => {
    const collection = object === "products_collection" ? catalog.product_collections.get(id) : undefined;
    const inside = collection?.type === "STATIC" ? collection.products : [];
    const own = object === "product" ? (skusOf.get(id) ?? []).map((sku) => keyOfNamed("sku", sku)) : [];
    return [keyOfNamed(object, id), ...own, ...inside.flatMap((one) => members(one.object, one.id))];
  };
  const of = ({ rules, discount }: Configured): ReadonlySet<string> | null => {
    const to = mergeApplicableTo(rules.map(({ definition }) => definition.applicable_to));
    const isForItems = /ITEMS/.test((discount as { effect?: string } | null)?.effect ?? "");
    if (!isForItems || to.included_all || to.included.length === 0) return null;
    const excluded = new Set(to.excluded.flatMap(({ object, id }) => members(object, id)));
    return new Set(to.included.flatMap(({ object, id }) => members(object, id))).difference(excluded);
  };
  const hasCustomers = (id: string): boolean =>
    catalog.segments.get(id)?.type === "static" ? filled.has(id) : catalog.segments.has(id);
  return { hasCustomers, hasGoods, of };
}
