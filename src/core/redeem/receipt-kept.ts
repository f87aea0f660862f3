import { type Difference, differenceOf, withDifference } from "../difference.ts";
import { ALL_PRODUCTS_ID } from "../discounts/discount.ts";
import { jsonbOrder } from "../jsonb-order.ts";
import type { Order } from "../order/order.ts";
import { cartOf } from "../order/stored.ts";
import type { OrderRow } from "../rows/order.ts";
import type { RedemptionRow } from "../rows/redemption.ts";
import { NO_COUNTERS } from "../rules/facts.ts";
import { toInstantText } from "../time/instant-text.ts";
import { orderAt } from "./order-shown.ts";
import { type Receipt, receiptAmounts, resultLines } from "./receipt.ts";

/**
 * A receipt in the row of its redemption: what is not as its row and its order let expect. `of` says how they do, so that
 * receipts of an older form stay readable. Without it the receipt is there as a whole. False: it was erased.
 */
export type ReceiptKept = { of: 1; but?: Difference } | Receipt | false;

/** What a receipt is taken apart with, and put together: columns of a redemption that never change, and its order as it left it. */
type Rows = Omit<RedemptionRow, "receipt">;

/** The receipt of a redemption as it mostly is: of a code that was redeemed for the first time, on an order that is new. */
function expected(row: Rows, order: OrderRow | null) {
  const { related_object_type, related_object_id, voucher_code, campaign_id, customer_id, effect } = row;
  const metadata = jsonbOrder(row.metadata);
  const customer = customer_id === null ? null : { id: customer_id };
  const cart = order && cartOf(order);
  const named = { object: related_object_type, id: voucher_code ?? related_object_id };
  const discount = effect?.shown?.discount as object | undefined;
  const card = giftOf(row);
  const isStack = related_object_type === "redemption";
  return {
    request: {
      redeemables: isStack ? [] : [{ ...named, ...(card && { gift: { credits: card.paid } }) }],
      customer,
      order: order && cart && cartExpected(order, cart),
      metadata,
    },
    facts: {
      now: toInstantText(row.created_at),
      zone: "UTC",
      api_key_id: row.channel.channel_id,
      customer: customer && {
        ...customer,
        source_id: null,
        metadata: {},
        birthdate: null,
        segments: [],
        loyalty_tiers: [],
      },
      redeemables: isStack
        ? []
        : [
            {
              ...named,
              ref: related_object_id,
              label: card ? "Gift Card" : "Discount Coupon",
              campaign_id,
              category_id: null,
              hierarchy: null,
              is_active: true,
              quantity: null,
              redeemed: 0,
              locked: 0,
              rules: [],
              benefit: card
                ? { kind: "gift", balance: card.left + card.paid, locked: 0, effect: card.effect, requested: card.paid }
                : { kind: "discount", discount: "" },
              published: 0,
              metadata: {},
              counts: NO_COUNTERS,
            },
          ],
    },
    configuration: { stacking_rules: "" },
    result: {
      valid: true,
      redeemables: isStack
        ? []
        : [
            {
              ...named,
              status: "APPLICABLE",
              ...(discount && { discount: { ...discount, effect: "APPLY_TO_ORDER", is_dynamic: false } }),
              ...(card && { gift: { credits: card.paid, balance: card.left } }),
              ...(cart && { order: receiptAmounts(cart) }),
            },
          ],
      order: cart && { ...receiptAmounts(cart), items: resultLines(cart) },
    },
  };
}

/** The cart as it was before anything came off it. */
const cartExpected = (order: OrderRow, cart: Order) => ({
  ...cart,
  id: order.updated_at === null ? null : cart.id,
  discount_amount: 0,
  applied_discount_amount: 0,
  items: cart.items.map((item) => ({
    ...item,
    collections: [ALL_PRODUCTS_ID],
    quantity: item.initial_quantity,
    amount: item.initial_amount,
    discount_amount: 0,
    discount_quantity: 0,
    applied_discount_amount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
  })),
  metadata: jsonbOrder(cart.metadata),
});

/** What a gift card has paid and what is left on it; null: it is none. */
function giftOf({ effect, amount }: Rows) {
  const gift = effect?.shown?.gift as { effect?: string } | undefined;
  const account = effect?.use && "account" in effect.use ? effect.use.account : null;
  return gift && account && amount !== null ? { paid: amount, left: account.available, effect: gift.effect } : null;
}

/** What is kept of a receipt in the row of its redemption, beside the order that it left. */
export function receiptKept(receipt: Receipt, row: Rows, order: OrderRow | null): ReceiptKept {
  const but = differenceOf(expected(row, orderAt(row, order)), receipt);
  return { of: 1, ...(but && { but }) };
}

/** The receipt that was kept. */
export function receiptFrom(kept: Exclude<ReceiptKept, false>, row: Rows, order: OrderRow | null): Receipt {
  return "of" in kept ? (withDifference(expected(row, orderAt(row, order)), kept.but) as Receipt) : kept;
}
