import { transactionView } from "../../core/ledger/transaction-view.ts";
import type { Plan } from "../../core/redeem/plan.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import {
  simpleCampaign,
  simpleCustomer,
  simpleOrder,
  simplePromotionStack,
  simplePromotionTier,
  simpleRedemption,
  simpleVoucher,
} from "../../core/webhooks/reduced.ts";
import type { Shown } from "../../events/parts.ts";
import type { RedeemAttempt } from "./decide.ts";

/** What a request did: the codes afterwards, the entries of their accounts, and the order. */
type Done = Pick<Plan, "vouchers" | "entries"> & { order: OrderRow | null };

/**
 * What webhooks are shown of a redemption, also of a failed one. It is made from memory, without a statement. A holder who was not
 * loaded is shown by id only.
 */
export function redemptionParts(attempt: RedeemAttempt, row: RedemptionRow, { vouchers, entries, order }: Done): Shown {
  const { command, state } = attempt;
  const { campaigns, categories } = command.catalog;
  const customer = row.customer_id === null ? null : (attempt.customer?.row ?? null);
  const campaign = campaigns.get(row.campaign_id ?? "") ?? null;
  const voucher =
    row.related_object_type === "voucher"
      ? (vouchers.find(({ id }) => id === row.related_object_id) ?? state.vouchers.get(row.related_object_id!))
      : undefined;
  const held = voucher?.holder_id ?? null;
  const holder = state.customers.byId(held ?? "") ?? (customer?.id === held ? customer : undefined);
  const entry = entries.find(({ redemption_id }) => redemption_id === row.id);
  const transaction =
    entry && voucher?.type === "GIFT_VOUCHER" && transactionView(entry, voucher.type, order?.source_id ?? null);
  return {
    customer: customer && simpleCustomer(customer),
    order: order && simpleOrder(order),
    campaign: campaign && simpleCampaign(campaign, categories.get(campaign.category_id ?? "")),
    voucher: voucher ? simpleVoucher(voucher, campaign, categories.get(voucher.category_id ?? "")) : null,
    holder: held && (holder ? simpleCustomer(holder) : { id: held, object: "customer" }),
    promotion_tier: simplePromotionTier(row),
    ...stackIn(attempt),
    redemption: simpleRedemption(row, { customer, order }),
    rollback: null,
    ...(transaction && { transaction, balance: transaction.details.balance }),
  };
}

/** The stack of promotions that was asked for, if it was one. It is kept with the event: a redemption names its tier only. */
function stackIn({ command }: Pick<RedeemAttempt, "command">): { promotion_stack: Record<string, unknown> | null } {
  const sent = command.sent.redeemables.find(({ object }) => object === "promotion_stack");
  const stack = sent && command.catalog.promotion_stacks.get(sent.id);
  return { promotion_stack: stack ? simplePromotionStack(stack) : null };
}

/** The same for the payload of an event, which has no field for what is not there. */
export const stackKept = (attempt: Pick<RedeemAttempt, "command">): { promotion_stack?: Record<string, unknown> } => {
  const { promotion_stack } = stackIn(attempt);
  return promotion_stack ? { promotion_stack } : {};
};
