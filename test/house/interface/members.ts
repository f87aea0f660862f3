import { each, open, rows } from "./row.ts";

const cards = (name: string) => `test/loyalty-v2/loyalty-cards.test.ts › ${name}`;
const MEMBER = cards(
  "who joins a program gets a card, which is a voucher with its points, and the same one when they join again",
);
const EVERY_FIELD = cards("a member has every field of the interface");
const EXPIRED = cards(
  "points expire at the midnight after their last day, whether or not anybody swept, and the counters say so",
);
const NOT_FOUND = cards("what is no loyalty card, or none of the campaign, or another project's, is not found");

export const member = [
  ...rows(
    "member",
    {
      id: "voucher id",
      code: "code of the card",
      campaign: "name of the parent campaign",
      campaign_id: "its id",
      category: "category tag",
      category_id: "its id",
      categories: "array",
      type: "LOYALTY_CARD",
      discount: "null for loyalty cards",
      gift: "null for loyalty cards",
      loyalty_card: ["points, balance, next expiration date and points", each(EVERY_FIELD), MEMBER, EXPIRED],
      start_date: "instant",
      expiration_date: "instant",
      validity_timeframe: "recurrent periods, needs start_date",
      validity_day_of_week: "0 (Sunday) to 6 (Saturday)",
      validity_hours: "object",
      active: "boolean or null",
      additional_info: "text",
      metadata: "object",
      assets: "qr and barcode with id and url",
      is_referral_code: "boolean or null, false for members",
      created_at: "instant",
      updated_at: "instant",
      holder_id: "the customer who owns it",
      redemption: "quantities, points, list and url",
      publish: "list, count and url",
      object: "voucher",
    },
    [each(EVERY_FIELD)],
  ),
  ...rows("member.get", {
    path: ["GET /v1/loyalties/members/{memberId}, the card's code", EVERY_FIELD, NOT_FOUND],
    answer: ["200 with the member", each(EVERY_FIELD), MEMBER],
  }),
];

const templates = (name: string) => `test/promotions/campaign-templates.test.ts › templates: ${name}`;
const TEMPLATE = templates("taken from a campaign, read, updated and deleted, with every field of the interface");
const NAMED_ONCE = templates("a wrong body is a 400 that names the field, a taken name a 409");
const OF_KINDS = templates("one of gift cards is GIFT_VOUCHERS, one of a promotion tier DISCOUNT_COUPONS");

export const template = [
  ...rows(
    "campaign_template",
    {
      id: "identifier",
      name: ["unique", each(TEMPLATE), NAMED_ONCE],
      description: ["text; a request may send null", each(TEMPLATE), NAMED_ONCE],
      campaign_type: ["DISCOUNT_COUPONS or GIFT_VOUCHERS", each(TEMPLATE), OF_KINDS],
      from_tier: ["made from a promotion tier it is DISCOUNT_COUPONS", each(OF_KINDS)],
      created_at: "instant",
      updated_at: "instant, optional",
      object: "campaign_template",
    },
    [each(TEMPLATE)],
  ),
  ...rows(
    "campaign_template.put",
    {
      path: "PUT /v1/templates/campaigns/{campaignTemplateId}",
      name: ["text, unique", each(TEMPLATE), NAMED_ONCE],
      description: ["text or null", each(TEMPLATE), NAMED_ONCE],
      answer: "200 with the template",
    },
    [each(TEMPLATE)],
  ),
];

const events = (name: string) => `test/customers/events.test.ts › ${name}`;
const TRACKED = events(
  "an event is answered with every field of the interface: its name, the customer, null for referral and loyalty",
);
const NAMED = events("the name is 1 to 300 characters and defined in the project");
const WRONG = events("whatever is wrong with the body is a 400 that names the field, and nothing changes");
const PAGE = events("a page needs its own keys and a trusted origin");
const earning = (name: string) => `test/loyalty-v2/earning.test.ts › ${name}`;
const EARNED = earning("a custom event earns the points of its rule each time, in a transaction that names its cause");
const ATTRIBUTED = earning(
  "an event that names a card counts for its member only, and one that is not the customer's is refused",
);

const CONVERTED =
  "test/promotions/referral-conversions.test.ts › a custom event converts that names the code, once, and its answer says nothing of it";

export const event = [
  ...rows(
    "event",
    {
      object: "event",
      type: "the name of the event",
      customer: "simple customer object",
      referral: "null",
      loyalty: "null",
      metadata: "object",
    },
    [each(TRACKED)],
  ),
  ...rows("event.post", {
    server: ["POST /v1/events", each(TRACKED)],
    client: ["POST /client/v1/events", each(PAGE)],
    event: ["required, 1 to 300 characters", NAMED, each(WRONG)],
    defined: ["must be a custom event of the project", each(NAMED)],
    customer: ["required object", each(WRONG)],
    referral: ["code and referrer_id, when the conversion event is a custom one", CONVERTED, each(WRONG)],
    loyalty: ["names the card it counts for", ATTRIBUTED, each(WRONG)],
    metadata: ["follows the event's schema", each(WRONG)],
    origin: ["the client-side one needs the header origin", each(PAGE)],
    answer: ["200 with the event", each(TRACKED)],
  }),
  ...rows("events", {
    rule1: [
      "received by two operations, name must be defined, type echoes it, referral and loyalty are null",
      TRACKED,
      NAMED,
      PAGE,
    ],
    rule2: ["can trigger an earning rule; loyalty attributes it to a card", EARNED, each(ATTRIBUTED)],
    rule3: ["can be the conversion event of a referral program", each(CONVERTED)],
    rule4: [
      "its schema id stands in custom_activity_types and event_types",
      earning("points of a wallet that waits are pending, and an event makes them available; later ones wait again"),
      earning(
        "an event begins an expiration again that slides with it, and what is due has expired before anything is earned",
      ),
    ],
  }),
  ...open(
    rows("events", { rule6: "kinds and payloads of outgoing webhooks", rule7: "which operations emit which" }),
    "nothing is sent yet",
  ),
];

const referrals = (name: string) => `test/promotions/referrals.test.ts › ${name}`;
const ADDED = referrals(
  "friends are added to a referral code by its code or its id, and every field of the interface is there",
);
const ALL_OR_NONE = referrals("of a list of friends all are added or none");

export const holder = [
  ...rows(
    "redeemable_holder",
    {
      id: "identifier",
      created_at: "instant",
      redeemable_id: "text",
      redeemable_object: "text",
      campaign_id: "text",
      campaign_type: "text",
      voucher_type: "text",
      customer_id: "text",
      holder_role: "for example REFEREE",
      object: "redeemable_holder",
      metadata: "object",
    },
    [each(ADDED)],
  ),
  ...rows("holders.post", {
    path: ["POST /v1/referrals/members/{memberId}/holders, a referral code or its id", each(ADDED)],
    holders: ["required, 1..100 customers", ALL_OR_NONE],
    identity: [
      "each has source_id or id or both; with both the id decides",
      referrals(
        "a customer is known by the id when both are sent, is changed by what is sent, and an unknown id is a 404",
      ),
      ALL_OR_NONE,
    ],
    metadata: ["follows the schema of publications", ALL_OR_NONE],
    metadata_values: ["text, number, boolean, date, datetime, image URL or object", each(ADDED)],
    answer: ["200 with the holders", each(ADDED)],
  }),
];
