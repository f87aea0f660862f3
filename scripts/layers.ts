// Who may import whom. `test/house/layers.test.ts` holds every file to this table, and `npm run gen` writes it into
// ARCHITECTURE.md.

/** The rooms of `steps`, in their order: a step may import steps of its own room and of the rooms before it. */
export const STEPS = [
  "bulk",
  "goods",
  "customers",
  "promotions",
  "points",
  "checkout",
  "publishing",
  "rewards",
  "referrals",
  "earning",
  "programs",
] as const;

type Layer = {
  /** The layers that a file of this one may import. Nothing else in `src` may be imported. */
  may: readonly string[];
  /** What the table alone does not say. */
  note?: string;
};
export const LAYERS: Record<string, Layer> = {
  core: { may: ["core"], note: "beside it only `typebox`, `decimal.js`, `lru-cache` and `node:assert`" },
  db: { may: ["db", "core"] },
  request: { may: ["core"] },
  idempotency: { may: ["idempotency", "core", "db"] },
  events: { may: ["events", "catalog", "schema", "store", "core", "db", "ctx", "request"] },
  "http/schemas": { may: ["core"] },
  schema: { may: ["schema", "http/schemas", "core"], note: "`schema.ts` of a resource" },
  store: { may: ["schema", "store", "http/schemas", "core", "db", "request"], note: "`store.ts` of a resource" },
  catalog: { may: ["catalog", "schema", "store", "core", "db", "request"] },
  ctx: { may: ["catalog", "idempotency", "core", "db", "request"] },
  steps: {
    may: ["steps", "catalog", "events", "schema", "store", "core", "db", "ctx", "request"],
    note: `only steps of its own room and of rooms before it: ${STEPS.map((room) => `\`${room}\``).join(", ")}`,
  },
  flows: {
    may: ["flows", "steps", "catalog", "events", "idempotency", "schema", "store", "core", "db", "ctx", "request"],
    note: "a flow with a folder of its own imports files of it, any other flow no flow at all",
  },
  http: { may: ["http", "http/schemas", "steps", "catalog", "events", "idempotency", "core", "db", "ctx", "request"] },
  routes: {
    may: ["flows", "steps", "catalog", "events", "schema", "store", "http", "http/schemas", "core", "ctx", "request"],
    note: "`routes.ts` of a resource; only its own store",
  },
  webhooks: { may: ["webhooks", "store", "core", "db"] },
  jobs: { may: ["jobs", "webhooks", "flows", "steps", "catalog", "events", "store", "core", "db", "ctx", "request"] },
};

/** These wire the rest together and may import everything. */
export const WIRING = /^src\/(?:main|config|log|mail|routes|sources|tracing|version|warm-up)\.ts$|^src\/(?:cli|demo)\//;

/** The flows that run in lanes. */
export const HOT_FLOWS = ["validate", "qualify", "redeem", "roll-back", "track-event", "publish"];
/** The flows that have a folder with files of their own. Saving an order is a plain write that reads as they do. */
export const FLOW_FOLDERS = [...HOT_FLOWS, "save-order"];

/** The layer that a file belongs to; empty when it belongs to none. */
export function layerOf(path: string): string {
  if (path === "src/http/schemas.ts") return "http/schemas";
  if (WIRING.test(path)) return "wiring";
  const inResource = /^src\/resources\/[^/]+\/[^/]+\/(?:[\w-]+-)?(schema|store|routes)\.ts$/.exec(path);
  return inResource?.[1] ?? /^src\/(?!resources\/)([a-z-]+)/.exec(path)?.[1] ?? "";
}

/** The table as ARCHITECTURE.md shows it. */
export const layerTable = (): string =>
  [
    "| Layer | May import | Note |",
    "|---|---|---|",
    ...Object.entries(LAYERS).map(
      ([layer, { may, note = "" }]) => `| \`${layer}\` | ${may.map((other) => `\`${other}\``).join(", ")} | ${note} |`,
    ),
    "| `main`, `cli`, `demo`, `routes.ts` | everything | they wire the rest together |",
  ].join("\n");
