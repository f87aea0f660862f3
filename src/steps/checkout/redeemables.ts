import type { Catalog } from "../../catalog/catalog.ts";
import { rulesFor, rulesOf } from "../../catalog/rules.ts";
import type { Discount } from "../../core/discounts/discount.ts";
import type { UsedUnits } from "../../core/discounts/items.ts";
import type { Exchange, RewardPrice } from "../../core/redeem/reward.ts";
import { isSamePerson } from "../../core/referrals/person.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { HolderRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Redeemable, RedeemableBenefit } from "../../core/validate/redeemable.ts";
import type { HeldAmounts } from "../../core/validate/session-locks.ts";
import { settingsOf, type VoucherSettings } from "../../core/vouchers/settings.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import type { Db } from "../../db/db.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import { loadHolders } from "../../resources/promotions/redeemable-holders/store.ts";
import {
  loadVoucherAssignments,
  type ValidationRuleAssignmentRow,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { type CardSeen, exchangeOfCard, isGone, rewardOfCard } from "../points/card-rewards.ts";
import { validityOfTier } from "../promotions/promotion-tiers.ts";
import type { RuleCounts } from "./use.ts";

/** A code with what is stored about it elsewhere. */
export type KnownVoucher = {
  row: VoucherRow;
  assignments: readonly ValidationRuleAssignmentRow[];
  /** Null: it was never given to anybody. */
  holder_ids: readonly string[] | null;
  /** Of a loyalty card whose points were looked at. */
  card?: CardSeen;
  /** Who shares a referral code. */
  referrer?: Referrer;
};
type Referrer = Pick<CustomerRow, "id" | "email">;

/** What was read of codes when they were locked. */
type ReadBefore = {
  assignments?: readonly ValidationRuleAssignmentRow[] | null | undefined;
  holders?: readonly Pick<HolderRow, "voucher_id" | "customer_id" | "holder_role">[] | null | undefined;
  /** Customers that are locked. */
  personOf?(id: string): CustomerRow | undefined;
};

/** What is stored of these codes beside their rows; their rules may be read already. */
export async function loadKnownVouchers(
  db: Db,
  projectId: string,
  rows: readonly VoucherRow[],
  read: ReadBefore = {},
): Promise<readonly KnownVoucher[]> {
  const ids = rows.map(({ id }) => id);
  const published = rows.filter(isPublished).map(({ id }) => id);
  const sharers = [...new Set(rows.flatMap(({ referrer_id }) => referrer_id ?? []))];
  const locked = sharers.flatMap((id) => read.personOf?.(id) ?? []);
  const shared = sharers.filter((id) => !locked.some((one) => one.id === id));
  const [assignments, holders, referrers] = await Promise.all([
    read.assignments ?? (ids.length > 0 ? loadVoucherAssignments(db, projectId, ids) : []),
    read.holders ?? (published.length > 0 ? loadHolders(db, projectId, published) : []),
    shared.length > 0 ? findCustomers(db, projectId, { ids: shared, sourceIds: [], trackingIds: [] }) : [],
  ]);
  const referrerOf = new Map([...locked, ...referrers].map((one) => [one.id, one]));
  const rulesOfVoucher = Map.groupBy(assignments, ({ related_object_id }) => related_object_id);
  const holdersOf = Map.groupBy(holders, ({ voucher_id }) => voucher_id);
  return rows.map((row) => ({
    row,
    assignments: rulesOfVoucher.get(row.id) ?? [],
    holder_ids: isPublished(row) ? (holdersOf.get(row.id) ?? []).map(({ customer_id }) => customer_id) : null,
    ...(row.referrer_id !== null && referrerOf.has(row.referrer_id) && { referrer: referrerOf.get(row.referrer_id)! }),
  }));
}

export const isPublished = ({ published_count, holder_id }: VoucherRow): boolean =>
  published_count > 0 || holder_id !== null;

/** What surrounds a code or a tier when it is decided about. */
type About = { catalog: Catalog; counts: RuleCounts; usedUnits?: UsedUnits };
/** What a request says of a code, and what other sessions hold of it. */
type CodeRequest = {
  credits: number | null;
  reward: { id: string; points: number | null; stock: number | null } | null;
  locked: HeldAmounts;
  /** What all sessions hold of it, where that is shown. */
  held?: HeldAmounts;
  /** Who asks. */
  customer: { id: string | null; email: string | null };
};

/** Who may not redeem a referral code: the one who shares it, and whoever has their address, stored or not. */
const referrerFor = (referrer: Referrer | undefined, customer: CodeRequest["customer"]) => {
  const isReferrer = referrer !== undefined && isSamePerson(referrer, customer);
  return {
    referrer_id: (isReferrer && customer.id) || (referrer?.id ?? null),
    ...(isReferrer && { is_referrer: true }),
  };
};

const LABELS = {
  DISCOUNT_VOUCHER: "Discount Coupon",
  GIFT_VOUCHER: "Gift Card",
  LOYALTY_CARD: "Loyalty Card",
} as const;
const NO_UNITS: UsedUnits = new Map();

/** The campaign of a code: null for one that stands alone, undefined when it is in the bin or newer than the catalog. */
export const campaignOf = ({ campaigns }: Catalog, { campaign_id }: Pick<VoucherRow, "campaign_id">) =>
  campaign_id === null ? null : campaigns.get(campaign_id);

/** The first of these categories that is there. */
const firstCategory = ({ categories }: Catalog, ...ids: readonly (string | null | undefined)[]) => {
  for (const id of ids) {
    const found = id ? categories.get(id) : undefined;
    if (found) return found;
  }
  return undefined;
};

/** Whether what sessions hold of a code counts: nobody takes away from a code that may be redeemed for ever. */
function isHeld(catalog: Catalog, row: VoucherRow): boolean {
  const campaign = campaignOf(catalog, row);
  if (campaign === undefined) return false;
  const { quantity, gift, loyalty_card } = settingsOf(row, campaign);
  return quantity !== null || !!gift || !!loyalty_card;
}

/** The rules of a code: its own, then those of its campaign. */
export const rulesOfVoucher = (catalog: Catalog, { row, assignments }: Pick<KnownVoucher, "row" | "assignments">) => {
  const own = rulesOf(catalog, assignments);
  return row.campaign_id === null ? own : [...own, ...rulesFor(catalog, row.campaign_id)];
};
export const rulesOfTier = (catalog: Catalog, { id, campaign_id }: PromotionTierRow) => [
  ...rulesFor(catalog, id),
  ...rulesFor(catalog, campaign_id),
];

/** A code as the engine decides about it; null when its campaign is gone. */
export function voucherRedeemable(
  { row, assignments, holder_ids, card, referrer }: KnownVoucher,
  { catalog, counts, usedUnits = NO_UNITS }: About,
  asked: CodeRequest,
): Redeemable | null {
  const campaign = campaignOf(catalog, row);
  if (campaign === undefined) return null;
  const settings = settingsOf(row, campaign);
  const isReferral = campaign?.campaign_type === "REFERRAL_PROGRAM";
  const reward =
    asked.reward && campaign
      ? rewardOfCard(catalog, { campaign_id: campaign.id, tier_id: card?.tier_id ?? null }, asked.reward.id)
      : null;
  const rules = rulesOfVoucher(catalog, { row, assignments });
  const category = firstCategory(catalog, row.category_id, campaign?.category_id);
  // Written out, for every code of every cart comes through here: `...` in the middle makes it slow.
  const redeemable: Redeemable = {
    object: "voucher",
    id: row.code,
    ref: row.id,
    label: isReferral ? "Referral Code" : LABELS[row.type],
    campaign_id: row.campaign_id,
    category_id: category?.id ?? null,
    hierarchy: category?.hierarchy ?? null,
    is_active: row.active && campaign?.active !== false,
    validity: settings,
    quantity: settings.quantity,
    redeemed: row.redeemed_quantity,
    locked: asked.locked.quantity,
    published: row.published_count,
    metadata: settings.metadata,
    rules: reward ? [...rules, ...rulesFor(catalog, reward.assignment.id)] : rules,
    benefit:
      settings.gift || settings.loyalty_card
        ? benefitOfCard(row, settings, {
            ...asked,
            card,
            price: reward?.price ?? null,
            isGone: reward !== null && isGone(catalog, reward),
            exchange:
              settings.loyalty_card && campaign && !asked.reward
                ? exchangeOfCard(catalog, { campaign_id: campaign.id, tier_id: card?.tier_id ?? null })
                : null,
          })
        : { kind: "discount", discount: settings.discount as Discount },
    holder_ids,
    ...(isReferral ? referrerFor(referrer, asked.customer) : { referrer_id: null }),
    counts,
    used_units: usedUnits,
  };
  if (isReferral && !referrer) redeemable.is_unshared = true;
  return redeemable;
}

type Priced = CodeRequest & {
  card: CardSeen | undefined;
  price: RewardPrice | null;
  isGone: boolean;
  exchange: Exchange | null;
};

/** What a gift card or a loyalty card brings. */
function benefitOfCard(row: VoucherRow, settings: VoucherSettings, asked: Priced): RedeemableBenefit {
  const { gift } = settings;
  if (gift)
    return {
      kind: "gift",
      balance: sumsOf(row, settings)!.available,
      locked: asked.locked.credits,
      ...(asked.held && { held: asked.held.credits }),
      effect: gift.effect,
      requested: asked.credits,
    };
  return {
    kind: "points",
    balance: asked.card?.available ?? sumsOf(row, settings)!.available,
    received: sumsOf(row, settings)!.received,
    exchange: asked.exchange,
    locked: asked.locked.points,
    reward: asked.reward && {
      id: asked.reward.id,
      price: asked.price,
      ...(asked.reward.stock !== null && asked.reward.stock <= 0 && { is_out: true as const }),
      ...(asked.isGone && { is_gone: true as const }),
    },
    requested: asked.reward?.points ?? null,
  };
}

/** A promotion tier as the engine decides about it. */
export function tierRedeemable(
  tier: PromotionTierRow,
  campaign: Campaign,
  { catalog, counts, usedUnits = NO_UNITS, stackCategory = null }: About & { stackCategory?: string | null },
): Redeemable {
  const category = firstCategory(catalog, tier.category_id, stackCategory, campaign.category_id);
  return {
    object: "promotion_tier",
    id: tier.id,
    ref: tier.id,
    label: "Promotion Tier",
    campaign_id: campaign.id,
    category_id: category?.id ?? null,
    hierarchy: category?.hierarchy ?? null,
    is_active: tier.active && campaign.active,
    validity: validityOfTier(tier, campaign),
    quantity: null,
    redeemed: 0,
    locked: 0,
    published: 0,
    metadata: tier.metadata,
    rules: rulesOfTier(catalog, tier),
    benefit: { kind: "discount", discount: tier.action.discount },
    holder_ids: null,
    referrer_id: null,
    counts,
    used_units: usedUnits,
  };
}

/** The discount of a code, if it is one. */
export const discountOf = (row: VoucherRow, catalog: Catalog): Discount | null =>
  settingsOf(row, campaignOf(catalog, row) ?? null).discount;

/** The latest moment of requests: what is over by then is over for all of them. */
export const lastMoment = (requests: readonly { now: string }[]): string =>
  requests.reduce((last, { now }) => (now > last ? now : last), "");

/** What is asked about sessions: what they hold of codes that something limits, and all of what those have that ask. */
export const locksAsked = (
  requests: readonly { catalog: Catalog; now: string; session: { key: string | null } | null }[],
  rows: readonly VoucherRow[],
) => ({
  codes: rows.filter((row) => requests.some(({ catalog }) => isHeld(catalog, row))).map(({ id }) => id),
  sessions: [...new Set(requests.flatMap(({ session }) => session?.key ?? []))],
  now: lastMoment(requests),
});
