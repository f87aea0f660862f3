import type { Metadata, Order } from "../order/order.ts";
import type { Steps } from "../steps.ts";

/** How often something was redeemed with success and not rolled back, in the calendar periods that hold `now`. */
export type Counts = { total: number; day: number; week: number; month: number };
export const NO_COUNTS: Counts = Object.freeze({ total: 0, day: 0, week: 0, month: 0 });

export type CustomerFacts = {
  id: string | null;
  source_id: string | null;
  metadata: Metadata;
  birthdate: string | null;
  /** Segments and loyalty tiers the customer is in now. */
  segments: ReadonlySet<string>;
  loyalty_tiers: ReadonlySet<string>;
};

/** Everything a rule may look at. What is null was not sent: a rule that needs it cannot hold. */
export type RuleFacts = {
  /** Pays for the evaluation; without it nothing is counted. */
  steps?: Steps | undefined;
  now: string;
  /** The project's zone, as `resolveZone` gives it. */
  zone: string;
  customer: CustomerFacts | null;
  /** The cart as the redeemables before this one left it. */
  order: Order | null;
  /** The cart after this redeemable; null until it was calculated. Only `order.total_amount` looks at it. */
  discounted: Order | null;
  /** The metadata of the request, and what this redemption would spend. */
  redemption: {
    metadata: Metadata;
    api_key_id: string | null;
    user_login: string | null;
    gift_credits: number;
    points_used: number;
  };
  /** The metadata of the event that started an earning rule; null outside of one. */
  custom_event: { metadata: Metadata } | null;
  /** Metadata of a member of a v2 loyalty program; null outside of one. */
  member: { metadata: Metadata } | null;
  /** Customers the code was published to; null when the redeemable is not a published code. */
  holder_ids: readonly string[] | null;
  /** Redemptions so far, without the one that is being decided, but with those before it in the same request. */
  counts: {
    campaign: Counts;
    campaign_customer: Counts;
    incentive: Counts;
    incentive_customer: Counts;
    incentive_api_key: number;
    incentive_user: number;
    campaign_orders_amount: number;
    campaign_discount_amount: number;
    campaign_gift_amount: number;
  };
};

/** Of what was never redeemed. */
export const NO_COUNTERS: RuleFacts["counts"] = Object.freeze({
  campaign: NO_COUNTS,
  campaign_customer: NO_COUNTS,
  incentive: NO_COUNTS,
  incentive_customer: NO_COUNTS,
  incentive_api_key: 0,
  incentive_user: 0,
  campaign_orders_amount: 0,
  campaign_discount_amount: 0,
  campaign_gift_amount: 0,
});
