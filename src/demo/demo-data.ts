import { cardRequests } from "./cards.ts";
import { checkoutRequests } from "./checkout.ts";
import { historyRequests, offeredDaysAgo } from "./history.ts";
import { type ClubSize, loyaltyRequests } from "./loyalty.ts";
import { promotionRequests } from "./promotions.ts";
import { answeredId, type DemoRequest, seeded } from "./requests.ts";
import { type ShopSize, shopRequests } from "./shop.ts";

const CATEGORIES = ["Welcome", "Seasonal", "Loyalty members", "Clearance", "Partners"];
const ADJECTIVES = ["Autumn", "Bright", "Cosy", "Early", "Golden", "Late", "Quiet", "Spring", "Summer", "Winter"];
const NOUNS = ["bundles", "classics", "favourites", "finds", "gifts", "makers", "picks", "treats"];

/** The well-known categories, and as many made-up ones as asked for. The number keeps their names apart. */
function demoCategories(seed: number, more: number) {
  const { pick } = seeded(seed);
  const madeUp = Array.from({ length: more }, (_, n) => `${pick(ADJECTIVES)} ${pick(NOUNS)} ${n + 1}`);
  return [...CATEGORIES, ...madeUp].map((name, hierarchy) => ({ name, hierarchy }));
}

const text = { type: "string", optional: true, array: false };
const number = { type: "number", optional: true, array: false };
const flag = { type: "boolean", optional: true, array: false };
const METADATA_SCHEMAS = {
  customer: {
    favourite_colour: { ...text, eq: ["red", "green", "blue"] },
    member_years: { ...number, gte: 0 },
    newsletter: flag,
    shoe_size: { ...number, gte: 15, lte: 55 },
    vip: flag,
  },
  product: { brand: text, kind: text, weight_grams: { ...number, gte: 0 } },
  order: { channel: { ...text, eq: ["web", "app", "store"] } },
};
const EVENTS = {
  product_reviewed: { stars: { type: "number", optional: true } },
  newsletter_subscribed: {},
  store_visited: { store: { type: "string", optional: true } },
};

/** The settings of a demo project: client-side operations are on, so that pages and examples work from anywhere. */
export const DEMO_SETTINGS = {
  client_trusted_domains: ["*"],
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_list_vouchers_enabled: true,
  client_create_customer_enabled: true,
  client_loyalty_events_enabled: true,
  client_set_voucher_expiration_date_enabled: true,
};

const WEBHOOK = "Orders of the shop";

/** The shop was there before the club. */
const OPENED_DAYS_AGO = 370;
/** A quarter of a year has sales. */
const HISTORY_DAYS = 90;

/** Everything the demo project holds, in the order in which it is made. */
export function demoRequests(
  projectId: string,
  {
    seed = 1,
    moreCategories = 3,
    historyDays = HISTORY_DAYS,
    ...size
  }: { seed?: number; moreCategories?: number; historyDays?: number } & ShopSize & ClubSize = {},
): DemoRequest[] {
  const project = `/management/v1/projects/${encodeURIComponent(projectId)}`;
  const random = seeded(seed);
  const opening = [
    ...Object.entries(METADATA_SCHEMAS).map(([related_object, properties]) => ({
      line: `POST ${project}/metadata-schemas`,
      body: { related_object, properties },
      // The first request has no stable id: a second load then meets the name that is taken, a 409, and not the id.
      ...(related_object !== "customer" && { as: `metadata of a ${related_object}` }),
    })),
    ...Object.entries(EVENTS).map(([name, properties]) => ({
      line: `POST ${project}/custom-event-schemas`,
      body: { name, schema: { properties } },
      as: name,
    })),
    // It does not listen: nobody wants to be told of a demo.
    {
      line: `POST ${project}/webhooks`,
      body: { target_url: "https://shop.example/webhooks", events: ["redemption.succeeded"], active: false },
      as: WEBHOOK,
    },
    ...demoCategories(seed, moreCategories).map((body) => ({ line: "POST /v1/categories", body, as: body.name })),
    ...shopRequests(random, size),
  ];
  return [
    ...opening.map((request) => ({ ...request, daysAgo: OPENED_DAYS_AGO })),
    ...loyaltyRequests(random, size),
    ...[...promotionRequests(project), ...cardRequests].map((request) => ({
      daysAgo: offeredDaysAgo(historyDays),
      ...request,
    })),
    ...checkoutRequests,
    {
      line: `POST ${project}/webhooks/${answeredId(WEBHOOK)}/test`,
      body: { type: "redemption.succeeded" },
      as: "A test of the webhook",
    },
    // The last: what comes before keeps its ids, however long the history is.
    ...historyRequests(seeded(seed), historyDays),
  ];
}
