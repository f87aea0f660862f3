import {
  batchCreateProgramMembers,
  createSegment,
  createValidationRule,
  defaults,
  listOrders,
  redeemStackedDiscounts,
  rollbackStackedRedemptions,
  validateStackedDiscounts,
} from "./client.ts";

// A checkout against the client that `test/http/openapi.test.ts` generates from the OpenAPI document. It is type-checked and
// not run. A line with @ts-expect-error fails the check when the document hides what the line reads or sends.

defaults.baseUrl = "https://laurel.example";
defaults.headers = { "X-App-Id": "id", "X-App-Token": "token" };

const cart = {
  customer: { source_id: "alice" },
  order: { items: [{ source_id: "tee", related_object: "product" as const, quantity: 2 }] },
};
type Line = { name: string; price: number; discount: number };

/** The price of a cart with a code, line by line, or why the code does not apply. */
export async function priceOf(code: string): Promise<{ lines: Line[]; total: number } | { refused: string }> {
  const reply = await validateStackedDiscounts({
    redeemables: [{ object: "voucher", id: code }],
    options: { expand: ["order", "trace"] },
    ...cart,
  });
  if (reply.status !== 200) throw new Error("key" in reply.data ? reply.data.key : "no answer");
  const { valid, order, redeemables, stacking_rules } = reply.data;
  const [first] = redeemables;
  if (!valid || !order || !first) return { refused: first?.result.error?.error?.message ?? "not applicable" };
  const limit: number = stacking_rules.applicable_redeemables_limit;
  const off: number | null | undefined = first.result.discount?.percent_off;
  const steps: string[] = first.trace?.calculation?.steps.map(({ says }) => says) ?? [];
  const rule: boolean | undefined = first.trace?.rules[0]?.trace.below?.passed;
  console.log(limit, off, steps, rule, first.order?.total_amount, first.applicable_to?.data[0]?.order_item_indices);
  const lines = (order.items ?? []).map(({ product, amount, discount_amount }) => ({
    name: product?.name ?? "",
    price: amount ?? 0,
    discount: discount_amount ?? 0,
  }));
  // @ts-expect-error: an order has no such amount.
  console.log(order.grand_total);
  // @ts-expect-error: neither has a line.
  console.log(order.items?.[0]?.colour);
  // @ts-expect-error: nor a result.
  console.log(first.result.rebate);
  return { lines, total: order.total_amount ?? 0 };
}

/** Redeems the code; the order id is what is shipped. */
export async function pay(code: string): Promise<string> {
  const reply = await redeemStackedDiscounts({ redeemables: [{ object: "voucher", id: code }], ...cart });
  if (reply.status === 400 && reply.data.key === "quantity_exceeded") return "used up";
  // @ts-expect-error: a redemption is never refused with this key.
  if (reply.status === 400 && reply.data.key === "invalid_grant_type") return "never";
  if (reply.status !== 200) throw new Error("refused");
  const { redemptions, parent_redemption, order } = reply.data;
  const redeemed: string | null | undefined = redemptions[0]?.voucher?.code;
  console.log(redeemed, redemptions[0]?.order?.status, Object.keys(order?.redemptions ?? {}));
  const undone = await rollbackStackedRedemptions(parent_redemption?.id ?? redemptions[0]!.id, { reason: "sent back" });
  if (undone.status === 200) console.log(undone.data.rollbacks[0]?.order?.items?.[0]?.subtotal_amount);
  return order?.id ?? "";
}

/** A rule, with the products that the discount is for. */
export const makeRule = () =>
  createValidationRule({
    name: "From 10.00 on",
    rules: { 1: { name: "order.amount", conditions: { $more_than: [1000] } }, logic: "1" },
    applicable_to: { included: [{ object: "product", id: "prod_1", amount_limit: 500 }] },
    error: { message: "Buy some more" },
  });
// @ts-expect-error: no product is discounted by a word.
createValidationRule({ name: "Wrong", applicable_to: { included: ["prod_1"] } });

export const makeSegment = () =>
  createSegment({
    name: "Berlin",
    type: "auto-update",
    filter: { junction: "and", "address.city": { conditions: { $is: ["Berlin"] } } },
  });
export const findOrders = () => listOrders({ filters: { amount: { conditions: { $more_than: 1000 } } } });
export const enrol = () => batchCreateProgramMembers("lprg_1", [{ customer_id: "cust_1" }]);
// @ts-expect-error: a member has no such field.
batchCreateProgramMembers("lprg_1", [{ customer: "cust_1" }]);

// @ts-expect-error: a redeemable has an id.
void validateStackedDiscounts({ redeemables: [{ object: "voucher" }] });
// @ts-expect-error: a quantity is a number or a text.
void redeemStackedDiscounts({ redeemables: [], order: { items: [{ quantity: true }] } });
