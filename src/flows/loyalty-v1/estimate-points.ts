import type { Catalog } from "../../catalog/catalog.ts";
import { namedInPrograms, programWindow } from "../../catalog/earn-programs.ts";
import { ApiError, apiErrorFrom } from "../../core/errors.ts";
import { isProgramOpen } from "../../core/loyalty/campaign/earning.ts";
import type { Order } from "../../core/order/order.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import type { Estimation, EstimationBody } from "../../resources/loyalty-v1/estimations/schema.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { findHeldCards } from "../../resources/promotions/vouchers/held-store.ts";
import { vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { type Cart, loadCarts } from "../../steps/checkout/carts.ts";
import { pointsGiven, rulesGiving } from "../../steps/earning/earn-rules.ts";
import { loyaltyNamed } from "../../steps/points/loyalty-campaigns.ts";
import { isActiveCard, loadPointsNow, type PointCard } from "../../steps/points/point-cards.ts";

/** How many points an order would earn in a program, if the customer paid it now. Nothing is written. */
export async function estimatePoints(c: Ctx, reference: string, body: EstimationBody): Promise<Estimation> {
  const catalog = await c.catalog();
  const campaign = loyaltyNamed(catalog, reference);
  const window = programWindow(campaign);
  if (!isProgramOpen(window, { now: c.now, zone: zoneOf(c.project) }))
    throw new ApiError("campaign_not_active", { details: `Loyalty campaign '${campaign.name}' is not active` });
  const cart = await loadCart(c, catalog, body);
  const card = await requireCard(c, catalog, { campaign, customerId: cart.customer?.id ?? null });
  const tier = catalog.campaign_tiers.get(card?.change.card.tier?.tier_id ?? "");
  const cause = {
    of: c,
    customer: cart.customer,
    segments: cart.customer?.segments ?? new Set<string>(),
    order: withDiscounts(cart.order!, body),
    custom_event: {},
  };
  const asking = { catalog, project: c.project, cause, tiers: new Set(tier ? [tier.id] : []) };
  const rules = catalog.earning_rules_of_campaign.get(campaign.id) ?? [];
  const points_estimation = rulesGiving(asking, { rules, window }, { event: "customer.order.paid" }).reduce(
    (sum, rule) => Math.min(Number.MAX_SAFE_INTEGER, sum + pointsGiven(asking, rule, tier?.earning_rules[rule.id])),
    0,
  );
  return { campaign: { id: campaign.id, name: campaign.name, object: "campaign" }, points_estimation };
}

async function loadCart(c: Ctx, catalog: Catalog, sent: EstimationBody): Promise<Cart> {
  const asked = { catalog, now: c.now, newId: c.newId, steps: c.steps, sent };
  const [cart] = await loadCarts(c.db, c.project, [asked], namedInPrograms(catalog).collections);
  if ("refused" in cart!) throw apiErrorFrom(cart.refused);
  return cart!;
}

/** The card of a member. Somebody without one is estimated for where everybody may join. */
async function requireCard(
  c: Ctx,
  catalog: Catalog,
  { campaign, customerId }: { campaign: Campaign; customerId: string | null },
): Promise<PointCard | null> {
  const of = { customerIds: [customerId ?? ""], campaignIds: [campaign.id] };
  const [held] = customerId === null ? [] : await findHeldCards(c.db, c.project.id, of);
  if (!held) {
    if (campaign.auto_join) return null;
    const details = `Loyalty campaign '${campaign.name}' does not allow auto-join for non-members`;
    throw new ApiError("campaign_not_allow_auto_join", { details });
  }
  const cards = await loadPointsNow(c, catalog, await vouchersById(c.db, c.project.id, [held.id]));
  const card = cards.get(held.id);
  if (!card || !isActiveCard(card, c.now)) {
    const code = card?.row.code ?? held.id;
    throw new ApiError("loyalty_card_not_active", { details: `Customer's loyalty card '${code}' is not active` });
  }
  return card;
}

/** What is sent as taken off the order, as far as it costs so much. */
function withDiscounts(order: Order, { order: { discount_amount, items } }: EstimationBody): Order {
  return {
    ...order,
    discount_amount: discount_amount ?? order.discount_amount,
    items: order.items.map((item, n) => ({
      ...item,
      discount_amount: Math.min(items?.[n]?.discount_amount ?? item.discount_amount, item.amount ?? 0),
    })),
  };
}
