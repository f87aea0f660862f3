import { open, rows } from "./row.ts";

export const member = [
  ...rows(6, "member", {
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
    loyalty_card: "points, balance, next expiration date and points",
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
  }),
  ...rows(6, "member.get", {
    path: "GET /v1/loyalties/members/{memberId}, the card's code",
    answer: "200 with the member",
  }),
];

export const template = [
  ...rows(6, "campaign_template", {
    id: "identifier",
    name: "unique",
    description: "text; a request may send null",
    campaign_type: "DISCOUNT_COUPONS or GIFT_VOUCHERS",
    from_tier: "made from a promotion tier it is DISCOUNT_COUPONS",
    created_at: "instant",
    updated_at: "instant, optional",
    object: "campaign_template",
  }),
  ...rows(6, "campaign_template.put", {
    path: "PUT /v1/templates/campaigns/{campaignTemplateId}",
    name: "text, unique",
    description: "text or null",
    answer: "200 with the template",
  }),
];

const events = (name: string) => `test/events.test.ts › ${name}`;
const TRACKED = events(
  "an event is answered with every field of the interface: its name, the customer, null for referral and loyalty",
);
const NAMED = events("the name is 1 to 300 characters and defined in the project");
const WRONG = events("whatever is wrong with the body is a 400 that names the field, and nothing changes");
const PAGE = events("a page needs its own keys and a trusted origin");
const earning = (name: string) => `test/earning.test.ts › ${name}`;
const EARNED = earning("a custom event earns the points of its rule each time, in a transaction that names its cause");
const ATTRIBUTED = earning(
  "an event that names a card counts for its member only, and one that is not the customer's is refused",
);

export const event = [
  ...rows(
    6,
    "event",
    {
      object: "event",
      type: "the name of the event",
      customer: "simple customer object",
      referral: "null",
      loyalty: "null",
      metadata: "object",
    },
    [TRACKED],
  ),
  ...rows(6, "event.post", {
    server: ["POST /v1/events", TRACKED],
    client: ["POST /client/v1/events", PAGE],
    event: ["required, 1 to 300 characters", NAMED, WRONG],
    defined: ["must be a custom event of the project", NAMED],
    customer: ["required object", WRONG],
    referral: ["code and referrer_id, when the conversion event is a custom one", WRONG],
    loyalty: ["names the card it counts for", ATTRIBUTED, WRONG],
    metadata: ["follows the event's schema", WRONG],
    origin: ["the client-side one needs the header origin", PAGE],
    answer: ["200 with the event", TRACKED],
  }),
  ...rows(6, "events", {
    rule1: [
      "received by two operations, name must be defined, type echoes it, referral and loyalty are null",
      TRACKED,
      NAMED,
      PAGE,
    ],
    rule2: ["can trigger an earning rule; loyalty attributes it to a card", EARNED, ATTRIBUTED],
    rule3: "can be the conversion event of a referral program",
    rule4: [
      "its schema id stands in custom_activity_types and event_types",
      earning("points of a wallet that waits are pending, and an event makes them available; later ones wait again"),
      earning(
        "an event begins an expiration again that slides with it, and what is due has expired before anything is earned",
      ),
    ],
  }),
  ...open(
    rows(6, "events", { rule6: "kinds and payloads of outgoing webhooks", rule7: "which operations emit which" }),
  ),
];

export const holder = [
  ...rows(6, "redeemable_holder", {
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
  }),
  ...rows(6, "holders.post", {
    path: "POST /v1/referrals/members/{memberId}/holders, a referral code or its id",
    holders: "required, 1..100 customers",
    identity: "each has source_id or id or both; with both the id decides",
    metadata: "follows the schema of publications",
    metadata_values: "text, number, boolean, date, datetime, image URL or object",
    answer: "200 with the holders",
  }),
];
