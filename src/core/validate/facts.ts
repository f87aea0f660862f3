import type { RuleFacts } from "../rules/facts.ts";
import type { Redeemable } from "./redeemable.ts";
import type { Applied, Running, Situation } from "./situation.ts";

const NOTHING: Running["applied"] = [];

/** What the rules see. Redeemables of the same campaign that this request applied before count already. */
export function redeemableFacts(
  { counts, holder_ids, campaign_id }: Redeemable,
  running: Running,
  { now, zone, customer, redemption, steps }: Situation,
  applied?: Applied,
): RuleFacts {
  const before = campaign_id === null ? NOTHING : running.applied.filter((one) => one.campaign_id === campaign_id);
  const add = (of: RuleFacts["counts"]["campaign"], by: number) =>
    by === 0 ? of : { total: of.total + by, day: of.day + by, week: of.week + by, month: of.month + by };
  const sum = (field: "order_amount" | "discount_amount" | "gift_amount") =>
    before.reduce((all, one) => all + one[field], 0);
  return {
    steps,
    now,
    zone,
    customer,
    order: running.order,
    discounted: applied?.order ?? null,
    redemption: {
      metadata: redemption.metadata,
      api_key_id: redemption.api_key_id,
      user_login: redemption.user_login,
      gift_credits: applied?.gift?.credits ?? 0,
      points_used: applied?.loyalty_card?.points ?? 0,
    },
    custom_event: null,
    member: null,
    holder_ids,
    counts:
      before.length === 0
        ? counts
        : {
            ...counts,
            campaign: add(counts.campaign, before.length),
            campaign_customer: add(counts.campaign_customer, before.length),
            campaign_orders_amount: counts.campaign_orders_amount + sum("order_amount"),
            campaign_discount_amount: counts.campaign_discount_amount + sum("discount_amount"),
            campaign_gift_amount: counts.campaign_gift_amount + sum("gift_amount"),
          },
  };
}
