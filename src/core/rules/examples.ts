import type { Order, OrderItem } from "../order/order.ts";
import { type CustomerFacts, NO_COUNTS, type RuleFacts } from "./facts.ts";

type Item = Partial<OrderItem>;
type Counts = RuleFacts["counts"];

/** Facts of an example: only what it is about. */
export type ExampleFacts = {
  now?: string;
  zone?: string;
  customer?: Partial<Omit<CustomerFacts, "segments" | "loyalty_tiers">> & {
    segments?: readonly string[];
    loyalty_tiers?: readonly string[];
  };
  order?: Partial<Omit<Order, "items">> & { items?: readonly Item[] };
  discounted?: Partial<Omit<Order, "items">> & { items?: readonly Item[] };
  redemption?: Partial<RuleFacts["redemption"]>;
  custom_event?: RuleFacts["custom_event"];
  member?: RuleFacts["member"];
  holder_ids?: readonly string[];
  counts?: { [K in keyof Counts]?: Counts[K] extends number ? number : Partial<Counts[K]> };
};

const NO_REDEMPTION: RuleFacts["redemption"] = {
  metadata: {},
  api_key_id: null,
  user_login: null,
  gift_credits: 0,
  points_used: 0,
};

/** The whole facts of an example: what it leaves out is empty, and what it does not send at all is null. */
export const completeFacts = (given: ExampleFacts): RuleFacts => ({
  now: given.now ?? "2026-03-04T12:00:00.000Z",
  zone: given.zone ?? "UTC",
  customer: given.customer ? exampleCustomer(given.customer) : null,
  order: given.order ? exampleOrder(given.order) : null,
  discounted: given.discounted ? exampleOrder(given.discounted) : null,
  redemption: { ...NO_REDEMPTION, ...given.redemption },
  custom_event: given.custom_event ?? null,
  member: given.member ?? null,
  holder_ids: given.holder_ids ?? null,
  counts: countsOf(given.counts ?? {}),
});

const exampleCustomer = (given: NonNullable<ExampleFacts["customer"]>): CustomerFacts => ({
  id: "cust_1",
  source_id: null,
  metadata: {},
  birthdate: null,
  ...given,
  segments: new Set(given.segments),
  loyalty_tiers: new Set(given.loyalty_tiers),
});

/** Amounts follow from prices and quantities, as they do in a request. */
function exampleOrder({ items: given = [], ...order }: NonNullable<ExampleFacts["order"]>): Order {
  const items = given.map(itemOf);
  const amounts = items.flatMap(({ amount }) => (amount === null ? [] : [amount]));
  const amount = order.amount ?? (amounts.length > 0 ? amounts.reduce((all, one) => all + one) : null);
  return {
    id: null,
    source_id: null,
    initial_amount: amount,
    discount_amount: 0,
    applied_discount_amount: 0,
    metadata: {},
    ...order,
    amount,
    items,
  };
}

function itemOf(given: Item): OrderItem {
  const { quantity = 1, price = null } = given;
  const amount = given.amount ?? (price === null ? null : price * quantity);
  return {
    id: null,
    product: null,
    sku: null,
    collections: [],
    initial_quantity: quantity,
    initial_amount: amount,
    discount_amount: 0,
    discount_quantity: 0,
    applied_discount_amount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
    metadata: {},
    ...given,
    quantity,
    price,
    amount,
  };
}

const countsOf = (given: NonNullable<ExampleFacts["counts"]>): Counts => ({
  incentive_api_key: 0,
  incentive_user: 0,
  campaign_orders_amount: 0,
  campaign_discount_amount: 0,
  campaign_gift_amount: 0,
  ...given,
  campaign: { ...NO_COUNTS, ...given.campaign },
  campaign_customer: { ...NO_COUNTS, ...given.campaign_customer },
  incentive: { ...NO_COUNTS, ...given.incentive },
  incentive_customer: { ...NO_COUNTS, ...given.incentive_customer },
});

export const product = (id: string, more: Partial<NonNullable<OrderItem["product"]>> = {}): OrderItem["product"] => ({
  id,
  source_id: null,
  name: null,
  price: null,
  metadata: {},
  ...more,
});
export const sku = (id: string, more: Partial<NonNullable<OrderItem["sku"]>> = {}): OrderItem["sku"] => ({
  id,
  source_id: null,
  sku: null,
  price: null,
  metadata: {},
  ...more,
});
