import { answeredId, type DemoRequest, type Seeded } from "./requests.ts";

// The club: two wallets, three tiers, a rule of every kind, rewards, and members with a year behind them.

const V2 = "/v2/loyalties";
export const PROGRAM = `${V2}/programs/${answeredId("Laurel club")}`;
const wallet = (name: string) => ({ card_definition_id: answeredId(name) });
const collection = (name: string) => ({ type: "products_collection", products_collection: { id: answeredId(name) } });
/** `value` points for every unit of money. */
const perUnit = (value: number) => ({
  points_proportional: {
    calculation_type: "POST_DISCOUNT_ORDER_AMOUNT",
    order: { total_amount: { every: 100, value } },
    ...wallet("Points"),
  },
});
const inTier = (name: string) => ({
  type: "ANY_OF",
  any_of: [{ tier_structure_id: answeredId("Club tiers"), tier_ids: [answeredId(name)] }],
});
const on = (event: string) => ({ event: "customer.custom_event", custom_event: { schema_id: answeredId(event) } });

/** Wallets by their names. */
const WALLETS: Readonly<Record<string, object>> = {
  Points: {
    code_config: { prefix: "PTS-" },
    points_expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 6, unit: "MONTH" } } },
    pay_with_points: { type: "EXCHANGE_RATIO", exchange_ratio: { formula: "1" } },
  },
  Stars: {
    code_config: { prefix: "STAR-" },
    pending_points: { type: "PERIOD_BASED", period_based: { period: { value: 14, unit: "DAY" } } },
  },
};

/** Tiers by the points that somebody holds. */
const TIERS: Readonly<Record<string, { min_value: number; max_value?: number }>> = {
  Bronze: { min_value: 0, max_value: 499 },
  Silver: { min_value: 500, max_value: 999 },
  Gold: { min_value: 1000 },
};

const campaign = (name: string, { type, voucher }: { type: string; voucher: object }) => ({
  line: "POST /v1/campaigns",
  body: { name, campaign_type: type, type: "AUTO_UPDATE", voucher },
  as: name,
});

/** Earning rules by their names. Of several earnings the first that fits counts. */
const RULES: Readonly<Record<string, object>> = {
  "Points for orders": {
    trigger: { event: "customer.order.paid" },
    earnings: [
      { name: "Gold", tier_rules: inTier("Gold"), effects: [perUnit(2)] },
      { name: "Silver", tier_rules: inTier("Silver"), effects: [perUnit(1.5)] },
      { name: "Everybody", effects: [perUnit(1)] },
    ],
  },
  "A star for coffee": {
    trigger: { event: "customer.order.paid" },
    earnings: [
      {
        effects: [
          {
            points_proportional: {
              calculation_type: "ORDER_ITEMS_QUANTITY",
              order_items: { quantity: { every: 1, value: 1, applicable_to: [collection("Coffee")] } },
              ...wallet("Stars"),
            },
          },
        ],
      },
    ],
  },
  "A review a day": {
    trigger: on("product_reviewed"),
    earnings: [{ effects: [{ points: { value: 20, ...wallet("Points") } }] }],
    trigger_limits: { cooldown: { type: "FIXED_COOLDOWN", fixed_cooldown: { period: { value: 1, unit: "DAY" } } } },
  },
  "Regular customer": {
    trigger: { event: "customer.segment.entered", segment: { id: answeredId("Regular customers") } },
    earnings: [{ effects: [{ points: { value: 250, ...wallet("Points") } }] }],
  },
  Newsletter: {
    trigger: on("newsletter_subscribed"),
    earnings: [{ effects: [{ incentive: { id: answeredId("Thank you coupon") } }] }],
  },
};

type Reward = { costs: object[]; stock?: number; refunds?: object } & ({ material: object } | { digital: object });
const cost = (points: number, of: string) => ({ spending: [{ points, ...wallet(of) }] });
const REWARDS: Readonly<Record<string, Reward>> = {
  "Mug for points": { material: { product: { id: answeredId("mug") } }, costs: [cost(300, "Points")], stock: 20 },
  "5.00 coupon": {
    digital: { discount_coupons: { campaign_id: answeredId("Club coupons") } },
    costs: [cost(200, "Points")],
    refunds: { type: "REFUNDABLE" },
  },
  "20.00 gift card": {
    digital: { gift_vouchers: { campaign_id: answeredId("Club gift cards"), balance: 2000 } },
    costs: [{ ...cost(600, "Points"), tier_rules: inTier("Gold") }, cost(800, "Points")],
    stock: 50,
  },
  "Stars into points": {
    digital: { loyalty_card_points: { points: 100, ...wallet("Points") } },
    costs: [cost(5, "Stars")],
  },
};
const stock = (quantity: number | undefined) =>
  quantity === undefined ? { type: "UNLIMITED" } : { type: "LIMITED", limited: { quantity } };

const configuration: DemoRequest[] = [
  ...Object.entries(WALLETS).map(([name, settings]) => ({
    line: `POST ${V2}/card-definitions`,
    body: { name, type: "INDIVIDUAL", status: "ACTIVE", ...settings },
    as: name,
  })),
  // A draft, whose tiers can still be made.
  {
    line: `POST ${V2}/tier-structures`,
    body: { name: "Holiday tiers", type: "POINT_BALANCE", ...wallet("Points") },
    as: "Holiday tiers",
  },
  {
    line: `POST ${V2}/tier-structures`,
    body: {
      name: "Club tiers",
      type: "POINT_BALANCE",
      ...wallet("Points"),
      downgrade: { type: "SINGLE_LEVEL", grace_period: { value: 30, unit: "DAY", round_up: false } },
    },
    as: "Club tiers",
  },
  ...Object.entries(TIERS).map(([name, points]) => ({
    line: `POST ${V2}/tier-structures/${answeredId("Club tiers")}/tiers`,
    body: { name, qualification_rules: { type: "POINTS", points } },
    as: name,
  })),
  { line: `POST ${V2}/tier-structures/${answeredId("Club tiers")}/activate`, body: {} },
  campaign("Club coupons", {
    type: "DISCOUNT_COUPONS",
    voucher: {
      type: "DISCOUNT_VOUCHER",
      discount: { type: "AMOUNT", amount_off: 500 },
      redemption: { quantity: 1 },
      code_config: { pattern: "FIVE-########" },
    },
  }),
  campaign("Club gift cards", {
    type: "GIFT_VOUCHERS",
    voucher: {
      type: "GIFT_VOUCHER",
      gift: { amount: 2000, effect: "APPLY_TO_ORDER" },
      redemption: { quantity: null },
      code_config: { pattern: "TWENTY-########" },
    },
  }),
  {
    line: `POST ${V2}/benefits`,
    body: {
      name: "Thank you coupon",
      type: "DIGITAL",
      status: "ACTIVE",
      digital: { type: "DISCOUNT_COUPONS", discount_coupons: { campaign_id: answeredId("Club coupons") } },
    },
    as: "Thank you coupon",
  },
  {
    line: "POST /v1/segments",
    body: {
      name: "Regular customers",
      type: "auto-update",
      filter: { junction: "and", "summary.orders.total_amount": { conditions: { $more_than: [100_000] } } },
    },
    as: "Regular customers",
  },
  ...Object.entries(RULES).map(([name, rule]) => ({
    line: `POST ${V2}/earning-rules`,
    body: { name, status: "ACTIVE", ...rule },
    as: name,
  })),
  ...Object.entries(REWARDS).map(([name, { stock: _, ...reward }]) => ({
    line: `POST ${V2}/rewards`,
    body: { name, type: "material" in reward ? "MATERIAL" : "DIGITAL", status: "ACTIVE", ...reward },
    as: name,
  })),
  // A draft, to which something can be assigned.
  {
    line: `POST ${V2}/programs`,
    body: { name: "Holiday club", card_definitions: [{ id: answeredId("Points") }] },
    as: "Holiday club",
  },
  {
    line: `POST ${V2}/programs`,
    body: {
      name: "Laurel club",
      status: "ACTIVE",
      card_definitions: Object.keys(WALLETS).map((name) => ({ id: answeredId(name) })),
      earning_rules: Object.keys(RULES).map((name) => ({ id: answeredId(name) })),
      rewards: Object.entries(REWARDS).map(([name, reward]) => ({ id: answeredId(name), stock: stock(reward.stock) })),
      tier_structures: [{ id: answeredId("Club tiers") }],
    },
    as: "Laurel club",
  },
];

/** What a member did, so many days ago: bought goods, tracked an event, or bought a reward. */
type Deed = { daysAgo: number } & (
  | { bought: readonly (readonly [product: string, quantity: number])[] }
  | { did: "product_reviewed" | "newsletter_subscribed"; metadata?: object }
  | { reward: string }
);
const bought = (daysAgo: number, ...goods: (readonly [product: string, quantity: number])[]): Deed => ({
  daysAgo,
  bought: goods,
});
const reviewed = (daysAgo: number, stars = 5): Deed => ({ daysAgo, did: "product_reviewed", metadata: { stars } });
const subscribed = (daysAgo: number): Deed => ({ daysAgo, did: "newsletter_subscribed" });
const took = (daysAgo: number, reward: string): Deed => ({ daysAgo, reward });

// The documents name what these three have. Half a year has 181 to 184 days and a month 28 to 31: nothing that depends
// on the difference happens here, so they have the same on every day of the year on which the demo is loaded.
const KNOWN: Readonly<Record<string, readonly Deed[]>> = {
  /** Buys much, was a Silver member and is a Gold member. */
  alice: [
    bought(360, ["grinder", 2]),
    bought(330, ["hoodie", 2], ["tee", 2]),
    reviewed(325),
    bought(300, ["polo", 5]),
    bought(270, ["grinder", 1], ["mug", 5]),
    took(260, "Mug for points"),
    subscribed(200),
    bought(150, ["tee", 10]),
    bought(120, ["grinder", 2], ["beans", 4]),
    reviewed(119),
    bought(80, ["hoodie", 4]),
    took(60, "5.00 coupon"),
    bought(40, ["polo", 4], ["beans", 2]),
    took(30, "Stars into points"),
    bought(5, ["beans", 3]),
  ],
  /** Was there once, and all points have expired. */
  bob: [bought(300, ["tee", 2]), reviewed(299), bought(250, ["mug", 2])],
  /** Has just come back: the points of last year are gone, and so is the tier. */
  carol: [
    bought(350, ["grinder", 5], ["polo", 5]),
    took(340, "5.00 coupon"),
    bought(60, ["beans", 6]),
    subscribed(59),
    bought(20, ["tee", 4]),
  ],
};
const ENROLLED_DAYS_AGO = 365;

/** What others did in the year: an order a month or so, and a review now and then. */
function madeUpDeeds({ pick, integer }: Seeded): Deed[] {
  const deeds: Deed[] = [];
  for (let daysAgo = integer(320, 355); daysAgo > 3; daysAgo -= integer(40, 90)) {
    deeds.push(bought(daysAgo, [pick(["tee", "polo", "hoodie"]), integer(1, 4)], ["beans", integer(1, 3)]));
    if (integer(1, 3) === 1) deeds.push(reviewed(daysAgo - 1, integer(1, 5)));
  }
  return deeds;
}

const memberName = (customer: string) => `the membership of ${customer}`;

function requestOf(customer: string, deed: Deed, n: number): DemoRequest {
  const { daysAgo } = deed;
  const who = { customer: { source_id: customer } };
  if ("did" in deed)
    return {
      line: "POST /v1/events",
      body: { event: deed.did, ...who, ...(deed.metadata && { metadata: deed.metadata }) },
      daysAgo,
    };
  if ("reward" in deed) {
    const line = `POST ${PROGRAM}/members/${answeredId(memberName(customer))}/rewards/purchases`;
    return { line, body: { reward_id: answeredId(deed.reward) }, as: `${deed.reward} for ${customer}`, daysAgo };
  }
  const items = deed.bought.map(([source_id, quantity]) => ({ source_id, related_object: "product", quantity }));
  return {
    line: "POST /v1/orders",
    body: { source_id: `${customer}-${n + 1}`, status: "PAID", ...who, items },
    daysAgo,
  };
}

/** What a club with more members would have more of. */
export type ClubSize = { moreMembers?: number };

export function loyaltyRequests(random: Seeded, { moreMembers = 3 }: ClubSize = {}): DemoRequest[] {
  const others = Array.from({ length: moreMembers }, (_, n) => [`customer-${n + 1}`, madeUpDeeds(random)] as const);
  const members = [...Object.entries(KNOWN), ...others];
  return [
    ...configuration.map((request) => ({ ...request, daysAgo: ENROLLED_DAYS_AGO })),
    ...members.map(([customer]) => ({
      line: `POST ${PROGRAM}/members`,
      body: { customer_id: answeredId(customer) },
      as: memberName(customer),
      daysAgo: ENROLLED_DAYS_AGO,
    })),
    // Time goes on for all of them together.
    ...members
      .flatMap(([customer, deeds]) => deeds.map((deed, n) => requestOf(customer, deed, n)))
      .sort((a, b) => b.daysAgo! - a.daysAgo!),
  ];
}
