import { storedOrderView } from "../order/stored.ts";
import { shownOf } from "../redeem/effect-kept.ts";
import { orderShown } from "../redeem/order-shown.ts";
import type { CustomerRow } from "../rows/customer.ts";
import type { EntryRow } from "../rows/ledger.ts";
import type { OrderRow } from "../rows/order.ts";
import type { PublicationRow } from "../rows/publication.ts";
import type { RedemptionRow } from "../rows/redemption.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import { settingsOf, type VoucherSettings, type VoucherType } from "../vouchers/settings.ts";
import { sumsOf } from "../vouchers/worth.ts";

// What deliveries show of objects: less than the operations that read them, and always the same fields.

type Fields = Record<string, unknown>;

export const simpleCustomer = ({ id, name, email, source_id, metadata }: CustomerRow): Fields => ({
  ...{ id, name, email, source_id, metadata },
  object: "customer",
});

/** A category, as it is configured. */
type CategoryRow = { id: string; name: string; hierarchy: number; created_at: string; updated_at: string | null };
const categoryFields = (row: CategoryRow | undefined): Fields => {
  const { id, name, hierarchy, created_at, updated_at } = row ?? {};
  return row
    ? {
        category_id: id,
        category: name,
        categories: [{ id, name, hierarchy, created_at, updated_at, object: "category" }],
      }
    : { category_id: null, category: null, categories: [] };
};

/** A campaign with the templates of its codes. */
export type CampaignWithTemplates = {
  id: string;
  name: string;
  description: string | null;
  campaign_type: string;
  type: string;
  voucher_type: VoucherType | null;
  voucher_version: number;
  templates: ReadonlyMap<number, VoucherSettings>;
  auto_join: boolean;
  join_once: boolean;
  active: boolean;
  category_id: string | null;
  referral_program: unknown;
  created_at: string;
  updated_at: string | null;
};

export function simpleCampaign(row: CampaignWithTemplates, category: CategoryRow | undefined): Fields {
  const { id, name, campaign_type, type, auto_join, join_once, active, description, created_at, updated_at } = row;
  const settings = row.templates.get(row.voucher_version);
  const { discount = null, gift = null, loyalty_card = null, quantity = null } = settings ?? {};
  return {
    ...{ id, name, campaign_type, type },
    is_referral_code: campaign_type === "REFERRAL_PROGRAM",
    voucher: row.voucher_type && { type: row.voucher_type, discount, gift, loyalty_card, redemption: { quantity } },
    referral_program: row.referral_program,
    ...{ auto_join, join_once, active },
    ...categoryFields(category),
    metadata: settings?.metadata ?? {},
    start_date: settings?.start_date ?? null,
    expiration_date: settings?.expiration_date ?? null,
    ...{ description, created_at, updated_at, object: "campaign" },
  };
}

/** A code with the settings that hold for it. Its campaign is given where it has one. */
export function simpleVoucher(
  row: VoucherRow,
  campaign: CampaignWithTemplates | null,
  category: CategoryRow | undefined,
): Fields {
  const { id, code, type, campaign_id, holder_id, referrer_id, active, created_at, updated_at } = row;
  const settings = settingsOf(row, campaign);
  const { discount, gift, loyalty_card, quantity, metadata, start_date, expiration_date } = settings;
  const sums = sumsOf(row, settings);
  return {
    ...{ id, code },
    gift: gift && sums && { amount: sums.received, balance: sums.available, effect: gift.effect },
    discount,
    loyalty_card: loyalty_card && sums && { points: sums.received, balance: sums.available },
    ...{ type, campaign: campaign?.name ?? null, campaign_id },
    is_referral_code: campaign?.campaign_type === "REFERRAL_PROGRAM",
    ...{ holder_id, referrer_id },
    ...categoryFields(category),
    ...{ active, created_at, updated_at },
    redemption: { quantity, redeemed_quantity: row.redeemed_quantity },
    ...{ start_date, expiration_date, metadata, object: "voucher" },
  };
}

/** A redemption, a failed one or a rollback, with its customer and its order where they are known. */
export function simpleRedemption(
  row: RedemptionRow,
  { customer, order }: { customer: CustomerRow | null; order: OrderRow | null },
): Fields {
  const { id, customer_id, tracking_id, amount, result, status, metadata, reason, channel, object, effect } = row;
  const type = row.related_object_type;
  return {
    ...{ id, customer_id, tracking_id, date: row.created_at, amount },
    order: orderShown(row, order),
    reward: effect?.reward ?? null,
    customer: customer && simpleCustomer(customer),
    ...{ result, status },
    voucher: type === "voucher" ? (shownOf(row) ?? { id: row.related_object_id, code: row.voucher_code }) : null,
    promotion_tier: type === "promotion_tier" ? simplePromotionTier(row) : null,
    redemption: object === "redemption_rollback" ? row.redemption_id : row.parent_id,
    metadata,
    failure_code: row.failure_code,
    failure_message: row.failure_message,
    ...{ reason, channel, object },
  };
}

/** The tier that a redemption is about; null: it is about something else. */
export function simplePromotionTier({ related_object_type, related_object_id, effect }: RedemptionRow): Fields | null {
  if (related_object_type !== "promotion_tier") return null;
  const { name = null, banner = null, campaign = null, metadata = {} } = effect?.shown ?? {};
  return { id: related_object_id, name, banner, campaign, metadata, object: "promotion_tier" };
}

/** A stack of promotion tiers, as it is configured. */
type StackRow = { id: string; name: string; category_id: string | null; campaign_id: string; tiers: object };

export const simplePromotionStack = ({ id, name, category_id, campaign_id, tiers }: StackRow): Fields => ({
  ...{ id, name, category_id, campaign: { id: campaign_id, object: "campaign" }, tiers },
  object: "promotion_stack",
});

export const simpleOrder = (row: OrderRow): Fields => storedOrderView(row);

export const simplePublication = (row: PublicationRow, customer: CustomerRow | null): Fields => {
  const { id, created_at, customer_id, tracking_id, metadata, channel, source_id, result, voucher_ids } = row;
  return {
    ...{ id, created_at, customer_id, tracking_id, metadata, channel, source_id, result },
    customer: customer && simpleCustomer(customer),
    vouchers_id: [...voucher_ids],
    object: "publication",
  };
};

/** The lots that points were taken from, each with how many. */
export const pointBuckets = ({ account_id, campaign_id, lots, created_at }: EntryRow): Fields[] =>
  lots.map(([id, points]) => ({
    ...{ id, voucher_id: account_id, campaign_id },
    bucket: { total_points: Math.abs(points) },
    ...{ status: "EXPIRED", expires_at: created_at, object: "loyalty_points_bucket" },
  }));
