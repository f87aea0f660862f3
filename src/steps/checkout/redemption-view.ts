import type { Catalog } from "../../catalog/catalog.ts";
import { shownOf } from "../../core/redeem/effect-kept.ts";
import { orderShown } from "../../core/redeem/order-shown.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import type { Project } from "../../request.ts";
import type { Redemption } from "../../resources/checkout/redemptions/schema.ts";
import { tierView } from "../promotions/promotion-tiers.ts";
import { voucherView } from "../promotions/voucher-view.ts";

type Fields = Record<string, unknown>;

/** What a redemption shows of its customer. */
export const customerShown = ({ id, name, email, source_id, metadata }: CustomerRow): Fields => ({
  id,
  name,
  email,
  source_id,
  metadata,
  object: "customer",
});

/** The code or the tier as it is kept with its redemption. */
export function redeemableShown(redeemable: Redeemable, catalog: Catalog): Fields {
  const { object, ref, id, campaign_id, benefit } = redeemable;
  const campaign = campaign_id === null ? undefined : catalog.campaigns.get(campaign_id);
  if (object === "promotion_tier") {
    const tier = catalog.promotion_tiers.get(ref)!;
    const { name, banner, hierarchy, metadata, action } = tier;
    return {
      id: ref,
      name,
      banner,
      hierarchy,
      action,
      metadata,
      campaign: { id: campaign_id, name: campaign?.name ?? null, object: "campaign" },
      campaign_id,
      object,
    };
  }
  return {
    id: ref,
    code: id,
    campaign: campaign?.name ?? null,
    campaign_id,
    is_referral_code: campaign?.campaign_type === "REFERRAL_PROGRAM",
    ...(benefit.kind === "discount" && { type: "DISCOUNT_VOUCHER", discount: benefit.discount }),
    ...(benefit.kind === "gift" && { type: "GIFT_VOUCHER", gift: { effect: benefit.effect } }),
    ...(benefit.kind === "points" && { type: "LOYALTY_CARD" }),
    object,
  };
}

/** What a redemption shows whole, of the code or the tier it is about. */
export type RedeemableRecords = {
  catalog: Pick<Catalog, "campaigns" | "categories" | "promotion_tiers" | "rules_of">;
  project: Pick<Project, "id" | "secret">;
  voucherOf(id: string): VoucherRow | undefined;
};

/** The code or the tier as it is configured now, with the figures of use as they were after the redemption. */
export function redeemableRecord(
  { related_object_type, related_object_id, effect }: RedemptionRow,
  { catalog, project, voucherOf }: RedeemableRecords,
): Pick<Redemption, "voucher" | "promotion_tier"> {
  const use = effect?.use;
  if (related_object_type === "voucher") {
    const row = voucherOf(related_object_id!);
    if (!row) return {};
    const then = use && "redeemed_quantity" in use ? use : {};
    return { voucher: voucherView(catalog, { ...row, ...then }, project) };
  }
  const tier = related_object_type === "promotion_tier" ? catalog.promotion_tiers.get(related_object_id!) : undefined;
  const campaign = tier && catalog.campaigns.get(tier.campaign_id);
  if (!tier || !campaign) return {};
  const view = tierView(catalog, tier, campaign, use && "totals" in use ? use.totals : undefined);
  return { promotion_tier: { ...view, campaign: { ...view.campaign, name: campaign.name } } };
}

/** What a redemption is shown with: its customer and its order as they are now, and its rollbacks. */
export type ShownWith = { customer: CustomerRow | null; order: OrderRow | null; rollbacks?: readonly Fields[] };

/** How a redemption, a failed one or a rollback is shown. */
export function redemptionView(row: RedemptionRow, { customer, order, rollbacks = [] }: ShownWith): Redemption {
  const { related_object_type: type, effect, amount } = row;
  const isRollback = row.object === "redemption_rollback";
  return {
    id: row.id,
    object: row.object,
    date: row.created_at,
    customer_id: row.customer_id,
    tracking_id: row.tracking_id,
    metadata: row.metadata,
    ...(amount !== null && { amount }),
    redemption: isRollback ? row.redemption_id : row.parent_id,
    result: row.result,
    status: row.status,
    ...(row.failure_code !== null && { failure_code: row.failure_code }),
    ...(row.failure_message !== null && { failure_message: row.failure_message }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(rollbacks.length > 0 && { related_redemptions: { rollbacks } }),
    order: orderShown(row, order),
    channel: row.channel,
    customer: customer && customerShown(customer),
    ...(type !== null && { related_object_type: type, related_object_id: row.related_object_id! }),
    ...(effect?.asked && { related_object_type: effect.asked.object, related_object_id: effect.asked.id }),
    ...(type === "voucher" && { voucher: shownOf(row) ?? { id: row.related_object_id, code: row.voucher_code } }),
    ...(type === null && { voucher: null }),
    ...(type === "promotion_tier" && {
      promotion_tier: effect?.shown ?? { id: row.related_object_id, campaign: { id: row.campaign_id } },
    }),
    ...(amount !== null && effect?.kind === "credits" && { gift: { amount } }),
    ...(amount !== null && effect?.kind === "points" && { loyalty_card: { points: amount } }),
    ...(effect?.reward && { reward: { customer: customer && customerShown(customer), ...effect.reward } }),
  } as Redemption;
}
