import { type ErrorBody, errorBody } from "../../core/errors.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import type { Decision } from "../../core/validate/decide.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import type { Saved } from "../../resources/customers/customers/store.ts";
import type { Cart } from "../../steps/checkout/carts.ts";
import type { RedeemRequest } from "../../steps/checkout/deciding.ts";
import type { Overrides } from "../../steps/goods/overrides.ts";
import type { Work } from "./load.ts";
export type Attempt = {
  command: RedeemRequest;
  work: Work;
  cart: Cart;
  decision: Decision;
  customer: Saved | null;
  /** Whom the order names; null: nobody. */
  referrer: Saved | null;
  overrides: Overrides;
};

export function storedOrder(
  { sent: { order } }: RedeemRequest,
  { orders }: Work,
): OrderRow | null | { refused: ErrorBody } {
  if (order?.id) return orders.get(order.id) ?? { refused: errorBody("not_found", notFoundOrder(order.id)) };
  if (!order?.source_id) return null;
  return [...orders.values()].find(({ source_id }) => source_id === order.source_id) ?? null;
}
const notFoundOrder = (id: string) => ({
  details: `Cannot find order with id ${id}`,
  resource_id: id,
  resource_type: "order",
});

export const common = ({ command, cart, customer }: Attempt, id: string): RedemptionRow => ({
  project_id: command.project.id,
  id,
  object: "redemption",
  result: "SUCCESS",
  status: "SUCCEEDED",
  parent_id: null,
  redemption_id: null,
  related_object_type: null,
  related_object_id: null,
  campaign_id: null,
  campaign_name: null,
  voucher_code: null,
  customer_id: customer?.row.id ?? null,
  tracking_id: cart.tracking_id,
  order_id: null,
  amount: null,
  failure_code: null,
  failure_message: null,
  reason: null,
  metadata: { ...command.sent.metadata },
  channel: { channel_id: command.api_key_id, channel_type: command.channel ?? "API" },
  order_shown: null,
  effect: null,
  created_at: command.now,
});

export const namesOfRedeemable = (candidate: Redeemable, catalog: RedeemRequest["catalog"]) => ({
  related_object_type: candidate.object,
  related_object_id: candidate.ref,
  campaign_id: candidate.campaign_id,
  campaign_name: candidate.campaign_id === null ? null : (catalog.campaigns.get(candidate.campaign_id)?.name ?? null),
  voucher_code: candidate.object === "voucher" ? candidate.id : null,
});
