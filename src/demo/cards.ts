import { answeredId, type DemoRequest } from "./requests.ts";

// Loyalty cards and friends: a program of cards with a rule for orders and one for visits, tiers and rewards; a referral
// program that gives points on those cards; and templates of two promotions.

const CLUB = `/v1/loyalties/${answeredId("Coffee club")}`;
const FRIENDS = `/v1/campaigns/${answeredId("Bring a friend")}`;

const clubRequests: DemoRequest[] = [
  {
    line: "POST /v1/loyalties",
    body: {
      name: "Coffee club",
      type: "AUTO_UPDATE",
      auto_join: true,
      voucher: {
        type: "LOYALTY_CARD",
        loyalty_card: {
          points: 100,
          expiration_rules: { period_type: "MONTH", period_value: 12, rounding_type: "END_OF_MONTH" },
        },
        code_config: { pattern: "CLUB-########" },
      },
    },
    as: "Coffee club",
  },
  {
    line: `POST ${CLUB}/earning-rules`,
    body: [
      {
        event: "order.paid",
        loyalty: {
          type: "PROPORTIONAL",
          calculation_type: "ORDER_TOTAL_AMOUNT",
          order: { total_amount: { every: 100, points: 1 } },
        },
        source: { banner: "A point for every 1.00" },
      },
    ],
    as: "A point for every 1.00",
  },
  {
    line: `POST ${CLUB}/earning-rules`,
    body: [
      {
        event: "store_visited",
        custom_event: { schema_id: answeredId("store_visited") },
        loyalty: { type: "FIXED", points: 10 },
        source: { banner: "10 points for a visit" },
      },
    ],
    as: "10 points for a visit",
  },
  {
    line: `POST ${CLUB}/tiers`,
    body: [
      { name: "Guest", points: { from: 0, to: 499 } },
      {
        name: "Barista",
        points: { from: 500 },
        earning_rules: { [answeredId("A point for every 1.00")]: { type: "MULTIPLY", multiplier: 2 } },
      },
    ],
    as: "tiers of the club",
  },
  {
    line: "POST /v1/rewards",
    body: {
      name: "A bag of beans",
      type: "MATERIAL",
      stock: 25,
      parameters: { product: { id: answeredId("beans") } },
    },
    as: "A bag of beans",
  },
  {
    line: "POST /v1/rewards",
    body: {
      name: "Pay with points",
      type: "COIN",
      parameters: { coin: { exchange_ratio: 1, points_ratio: 100 } },
    },
    as: "Pay with points",
  },
  {
    line: `POST ${CLUB}/rewards`,
    body: [
      { reward: answeredId("A bag of beans"), parameters: { loyalty: { points: 400 } } },
      { reward: answeredId("Pay with points") },
    ],
    as: "rewards of the club",
  },
  { line: `POST /v1/campaigns/${answeredId("Coffee club")}/vouchers/CLUB-DEMO`, body: {} },
  { line: `POST ${CLUB}/members`, body: { customer: { source_id: "bob" }, voucher: "CLUB-DEMO" } },
  {
    line: "POST /v1/events",
    body: {
      event: "store_visited",
      customer: { source_id: "bob" },
      loyalty: { code: "CLUB-DEMO" },
      metadata: { store: "Harbour" },
    },
    daysAgo: 30,
  },
];

/** A program whose points wait: they count when the time for returns is over. */
const waitingRequests: DemoRequest[] = [
  {
    line: "POST /v1/loyalties",
    body: {
      name: "Bakery club",
      type: "AUTO_UPDATE",
      voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 }, code_config: { pattern: "BAKERY-########" } },
    },
    as: "Bakery club",
  },
  {
    line: `POST /v1/loyalties/${answeredId("Bakery club")}/earning-rules`,
    body: [
      {
        event: "order.paid",
        loyalty: { type: "FIXED", points: 30 },
        pending_points: { period_type: "DAY", period_value: 14 },
        source: { banner: "30 points for an order, after two weeks" },
      },
    ],
  },
  { line: `POST /v1/campaigns/${answeredId("Bakery club")}/vouchers/BAKERY-DEMO`, body: {} },
  {
    line: `POST /v1/loyalties/${answeredId("Bakery club")}/members`,
    body: { customer: { source_id: "customer-6" }, voucher: "BAKERY-DEMO" },
  },
  {
    line: "POST /v1/orders",
    body: {
      source_id: "waiting-1",
      status: "PAID",
      customer: { source_id: "customer-6" },
      items: [{ source_id: "beans", related_object: "product", quantity: 1 }],
    },
    as: "an order whose points wait",
    // Today: they wait for two weeks.
    daysAgo: 0,
  },
];

/** Who brings a friend gets nothing here; the friend gets 10.00 off, and points. */
const friendRequests: DemoRequest[] = [
  {
    line: "POST /v1/campaigns",
    body: {
      name: "Bring a friend",
      campaign_type: "REFERRAL_PROGRAM",
      type: "AUTO_UPDATE",
      voucher: {
        type: "DISCOUNT_VOUCHER",
        discount: { type: "AMOUNT", amount_off: 1000 },
        redemption: { quantity: null },
        code_config: { pattern: "FRIEND-######" },
        is_referral_code: true,
      },
      referral_program: {
        conversion_event_type: "redemption",
        referee_reward: {
          related_object_parent: { id: answeredId("Coffee club"), object: "CAMPAIGN" },
          type: "LOYALTY_CARD",
          amount: 50,
        },
      },
    },
    as: "Bring a friend",
  },
  { line: `POST ${FRIENDS}/vouchers/FRIEND-DEMO`, body: {} },
  { line: "POST /v1/publications", body: { voucher: "FRIEND-DEMO", customer: { source_id: "carol" } } },
  {
    line: "POST /v1/referrals/members/FRIEND-DEMO/holders",
    body: { holders: [{ source_id: "customer-4" }, { source_id: "customer-5" }] },
    as: "friends of carol",
  },
];

const templateRequests: DemoRequest[] = [
  {
    line: "POST /v1/templates/campaigns",
    body: { name: "A mailing", description: "15% off, one use each", campaign_id: answeredId("Spring mailing") },
    as: "A mailing",
  },
  {
    line: "POST /v1/templates/campaigns",
    body: { name: "10% from 100.00", promotion_tier_id: answeredId("10% from 100.00") },
    as: "template of a tier",
  },
];

export const cardRequests: readonly DemoRequest[] = [
  ...clubRequests,
  ...waitingRequests,
  ...friendRequests,
  ...templateRequests,
];
