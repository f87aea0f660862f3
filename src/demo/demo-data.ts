/** One request of the demo: it goes through the interface, as a shop's own would. */
export type DemoRequest = { line: string; body: object };

/** A generator with a seed (mulberry32): the same seed gives the same shop, in the demo, in tests and in benchmarks. */
export function seeded(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return { next, integer, pick: <T>(values: readonly T[]): T => values[integer(0, values.length - 1)]! };
}

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
const METADATA_SCHEMAS = {
  customer: {
    favourite_colour: { ...text, eq: ["red", "green", "blue"] },
    newsletter: { type: "boolean", optional: true, array: false },
    shoe_size: { type: "number", optional: true, array: false, gte: 15, lte: 55 },
  },
  product: { brand: text, weight_grams: { type: "number", optional: true, array: false, gte: 0 } },
  order: { channel: { ...text, eq: ["web", "app", "store"] } },
};
const EVENTS = {
  product_reviewed: { stars: { type: "number", optional: true } },
  newsletter_subscribed: {},
  store_visited: { store: { type: "string", optional: true } },
};

/** Everything the demo project holds, in the order in which it is made. */
export function demoRequests(projectId: string, { seed = 1, moreCategories = 3 } = {}): DemoRequest[] {
  const project = `/management/v1/projects/${encodeURIComponent(projectId)}`;
  return [
    ...Object.entries(METADATA_SCHEMAS).map(([related_object, properties]) => ({
      line: `POST ${project}/metadata-schemas`,
      body: { related_object, properties },
    })),
    ...Object.entries(EVENTS).map(([name, properties]) => ({
      line: `POST ${project}/custom-event-schemas`,
      body: { name, schema: { properties } },
    })),
    ...demoCategories(seed, moreCategories).map((body) => ({ line: "POST /v1/categories", body })),
  ];
}
